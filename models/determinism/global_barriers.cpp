#include "determinism/global_barriers.h"

#include <algorithm>
#include <cstdint>

namespace heddle::determinism {
namespace {

using isa::Opcode;

bool is_global_store(const isa::Instruction& instruction) {
  return instruction.op == Opcode::kStore &&
         (instruction.space == isa::StateSpace::kGlobal || instruction.space == isa::StateSpace::kGeneric);
}

bool is_sync(const isa::Instruction& instruction) {
  return instruction.op == Opcode::kBarrier && instruction.barrier_kind == isa::BarrierKind::kSync;
}

/// Leaves the function, or goes somewhere that the instruction does not name.
bool goes_anywhere(const isa::Instruction& instruction) {
  return instruction.op == Opcode::kIndirect || instruction.op == Opcode::kCall ||
         instruction.op == Opcode::kReturn;
}

}  // namespace

std::vector<bool> global_barriers(const isa::Kernel& kernel) {
  const std::size_t size = kernel.code.size();
  std::vector<bool> flagged(size, false);
  std::vector<bool> stored(size, false);  // something may have been stored before this instruction
  std::vector<std::uint32_t> work;
  const auto reach = [&](std::size_t pc) {
    if (pc >= size || stored[pc]) return;
    stored[pc] = true;
    work.push_back(static_cast<std::uint32_t>(pc));
  };
  const bool opaque = std::ranges::any_of(kernel.code, goes_anywhere);
  for (std::size_t pc = 0; pc < size; ++pc)
    if (is_global_store(kernel.code[pc])) reach(pc + 1);
  if (opaque && !work.empty()) {
    for (std::size_t pc = 0; pc < size; ++pc) flagged[pc] = is_sync(kernel.code[pc]);
    return flagged;
  }
  while (!work.empty()) {
    const std::uint32_t pc = work.back();
    work.pop_back();
    const isa::Instruction& instruction = kernel.code[pc];
    if (is_sync(instruction)) {
      flagged[pc] = true;
      continue;  // the quantum ends there, and with it the log is empty
    }
    if (instruction.op == Opcode::kBranch) reach(instruction.target.value());
    const bool ends =
        (instruction.op == Opcode::kExit || instruction.op == Opcode::kBranch) && !instruction.guard.present;
    if (!ends) reach(pc + 1);
  }
  return flagged;
}

}  // namespace heddle::determinism
