#include "compiler/likely_convergence.h"

#include <algorithm>

#include "analysis/cfg.h"
#include "analysis/dominators.h"
#include "analysis/loops.h"

namespace heddle::compiler {

using analysis::BlockId;
using analysis::ControlFlowGraph;
using analysis::Loop;
using base::Pc;
using isa::LikelyPoint;

namespace {

bool has(const Loop& loop, BlockId block) {
  return std::binary_search(loop.blocks.begin(), loop.blocks.end(), block);
}

/// Where the sides of branches of the loop come together again before its last backward branch; kNoBlock: nowhere.
BlockId meeting_block(const ControlFlowGraph& cfg, const Loop& loop) {
  BlockId block = loop.latches.back();
  while (block != loop.header && cfg.block(block).predecessors.size() == 1)
    block = cfg.block(block).predecessors.front();
  return block == loop.header ? analysis::kNoBlock : block;
}

}  // namespace

std::vector<LikelyPoint> likely_points(const isa::Kernel& kernel) {
  const ControlFlowGraph cfg(kernel.code, kernel.targets);
  std::vector<LikelyPoint> points;
  const auto dominators = analysis::DominatorTree::dominators(cfg);
  const std::vector<Loop> loops = analysis::natural_loops(cfg, dominators);
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
    const isa::Instruction& branch = kernel.code[pc];
    if (branch.op != isa::Opcode::kBranch || !branch.guard.present) continue;
    const BlockId block = cfg.block_of(pc);
    // The innermost loop around it.
    const Loop* around = nullptr;
    for (const Loop& loop : loops)
      if (has(loop, block) && (around == nullptr || loop.depth > around->depth)) around = &loop;
    if (around == nullptr) continue;
    // Where the sides meet anyway is in the loop.
    if (branch.rpc != base::kNoPc && has(*around, cfg.block_of(branch.rpc.value()))) continue;
    const BlockId meeting = meeting_block(cfg, *around);
    if (meeting == analysis::kNoBlock || meeting == block) continue;
    const Pc point{cfg.block(meeting).first};
    if (point != branch.rpc) points.push_back({Pc{pc}, point});
  }
  return points;
}

void LikelyConvergencePoints::run(isa::Kernel& kernel) const {
  kernel.likely_points = likely_points(kernel);
  if (keep_)
    std::erase_if(kernel.likely_points, [&](const LikelyPoint& point) { return !keep_(kernel, point); });
}

}  // namespace heddle::compiler
