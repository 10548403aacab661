// Instruction patterns of the generator, and their instantiation.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "generator/random_source.h"

namespace heddle::generator {

/// Pools of data registers: %r (32 bits), %w (64 bits), %f, %d (f64), %k (16 bits), %p (predicates).
inline constexpr unsigned kWords = 8;
inline constexpr unsigned kLongs = 4;
inline constexpr unsigned kFloats = 4;
inline constexpr unsigned kDoubles = 2;
inline constexpr unsigned kHalves = 4;
inline constexpr unsigned kPredicates = 4;

/// Bytes of a thread's own slots in the out buffer and in local memory.
inline constexpr unsigned kSlotBytes = 64;
inline constexpr unsigned kLocalBytes = 32;

/// Of an access of `bytes` to a thread's slots. Half of all go to the first 16 bytes, so that what is read was written before.
[[nodiscard]] inline unsigned slot_offset(RandomSource& random, unsigned bytes) {
  const unsigned most = random.chance(50) ? 16 : kSlotBytes;
  return random.below(std::max(1u, most / bytes)) * bytes;
}

inline constexpr unsigned kInputWords = 256;
inline constexpr unsigned kTableWords = 16;
/// Global counters: bytes 0..127; each word is only ever updated by one kind of operation.
inline constexpr unsigned kCounterBytes = 128;
inline constexpr unsigned kSharedCounterBytes = 64;

struct PatternOptions {
  bool barriers = false;    ///< shared memory may be used
  bool operations = false;  ///< the table of operations and types (operations.h) as well
};

/// A random pattern of computation or memory access, filled in.
[[nodiscard]] std::vector<std::string> random_lines(RandomSource& random, const PatternOptions& options);
/// Instructions without scratch registers, which may be guarded.
[[nodiscard]] std::vector<std::string> random_simple_lines(RandomSource& random,
                                                           const PatternOptions& options);
/// A comparison that sets the predicate '@'.
[[nodiscard]] std::string random_condition(RandomSource& random);
/// Votes and shuffles over a full warp.
[[nodiscard]] std::vector<std::string> random_warp_lines(RandomSource& random, const PatternOptions& options);
/// Reductions at a barrier of the whole CTA.
[[nodiscard]] std::vector<std::string> random_barrier_lines(RandomSource& random);

}  // namespace heddle::generator
