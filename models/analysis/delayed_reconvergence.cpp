#include "analysis/delayed_reconvergence.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/uniformity.h"
#include "analysis/waiting_sets.h"

namespace heddle::analysis {

using base::Pc;

namespace {

class Delay {
 public:
  Delay(CodeAnalysis& code, const DeadlockOptions& options, const DelayRules& rules)
      : kernel_(code.kernel()),
        cfg_(code.cfg()),
        post_dominators_(code.post_dominators()),
        rules_(rules),
        sets_(code, options) {}

  std::vector<ReconvergencePoint> run(const std::vector<LoopFinding>& loops) {
    for (BlockId b = 0; b < cfg_.block_count(); ++b) {
      const std::uint32_t last = cfg_.block(b).end - 1;
      const isa::Opcode op = cfg_.code()[last].op;
      if (op != isa::Opcode::kBranch && op != isa::Opcode::kIndirect) continue;
      points_.emplace(b, post_dominators_.behind(last));
      if (rules_.paths == DelayedPaths::kSuccessors) starts_[b] = cfg_.block(b).successors;
    }
    for (const LoopFinding& finding : loops)
      for (const BlockId exit : finding.loop.exits) {
        const auto point = points_.find(exit);
        if (point == points_.end()) continue;  // a guarded exit
        if (finding.flagged()) point->second = post_dominators_.common(point->second, finding.safe);
        if (rules_.paths == DelayedPaths::kSuccessors) continue;
        for (const BlockId to : cfg_.block(exit).successors)
          if (!finding.loop.blocks.test(to)) starts_[exit].push_back(to);
      }
    move_all();
    std::vector<ReconvergencePoint> out;
    for (const auto& [block, rpc] : points_) out.push_back({cfg_.block(block).end - 1, rpc});
    return out;
  }

 private:
  /// Points only move towards the end of the threads.
  void move_all() {
    const bool waiting =
        rules_.every_branch && rules_.paths == DelayedPaths::kSuccessors && sets_.any_waits();
    const bool barriers = rules_.barriers && rules_.paths == DelayedPaths::kSuccessors &&
                          std::any_of(cfg_.code().begin(), cfg_.code().end(),
                                      [](const auto& each) { return is_barrier(each); });
    if (barriers) uniformity_.emplace(kernel_, cfg_, UniformWithin::kCta);
    for (bool again = true; again;) {
      again = false;
      for (auto& [block, rpc] : points_) {
        if (cfg_.block(block).successors.size() < 2) continue;
        if (starts_.contains(block)) again |= nest(block, rpc);
        if (waiting) again |= pass_writes(block, rpc);
        if (barriers) again |= pass_barriers(block, rpc);
      }
    }
  }

  bool nest(BlockId block, Pc& rpc) const {
    const Pc before = rpc;
    const BlockSet between = blocks_between(cfg_, starts_.at(block), post_dominators_.block_of(rpc));
    for (const auto& [other, point] : points_)
      if (between.test(other) && cfg_.block(other).successors.size() >= 2)
        rpc = post_dominators_.common(rpc, point);
    return rpc != before;
  }

  /// Lanes that wait at the point for others that may stay in a loop before it must not be those that the loop needs.
  bool pass_writes(BlockId block, Pc& rpc) {
    if (rpc == base::kNoPc) return false;
    const Pc before = rpc;
    const BlockSet between =
        blocks_between(cfg_, cfg_.block(block).successors, post_dominators_.block_of(rpc));
    for (std::size_t s = 0; s < sets_.all().size() && rpc != base::kNoPc; ++s) {
      const WaitingSet& set = sets_.all()[s];
      if (!set.waits() || !sets_.stays(s, between)) continue;
      for (const std::uint32_t write : set.all_needs) pass(write, rpc, rules_.barriers && set.has_barrier);
    }
    return rpc != before;
  }

  /// Barriers of the CTA at which threads wait for each other.
  static bool is_barrier(const isa::Instruction& instruction) {
    return instruction.op == isa::Opcode::kBarrier && instruction.barrier_kind == isa::BarrierKind::kSync;
  }

