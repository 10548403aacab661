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

}  // namespace heddle::analysis
