// Which outcomes of a litmus test the PTX memory consistency model allows.
//
// All candidate executions are enumerated: what each read reads from, an order of the writes of each location, an order of
// the fence.sc operations; those that no axiom forbids give the outcomes. Relations and axioms are those of the PTX ISA 9.0,
// chapter Memory Consistency Model, in the form of Lustig, Sahasrabuddhe and Giroux, "A Formal Analysis of the NVIDIA PTX
// Memory Consistency Model", ASPLOS 2019 (figures 4 and 7). The ISA is stronger in one point, which is followed: program
// order is part of base causality order. Nothing here knows the model of the GPU.
#pragma once

#include <set>

#include "program.h"

namespace heddle::litmus {

[[nodiscard]] std::set<Outcome> allowed(const Program& program);

/// Those of sequential consistency: the threads' operations one at a time.
[[nodiscard]] std::set<Outcome> sequential(const Program& program);

}  // namespace heddle::litmus