  /// Whether all ways from the block to the point pass the same number of barriers.
  [[nodiscard]] bool is_balanced(BlockId block, Pc rpc) const {
    const BlockId stop = post_dominators_.block_of(rpc);
    std::map<BlockId, unsigned> passed;
    std::vector<BlockId> work;
    bool balanced = true;
    const auto come = [&](BlockId to, unsigned count) {
      if (to == cfg_.exit() && to != stop) return;  // who exits is not waited for
      const auto [known, is_new] = passed.try_emplace(to, count);
      balanced &= known->second == count;
      if (is_new && to != stop) work.push_back(to);
    };
    for (const BlockId side : cfg_.block(block).successors) come(side, 0);
    while (balanced && !work.empty()) {
      const BlockId at = work.back();
      work.pop_back();
      unsigned count = passed.at(at);
      for (std::uint32_t i = cfg_.block(at).first; i < cfg_.block(at).end; ++i) {
        if (!is_barrier(cfg_.code()[i])) continue;
        ++count;
        balanced &= !cfg_.code()[i].guard.present;
      }
      for (const BlockId next : cfg_.block(at).successors) come(next, count);
    }
    return balanced;
  }

  bool pass_barriers(BlockId block, Pc& rpc) {
    const std::uint32_t branch = cfg_.block(block).end - 1;
    if (rpc == base::kNoPc || uniformity_->uniform(branch) || is_balanced(block, rpc)) return false;
    const Pc before = rpc;
    for (std::uint32_t i = 0; i < cfg_.code().size(); ++i)
      if (is_barrier(cfg_.code()[i])) pass(i, rpc, true);
    return rpc != before;
  }

  void pass(std::uint32_t write, Pc& rpc, bool through_barriers) {
    if (rpc == base::kNoPc) return;
    const auto [known, is_new] = behind_.try_emplace({rpc, through_barriers});
    if (is_new) known->second = std::make_unique<BarrierFreePaths>(cfg_, rpc, through_barriers);
    const BarrierFreePaths& paths = *known->second;
    if (!paths.reaches(write)) return;
    const std::vector<std::uint32_t> branches = paths.branches_on_the_way(write);
    rpc = post_dominators_.common(rpc, post_dominators_.behind(write));
    for (const std::uint32_t branch : branches) {
      const auto point = points_.find(cfg_.block_of(branch));
      rpc = post_dominators_.common(rpc,
                                    point == points_.end() ? post_dominators_.behind(branch) : point->second);
    }
  }

  const isa::Kernel& kernel_;
  const ControlFlowGraph& cfg_;
  const PostDominators& post_dominators_;
  DelayRules rules_;
  WaitingSets sets_;
  std::optional<Uniformity> uniformity_;  ///< within a CTA, if there are barriers
  std::map<BlockId, Pc> points_;          ///< by block that ends in a branch
  std::map<BlockId, std::vector<BlockId>> starts_;
  std::map<std::pair<Pc, bool>, std::unique_ptr<BarrierFreePaths>> behind_;  ///< what is reached from a point
};

}  // namespace

DelayedReconvergence delay_reconvergence(CodeAnalysis& code, DeadlockOptions options, DelayRules rules) {
  options.parallel_writes = false;
  // Alg 2 alone: nesting over all branches replaces Alg 3.
  options.resolve = false;
  DelayedReconvergence result{find_simt_deadlocks(code, options), {}};
  result.points = Delay(code, options, rules).run(result.loops);
  return result;
}

std::vector<ReconvergencePoint> delayed_reconvergence(CodeAnalysis& code, DeadlockOptions options,
                                                      DelayRules rules) {
  return delay_reconvergence(code, options, rules).points;
}

void apply_reconvergence(isa::Kernel& kernel, const std::vector<ReconvergencePoint>& points) {
  for (const ReconvergencePoint& point : points) kernel.code[point.branch].rpc = point.rpc;
}

}  // namespace heddle::analysis
