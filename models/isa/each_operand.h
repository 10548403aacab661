// All operands of an instruction, for code that renames or places registers.
#pragma once

#include "isa/instruction.h"

namespace heddle::isa {

/// Calls fn(operand) for the guards, the rows of the address, the sources and the destinations, present or not.
template <class Fn>
void for_each_operand(Instruction& instruction, Fn&& fn) {
  MemoryOperand& memory = instruction.memory;
  for (Operand* operand : {&instruction.guard, &instruction.guard2, &memory.base, &memory.high,
                           &memory.second, &memory.second_high})
    fn(*operand);
  for (Operand& operand : instruction.src) fn(operand);
  for (Operand& operand : instruction.dst) fn(operand);
}

}  // namespace heddle::isa
