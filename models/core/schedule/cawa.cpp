#include "core/schedule/cawa.h"

#include <algorithm>
#include <vector>

namespace heddle::core {
namespace {

/// criticality = nInst * CPIavg + nStall, highest first, ties: the oldest.
///   nInst   estimate of the instructions still to come: grows at each branch by the static length of the
///           paths its lanes chose (to the reconvergence point, or one more lap of a loop), shrinks by one
///           per instruction issued
///   CPIavg  cycles since the warp was assigned per instruction it has issued
///   nStall  cycles since then in which it did not issue
/// The specification gives the formula; how nInst is estimated is our reading of "from branch outcomes".
class Cawa final : public WarpSchedulingPolicy {
 public:
  explicit Cawa(std::uint32_t warps) : warps_(warps) {}
  void assign(WarpId warp, Cycle now) override { warps_[warp.value()] = {now, 0, 0, ++clock_}; }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) override {
    std::uint32_t best = *candidates.next(0);
    double highest = -1;
    candidates.for_each([&](std::uint32_t warp) {
      const double value = criticality(warps_[warp], now);
      if (value < highest || (value == highest && warps_[warp].age > warps_[best].age)) return;
      highest = value;
      best = warp;
    });
    return WarpId{best};
  }
  void issued(WarpId warp, Cycle) override {
    Warp& state = warps_[warp.value()];
    ++state.issued;
    if (state.to_come != 0) --state.to_come;
  }
  [[nodiscard]] bool taps(const isa::Instruction& instruction) const override {
    return instruction.op == isa::Opcode::kBranch;
  }
  void tapped(const IssueTapRequest& issue) override {
    warps_[issue.warp.value()].to_come +=
        chosen_path(*issue.instruction, issue.pc, issue.exec.any(), issue.exec != issue.mask);
  }

 private:
  struct Warp {
    Cycle assigned = 0;
    std::uint64_t issued = 0;
    std::uint64_t to_come = 0;
    std::uint64_t age = 0;
  };
  /// Static length of the paths that a branch's lanes chose: up to the reconvergence point, or one more lap of the
  /// loop behind a backward branch.
  static std::uint32_t chosen_path(const isa::Instruction& branch, Pc pc, bool some_take, bool some_fall_through) {
    const std::uint32_t next = pc.value() + 1;
    const std::uint32_t target = branch.target.value();
    if (target <= pc.value()) return some_take ? next - target : 0;
    const std::uint32_t end = branch.rpc == kNoPc ? target : branch.rpc.value();
    std::uint32_t length = 0;
    if (some_take && end > target) length += end - target;
    if (some_fall_through) length += std::min(target, std::max(end, next)) - next;
    return length;
  }
  static double criticality(const Warp& warp, Cycle now) {
    const auto cycles = static_cast<double>(now - warp.assigned);
    const auto issued = static_cast<double>(warp.issued);
    const double cpi = warp.issued == 0 ? 1 : cycles / issued;
    return static_cast<double>(warp.to_come) * cpi + (cycles - issued);
  }
  std::vector<Warp> warps_;
  std::uint64_t clock_ = 0;
};

}  // namespace

SchedulingPolicy cawa_policy() {
  return {
      "cawa",
      "the most critical warp (mimd-simt-and-bows §2)",
      {},
      [](const SchedulerConfig& /*config*/, std::uint32_t warps) { return std::make_unique<Cawa>(warps); }};
}

}  // namespace heddle::core
