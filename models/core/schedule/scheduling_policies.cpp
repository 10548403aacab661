#include <algorithm>
#include <deque>

#include "core/schedule/warp_scheduler.h"
#include "sim/twin_difference.h"

namespace heddle::core {
namespace {

class LooseRoundRobin final : public WarpSchedulingPolicy {
 public:
  void assign(WarpId, Cycle) override {}
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle) override {
    return WarpId{*candidates.next_cyclic(last_)};
  }
  void issued(WarpId warp, Cycle) override { last_ = warp.value(); }
  [[nodiscard]] nlohmann::ordered_json show() const override { return {{"last", last_}}; }

 private:
  std::uint32_t last_ = 0;
};

class GreedyThenRoundRobin final : public WarpSchedulingPolicy {
 public:
  void assign(WarpId warp, Cycle) override {
    if (last_ == warp.value()) greedy_ = false;  // the slot has a new warp: no claim to be greedy
  }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle) override {
    if (greedy_ && candidates.contains(last_)) return WarpId{last_};
    return WarpId{*candidates.next_cyclic(last_)};
  }
  void issued(WarpId warp, Cycle) override {
    last_ = warp.value();
    greedy_ = true;
  }
  void stalled() override { greedy_ = false; }

 private:
  std::uint32_t last_ = 0;
  bool greedy_ = false;
};

class GreedyThenOldest final : public WarpSchedulingPolicy {
 public:
  /// `rotation`: cycles after which the ages rotate; 0: never.
  GreedyThenOldest(std::uint32_t warps, Cycle rotation)
      : period_(rotation), next_rotation_(rotation == 0 ? kNever : rotation), rank_(warps, kNoRank) {}
  void assign(WarpId warp, Cycle) override {
    leave(warp);
    rank_[warp.value()] = static_cast<std::uint32_t>(by_age_.size());
    by_age_.push_back(warp.value());
    if (last_ == warp.value()) greedy_ = false;  // the slot has a new warp: no claim to be greedy
  }
  void leave(WarpId warp) override {
    std::erase(by_age_, warp.value());
    rank_[warp.value()] = kNoRank;
    set_ranks();
  }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) override {
    if (now >= next_rotation_) rotate(now);
    if (greedy_ && candidates.contains(last_)) return WarpId{last_};
    std::uint32_t oldest = *candidates.next(0);  // of no known age
    std::uint32_t least = kNoRank;
    candidates.for_each([&](std::uint32_t warp) {
      const std::uint32_t rank = rank_[warp];
      oldest = rank < least ? warp : oldest;
      least = std::min(least, rank);
    });
    return WarpId{oldest};
  }
  void issued(WarpId warp, Cycle) override {
    last_ = warp.value();
    greedy_ = true;
  }
  void stalled() override { greedy_ = false; }
  [[nodiscard]] nlohmann::ordered_json show() const override {
    return {{"last", last_}, {"greedy", greedy_}, {"oldest_first", by_age_}};
  }

 private:
  /// The oldest warp becomes the youngest: without it spinning warps could keep the one they wait for from
  /// ever issuing (mimd-simt-and-bows §6).
  void rotate(Cycle now) {
    next_rotation_ = (now / period_ + 1) * period_;
    if (!by_age_.empty()) std::rotate(by_age_.begin(), by_age_.begin() + 1, by_age_.end());
    set_ranks();
    greedy_ = false;
  }

  void set_ranks() {
    for (std::uint32_t rank = 0; rank < by_age_.size(); ++rank) rank_[by_age_[rank]] = rank;
  }

  static constexpr std::uint32_t kNoRank = ~0u;
  Cycle period_;
  Cycle next_rotation_;
  std::vector<std::uint32_t> by_age_;  ///< warps that are there, the one assigned first in front
  std::vector<std::uint32_t> rank_;    ///< by warp: its place there
  std::uint32_t last_ = 0;
  bool greedy_ = false;
};

