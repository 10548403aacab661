// Warp scheduler: picks one ready issue group per cycle. The policy picks the warp; of a warp with several
// ready groups (Multi-Path's splits) the one issues that has waited longest since it issued last: the splits'
// round robin of [MultiPath] §7.4. (A pointer that moves on with every issue starves splits: between two
// room in the load/store unit it always comes to rest at the same one.) Policies are plain C++ behind
// one interface (scheduling_policy.h), a file each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "base/perturbation.h"
#include "base/stats.h"
#include "core/protocols/issue_tap_protocol.h"
#include "core/protocols/scheduler_protocol.h"
#include "core/schedule/pick_policies.h"
#include "core/schedule/scheduling_policy.h"
#include "sim/block_socket.h"
#include "sim/twins.h"

namespace heddle::core {

class WarpScheduler : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kPicksPerRandomTurn = 16;  ///< with perturb_seed, on average
  /// `warps` slots with `groups_per_warp` issue groups each.
  WarpScheduler(const sc_core::sc_module_name& name, const SchedulerConfig& config, std::uint32_t warps,
                std::uint32_t groups_per_warp, sim::Twins* twins = nullptr)
      : sc_module(name),
        policy_(make_scheduling_policy(config, warps, this->name(), twins)),
        clocked_(config.clocked() ? static_cast<ClockedPolicy*>(policy_.get()) : nullptr),
        perturbation_(config.perturb_seed, base::stream_of(this->name())),
        warps_(warps),
        special_(policy_->looks() || perturbation_.on()),
        groups_per_warp_(groups_per_warp),
        candidates_(warps),
        issued_at_(std::size_t{warps} * groups_per_warp, 0) {}

 private:
  void serve(SchedulerRequest& request);
  void serve_tap(IssueTapRequest& request) {
    if (request.op == IssueTapRequest::Op::kIssue)
      policy_->tapped(request);
    else
      interest(request);
  }
  void interest(IssueTapRequest& request);
  [[nodiscard]] std::optional<WarpId> choose(const SchedulerRequest& request,
                                             const base::IndexSet& candidates) {
    if (special_) [[unlikely]]
      return choose_specially(request, candidates);
    return policy_->pick(candidates, request.cycle);
  }
  [[nodiscard]] [[gnu::noinline]] std::optional<WarpId> choose_specially(const SchedulerRequest& request,
                                                                         const base::IndexSet& candidates);
  /// The policy's choice or, now and then, any candidate.
  [[nodiscard]] std::optional<WarpId> random_turn(const base::IndexSet& candidates, Cycle now);
  HEDDLE_BY_JUMP void pick(SchedulerRequest& request);
  HEDDLE_BY_JUMP void pick_split(SchedulerRequest& request);
  HEDDLE_BY_JUMP void follow(SchedulerRequest& request);

 public:
  sim::BlockTarget<SchedulerProtocol, WarpScheduler, &WarpScheduler::serve> scheduler_tsock{"scheduler_tsock",
                                                                                            this};
  /// What the policy wants to know of the instructions that its choices issue.
  sim::BlockTarget<IssueTapProtocol, WarpScheduler, &WarpScheduler::serve_tap> issue_tap_tsock{
      "issue_tap_tsock", this};

  [[nodiscard]] bool may_starve() const { return policy_->may_starve(); }
  [[nodiscard]] bool hears_of_memory_room() const { return policy_->hears_of_memory_room(); }
  /// timing: contract: the core's number of the cause `block_busy` (SchedulerRequest::cause), told once.
  void charge_busy_to(std::uint8_t cause) { busy_cause_ = cause; }

 private:
  /// Nothing is chosen.
  void none(SchedulerRequest& request, const base::IndexSet& candidates) const {
    request.due = policy_->due(candidates, request.cycle);
    request.cause = busy_cause_;
  }

  std::unique_ptr<WarpSchedulingPolicy> policy_;
  ClockedPolicy* clocked_;       ///< the same, under timing: contract; else null
  std::uint8_t busy_cause_ = 0;  ///< timing: contract
  base::Perturbation perturbation_;
  std::uint32_t warps_;
  bool special_;  ///< the policy looks at the groups, or picks are perturbed
  std::uint32_t groups_per_warp_;
  base::IndexSet candidates_;             ///< scratch: warps with a candidate
  std::vector<std::uint64_t> issued_at_;  ///< by group: number of its last issue
  std::uint64_t issues_ = 0;
  std::uint32_t last_group_ = 0;  ///< that issued
};

}  // namespace heddle::core
