// Warp scheduler: picks one ready issue group per cycle. The policy picks the warp; of a warp with several
// ready groups (Multi-Path's splits) the one issues that has waited longest since it issued last: the splits'
// round robin of mimd-simt-and-bows §4. (A pointer that moves on with every issue starves splits: between two
// free places of the load/store unit it always comes to rest at the same one.) Policies are plain C++ behind
// one interface (mimd-simt-and-bows §2):
//   LRR        next ready warp in round robin after the last issued one
//   GTO        the last issued warp while it is ready, else the oldest; age = order of assignment, ties by
//              number; every 50 000 cycles the oldest becomes the youngest (mimd-simt-and-bows §6)
//   GLRR       the last issued warp while it is ready, else the next ready one in round robin
//              (mimd-simt-and-bows §9.1, AWARE)
//   two-level  round robin among a small active set; a warp that waits for memory, a fence or a barrier
//              leaves it, the longest waiting ready warp of the others enters
//   CAWA       the most critical warp: nInst * CPIavg + nStall, see scheduling_policies.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "core/config.h"
#include "core/protocols/issue_tap_protocol.h"
#include "core/protocols/scheduler_protocol.h"
#include "sim/block_socket.h"
#include "sim/twins.h"

namespace heddle::core {

class WarpSchedulingPolicy {
 public:
  virtual ~WarpSchedulingPolicy() = default;
  /// A warp was launched.
  virtual void assign(WarpId warp, Cycle now) = 0;
  virtual void leave(WarpId) {}
  /// One of the non-empty set of candidates, or none: all are held back.
  [[nodiscard]] virtual std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) = 0;
  /// The picked warp issues.
  virtual void issued(WarpId warp, Cycle now) = 0;
  /// The policy wants to hear when such an instruction issues (protocols/issue_tap_protocol.h).
  [[nodiscard]] virtual bool taps(const isa::Instruction&) const { return false; }
  /// One of them issues, of the scheduler's own warps; after issued().
  virtual void tapped(const IssueTapRequest&) {}
  /// All of the warp waits for memory, a fence or a barrier.
  virtual void long_latency(WarpId) {}
  /// What issued last cannot go on at once, though other splits of its warp may: no reason to be greedy.
  virtual void stalled() {}
  /// What the next pick depends on, as far as a twin in RTL has it too.
  [[nodiscard]] virtual nlohmann::ordered_json show() const;
};

[[nodiscard]] std::unique_ptr<WarpSchedulingPolicy> make_scheduling_policy(const SchedulerConfig& config,
                                                                           std::uint32_t warps);

/// rtl/warp_scheduler: the pick among warps, of LRR and GTO. The turns of a warp's splits, and when GTO's
/// ages rotate, stay in the shell.
struct WarpSchedulerBlock {
  static constexpr const char* kName = "warp_scheduler";
  using Interface = WarpSchedulingPolicy;
  struct Shape {
    std::uint32_t warps = 0;
    SchedulerConfig config;
  };
};

/// As `config.impl` says: the model, the RTL, or both in lockstep. `path`: the scheduler's, for messages.
[[nodiscard]] std::unique_ptr<WarpSchedulingPolicy> make_scheduling_policy(const SchedulerConfig& config,
                                                                           std::uint32_t warps,
                                                                           const std::string& path,
                                                                           sim::Twins* twins);

class WarpScheduler : public sc_core::sc_module {
 public:
  /// `warps` slots with `groups_per_warp` issue groups each.
  WarpScheduler(const sc_core::sc_module_name& name, const SchedulerConfig& config, std::uint32_t warps,
                std::uint32_t groups_per_warp, sim::Twins* twins = nullptr)
      : sc_module(name),
        policy_(make_scheduling_policy(config, warps, this->name(), twins)),
        groups_per_warp_(groups_per_warp),
        candidates_(warps),
        issued_at_(std::size_t{warps} * groups_per_warp, 0) {}

 private:
  void serve(SchedulerRequest& request);
  void serve_tap(IssueTapRequest& request) {
    if (request.op == IssueTapRequest::Op::kIssue)
      policy_->tapped(request);
    else
      request.wanted = policy_->taps(*request.instruction);
  }
  HEDDLE_BY_JUMP void pick(SchedulerRequest& request);
  HEDDLE_BY_JUMP void pick_split(SchedulerRequest& request);
  HEDDLE_BY_JUMP void follow(SchedulerRequest& request);

 public:
  sim::BlockTarget<SchedulerProtocol, WarpScheduler, &WarpScheduler::serve> scheduler_tsock{"scheduler_tsock",
                                                                                            this};
  /// What the policy wants to know of the instructions that its choices issue.
  sim::BlockTarget<IssueTapProtocol, WarpScheduler, &WarpScheduler::serve_tap> issue_tap_tsock{"issue_tap_tsock",
                                                                                              this};

 private:
  std::unique_ptr<WarpSchedulingPolicy> policy_;
  std::uint32_t groups_per_warp_;
  base::IndexSet candidates_;             ///< scratch: warps with a candidate
  std::vector<std::uint64_t> issued_at_;  ///< by group: number of its last issue
  std::uint64_t issues_ = 0;
  std::uint32_t last_group_ = 0;  ///< that issued
};

}  // namespace heddle::core
