#include "analysis/regions.h"

namespace heddle::analysis {
namespace {

using base::Pc;
using isa::ConvergenceOp;
using isa::Instruction;
using isa::Opcode;

bool is(const Instruction& instruction, ConvergenceOp op) {
  return instruction.op == Opcode::kConvergence && instruction.convergence == op;
}

}  // namespace

void walk(std::span<const Instruction> code, std::span<const Pc> targets, std::uint32_t from,
          const std::function<Walk(std::uint32_t)>& visit) {
  std::vector<bool> seen(code.size(), false);
  std::vector<std::uint32_t> work;
  const auto go = [&](std::uint32_t to) {
    if (to >= code.size() || seen[to]) return;
    seen[to] = true;
    work.push_back(to);
  };
  const auto leave = [&](std::uint32_t at) {
    const Instruction& instruction = code[at];
    bool falls = instruction.guard.present;
    switch (instruction.op) {
      case Opcode::kBranch:
        go(instruction.target.value());
        break;
      case Opcode::kIndirect:
        for (const Pc target : targets.subspan(instruction.table_first, instruction.table_count))
          go(target.value());
        break;
      case Opcode::kReturn:
      case Opcode::kExit:
      case Opcode::kTrap:
        break;
      default:
        falls = true;
    }
    if (falls) go(at + 1);
  };
  leave(from);
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    if (visit(at) == Walk::kOn) leave(at);
  }
}

std::vector<std::uint32_t> closing_syncs(std::span<const Instruction> code, std::span<const Pc> targets,
                                         std::uint32_t bssy) {
  std::vector<std::uint32_t> syncs;
  walk(code, targets, bssy, [&](std::uint32_t at) {
    const Instruction& instruction = code[at];
    if (instruction.op != Opcode::kConvergence || instruction.barrier != code[bssy].barrier) return Walk::kOn;
    switch (instruction.convergence) {
      case ConvergenceOp::kSync:
        syncs.push_back(at);
        break;
      case ConvergenceOp::kSet:
      case ConvergenceOp::kBreak:
      case ConvergenceOp::kReadClear:
      case ConvergenceOp::kWrite:
        break;
      case ConvergenceOp::kRead:
      case ConvergenceOp::kWarpSync:
      case ConvergenceOp::kYield:
        return Walk::kOn;
    }
    return instruction.guard.present ? Walk::kOn : Walk::kStop;
  });
  return syncs;
}

std::vector<StraySync> stray_syncs(std::span<const Instruction> code, std::span<const Pc> targets) {
  std::vector<StraySync> strays;
  for (std::uint32_t at = 0; at < code.size(); ++at) {
    if (!is(code[at], ConvergenceOp::kSet)) continue;
    for (const std::uint32_t sync : closing_syncs(code, targets, at))
      if (code[at].target != Pc{sync + 1}) strays.push_back({sync, code[at].target});
  }
  return strays;
}

}  // namespace heddle::analysis
