// The store buffers of a core's wavefronts ([GPUDet] §4.3): between the core and its load/store unit. A store to global
// memory goes to its wavefront's log, a load finds there what the wavefront has stored in this quantum, and at the quantum's
// end the log goes to the commit engine. The logs are in device memory, behind L1 (warp_log/log_traffic.h).
//
//   core --lsu_tsock--> store buffer --lsu_isock--> load/store unit <-- log traffic (a client)
//   quantum unit --control_tsock--> store buffer --commit_isock--> commit engine, --serial_isock--> direct writer
//
// Files: store_buffer.cpp requests, completions, a cycle; store_operations.cpp stores and loads; store_commit.cpp logs on
// their way out; store_rules.cpp what must hold.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <systemc>
#include <vector>

#include "base/slot_pool.h"
#include "base/stats.h"
#include "core/core_extension.h"
#include "core/memory/address_resolver.h"
#include "core/memory/held_operation.h"
#include "core/memory/lsu_interposer.h"
#include "core/observe/register_hash.h"
#include "determinism/commit_protocol.h"
#include "determinism/determinism_config.h"
#include "determinism/log_replay.h"
#include "determinism/log_search.h"
#include "determinism/log_shadow.h"
#include "determinism/preconditions.h"
#include "determinism/store_buffer_protocol.h"
#include "sim/block_socket.h"
#include "warp_log/bloom_filter.h"
#include "warp_log/log_layout.h"
#include "warp_log/log_traffic.h"

namespace heddle::determinism {

class StoreBuffer : public core::LsuInterposer {
 public:
  /// `depths`, `preconditions`: of the GPU.
  StoreBuffer(const sc_core::sc_module_name& name, const DeterminismConfig& config, const DepthFormat& depths,
              Preconditions& preconditions, const core::CoreExtensionSite& site);

 private:
  void control(StoreBufferRequest& request);
  void take_ack(CommitAck& ack);
  void take_serial_ack(CommitAck& ack);
  void take_log(warp_log::LogAnswer& answer);

 public:
  sim::BlockTarget<StoreBufferProtocol, StoreBuffer, &StoreBuffer::control> control_tsock{"control_tsock",
                                                                                          this};
  sim::BlockInitiator<StoreBufferEventProtocol> event_isock{"event_isock"};
  CommitPort commit_isock{"commit_isock"};
  sim::BlockTarget<CommitAckProtocol, StoreBuffer, &StoreBuffer::take_ack> ack_tsock{"ack_tsock", this};
  CommitPort serial_isock{"serial_isock"};
  sim::BlockTarget<CommitAckProtocol, StoreBuffer, &StoreBuffer::take_serial_ack> serial_ack_tsock{
      "serial_ack_tsock", this};

  void add_clients(core::LoadStoreUnit& unit) override;
  /// Where the logs of the GPU are in device memory; before the first launch.
  void set_log_base(std::uint64_t base);
  /// Of the whole GPU, for set_log_base().
  [[nodiscard]] static std::uint64_t log_bytes(const DeterminismConfig& config, std::uint64_t wavefronts) {
    return warp_log::LogLayout::bytes_of_log(config.log.capacity, kMetaBytes) * wavefronts;
  }

 private:
  using Cycle = core::Cycle;
  using LaneMask = core::LaneMask;
  using WarpId = core::WarpId;

  struct Wave {
    explicit Wave(std::uint32_t bloom_bits) : bloom(bloom_bits) {}
    void clear() {
      entries = 0;
      bloom.clear();
      seals.clear();
    }
    warp_log::BloomFilter bloom;
    std::uint32_t entries = 0;
    bool has_partial = false;
    std::uint32_t outstanding = 0;  ///< operations of the core that are not done
    LogReplay replay;
    bool replays = false;
    std::uint32_t acks = 0;        ///< entries that are not acknowledged
    bool waits_for_ack = false;    ///< the commit engine takes no entry before one is
    std::vector<EntrySeal> seals;  ///< of the entries, if preconditions are watched
    core::Hash digest;             ///< of all that was appended in the quantum, if that is watched
  };
  /// An operation whose answer is, in part at least, this unit's.
  struct Held {
    explicit Held(const core::LsuRequest& request) : operation(request) {}
    core::HeldOperation operation;
    std::uint32_t pieces = 0;  ///< appends, and parts that the load/store unit has
    // Loads
    std::vector<LogSearch> searches;  ///< by chunk
    std::size_t current = 0;          ///< the search in progress
    LaneMask searched;                ///< lanes that it is about
    LaneMask to_pass;                 ///< of these, lanes that wait for room in the load/store unit
    std::array<std::uint64_t, core::kLanes> address{};
  };
  enum class Purpose : std::uint8_t { kAppend, kSearchMeta, kSearchData, kReplayMeta, kReplayData };
  struct LogAccess {
    Purpose purpose = Purpose::kAppend;
    WarpId warp{};
    std::uint32_t owner = 0;  ///< the held operation
    std::uint32_t entry = 0;
    std::uint64_t address = 0;
    unsigned words = 0;
    std::array<std::uint32_t, warp_log::kLineWords> data{};  ///< of appends
  };

  // core::LsuInterposer
  void serve(core::LsuRequest& request) override;
  void inspect(core::LsuRequest& request) override;
  void complete(core::LsuCompletion& done) override;
  void wake(core::LsuWake& wake) override;

