// Fences: a group waits until its warp's memory operations are as far as the fence's scope asks for.
//
// While a split of a warp waits, the unit is a closed gate for the memory instructions of the warp's other splits: they
// would have to be waited for as well, and splits that poll a lock would keep its owner at the fence for ever.
#pragma once

#include <vector>

#include "core/core_state.h"
#include "core/issue/issue_gate.h"
#include "core/issue/issue_stage.h"

namespace heddle::core {

class PathControl;

class FenceUnit final : public IssueGate {
 public:
  FenceUnit(CoreState& state, IssueStage& issue, PathControl& paths);

  /// The group has issued the fence: it goes on at once, or waits.
  void issue(GroupId id, const isa::Instruction& fence);
  /// A memory operation of the warp is as far as a fence may wait for.
  void operation_done(WarpId warp) {
    if (!fences_[warp.value()].empty()) lift(warp);
  }
  void serve(IssueGateRequest& request) override;

 private:
  struct Fence {
    GroupId group{};
    std::uint32_t epoch = 0;
    isa::FenceScope scope = isa::FenceScope::kGpu;
  };
  /// The operations of all home warps of the group are as far as that.
  [[nodiscard]] bool satisfied(const IssueTable::Group& group, isa::FenceScope scope) const;
  void lift(WarpId warp);
  /// The fence of a group with other home warps than `but` is lifted: it is not with them any more either.
  void forget(const Fence& fence, WarpId but);

  CoreState& state_;
  IssueStage& issue_;
  PathControl& paths_;
  std::uint32_t gate_;
  std::vector<std::vector<Fence>> fences_;  ///< by home warp; a fence is with each home of its group
};

}  // namespace heddle::core
