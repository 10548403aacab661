#include "spin/sync_loops.h"

#include <algorithm>

#include "analysis/cfg.h"
#include "compiler/facts.h"

namespace heddle::spin {
namespace {

using analysis::BlockId;
using analysis::ControlFlowGraph;
using isa::AtomicOp;
using isa::Opcode;

/// Adds the instructions of the blocks from `header` from which the branch is reached without passing `header` again.
void add_body(const ControlFlowGraph& cfg, base::Pc branch, std::vector<bool>& body) {
  const BlockId tail = cfg.block_of(branch.value());
  const BlockId header = cfg.block_of(cfg.code()[branch.value()].target.value());
  const auto closure = [&](BlockId from, BlockId stop, auto&& next) {
    std::vector<bool> reached(cfg.block_count() + 1, false);
    std::vector<BlockId> work{from};
    reached[from] = true;
    while (!work.empty()) {
      const BlockId at = work.back();
      work.pop_back();
      if (at == stop) continue;
      for (const BlockId to : next(cfg.block(at)))
        if (!reached[to]) {
          reached[to] = true;
          work.push_back(to);
        }
    }
    return reached;
  };
  const auto back = closure(
      tail, header, [](const analysis::BasicBlock& b) -> const auto& { return b.predecessors; });
  const auto forth = closure(
      header, analysis::kNoBlock, [](const analysis::BasicBlock& b) -> const auto& { return b.successors; });
  for (BlockId block = 0; block < cfg.block_count(); ++block)
    if (back[block] && forth[block])
      std::fill(body.begin() + cfg.block(block).first, body.begin() + cfg.block(block).end, true);
}

bool returns_value(const isa::Instruction& instruction) {
  return instruction.op == Opcode::kAtomic && instruction.dst[0].present;
}

}  // namespace

SyncLoops::SyncLoops(const isa::Kernel& kernel) {
  if (kernel.spin_marks.empty()) return;
  facts_.assign(kernel.code.size(), 0);
  const ControlFlowGraph cfg(kernel.code, kernel.targets);
  for (const isa::SpinMark& mark : kernel.spin_marks) {
    const std::vector<base::Pc> branches = compiler::spin_branches_of(kernel, mark);
    std::vector<bool> body(kernel.code.size(), false);
    for (const base::Pc branch : branches) add_body(cfg, branch, body);
    add(kernel, mark.kind, branches, body);
  }
}

void SyncLoops::add(const isa::Kernel& kernel, isa::SpinMark::Kind kind,
                    const std::vector<base::Pc>& branches, const std::vector<bool>& body) {
  const auto is_outside = [&](std::uint32_t pc) { return pc >= body.size() || !body[pc]; };
  bool has_cas = false;
  for (std::uint32_t pc = 0; pc < body.size(); ++pc)
    has_cas =
        has_cas || (body[pc] && returns_value(kernel.code[pc]) && isa::compares(kernel.code[pc].atomic_op));
  for (std::uint32_t pc = 0; pc < body.size(); ++pc) {
    if (!body[pc]) continue;
    const isa::Instruction& instruction = kernel.code[pc];
    facts_[pc] |= kBody;
    if (kind == isa::SpinMark::Kind::kLock) {
      if (returns_value(instruction) &&
          (has_cas ? isa::compares(instruction.atomic_op) : instruction.atomic_op == AtomicOp::kExch))
        facts_[pc] |= kAttempt;
      continue;
    }
    if (instruction.op == Opcode::kBranch) {
      if (is_outside(instruction.target.value())) facts_[pc] |= kWaitExit;
      if (instruction.guard.present && is_outside(pc + 1)) facts_[pc] |= kWaitFallThrough;
    }
    if (instruction.op == Opcode::kExit || instruction.op == Opcode::kReturn) facts_[pc] |= kWaitExit;
  }
  if (kind == isa::SpinMark::Kind::kWait)
    for (const base::Pc branch : branches) facts_[branch.value()] |= kWaitBranch;
}

}  // namespace heddle::spin
