// The operation table of machine code, of one level: asks every source file of this folder in turn. Used at load time only.
#include "isa/machine/sources.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {

LaneFn find_machine(const MachineSpec& spec) {
  using Finder = LaneFn (*)(const MachineSpec&);
  constexpr Finder kFinders[] = {find_machine_add,  find_machine_multiply,  find_machine_compare,
                                 find_machine_bits, find_machine_predicate, find_machine_float,
                                 find_machine_half, find_machine_convert,   find_machine_special,
                                 find_machine_warp, find_machine_narrow};
  for (const Finder finder : kFinders)
    if (const LaneFn fn = finder(spec)) return fn;
  return nullptr;
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
