#include "compaction/pc_priority.h"

#include <algorithm>
#include <vector>

#include "analysis/cfg.h"
#include "analysis/post_dominators.h"
#include "core/protocols/scheduler_protocol.h"
#include "isa/kernel.h"

namespace heddle::compaction {
namespace {

using base::Cycle;
using base::Pc;
using base::WarpId;

/// A PC at which warps are ready.
struct ReadyPc {
  Pc pc{};
  std::uint32_t threads = 0;
};

class PcPriority : public core::WarpSchedulingPolicy {
 public:
  void assign(WarpId, Cycle) override {}
  void issued(WarpId warp, Cycle) override { last_ = warp.value(); }
  void look(const core::GroupReader& groups) override { groups_ = &groups; }
  [[nodiscard]] bool looks() const override { return true; }
  [[nodiscard]] bool may_starve() const override { return true; }
  [[nodiscard]] std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle) override {
    ready_.clear();
    candidates.for_each([&](std::uint32_t warp) {
      const Pc pc = groups_->pc(base::GroupId{warp});
      const std::uint32_t threads = groups_->lanes(base::GroupId{warp}).count();
      const auto same =
          std::find_if(ready_.begin(), ready_.end(), [&](const ReadyPc& each) { return each.pc == pc; });
      if (same == ready_.end())
        ready_.push_back({pc, threads});
      else
        same->threads += threads;
    });
    // Ties go to the smaller PC.
    std::sort(ready_.begin(), ready_.end(), [](const ReadyPc& a, const ReadyPc& b) { return a.pc < b.pc; });
    const Pc chosen = choose(ready_);
    std::optional<std::uint32_t> next;
    candidates.for_each([&](std::uint32_t warp) {
      if (groups_->pc(base::GroupId{warp}) != chosen) return;
      if (!next || (*next <= last_ && warp > last_)) next = warp;
    });
    return WarpId{*next};
  }

 protected:
  [[nodiscard]] virtual Pc choose(const std::vector<ReadyPc>& ready) = 0;

 private:
  const core::GroupReader* groups_ = nullptr;
  std::vector<ReadyPc> ready_;
  std::uint32_t last_ = 0;
};

class Majority final : public PcPriority {
  Pc choose(const std::vector<ReadyPc>& ready) override {
    // Sticky ([DWF:S5]): until the PC is empty.
    if (std::any_of(ready.begin(), ready.end(), [&](const ReadyPc& each) { return each.pc == current_; }))
      return current_;
    current_ = std::max_element(ready.begin(), ready.end(), [](const ReadyPc& a, const ReadyPc& b) {
                 return a.threads < b.threads;
               })->pc;
    return current_;
  }
  Pc current_ = base::kNoPc;
};

class Minority final : public PcPriority {
  Pc choose(const std::vector<ReadyPc>& ready) override {
    return std::min_element(ready.begin(), ready.end(),
                            [](const ReadyPc& a, const ReadyPc& b) { return a.threads < b.threads; })
        ->pc;
  }
};

class LowestPc final : public PcPriority {
  Pc choose(const std::vector<ReadyPc>& ready) override { return ready.front().pc; }
};

class PostDominatorPriority final : public PcPriority {
  void begin(const isa::Kernel& kernel) override { ahead_ = post_dominators_ahead(kernel); }
  Pc choose(const std::vector<ReadyPc>& ready) override {
    return std::max_element(ready.begin(), ready.end(),
                            [&](const ReadyPc& a, const ReadyPc& b) {
                              return ahead_[a.pc.value()] < ahead_[b.pc.value()];
                            })
        ->pc;
  }
  std::vector<std::uint32_t> ahead_;
};

template <class Policy>
core::SchedulingPolicy pc_policy(const char* name, const char* doc) {
  return {name, doc, {}, [](const core::SchedulerConfig& /*config*/, std::uint32_t /*warps*/) {
            return std::make_unique<Policy>();
          }};
}

}  // namespace

std::vector<std::uint32_t> post_dominators_ahead(const isa::Kernel& kernel) {
  const analysis::ControlFlowGraph cfg(kernel.code, kernel.targets);
  const analysis::ControlFlowGraph graph = cfg.without_early_exits();
  const analysis::PostDominators post(cfg, graph);
  constexpr std::uint32_t kUnknown = ~0u;
  std::vector<std::uint32_t> ahead(kernel.code.size(), kUnknown);
  std::vector<std::uint32_t> chain;
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
    // The points that every thread passes behind it, up to one whose number is known.
    chain.clear();
    Pc at{pc};
    while (at != base::kNoPc && ahead[at.value()] == kUnknown) {
      chain.push_back(at.value());
      at = post.next(at);
    }
    std::uint32_t next = at == base::kNoPc ? kUnknown : at.value();
    for (auto each = chain.rbegin(); each != chain.rend(); ++each) {
      // The next instruction of a block is not counted, the start of another one is.
      const bool same_block = next != kUnknown && graph.block_of(next) == graph.block_of(*each);
      ahead[*each] = next == kUnknown ? 0 : ahead[next] + (same_block ? 0 : 1);
      next = *each;
    }
  }
  return ahead;
}

core::SchedulingPolicy majority_policy() {
  return pc_policy<Majority>("majority", "the PC that most threads are ready at, until none is (dwf)");
}
core::SchedulingPolicy minority_policy() {
  return pc_policy<Minority>("minority", "the PC that fewest threads are ready at (dwf)");
}
core::SchedulingPolicy lowest_pc_policy() {
  return pc_policy<LowestPc>("lowest_pc", "the smallest PC (dwf)");
}
core::SchedulingPolicy post_dominator_policy() {
  return pc_policy<PostDominatorPriority>("post_dominator", "the PC with most post-dominators ahead (dwf)");
}

}  // namespace heddle::compaction
