// What the exploration of a lane gives: what the lane may do, and what that follows from.
#pragma once

#include <set>
#include <vector>

#include "hang/abstract_memory.h"
#include "hang/snapshot.h"
#include "hang/value_table.h"

namespace heddle::hang {

/// A lane arrives at a CTA barrier or a .sync instruction.
struct Arrival {
  Pc pc{};
  bool meets = false;          ///< .sync instruction
  bool waits = true;           ///< false: bar.arrive
  Values barrier = kAnyValue;  ///< number of the CTA barrier
  Values count = kAnyValue;    ///< threads it names; one(0): all of the CTA
  Values members = kAnyValue;  ///< of a .sync instruction
};

struct LaneOutcome {
  bool leaves = false;  ///< it may exit, fault, or do something that the exploration does not model
  Pc leaves_at = kNoPc;
  std::vector<bool> visited;  ///< by PC
  std::set<Word> reads;       ///< by loads and atomics, without parameters and constants
  std::set<Word> writes;      ///< words it may change
  std::vector<Arrival> arrivals;
  [[nodiscard]] bool comes_to(Pc pc) const { return pc.value() < visited.size() && visited[pc.value()]; }
};

/// What an exploration has looked at: its result follows from that.
struct LaneInputs {
  struct Load {
    Word word;
    bool through_l1 = false;
    Values values = kAnyValue;
  };
  std::vector<isa::RegId> registers;  ///< ascending: those that decide what its instructions do
  std::vector<isa::Operand> special;  ///< special registers and constants, by offset
  std::vector<Load> loads;            ///< and what was found there
  std::vector<bool> passed;           ///< by arrival
  bool own = false;                   ///< local memory, which is the lane's own
  bool shared = false;                ///< shared memory, which is its CTA's
  bool moved = false;                 ///< a word has got further values since it was loaded
};

}  // namespace heddle::hang
