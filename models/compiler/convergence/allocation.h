// Which barrier register holds each region, and which regions there is no register for ([Hanoi:P1], steps 7 and 8).
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "compiler/convergence/regions.h"

namespace heddle::compiler {

struct AllocationOptions {
  std::uint32_t registers = 7;  ///< that programs may name, at least 1
  std::uint32_t entries = 31;   ///< of the REC stack ([Hanoi:K6])
  /// [Hanoi:K4]. What it is good for is shown by leaving it out; kernels hang then.
  bool pins = true;
  /// [Hanoi:K3]: registers of regions that are entered while lanes that have left another one run on differ, too. The same.
  bool until_left_lanes_meet = true;
  /// [Hanoi:K1], [Hanoi:K5]: no region in which lanes may wait for something outside of the warp's running path while others
  /// come to its BSSY. The same.
  bool entered_together = true;
  bool spills = true;  ///< false: not in a function whose inner calls would overwrite the registers for it
};

class Starvation;

/// What callers have to know of a function.
struct FunctionUse {
  std::set<std::uint32_t> overwrites;  ///< barrier registers, the one for spills included
  std::uint32_t entries = 0;           ///< of the REC stack, at most
  bool may_exit = false;               ///< lanes may exit in it
  bool returns_apart = false;          ///< lanes that called it together may return one after the other
  bool waits = false;                  ///< lanes may wait in it at a .sync instruction or a CTA barrier
  bool yields = false;                 ///< lanes may give way to others in it
  std::set<std::uint32_t> spins;  ///< loops in which lanes may wait for others in it (WaitingLoop, by index)

  /// One of the two may be called.
  void add(const FunctionUse& other);
};

/// What happens in a node besides its instructions that part lanes.
struct NodeCalls {
  FunctionUse use;      ///< of all functions that it may call
  bool waits = false;   ///< lanes may wait in it at a .sync instruction or a CTA barrier, its calls included
  bool behind = false;  ///< a region that the node opens is open during the calls: BSSY stands before them
};

struct PlacedRegion {
  static constexpr std::uint32_t kSpilled = 0xffff'ffffu;
  Region region;
  std::uint32_t barrier = 0;  ///< kSpilled: number 0, and its lanes are in a register of their own meanwhile
  std::uint32_t spill_register = 0;  ///< regions with different ones may be open at the same time
  [[nodiscard]] bool spilled() const { return barrier == kSpilled; }
  [[nodiscard]] std::uint8_t number() const { return spilled() ? 0 : static_cast<std::uint8_t>(barrier); }
};

struct Allocation {
  std::vector<PlacedRegion> regions;  ///< outer before inner
  FunctionUse use;
  /// Regions for which there was no register or no entry, or which lanes may enter one after the other.
  std::uint32_t dropped = 0;
};

/// `waiting`: nodes in which lanes wait for others (and yield). `calls`: by node. `returns`: the function returns to a
/// caller, so lanes that run on from a region may come to it again. `starvation`: drops regions because of which lanes would
/// wait for ever; nullptr: keeps them.
[[nodiscard]] Allocation allocate(Regions regions, const std::vector<NodeCalls>& calls,
                                  const std::vector<NodeId>& waiting, bool returns,
                                  const AllocationOptions& options, const Starvation* starvation = nullptr);

}  // namespace heddle::compiler