/// Pending warps queue in the order in which they were assigned or left the active set. A place in the
/// active set is given to the first of them that can issue; a warp keeps its place over short (pipe)
/// latencies.
class TwoLevel final : public WarpSchedulingPolicy {
 public:
  TwoLevel(std::uint32_t warps, std::uint32_t active) : places_(active), active_(warps) {}
  void assign(WarpId warp, Cycle) override {
    leave(warp);
    pending_.push_back(warp.value());
  }
  void leave(WarpId warp) override {
    if (active_.contains(warp.value())) {
      active_.erase(warp.value());
      --taken_;
    }
    std::erase(pending_, warp.value());
  }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle) override {
    if (taken_ < places_) {
      for (auto it = pending_.begin(); it != pending_.end() && taken_ < places_;) {
        if (!candidates.contains(*it)) {
          ++it;
          continue;
        }
        active_.insert(*it);
        ++taken_;
        it = pending_.erase(it);
      }
    }
    std::optional<std::uint32_t> chosen;
    active_.for_each([&](std::uint32_t warp) {
      // The first candidate behind the last issued one, else the first of all.
      if (!candidates.contains(warp)) return;
      if (!chosen || (*chosen <= last_ && warp > last_)) chosen = warp;
    });
    if (!chosen) return std::nullopt;
    return WarpId{*chosen};
  }
  void issued(WarpId warp, Cycle) override { last_ = warp.value(); }
  void long_latency(WarpId warp) override {
    if (!active_.contains(warp.value())) return;
    active_.erase(warp.value());
    --taken_;
    pending_.push_back(warp.value());
  }

 private:
  std::uint32_t places_;
  std::uint32_t taken_ = 0;
  base::IndexSet active_;
  std::deque<std::uint32_t> pending_;
  std::uint32_t last_ = 0;
};

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

/// A policy's model and its RTL, which must pick alike.
class LockstepPolicy final : public WarpSchedulingPolicy {
 public:
  LockstepPolicy(std::string path, std::unique_ptr<WarpSchedulingPolicy> model,
                 std::unique_ptr<WarpSchedulingPolicy> rtl)
      : path_(std::move(path)), model_(std::move(model)), rtl_(std::move(rtl)) {}
  void assign(WarpId warp, Cycle now) override { model_->assign(warp, now), rtl_->assign(warp, now); }
  void leave(WarpId warp) override { model_->leave(warp), rtl_->leave(warp); }
  std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) override {
    const auto picked = model_->pick(candidates, now);
    const auto rtl = rtl_->pick(candidates, now);
    if (picked == rtl) return picked;
    nlohmann::ordered_json ready = nlohmann::ordered_json::array();
    candidates.for_each([&](std::uint32_t warp) { ready.push_back(warp); });
    const auto show = [](std::optional<WarpId> warp) {
      return warp ? nlohmann::ordered_json{{"warp", warp->value()}} : nlohmann::ordered_json(nullptr);
    };
    sim::report_difference({WarpSchedulerBlock::kName,
                            path_,
                            now,
                            {{"op", "pick"}, {"candidates", ready}},
                            show(picked),
                            show(rtl),
                            model_->show(),
                            rtl_->show()});
  }
  void issued(WarpId warp, Cycle now) override { model_->issued(warp, now), rtl_->issued(warp, now); }
  [[nodiscard]] bool taps(const isa::Instruction& instruction) const override { return model_->taps(instruction); }
  void tapped(const IssueTapRequest& issue) override { model_->tapped(issue), rtl_->tapped(issue); }
  void long_latency(WarpId warp) override { model_->long_latency(warp), rtl_->long_latency(warp); }
  void stalled() override { model_->stalled(), rtl_->stalled(); }
  [[nodiscard]] nlohmann::ordered_json show() const override { return model_->show(); }

 private:
  std::string path_;
  std::unique_ptr<WarpSchedulingPolicy> model_;
  std::unique_ptr<WarpSchedulingPolicy> rtl_;
};

}  // namespace

std::unique_ptr<WarpSchedulingPolicy> make_scheduling_policy(const SchedulerConfig& config,
                                                             std::uint32_t warps, const std::string& path,
                                                             sim::Twins* twins) {
  if (config.impl == sim::Implementation::kModel) return make_scheduling_policy(config, warps);
  auto rtl = sim::Twins::make<WarpSchedulerBlock>(twins, config.impl, {warps, config}, path);
  if (config.impl == sim::Implementation::kRtl) return rtl;
  return std::make_unique<LockstepPolicy>(path, make_scheduling_policy(config, warps), std::move(rtl));
}

std::unique_ptr<WarpSchedulingPolicy> make_scheduling_policy(const SchedulerConfig& config,
                                                             std::uint32_t warps) {
  switch (config.policy) {
    case SchedulingPolicy::kLrr:
      return std::make_unique<LooseRoundRobin>();
    case SchedulingPolicy::kGto:
      return std::make_unique<GreedyThenOldest>(warps, config.gto_rotation_cycles);
    case SchedulingPolicy::kGlrr:
      return std::make_unique<GreedyThenRoundRobin>();
    case SchedulingPolicy::kTwoLevel:
      return std::make_unique<TwoLevel>(warps, config.active_warps);
    case SchedulingPolicy::kCawa:
      return std::make_unique<Cawa>(warps);
  }
  return nullptr;
}

}  // namespace heddle::core
