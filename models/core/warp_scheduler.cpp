#include "core/warp_scheduler.h"

namespace heddle::core {
namespace {

class LooseRoundRobin final : public WarpSchedulingPolicy {
 public:
  void assign(GroupId) override {}
  [[nodiscard]] GroupId pick(const sim::IndexSet& candidates) const override {
    return GroupId{*candidates.next_cyclic(last_)};
  }
  void issued(GroupId group) override { last_ = group.value(); }

 private:
  std::uint32_t last_ = 0;
};

class GreedyThenOldest final : public WarpSchedulingPolicy {
 public:
  explicit GreedyThenOldest(std::uint32_t groups) : age_(groups, 0) {}
  void assign(GroupId group) override {
    age_[group.value()] = ++clock_;
    if (last_ == group.value()) greedy_ = false;  // the slot has a new warp: no claim to be greedy
  }
  [[nodiscard]] GroupId pick(const sim::IndexSet& candidates) const override {
    if (greedy_ && candidates.contains(last_)) return GroupId{last_};
    std::uint32_t oldest = *candidates.next(0);
    candidates.for_each([&](std::uint32_t group) {
      if (age_[group] < age_[oldest]) oldest = group;
    });
    return GroupId{oldest};
  }
  void issued(GroupId group) override {
    last_ = group.value();
    greedy_ = true;
  }

 private:
  std::vector<std::uint64_t> age_;  ///< assignment number: smaller is older
  std::uint64_t clock_ = 0;
  std::uint32_t last_ = 0;
  bool greedy_ = false;
};

}  // namespace

std::unique_ptr<WarpSchedulingPolicy> make_scheduling_policy(SchedulingPolicy policy, std::uint32_t groups) {
  if (policy == SchedulingPolicy::kLrr) return std::make_unique<LooseRoundRobin>();
  return std::make_unique<GreedyThenOldest>(groups);
}

void WarpScheduler::serve(SchedulerRequest& request) {
  switch (request.op) {
    case SchedulerRequest::Op::kAssign:
      policy_->assign(request.group);
      break;
    case SchedulerRequest::Op::kPick:
      request.found = !request.candidates->empty();
      if (request.found) request.group = policy_->pick(*request.candidates);
      break;
    case SchedulerRequest::Op::kIssued:
      policy_->issued(request.group);
      break;
  }
}

}  // namespace heddle::core
