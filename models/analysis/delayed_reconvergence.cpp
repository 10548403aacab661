#include "analysis/delayed_reconvergence.h"

#include <algorithm>
#include <map>

namespace heddle::analysis {

using base::Pc;

namespace {

class Delay {
 public:
  Delay(CodeAnalysis& code, DelayedPaths paths)
      : cfg_(code.cfg()), post_dominators_(code.post_dominators()), paths_(paths) {}

  std::vector<ReconvergencePoint> run(const std::vector<LoopFinding>& loops) {
    for (BlockId b = 0; b < cfg_.block_count(); ++b) {
      const std::uint32_t last = cfg_.block(b).end - 1;
      const isa::Opcode op = cfg_.code()[last].op;
      if (op != isa::Opcode::kBranch && op != isa::Opcode::kIndirect) continue;
      points_.emplace(b, post_dominators_.behind(last));
      if (paths_ == DelayedPaths::kSuccessors) starts_[b] = cfg_.block(b).successors;
    }
    for (const LoopFinding& finding : loops)
      for (const BlockId exit : finding.loop.exits) {
        const auto point = points_.find(exit);
        if (point == points_.end()) continue;  // a guarded exit
        if (finding.flagged()) point->second = post_dominators_.common(point->second, finding.safe);
        if (paths_ == DelayedPaths::kSuccessors) continue;
        for (const BlockId to : cfg_.block(exit).successors)
          if (!finding.loop.blocks.test(to)) starts_[exit].push_back(to);
      }
    nest();
    std::vector<ReconvergencePoint> out;
    for (const auto& [block, rpc] : points_) out.push_back({cfg_.block(block).end - 1, rpc});
    return out;
  }

 private:
  void nest() {
    for (bool again = true; again;) {
      again = false;
      for (auto& [block, rpc] : points_) {
        if (!starts_.contains(block) || cfg_.block(block).successors.size() < 2) continue;
        const BlockSet between = blocks_between(cfg_, starts_[block], post_dominators_.block_of(rpc));
        for (const auto& [other, point] : points_) {
          if (!between.test(other) || cfg_.block(other).successors.size() < 2) continue;
          const Pc meet = post_dominators_.common(rpc, point);
          again |= meet != rpc;
          rpc = meet;
        }
      }
    }
  }

  const ControlFlowGraph& cfg_;
  const PostDominators& post_dominators_;
  DelayedPaths paths_;
  std::map<BlockId, Pc> points_;  ///< by block that ends in a branch
  std::map<BlockId, std::vector<BlockId>> starts_;
};

}  // namespace

DelayedReconvergence delay_reconvergence(CodeAnalysis& code, DeadlockOptions options, DelayedPaths paths) {
  options.parallel_writes = false;
  // Alg 2 alone: nesting over all branches replaces Alg 3.
  options.resolve = false;
  DelayedReconvergence result{find_simt_deadlocks(code, options), {}};
  result.points = Delay(code, paths).run(result.loops);
  return result;
}

std::vector<ReconvergencePoint> delayed_reconvergence(CodeAnalysis& code, DeadlockOptions options,
                                                      DelayedPaths paths) {
  return delay_reconvergence(code, options, paths).points;
}

void apply_reconvergence(isa::Kernel& kernel, const std::vector<ReconvergencePoint>& points) {
  for (const ReconvergencePoint& point : points) kernel.code[point.branch].rpc = point.rpc;
}

}  // namespace heddle::analysis
