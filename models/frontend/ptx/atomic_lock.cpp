#include "frontend/ptx/atomic_lock.h"

#include <algorithm>
#include <memory>
#include <string_view>

namespace heddle::ptx {
namespace {

bool is_wide_atomic(const Instruction& instruction) {
  const auto named = [&](std::string_view word) {
    return std::find(instruction.modifiers.begin(), instruction.modifiers.end(), word) !=
           instruction.modifiers.end();
  };
  if (!named("b128")) return false;
  return instruction.opcode == "atom" ||
         (instruction.opcode == "st" && (named("relaxed") || named("release")));
}

bool has_wide_atomics(const Block& block) {
  return std::any_of(block.statements.begin(), block.statements.end(), [](const Statement& statement) {
    if (const auto* const inner = std::get_if<std::shared_ptr<Block>>(&statement))
      return has_wide_atomics(**inner);
    const auto* const instruction = std::get_if<Instruction>(&statement);
    return instruction != nullptr && is_wide_atomic(*instruction);
  });
}

}  // namespace

void place_atomic_locks(Module& module) {
  if (std::none_of(module.functions.begin(), module.functions.end(),
                   [](const Function& function) { return has_wide_atomics(function.body); }))
    return;
  VariableDecl locks;
  locks.space = StateSpace::kGlobal;
  locks.type = Type::kB32;
  locks.align = kAtomicLockBytes;
  locks.dims = {kAtomicLockCount};
  locks.is_array = true;
  locks.name = kAtomicLocks;
  module.variables.push_back(locks);
}

}  // namespace heddle::ptx
