// Lane functions of the lowering's own: moves of words, and tests that no PTX operation makes.
#pragma once

#include "isa/instruction.h"

namespace heddle::sass {

/// dst[i] = src[i], 32-bit rows.
void move_words(const isa::LaneArgs& args);
/// dst[0] = the byte or half word of src[0] at bit `immediate & 31`, with bits 8 to 15 of the immediate its width, extended
/// with its sign if bit 16 is set.
void move_part(const isa::LaneArgs& args);
/// dst[0] = src[0]; dst[1], a predicate, = src[0] != 0. Both may be absent.
void move_and_test(const isa::LaneArgs& args);
/// dst[1]:dst[0] = the sum of the pairs src[2i + 1]:src[2i], each negated if isa::negated_source(2i) is in the immediate.
void add_pairs(const isa::LaneArgs& args);
/// dst[0], a predicate, = whether the words src[0] to src[3] are src[4] to src[7].
void compare_words(const isa::LaneArgs& args);
/// The lanes that execute it and have the same words src[0] to src[4] share bytes, 16 of each in turn: dst[0] = where the lane begins, dst[1] = how far it is to its next
/// ones; dst[2], a predicate, = whether it is the first lane.
void share_bytes(const isa::LaneArgs& args);
/// dst[0], a predicate, = whether the generic address src[1]:src[0] + src[3]:src[2] + immediate is in the window of shared memory (kInShared),
/// of local memory, or in neither.
void test_space(const isa::LaneArgs& args);
/// Bits 62 and 63 of test_space's immediate; the others are the displacement.
enum class TestedSpace : std::uint64_t { kGlobal = 0, kLocal = 1, kShared = 2, kCluster = 3 };

}  // namespace heddle::sass
