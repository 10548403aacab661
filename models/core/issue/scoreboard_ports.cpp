#include "core/issue/scoreboard_ports.h"

#include <algorithm>

namespace heddle::core {

namespace {

/// What control instructions write (a call's return address, a barrier's reduction) is there when they have
/// issued: it is never pending.
bool reserves(const isa::Instruction& instruction) {
  switch (instruction.op) {
    case isa::Opcode::kLane:
    case isa::Opcode::kTimer:
    case isa::Opcode::kWarpSync:
    case isa::Opcode::kLoad:
    case isa::Opcode::kAtomic:
    case isa::Opcode::kLoadMatrix:
    case isa::Opcode::kTexture:
      return true;
    default:
      return false;
  }
}

}  // namespace

PortNeed port_need(const isa::Instruction& instruction) {
  const auto reads_end = instruction.reads.begin() + instruction.read_count;
  PortNeed need;
  need.reads = instruction.read_count;
  for (unsigned i = 0; i < instruction.write_count; ++i)
    if (std::find(instruction.reads.begin(), reads_end, instruction.writes[i]) == reads_end) ++need.reads;
  if (reserves(instruction)) need.writes = instruction.write_count;
  return need;
}

}  // namespace heddle::core
