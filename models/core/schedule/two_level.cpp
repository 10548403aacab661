#include "core/schedule/two_level.h"

#include <deque>

namespace heddle::core {
namespace {

/// Pending warps queue in the order in which they were assigned or left the active set. A slot in the
/// active set is given to the first of them that can issue; a warp keeps its slot over short (pipe)
/// latencies.
class TwoLevel final : public WarpSchedulingPolicy {
 public:
  TwoLevel(std::uint32_t warps, std::uint32_t active) : slots_(active), active_(warps) {}
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
    if (taken_ < slots_) {
      for (auto it = pending_.begin(); it != pending_.end() && taken_ < slots_;) {
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
  std::uint32_t slots_;
  std::uint32_t taken_ = 0;
  base::IndexSet active_;
  std::deque<std::uint32_t> pending_;
  std::uint32_t last_ = 0;
};

}  // namespace

void TwoLevelConfig::visit(base::ConfigVisitor& v) {
  v.field("active_warps", active_warps,
          {.unit = "warps", .doc = "two_level: active set of one scheduler", .min = 1, .max = 256});
}

SchedulingPolicy two_level_policy() {
  return {"two_level",
          "round robin among a small active set, warps that wait for memory leave it",
          {base::ConfigOption::fields<TwoLevelConfig>("active_warps")},
          [](const SchedulerConfig& config, std::uint32_t warps) {
            return std::make_unique<TwoLevel>(warps, config.get<TwoLevelConfig>().active_warps);
          }};
}

}  // namespace heddle::core
