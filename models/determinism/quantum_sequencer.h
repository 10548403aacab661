// The quantum sequencer ([GPUDet] §4.2): takes all cores through the modes of a quantum, and distributes CTAs. It runs in
// the system's turn of an instant, as the dispatch policy of the GPU's CTA dispatcher.
//
//   work distribution -> parallel | commit | [serial: logs with partial words, atomics] | next quantum
//
// | is a barrier over all cores.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "core/cta/cta_dispatch_policy.h"
#include "core/observe/trace.h"
#include "determinism/depth.h"
#include "determinism/determinism_config.h"
#include "determinism/gpu_cta_slots.h"
#include "determinism/livelock_watch.h"
#include "determinism/preconditions.h"
#include "determinism/quantum_protocol.h"
#include "sim/block_socket.h"

namespace heddle::determinism {

/// For tests and traces: a quantum that is over.
struct QuantumRecord {
  std::uint64_t number = 0;  ///< since the launch began
  std::uint32_t quantum_id = 0;
  std::vector<WaveRecord> waves;
  std::vector<core::CtaChoice> started;  ///< CTAs, in order of time
  /// Of the states of all wavefronts, of what they have stored and executed in serial mode ([GPUDet:D1] to [GPUDet:D13]):
  /// equal if everything is.
  std::uint64_t digest = 0;
  /// The same without what the time of fences decides, and with the instructions that each wavefront issued: by no
  /// timing different.
  std::uint64_t path_digest = 0;
  std::uint64_t log_digest = 0;  ///< of the logs that were committed
  struct Atomic {
    std::uint32_t core = 0;
    base::WarpId warp{};
    base::Pc pc{};
  };
  std::vector<Atomic> serial;  ///< what executed in serial mode, in order
};

class QuantumSequencer : public sc_core::sc_module {
 public:
  QuantumSequencer(const sc_core::sc_module_name& name, const DeterminismConfig& config,
                   const DepthFormat& depths, Preconditions& preconditions, std::uint32_t cores,
                   base::StatGroup& stats);

 private:
  void take_report(QuantumReport& report);

 public:
  // By core.
  std::vector<std::unique_ptr<sim::BlockInitiator<QuantumProtocol>>> unit_isocks;
  using ReportTarget =
      sim::BlockTarget<QuantumReportProtocol, QuantumSequencer, &QuantumSequencer::take_report>;
  std::vector<std::unique_ptr<ReportTarget>> report_tsocks;

  /// The depths of all partitions become kNoDepth; true: that is done. Asked in every cycle until it is.
  std::function<bool(bool begin)> reset_depths;
  /// No write of the partitions' own is on its way.
  std::function<bool()> partitions_idle;
  /// A hang: nothing will ever happen again.
  std::function<void(const std::string& why)> on_hang;
  std::function<void(const QuantumRecord&)> on_quantum;
  /// Memory is what a quantum's commit has left, or its serial mode. For tests: the sequencer waits until all writes are
  /// performed, which takes time.
  enum class Point : std::uint8_t { kCommitted, kSerialDone };
  std::function<void(Point)> on_memory;
  /// Of the launch that is about to begin; null: none. Gets the modes.
  void set_trace(core::TraceSink* trace) { trace_ = trace; }
  /// The number of the next quantum (tests of its overflow).
  void set_quantum(std::uint32_t quantum) { quantum_ = quantum; }

  // What the dispatcher's policy passes on (core/cta/cta_dispatch_policy.h).
  void attach(std::function<void()> ask) { ask_ = std::move(ask); }
  void begin(std::uint64_t ctas, std::uint32_t cores);
  base::Cycle cycle(base::Cycle now);
  [[nodiscard]] std::optional<core::CtaChoice> next(std::span<const std::uint32_t> room);
  void done(const core::CtaChoice& choice);
  [[nodiscard]] bool may_end() const { return mode_ == Mode::kFinished; }
  void end();

