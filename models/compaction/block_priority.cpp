#include "compaction/block_priority.h"

#include <algorithm>
#include <vector>

namespace heddle::compaction {
namespace {

using base::Cycle;
using base::WarpId;

class BlockPriority : public core::WarpSchedulingPolicy {
 public:
  explicit BlockPriority(std::uint32_t warps) : cta_(warps, 0), issued_at_(warps, 0) {}
  void belongs_to(WarpId warp, std::uint64_t cta) override { cta_[warp.value()] = cta; }
  void assign(WarpId, Cycle) override {}
  void issued(WarpId warp, Cycle) override { issued_at_[warp.value()] = ++issues_; }
  [[nodiscard]] std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) override {
    blocks_.clear();
    candidates.for_each([&](std::uint32_t warp) {
      if (std::find(blocks_.begin(), blocks_.end(), cta_[warp]) == blocks_.end())
        blocks_.push_back(cta_[warp]);
    });
    std::sort(blocks_.begin(), blocks_.end());
    const std::uint64_t block = choose(blocks_, now);
    // Of its warps the one that has waited longest since it issued.
    std::optional<std::uint32_t> chosen;
    candidates.for_each([&](std::uint32_t warp) {
      if (cta_[warp] == block && (!chosen || issued_at_[warp] < issued_at_[*chosen])) chosen = warp;
    });
    return WarpId{*chosen};
  }

 protected:
  /// One of the blocks that have candidates, oldest first.
  [[nodiscard]] virtual std::uint64_t choose(const std::vector<std::uint64_t>& blocks, Cycle now) = 0;

 private:
  std::vector<std::uint64_t> cta_;  ///< by warp slot
  std::vector<std::uint64_t> blocks_;
  std::vector<std::uint64_t> issued_at_;  ///< by warp slot: number of its last issue
  std::uint64_t issues_ = 0;
};

class Age final : public BlockPriority {
 public:
  using BlockPriority::BlockPriority;
  /// A block that spins keeps younger ones from issuing as long as it is ready.
  [[nodiscard]] bool may_starve() const override { return true; }

 private:
  std::uint64_t choose(const std::vector<std::uint64_t>& blocks, Cycle) override { return blocks.front(); }
};

class RotatingBlocks final : public BlockPriority {
 public:
  using BlockPriority::BlockPriority;

 private:
  std::uint64_t choose(const std::vector<std::uint64_t>& blocks, Cycle now) override {
    return blocks[now % blocks.size()];
  }
};

class StickyBlocks final : public BlockPriority {
 public:
  using BlockPriority::BlockPriority;
  [[nodiscard]] bool may_starve() const override { return true; }

 private:
  std::uint64_t choose(const std::vector<std::uint64_t>& blocks, Cycle) override {
    const auto next = std::lower_bound(blocks.begin(), blocks.end(), current_);
    current_ = next == blocks.end() ? blocks.front() : *next;
    return current_;
  }
  std::uint64_t current_ = 0;
};

template <class Policy>
core::SchedulingPolicy block_policy(const char* name, const char* doc) {
  return {name, doc, {}, [](const core::SchedulerConfig& /*config*/, std::uint32_t warps) {
            return std::make_unique<Policy>(warps);
          }};
}

}  // namespace

core::SchedulingPolicy age_policy() {
  return block_policy<Age>("age", "warps of the CTA dispatched first, in round robin");
}
core::SchedulingPolicy rrb_policy() {
  return block_policy<RotatingBlocks>(
      "rrb", "CTAs in round robin, another one every cycle; their warps in round robin");
}
core::SchedulingPolicy srr_policy() {
  return block_policy<StickyBlocks>(
      "srr", "warps of one CTA in round robin until none of them is ready; then the next CTA");
}

}  // namespace heddle::compaction
