// The quantum unit of a core ([GPUDet] §4.2, §4.2.1): counts the instructions of wavefronts, ends their parallel modes,
// decides when a CTA's barriers may be passed within a quantum, and lets atomics execute in serial mode. A tap and a gate
// on issue; it also decides when lanes go on behind barriers.
//
// A *wavefront* is a warp slot: if its lanes run apart, as splits, these take turns, an instruction each, in order of their
// groups. So what a wavefront executes in a quantum follows from what it has executed, and from nothing in time.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "core/core_extension.h"
#include "determinism/determinism_config.h"
#include "determinism/preconditions.h"
#include "determinism/quantum_digests.h"
#include "determinism/quantum_protocol.h"
#include "determinism/quantum_watch.h"
#include "determinism/serial_turns.h"
#include "determinism/store_buffer_protocol.h"
#include "sim/block_socket.h"

namespace heddle::determinism {

class QuantumUnit : public sc_core::sc_module {
 public:
  QuantumUnit(const sc_core::sc_module_name& name, const DeterminismConfig& config,
              Preconditions& preconditions, const core::CoreExtensionSite& site);

 private:
  void tap(core::IssueTapRequest& request);
  void gate(core::IssueGateRequest& request);
  void release(core::ReleaseRequest& request);
  void control(QuantumRequest& request);
  void take_event(StoreBufferEvent& event);

 public:
  sim::BlockTarget<core::IssueTapProtocol, QuantumUnit, &QuantumUnit::tap> tap_tsock{"tap_tsock", this};
  sim::BlockTarget<core::IssueGateProtocol, QuantumUnit, &QuantumUnit::gate> gate_tsock{"gate_tsock", this};
  core::GateControlPort gate_control_isock{"gate_control_isock"};
  sim::BlockTarget<core::ReleaseProtocol, QuantumUnit, &QuantumUnit::release> release_tsock{"release_tsock",
                                                                                            this};
  core::ReleaseControlPort release_control_isock{"release_control_isock"};
  sim::BlockInitiator<StoreBufferProtocol> store_buffer_isock{"store_buffer_isock"};
  sim::BlockTarget<StoreBufferEventProtocol, QuantumUnit, &QuantumUnit::take_event> event_tsock{"event_tsock",
                                                                                                this};
  sim::BlockTarget<QuantumProtocol, QuantumUnit, &QuantumUnit::control> control_tsock{"control_tsock", this};
  sim::BlockInitiator<QuantumReportProtocol> report_isock{"report_isock"};

 private:
  using WarpId = base::WarpId;
  using LaneMask = base::LaneMask;

  enum class State : std::uint8_t {
    kEmpty,  ///< no CTA, or not begun
    kParallel,
    kDraining,  ///< its parallel mode has ended, operations are on their way
    kEnded,
  };
  struct Wave {
    State state = State::kEmpty;
    EndReason reason = EndReason::kNone;
    std::uint32_t count = 0;
    LaneMask live;
    LaneMask kept;  ///< lanes that a complete barrier has released
    base::GroupId turn{};
    bool turn_open = false;  ///< the next turn is not decided
    bool some_wait =
        false;  ///< lanes wait at a barrier while others run: these may come to wait for them, anywhere
    bool host_call = false;       ///< EndReason::kAtomic: it is a call of the host
    bool global_barrier = false;  ///< its last barrier has global scope: BtaRule::kFlag
    LaneMask at_barrier;          ///< lanes that may not issue before release_control_isock lets them
  };
  struct Slot {
    bool resident = false;
    bool ended = false;
    std::uint64_t cta = 0;
    std::uint32_t first_warp = 0;
    std::uint32_t warps = 0;
  };
  enum class Mode : std::uint8_t { kIdle, kParallel, kCommit, kSerialLogs, kSerialAtomics };

  void begin_launch(const core::LaunchContext* launch);
  void start_cta(const core::CtaContext& cta);
  void begin_parallel();
  /// The wavefront may issue; lanes that barriers have released go on.
  void resume(WarpId warp);
  void end(WarpId warp, EndReason reason);
  void ended(WarpId warp);
  void executed(const core::IssueTapRequest& issue);
  [[nodiscard]] bool closed_in_parallel(const core::IssueGateRequest& request);
  [[nodiscard]] static bool is_serial(const isa::Instruction& instruction);

  void settle(QuantumRequest& request);
  /// False: not now.
  bool give_turn(WarpId warp);
  void evaluate(Slot& slot);
  [[nodiscard]] bool passes_barrier(const Slot& slot);

  void begin_serial_atomics();
  void begin_serial_logs();
  void next_atomic();
  void next_log();

  [[nodiscard]] StoreBufferRequest ask(WarpId warp) { return store_buffer_isock.call({.warp = warp}); }
  void command(StoreBufferRequest request) { store_buffer_isock.call(request); }
  void dirty();
  void report(QuantumReport::Kind kind, base::CtaSlot slot = {});

  /// The reason holds by what the wavefront has executed ([GPUDet:D12]).
  [[nodiscard]] bool holds(WarpId warp, EndReason reason);
  void recheck(WarpId warp);
  [[nodiscard]] Wave& wave(WarpId warp) { return waves_[warp.value()]; }
  [[nodiscard]] Slot& slot_of(WarpId warp) { return slots_[warp.value() / warps_per_cta_]; }
  [[nodiscard]] bool takes_turns() const { return site_.lanes_apart; }
  void count_ends();
  void end_quantum(QuantumRequest& request);

  const DeterminismConfig config_;
  const core::CoreExtensionSite site_;
  QuantumWatch quantum_watch_;
  const core::LaunchContext* launch_ = nullptr;
  std::uint32_t warps_per_cta_ = 1;
  std::uint32_t gate_number_ = 0;
  std::vector<bool> global_barrier_;  ///< by PC: BtaRule::kFlag

  Mode mode_ = Mode::kIdle;
  std::vector<Wave> waves_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> dirty_waves_;  ///< whose turn is to be given
  std::vector<std::uint32_t> dirty_slots_;
  bool is_dirty_ = false;
  std::vector<core::GroupState> groups_;  ///< scratch

  SerialTurns turns_;
  bool watch_ = false;  ///< digests are wanted
  QuantumDigests digests_;
  std::uint64_t issued_ = 0;
  std::uint64_t atomics_ = 0, serial_logs_ = 0, barriers_passed_ = 0, counted_ = 0;
  std::array<std::uint64_t, kEndReasons> ends_{};
};

}  // namespace heddle::determinism
