#include "analysis/cfg.h"

#include <algorithm>

namespace heddle::analysis {
namespace {

using isa::Instruction;
using isa::Opcode;

bool ends_block(const Instruction& instruction) {
  return instruction.op == Opcode::kBranch || instruction.op == Opcode::kExit ||
         instruction.op == Opcode::kTrap;
}

}  // namespace

ControlFlowGraph::ControlFlowGraph(std::span<const Instruction> code) : code_(code) {
  find_blocks();
  connect();
}

void ControlFlowGraph::find_blocks() {
  std::vector<bool> leader(code_.size() + 1, false);
  if (!code_.empty()) leader[0] = true;
  for (std::size_t i = 0; i < code_.size(); ++i) {
    if (!ends_block(code_[i])) continue;
    leader[i + 1] = true;
    if (code_[i].op == Opcode::kBranch) leader[code_[i].target.value()] = true;
  }
  block_of_.resize(code_.size());
  for (std::uint32_t i = 0; i < code_.size(); ++i) {
    if (leader[i]) blocks_.push_back({i, i, {}, {}});
    blocks_.back().end = i + 1;
    block_of_[i] = static_cast<BlockId>(blocks_.size()) - 1;
  }
  const auto size = static_cast<std::uint32_t>(code_.size());
  blocks_.push_back({size, size, {}, {}});
}

void ControlFlowGraph::connect() {
  for (BlockId b = 0; b < block_count(); ++b) {
    BasicBlock& block = blocks_[b];
    const Instruction& last = code_[block.end - 1];
    const auto add = [&](BlockId to) {
      if (std::find(block.successors.begin(), block.successors.end(), to) != block.successors.end()) return;
      block.successors.push_back(to);
      blocks_[to].predecessors.push_back(b);
    };
    // The block behind the last one is the exit: falling off the end.
    if (!ends_block(last) || last.guard.present) add(b + 1);
    if (last.op == Opcode::kBranch)
      add(block_of_[last.target.value()]);
    else if (ends_block(last))
      add(exit());
  }
}

bool ControlFlowGraph::only_exits(BlockId id) const {
  if (id == exit()) return true;
  const BasicBlock& block = blocks_[id];
  return block.end == block.first + 1 && code_[block.first].op == Opcode::kExit &&
         !code_[block.first].guard.present;
}

std::vector<bool> ControlFlowGraph::reaching_exit() const {
  std::vector<bool> reaches(blocks_.size(), false);
  std::vector<BlockId> work{exit()};
  reaches[exit()] = true;
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    for (const BlockId from : blocks_[b].predecessors) {
      if (!reaches[from]) work.push_back(from);
      reaches[from] = true;
    }
  }
  return reaches;
}

ControlFlowGraph ControlFlowGraph::without_early_exits() const {
  ControlFlowGraph graph = *this;
  std::vector<bool> cut(blocks_.size(), false);
  for (BlockId b = 0; b < block_count(); ++b) {
    const auto& to = blocks_[b].successors;
    cut[b] = to.size() == 2 && only_exits(to[0]) != only_exits(to[1]);
  }
  const std::vector<bool> reaches = reaching_exit();
  for (bool again = true; again;) {
    for (BasicBlock& block : graph.blocks_) block.predecessors.clear();
    for (BlockId b = 0; b < block_count(); ++b) {
      auto& to = graph.blocks_[b].successors;
      to = blocks_[b].successors;
      if (cut[b]) std::erase_if(to, [this](BlockId s) { return only_exits(s); });
      for (const BlockId s : to) graph.blocks_[s].predecessors.push_back(b);
    }
    // A loop whose only way out is an early exit gets it back.
    again = false;
    const std::vector<bool> still = graph.reaching_exit();
    for (BlockId b = 0; b < block_count(); ++b)
      if (cut[b] && reaches[b] && !still[b]) {
        cut[b] = false;
        again = true;
      }
  }
  return graph;
}

}  // namespace heddle::analysis