 private:
  enum class Mode : std::uint8_t {
    kIdle,
    kWorkDist,
    kParallel,
    kCommit,
    kFlush,
    kSerialLogs,
    kSerialAtomics,
    kReset,
    kEnding,  ///< the last quantum is over, its writes are on their way
    kFinished,
  };
  /// Modes that statistics tell apart.
  enum class Phase : std::uint8_t { kWorkDist, kParallel, kCommit, kSerial, kBarrier };
  static constexpr unsigned kPhases = 5;
  static constexpr std::array<const char*, kPhases> kPhaseNames{"work_dist", "parallel", "commit", "serial",
                                                                "barrier"};

  /// One step; false: the mode cannot go on now.
  bool step(base::Cycle now);
  /// The number of quanta has overflown ([GPUDet] §4.4.2).
  void begin_reset(base::Cycle now);
  /// Nothing happens before then: a global barrier, behind `cycles` of something else.
  void barrier(base::Cycle now, std::uint32_t cycles = 0);
  void settle(base::Cycle now);
  void begin_parallel(base::Cycle now);
  void refill();
  void begin_commit(base::Cycle now);
  void end_commit(base::Cycle now);
  bool serial_step(base::Cycle now);
  void end_quantum(base::Cycle now);
  void look_for_hangs(std::uint64_t issued, std::uint64_t digest);
  /// All that has been committed, or has executed in serial mode, is performed, if somebody looks at memory then.
  [[nodiscard]] bool memory_settled() const { return !on_memory || !partitions_idle || partitions_idle(); }
  void account(base::Cycle now, Phase phase);
  QuantumRequest ask(std::uint32_t core, QuantumRequest request, base::Cycle now);

  const DeterminismConfig config_;
  const DepthFormat depths_;
  Preconditions& preconditions_;
  std::function<void()> ask_;
  Mode mode_ = Mode::kIdle;
  base::Cycle wait_until_ = 0;
  base::Cycle accounted_ = 0;
  core::TraceSink* trace_ = nullptr;
  std::uint32_t quantum_ = 0;    ///< of depths; goes on over launches
  std::uint64_t in_launch_ = 0;  ///< quanta of this launch that are over

  std::uint32_t cores_ = 0;
  GpuCtaSlots slots_;

  std::vector<bool> dirty_;  ///< by core
  bool any_dirty_ = false;
  bool in_cycle_ = false;
  std::uint32_t outstanding_ = 0;  ///< cores that have not answered
  std::vector<std::uint32_t> with_logs_, with_atomics_;
  std::size_t serial_next_ = 0;
  bool host_calls_ = false;  ///< the serial mode has instructions that let the host look at memory
  bool committed_ = false;   ///< the quantum had something to commit

  LivelockWatch livelock_;
  bool watched_ = false;  ///< this quantum
  QuantumRecord record_;  ///< of this quantum, if somebody wants it

  std::uint64_t quanta_ = 0, resets_ = 0, serial_modes_ = 0;
  std::array<std::uint64_t, kPhases> cycles_{};
};

/// The sequencer as a dispatch policy.
class QuantumDispatch final : public core::CtaDispatchPolicy {
 public:
  explicit QuantumDispatch(QuantumSequencer& sequencer) : sequencer_(sequencer) {}
  void attach(std::function<void()> ask) override { sequencer_.attach(std::move(ask)); }
  void begin(std::uint64_t ctas, std::uint32_t cores) override { sequencer_.begin(ctas, cores); }
  base::Cycle cycle(base::Cycle now) override { return sequencer_.cycle(now); }
  [[nodiscard]] bool may_end() override { return sequencer_.may_end(); }
  void end() override { sequencer_.end(); }
  std::optional<core::CtaChoice> next(std::span<const std::uint32_t> room) override {
    return sequencer_.next(room);
  }
  void done(const core::CtaChoice& choice, base::CtaSlot /*slot*/) override { sequencer_.done(choice); }

 private:
  QuantumSequencer& sequencer_;
};

}  // namespace heddle::determinism
