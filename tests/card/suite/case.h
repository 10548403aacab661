// One form of an instruction, as a piece of PTX that both the oracle and a card execute on the same operands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/types.h"

namespace heddle::card {

/// Which values an operand takes, and how wide its register is.
enum class Values : std::uint8_t {
  kPredicate,
  kInteger16,
  kInteger32,
  kInteger64,
  kHalf,
  kHalves,  ///< f16x2
  kSingle,
  kDouble,
  kAmount,  ///< of a shift
  kField,   ///< position or length of a field
  kLane,    ///< 0 to 31
  kOffset,  ///< -40 to 40
  kBit      ///< 0 or 1, in 32 bits
};

struct Case {
  std::string name;             ///< "add.rn.ftz.f32"
  std::vector<Values> sources;  ///< $s0, $s1 ... of the body: registers %s0 ...
  /// $d0, $d1 ...: types of results. Registers are untyped, of the type's width.
  std::vector<isa::Type> results;
  /// Registers %x<4> of 32 bits, %y<4> of 64 bits and %q<2> are free. Memory of the thread's own: [$m] 8 bytes of global
  /// memory, which its first result overwrites in the end, [%room] 8 of shared and [%loc] 16 of local memory.
  std::string body;
  bool approximate = false;  ///< not defined to the last bit
};

/// Bits of an operand's register; 1: a predicate.
[[nodiscard]] unsigned bits_of(Values values);
/// Bits of a result's register.
[[nodiscard]] unsigned register_bits(isa::Type type);

/// All forms of the front end's table that have a lane function, other than those of warps: arithmetic, logic, conversions,
/// comparisons, selection; carries with what sets and reads them.
[[nodiscard]] std::vector<Case> table_cases();
/// The video instructions, with selectors.
[[nodiscard]] std::vector<Case> video_cases();
/// Loads and stores of every type, and atomics of every operation and type, at memory of the thread's own.
[[nodiscard]] std::vector<Case> memory_cases();
/// What accesses say beside that: caches, orders, scopes; fences, copies in the background, mbarriers, tests of addresses.
[[nodiscard]] std::vector<Case> access_cases();

}  // namespace heddle::card
