#include "analysis/post_dominators.h"

#include <algorithm>

namespace heddle::analysis {

using base::kNoPc;
using base::Pc;

PostDominators::PostDominators(const ControlFlowGraph& cfg, const ControlFlowGraph& reconvergence)
    : cfg_(cfg), graph_(reconvergence), tree_(DominatorTree::post_dominators(reconvergence)) {}

Pc PostDominators::start_of(BlockId block) const {
  return block == kNoBlock || block == graph_.exit() ? kNoPc : Pc(graph_.block(block).first);
}

Pc PostDominators::behind(std::uint32_t instruction) const {
  const BlockId block = graph_.block_of(instruction);
  if (instruction + 1 < graph_.block(block).end) return Pc(instruction + 1);
  return start_of(tree_.parent(block));
}

Pc PostDominators::common(Pc a, Pc b) const {
  const BlockId block_a = block_of(a);
  const BlockId block_b = block_of(b);
  if (block_a == block_b) return a == kNoPc || b == kNoPc ? kNoPc : std::max(a, b);
  BlockId meet = block_a;
  while (!tree_.dominates(meet, block_b)) meet = tree_.parent(meet);
  if (meet == block_a) return a;
  return meet == block_b ? b : start_of(meet);
}

Pc PostDominators::strictly_common(Pc a, Pc b) const {
  const Pc meet = common(a, b);
  return meet == a || meet == b ? next(meet) : meet;
}

bool PostDominators::post_dominates(Pc above, Pc below) const { return common(above, below) == above; }

Pc PostDominators::next(Pc point) const { return point == kNoPc ? kNoPc : behind(point.value()); }

}  // namespace heddle::analysis
