#include "analysis/block_paths.h"

#include <algorithm>

namespace heddle::analysis {

BlockSet blocks_between(const ControlFlowGraph& cfg, const std::vector<BlockId>& from, BlockId stop) {
  BlockSet found = no_blocks(cfg);
  std::vector<BlockId> work;
  const auto add = [&](BlockId block) {
    if (block == stop || block == cfg.exit() || found.test(block)) return;
    found.set(block);
    work.push_back(block);
  };
  for (const BlockId block : from) add(block);
  while (!work.empty()) {
    const BlockId block = work.back();
    work.pop_back();
    for (const BlockId next : cfg.block(block).successors) add(next);
  }
  return found;
}

bool is_full_barrier(const isa::Instruction& instruction) {
  return instruction.op == isa::Opcode::kBarrier && instruction.barrier_kind == isa::BarrierKind::kSync &&
         !instruction.guard.present && !instruction.src[1].present;
}

BarrierFreePaths::BarrierFreePaths(const ControlFlowGraph& cfg, base::Pc from, bool through_barriers)
    : cfg_(cfg),
      from_(from),
      through_barriers_(through_barriers),
      entered_(no_blocks(cfg)),
      came_from_(cfg.block_count() + 1, kNoBlock) {
  if (from == base::kNoPc) return;
  for (BlockId b = 0; b < cfg.block_count(); ++b)
    first_barrier_.push_back(barrier_from(cfg.block(b).first, b));
  start_ = cfg.block_of(from.value());
  start_barrier_ = barrier_from(from.value(), start_);
  // Breadth first, so that came_from_ yields shortest paths.
  std::vector<BlockId> queue;
  const auto enter = [&](BlockId block, BlockId by) {
    if (block == cfg.exit() || entered_.test(block)) return;
    entered_.set(block);
    came_from_[block] = by;
    queue.push_back(block);
  };
  if (start_barrier_ == cfg.block(start_).end)
    for (const BlockId next : cfg.block(start_).successors) enter(next, start_);
  for (std::size_t i = 0; i < queue.size(); ++i)
    if (passes(queue[i]))
      for (const BlockId next : cfg.block(queue[i]).successors) enter(next, queue[i]);
}

std::uint32_t BarrierFreePaths::barrier_from(std::uint32_t first, BlockId block) const {
  if (through_barriers_) return cfg_.block(block).end;
  std::uint32_t i = first;
  while (i < cfg_.block(block).end && !is_full_barrier(cfg_.code()[i])) ++i;
  return i;
}

bool BarrierFreePaths::reaches(std::uint32_t instruction) const {
  if (from_ == base::kNoPc) return false;
  const BlockId block = cfg_.block_of(instruction);
  if (block == start_ && instruction >= from_.value() && instruction < start_barrier_) return true;
  return entered_.test(block) && instruction < first_barrier_[block];
}

/// Whether the block's end is reached.
bool BarrierFreePaths::leaves(BlockId block) const {
  return (block == start_ && start_barrier_ == cfg_.block(block).end) ||
         (entered_.test(block) && passes(block));
}

std::vector<std::uint32_t> BarrierFreePaths::branches_on_the_way(std::uint32_t instruction) const {
  std::vector<std::uint32_t> branches;
  if (from_ == base::kNoPc) return branches;
  // Blocks from whose start the instruction is reached.
  BlockSet back = no_blocks(cfg_);
  std::vector<BlockId> work;
  const BlockId block = cfg_.block_of(instruction);
  if (instruction < first_barrier_[block]) {
    back.set(block);
    work.push_back(block);
  }
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    for (const BlockId before : cfg_.block(b).predecessors) {
      if (back.test(before) || !passes(before)) continue;
      back.set(before);
      work.push_back(before);
    }
  }
  for (BlockId b = 0; b < cfg_.block_count(); ++b) {
    const auto& next = cfg_.block(b).successors;
    if (next.size() < 2 || !leaves(b)) continue;
    if (std::any_of(next.begin(), next.end(), [&](BlockId s) { return back.test(s); }))
      branches.push_back(cfg_.block(b).end - 1);
  }
  return branches;
}

std::vector<BlockId> BarrierFreePaths::path_to(std::uint32_t instruction) const {
  if (!reaches(instruction)) return {};
  std::vector<BlockId> path{cfg_.block_of(instruction)};
  if (path.back() == start_ && instruction >= from_.value() && instruction < start_barrier_) return path;
  do path.push_back(came_from_[path.back()]);
  while (path.back() != start_);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace heddle::analysis
