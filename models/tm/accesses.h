// Loads, stores and atomics of transactions ([KiloTM] §4.2.4): held back from the load/store unit, looked up in the
// attempt's own writes, read from memory past L1, and logged.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/slot_pool.h"
#include "core/core_extension.h"
#include "core/memory/address_resolver.h"
#include "core/memory/held_operation.h"
#include "tm/access_log.h"
#include "tm/committed_ids.h"
#include "tm/config.h"
#include "tm/core_signals.h"
#include "tm/global_reads.h"
#include "tm/silent_commits.h"
#include "tm/transaction_shared.h"

namespace heddle::tm {

class Accesses {
  void take_global(GlobalAnswer& answer);

 public:
  using LsuSocket = sim::BlockInitiator<core::LsuProtocol>;
  using CompletionSocket = sim::BlockInitiator<core::LsuCompletionProtocol>;

  /// Within the constructor of a module. `lsu`, `completions`: of the interposer.
  Accesses(const TmLogConfig& config, const core::CoreExtensionSite& site, const TransactionShared& shared,
           AccessLog& log, SilentCommits& silent, const CommittedIds& ids, CoreSignals& signals,
           GlobalReads& reads, LsuSocket& lsu, CompletionSocket& completions);

  void begin_launch(const core::LaunchContext* launch);
  /// Another attempt of the warp: `number` of it in the launch, `grid_warp` its number in the grid.
  void begin(WarpId id, std::uint64_t grid_warp, std::uint64_t number);
  /// An access of an attempt issues.
  void issue(const core::LsuRequest& request);
  /// Lanes of the access `tag` that are in shared or local memory are done.
  void others_done(std::uint32_t tag) { part_done(tag - 1); }
  /// Accesses that come from now on wait for go_on().
  void pause(WarpId id) { warp(id).paused = true; }
  void go_on(WarpId id);
  /// An access of the warp is done.
  std::function<void(WarpId)> on_done;

  [[nodiscard]] bool any(WarpId id) const { return warps_[id.value()].held != 0; }
  /// None is under way; some may wait.
  [[nodiscard]] bool quiet(WarpId id) const {
    return warps_[id.value()].held == warps_[id.value()].deferred.size();
  }
  /// Lanes that have done what is a fault if what they have read is valid, and the first one.
  [[nodiscard]] LaneMask faulted(WarpId id) const { return warps_[id.value()].faulted; }
  [[nodiscard]] const std::exception_ptr& fault(WarpId id) const { return warps_[id.value()].fault; }
  /// As many are held as the load/store unit's queue has entries.
  [[nodiscard]] bool full() const { return held_.size() >= most_held_; }
  void add_pending_loads(core::LsuInspection& look) const;

  /// A cycle: lanes in shared or local memory go to the load/store unit while it has room. `full`: whether it has none,
  /// before and after.
  void offer_others(Cycle cycle, bool& full) {
    if (!to_pass_.empty()) pass_on(cycle, full);
  }
  [[nodiscard]] bool offers() const { return !to_pass_.empty(); }

  struct Counters {  ///< warp instructions
    std::uint64_t loads = 0, stores = 0, atomics = 0;
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  struct Warp {
    std::uint32_t held = 0;
    std::uint32_t atomics = 0;           ///< of these, under way: what comes later waits for them
    std::deque<std::uint32_t> deferred;  ///< of these: wait
    bool paused = false;
    LaneMask faulted;
    std::exception_ptr fault;
    std::uint64_t grid_warp = 0, attempt = 0;
  };
  struct Held {
    explicit Held(const core::LsuRequest& request) : operation(request), pc(request.pc), cta(request.cta) {}
    core::HeldOperation operation;
    Pc pc;
    const core::CtaContext* cta;
    std::uint32_t parts = 0;  ///< that are not done
    LaneMask others;          ///< lanes in shared or local memory: wait for room in the load/store unit
    AccessWords words;
    std::array<std::uint64_t, base::kLanes> operand{}, compare{};  ///< atomics
  };
  [[nodiscard]] Warp& warp(WarpId id) { return warps_[id.value()]; }
  [[nodiscard]] static WarpId warp_of(const Held& held) { return held.operation.slices()[0].warp; }

  void start(std::uint32_t owner);
  void start_deferred(WarpId id);
  /// Addresses of a held access; lanes that would fault are left out, and remembered.
  void resolve(Held& held);
  [[nodiscard]] LaneMask resolve_lanes(Held& held);
  [[nodiscard]] LaneMask faulting_lanes(const Held& held, LaneMask lanes);
  void store(std::uint32_t owner);
  void load(std::uint32_t owner);
  void read_global(std::uint32_t owner);
  void load_ends(std::uint32_t owner);
  void append(std::uint32_t owner, const AccessRow& row);
  void part_done(std::uint32_t owner);
  void pass_on(Cycle cycle, bool& full);
  void finish(std::uint32_t owner);

  const TmLogConfig config_;
  const core::CoreExtensionSite site_;
  const TransactionShared& shared_;
  AccessLog& log_;
  SilentCommits& silent_;
  const CommittedIds& ids_;
  CoreSignals& signals_;
  GlobalReads& reads_;
  LsuSocket& lsu_;
  CompletionSocket& completions_;
  sim::BlockTarget<GlobalAnswerProtocol, Accesses, &Accesses::take_global> global_answer_tsock_{
      "global_answer_tsock", this};
  core::AddressResolver resolver_;
  core::MemoryInstruction op_;  ///< the one that is looked at
  const core::LaunchContext* launch_ = nullptr;
  std::vector<Warp> warps_;
  base::SlotPool<std::unique_ptr<Held>> held_;
  const std::size_t most_held_;
  std::deque<std::uint32_t> to_pass_;  ///< held operations
  Counters counters_;
};

}  // namespace heddle::tm