  void begin_launch(core::LsuRequest& request);
  void issue(core::LsuRequest& request);
  void tick(core::LsuRequest& request);
  [[nodiscard]] bool full() const { return held_.size() >= most_held_; }
  [[nodiscard]] Wave& wave(WarpId warp) { return waves_[warp.value()]; }
  /// It is to be ticked: what is done in the system's turn begins in the core's next cycle.
  void wake_core();
  void operation_done(WarpId warp);
  void tell(StoreBufferEvent::Kind kind, WarpId warp = {});

  // store_rules.cpp: what must hold (preconditions.h)
  /// [GPUDet:D1]: of lanes that store to the same byte the highest has won.
  void check_winner(const core::LsuRequest& request, const core::LineAccess& access,
                    const std::array<unsigned char, kChunkBytes>& data);
  /// [GPUDet:D2]: logs give back what was appended before who asks.
  void check_read(const LogAccess& access, std::span<const std::uint32_t> words);
  /// [GPUDet:D5]: entries leave in log order.
  void check_order(WarpId warp, std::uint32_t index);
  /// [GPUDet:D7]: what the core issues past the log stores nothing to global memory.
  void check_passed(const core::LsuRequest& request);
  /// [GPUDet:D8]: L1 and constant cache hold nothing from before the commit.
  void check_caches();
  [[nodiscard]] std::string wavefront_name(WarpId warp) const;

  // store_operations.cpp
  void store(core::LsuRequest& request);
  void load(core::LsuRequest& request);
  /// The operation's addresses, in op_.
  void resolve(const core::LsuRequest& request);
  void append(WarpId warp, std::uint32_t owner, const core::LineAccess& access,
              const core::LsuRequest& request);
  [[noreturn]] void refuse_partial(const core::LsuRequest& request) const;
  std::uint32_t hold(const core::LsuRequest& request);
  /// Some lanes of a held operation go to the load/store unit now.
  void pass(core::LsuRequest& request, std::uint32_t owner, LaneMask lanes);
  bool offer_pass(std::uint32_t owner, Cycle cycle);
  void search(std::uint32_t owner);
  void search_ends(std::uint32_t owner);
  void take_search(std::uint32_t owner, const LogAccess& access, std::span<const std::uint32_t> words);
  void piece_done(std::uint32_t owner);
  /// Forwarded bytes go into the registers of these lanes. `partly`: the other bytes are there.
  void merge(Held& held, LaneMask lanes, bool partly);
  [[nodiscard]] LaneMask satisfied(const Held& held) const;
  void finish(std::uint32_t owner);
  void queue(const LogAccess& access);
  /// One access to the logs goes to the load/store unit.
  void offer_access(Cycle cycle);
  /// All of them, and those that follow from them, are answered at once (LogCost::kNone).
  void answer_for_nothing();
  void answered(const LogAccess& access, std::span<const std::uint32_t> words);
  [[nodiscard]] static bool writes(Purpose purpose) { return purpose == Purpose::kAppend; }

  // store_commit.cpp
  void begin_commit(std::uint32_t quantum);
  void end_commit();
  void begin_serial(WarpId warp);
  void commit_cycle(Cycle cycle);
  /// One entry of some wavefront's log to the engine.
  void send_entry(Cycle cycle);
  void read_logs();
  void commit_ends();
  void entry_acknowledged(const CommitAck& ack);
  [[nodiscard]] bool committing() const { return !commit_told_; }

  const DeterminismConfig config_;
  const DepthFormat depths_;
  Preconditions& preconditions_;
  const core::CoreExtensionSite site_;
  warp_log::LogTraffic traffic_;
  sim::BlockTarget<warp_log::LogAnswerProtocol, StoreBuffer, &StoreBuffer::take_log> log_answer_tsock_{
      "log_answer_tsock", this};
  warp_log::LogLayout layout_;
  core::AddressResolver resolver_;
  core::MemoryInstruction op_;  ///< the one that is looked at
  const core::LaunchContext* launch_ = nullptr;
  std::uint64_t log_base_ = 0, log_end_ = 0;
  std::vector<core::AddressRange> own_;  ///< what L1 keeps

  bool watch_ = false;  ///< digests are wanted
  std::vector<Wave> waves_;
  base::SlotPool<std::unique_ptr<Held>> held_;
  std::size_t most_held_;
  std::deque<LogAccess> to_lsu_;
  LogShadow shadow_;                   ///< instead of memory
  base::SlotPool<LogAccess> in_lsu_;   ///< by tag
  std::deque<std::uint32_t> to_pass_;  ///< held loads whose rest waits for room
  bool lsu_full_ = false;
  bool again_ = false;  ///< there is something to do in the next cycle

  std::uint32_t quantum_ = 0;
  std::uint32_t reads_ = 0;           ///< of logs, queued or on their way
  std::uint32_t first_ = 0;           ///< wavefront whose turn it is
  std::vector<std::uint32_t> order_;  ///< those that replay
  bool commit_told_ = true;
  bool serial_ = false;
  WarpId serial_warp_{};
  Cycle engine_due_ = base::kNever;  ///< when the commit engine wants a tick

  std::uint8_t generation_ = 0;
  std::array<std::uint64_t, 2> appended_in_{};  ///< entries in logs by the watchdog's generation

  std::uint64_t stores_ = 0, appends_ = 0, partial_appends_ = 0, loads_ = 0, bloom_look_ups_ = 0,
                searches_ = 0, compared_ = 0;
  std::uint64_t forwards_ = 0, partial_forwards_ = 0, false_positives_ = 0, updates_ = 0, serial_writes_ = 0;
  std::uint64_t most_entries_ = 0;
};

}  // namespace heddle::determinism
