#include "core/schedule/cawa.h"

#include <algorithm>
#include <vector>

#include "isa/kernel.h"

namespace heddle::core {
namespace {

/// criticality = nInst * CPIavg + nStall ([DDOS/BOWS] §6.1), as the authors of BOWS measured it ([DDOS/BOWS:S10]): whole
/// numbers that change when the warp issues. Greedy: the last warp goes on while it can; then the highest, ties: the oldest.
///   nInst   starts at the static length of the kernel; each instruction takes off its distance to the one before
///   CPIavg  cycles since the warp was assigned per instruction it has issued
///   nStall  cycles since then in which it did not issue
class CawaByDistance final : public WarpSchedulingPolicy {
 public:
  CawaByDistance(std::uint32_t warps, Cycle rotation)
      : period_(rotation), next_rotation_(rotation == 0 ? kNever : rotation), warps_(warps) {}
  void begin(const isa::Kernel& kernel) override { length_ = static_cast<std::int64_t>(kernel.code.size()); }
  void assign(WarpId warp, Cycle now) override {
    warps_[warp.value()] = {.assigned = now, .last_issue = now, .to_come = length_, .age = ++clock_};
    if (last_ == warp.value()) greedy_ = false;
  }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) override {
    if (now >= next_rotation_) rotate(now);
    if (greedy_ && candidates.contains(last_)) return WarpId{last_};
    std::uint32_t best = *candidates.next(0);
    candidates.for_each([&](std::uint32_t warp) {
      const Warp& one = warps_[warp];
      const Warp& other = warps_[best];
      if (one.criticality > other.criticality ||
          (one.criticality == other.criticality && one.age < other.age))
        best = warp;
    });
    return WarpId{best};
  }
  void issued(WarpId warp, Cycle now) override {
    Warp& state = warps_[warp.value()];
    ++state.issued;
    state.stalled += now - state.last_issue;
    state.last_issue = now;
    last_ = warp.value();
    greedy_ = true;
  }
  void leave(WarpId warp) override { warps_[warp.value()].age = 0; }
  void stalled() override { greedy_ = false; }
  [[nodiscard]] bool taps(const isa::Instruction&) const override { return true; }
  void tapped(const IssueTapRequest& issue) override {
    Warp& state = warps_[issue.warp.value()];
    const std::int64_t pc = issue.pc.value();
    state.to_come = std::max<std::int64_t>(state.to_come - (pc - state.last_pc), 0);
    state.last_pc = pc;
    rate(state, issue.cycle);
  }
  /// A warp's criticality is fixed while it waits.
  [[nodiscard]] bool may_starve() const override { return period_ == 0; }

 private:
  struct Warp {
    Cycle assigned = 0;
    Cycle last_issue = 0;
    std::uint64_t issued = 0;
    Cycle stalled = 0;
    std::int64_t to_come = 0;
    std::int64_t last_pc = 0;
    std::uint64_t criticality = 0;
    std::uint64_t age = 0;
  };
  static void rate(Warp& warp, Cycle now) {
    const Cycle cpi = warp.issued == 0 ? 0 : (now - warp.assigned) / warp.issued;
    warp.criticality = static_cast<std::uint64_t>(warp.to_come) * cpi + warp.stalled;
  }
  /// Spinning warps grow critical by their jumps back and could keep the one they wait for from ever issuing: so all
  /// begin again, the oldest as the youngest, as GTO's ages rotate.
  void rotate(Cycle now) {
    next_rotation_ = (now / period_ + 1) * period_;
    greedy_ = false;
    Warp* oldest = nullptr;
    for (Warp& warp : warps_) {
      warp.criticality = warp.stalled = 0;
      warp.to_come = 0;
      if (warp.age != 0 && (oldest == nullptr || warp.age < oldest->age)) oldest = &warp;
    }
    if (oldest != nullptr) oldest->age = ++clock_;
  }

  Cycle period_;
  Cycle next_rotation_;
  std::int64_t length_ = 0;
  std::vector<Warp> warps_;
  std::uint64_t clock_ = 0;
  std::uint32_t last_ = 0;
  bool greedy_ = false;
};

/// The same formula by what branches chose, at any time: highest first, ties: the oldest.
///   nInst   grows at each branch by the static length of the paths its lanes chose (to the reconvergence point, or one
///           more lap of a loop), shrinks by one per instruction issued
class CawaByOutcomes final : public WarpSchedulingPolicy {
 public:
  explicit CawaByOutcomes(std::uint32_t warps) : warps_(warps) {}
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
  static std::uint32_t chosen_path(const isa::Instruction& branch, Pc pc, bool some_take,
                                   bool some_fall_through) {
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

void CawaConfig::visit(base::ConfigVisitor& v) {
  v.choice("cawa_estimate", estimate, {"distance", "outcomes"},
           "cawa: instructions still to come: distance: to the end of the kernel, more by what a jump back "
           "repeats, and the "
           "last warp goes on while it can; outcomes: static length of the paths that branches chose");
  v.field(
      "cawa_rotation_cycles", rotation_cycles,
      {.unit = "core cycles",
       .doc = "cawa by distance: interval at which criticalities begin again from 0 and the oldest warp "
              "becomes the youngest. 0: never; then spinning warps may starve the warp that they wait for",
       .max = 1e9});
}

SchedulingPolicy cawa_policy() {
  return {"cawa",
          "the most critical warp ([DDOS/BOWS] §6.1)",
          {base::ConfigOption::fields<CawaConfig>("cawa_estimate")},
          [](const SchedulerConfig& config, std::uint32_t warps) -> std::unique_ptr<WarpSchedulingPolicy> {
            const auto& cawa = config.get<CawaConfig>();
            if (cawa.estimate == CawaEstimate::kOutcomes) return std::make_unique<CawaByOutcomes>(warps);
            return std::make_unique<CawaByDistance>(warps, cawa.rotation_cycles);
          }};
}

}  // namespace heddle::core
