// Hand-made code for the tests of the analyses: only the fields that they read are filled in.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "isa/instruction.h"

namespace heddle::analysis::testing {

using Code = std::vector<isa::Instruction>;

inline isa::Instruction plain(std::initializer_list<isa::RegId> writes = {},
                              std::initializer_list<isa::RegId> reads = {}) {
  isa::Instruction i;
  i.op = isa::Opcode::kLane;
  std::copy(writes.begin(), writes.end(), i.writes.begin());
  std::copy(reads.begin(), reads.end(), i.reads.begin());
  i.write_count = static_cast<std::uint8_t>(writes.size());
  i.read_count = static_cast<std::uint8_t>(reads.size());
  return i;
}
inline isa::Instruction guarded(isa::Instruction i) {
  i.guard.present = true;
  return i;
}
inline isa::Instruction jump(std::uint32_t target) {
  isa::Instruction i;
  i.op = isa::Opcode::kBranch;
  i.target = base::Pc(target);
  return i;
}
inline isa::Instruction branch(std::uint32_t target) { return guarded(jump(target)); }
inline isa::Instruction exit() {
  isa::Instruction i;
  i.op = isa::Opcode::kExit;
  return i;
}
inline isa::Instruction trap() {
  isa::Instruction i;
  i.op = isa::Opcode::kTrap;
  return i;
}

}  // namespace heddle::analysis::testing
