#include "analysis/cfg.h"

#include <algorithm>

namespace heddle::analysis {
namespace {

using isa::Instruction;
using isa::Opcode;

bool ends_thread(const Instruction& instruction) {
  return instruction.op == Opcode::kExit || instruction.op == Opcode::kReturn;
}

}  // namespace

ControlFlowGraph::ControlFlowGraph(std::span<const Instruction> code, std::span<const base::Pc> targets)
    : ControlFlowGraph(code, targets, false) {}

ControlFlowGraph::ControlFlowGraph(std::span<const Instruction> code, std::span<const base::Pc> targets,
                                   bool follow_calls)
    : code_(code), targets_(targets), follow_calls_(follow_calls), strays_(stray_syncs(code, targets)) {
  find_blocks();
  connect();
}

ControlFlowGraph ControlFlowGraph::following_calls(std::span<const Instruction> code,
                                                   std::span<const base::Pc> targets,
                                                   std::span<const isa::FunctionCode> functions) {
  ControlFlowGraph graph(code, targets, true);
  graph.connect_calls(functions);
  return graph;
}

bool ControlFlowGraph::ends_block(const Instruction& instruction) const {
  switch (instruction.op) {
    case Opcode::kBranch:
    case Opcode::kIndirect:
    case Opcode::kReturn:
    case Opcode::kExit:
    case Opcode::kTrap:
      return true;
    case Opcode::kCall:
      return follow_calls_;
    default:
      return false;
  }
}

std::span<const base::Pc> ControlFlowGraph::targets_of(const Instruction& instruction) const {
  if (instruction.op == Opcode::kIndirect || instruction.src[0].present)
    return targets_.subspan(instruction.table_first, instruction.table_count);
  return {&instruction.target, 1};
}

void ControlFlowGraph::find_blocks() {
  std::vector<bool> leader(code_.size() + 1, false);
  if (!code_.empty()) leader[0] = true;
  for (std::size_t i = 0; i < code_.size(); ++i) {
    if (!ends_block(code_[i])) continue;
    leader[i + 1] = true;
    if (code_[i].op == Opcode::kBranch) leader[code_[i].target.value()] = true;
    if (code_[i].op == Opcode::kIndirect || code_[i].op == Opcode::kCall)
      for (const base::Pc target : targets_of(code_[i])) leader[target.value()] = true;
  }
  for (const StraySync& stray : strays_) leader[stray.sync + 1] = leader[stray.resume.value()] = true;
  block_of_.resize(code_.size());
  for (std::uint32_t i = 0; i < code_.size(); ++i) {
    if (leader[i]) blocks_.push_back({i, i, {}, {}});
    blocks_.back().end = i + 1;
    block_of_[i] = static_cast<BlockId>(blocks_.size()) - 1;
  }
  const auto size = static_cast<std::uint32_t>(code_.size());
  blocks_.push_back({size, size, {}, {}});
}

void ControlFlowGraph::connect(BlockId from, BlockId to) {
  auto& successors = blocks_[from].successors;
  if (std::find(successors.begin(), successors.end(), to) != successors.end()) return;
  successors.push_back(to);
  blocks_[to].predecessors.push_back(from);
}

void ControlFlowGraph::connect() {
  for (BlockId b = 0; b < block_count(); ++b) {
    const Instruction& last = code_[blocks_[b].end - 1];
    // The block after the last one is the exit: falling off the end.
    if (!ends_block(last) || last.guard.present) connect(b, b + 1);
    switch (last.op) {
      case Opcode::kBranch:
        connect(b, block_of_[last.target.value()]);
        break;
      case Opcode::kIndirect:
        for (const base::Pc target : targets_of(last)) connect(b, block_of_[target.value()]);
        break;
      case Opcode::kCall:
        if (follow_calls_)
          for (const base::Pc target : targets_of(last)) connect(b, block_of_[target.value()]);
        break;
      case Opcode::kReturn:
        if (!follow_calls_) connect(b, exit());
        break;
      default:
        if (ends_block(last)) connect(b, exit());
    }
  }
  for (const StraySync& stray : strays_) connect(block_of_[stray.sync], block_of(stray.resume.value()));
}

void ControlFlowGraph::connect_calls(std::span<const isa::FunctionCode> functions) {
  struct Ends {
    std::vector<BlockId> returns;
    std::vector<BlockId> behind_calls;
  };
  std::vector<Ends> ends(functions.size() +
                         1);  // the first is the kernel's own code, in front of all functions
  const auto function_at = [&](std::uint32_t at) {
    const auto behind = std::upper_bound(
        functions.begin(), functions.end(), at,
        [](std::uint32_t pc, const isa::FunctionCode& function) { return pc < function.first; });
    return &ends[static_cast<std::size_t>(behind - functions.begin())];
  };
  for (std::uint32_t i = 0; i < code_.size(); ++i) {
    if (code_[i].op == Opcode::kReturn) function_at(i)->returns.push_back(block_of_[i]);
    if (code_[i].op == Opcode::kCall)
      for (const base::Pc target : targets_of(code_[i]))
        function_at(target.value())->behind_calls.push_back(block_of_[i] + 1);
  }
  for (const Ends& function : ends)
    for (const BlockId from : function.returns) {
      if (function.behind_calls.empty()) connect(from, exit());
      for (const BlockId to : function.behind_calls) connect(from, to);
    }
  for (BasicBlock& block : blocks_) std::sort(block.predecessors.begin(), block.predecessors.end());
}

bool ControlFlowGraph::only_exits(BlockId id) const {
  if (id == exit()) return true;
  const BasicBlock& block = blocks_[id];
  return block.end == block.first + 1 && ends_thread(code_[block.first]) && !code_[block.first].guard.present;
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

std::vector<bool> ControlFlowGraph::reachable_from(BlockId from) const {
  std::vector<bool> reached(blocks_.size(), false);
  std::vector<BlockId> work{from};
  reached[from] = true;
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    for (const BlockId to : blocks_[b].successors) {
      if (!reached[to]) work.push_back(to);
      reached[to] = true;
    }
  }
  return reached;
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
    // A loop whose only exits are early ones gets the last of them back. What leads there keeps its cuts.
    const std::vector<bool> still = graph.reaching_exit();
    std::vector<BlockId> stuck;
    for (BlockId b = 0; b < block_count(); ++b)
      if (cut[b] && reaches[b] && !still[b]) stuck.push_back(b);
    std::vector<std::vector<bool>> ahead;
    ahead.reserve(stuck.size());
    for (const BlockId b : stuck) ahead.push_back(graph.reachable_from(b));
    for (std::size_t i = 0; i < stuck.size(); ++i) {
      bool last_of_innermost = true;
      for (std::size_t k = 0; k < stuck.size(); ++k)
        if (ahead[i][stuck[k]]) last_of_innermost &= ahead[k][stuck[i]] && stuck[k] <= stuck[i];
      if (last_of_innermost) cut[stuck[i]] = false;
    }
    again = !stuck.empty();
  }
  return graph;
}

}  // namespace heddle::analysis
