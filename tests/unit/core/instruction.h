// Instructions of which only the registers and the kind matter.
#pragma once

#include <initializer_list>

#include "isa/instruction.h"

namespace heddle::core {

inline isa::Instruction instruction(std::initializer_list<isa::RegId> reads,
                                    std::initializer_list<isa::RegId> writes,
                                    isa::Opcode op = isa::Opcode::kLane) {
  isa::Instruction i;
  i.op = op;
  for (const isa::RegId r : reads) i.reads[i.read_count++] = r;
  for (const isa::RegId w : writes) i.writes[i.write_count++] = w;
  return i;
}

}  // namespace heddle::core
