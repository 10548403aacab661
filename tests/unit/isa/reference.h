// The meaning of every lane operation for one lane, written for the tests directly from the PTX ISA's
// pseudo-code: bit by bit, in 128-bit integers, with the host's libm. It shares nothing with models/isa/lane.
#pragma once

#include <optional>

#include "unit/isa/warp.h"

namespace heddle::isa::test {

/// A result, and the largest error allowed, in units in the last place (approximations only).
struct Expected {
  std::uint64_t value = 0;
  unsigned ulps = 0;
};

/// The expected contents of a lane's destination after the operation: a cell, or 0 / 1 for a predicate.
/// nullopt: unknown operation, which the tests treat as a failure.
[[nodiscard]] std::optional<Expected> expected_lane(const LaneSpec& spec, const Warp& warp, unsigned lane);
/// The second destination predicate (setp's q, shfl's p).
[[nodiscard]] bool expected_second(const LaneSpec& spec, const Warp& warp, unsigned lane);

// The parts, by family.
[[nodiscard]] std::optional<Expected> integer_lane(const LaneSpec& spec,
                                                   const std::array<std::uint64_t, 4>& in);
[[nodiscard]] std::optional<Expected> float_lane(const LaneSpec& spec,
                                                 const std::array<std::uint64_t, 4>& in);
[[nodiscard]] std::optional<Expected> convert_lane(const LaneSpec& spec, std::uint64_t in);
[[nodiscard]] std::optional<Expected> half_lane(const LaneSpec& spec, const std::array<std::uint64_t, 4>& in);
/// bf16 and what later PTX adds to f16 and f32; conversions.
[[nodiscard]] std::optional<Expected> narrow_lane(const LaneSpec& spec,
                                                  const std::array<std::uint64_t, 4>& in);
[[nodiscard]] std::optional<Expected> convert_narrow_lane(const LaneSpec& spec,
                                                          const std::array<std::uint64_t, 4>& in);
[[nodiscard]] double bf16_value(std::uint64_t bits);
[[nodiscard]] std::optional<Expected> field_lane(const LaneSpec& spec, const std::array<std::uint64_t, 4>& in,
                                                 std::uint64_t immediate);
[[nodiscard]] std::optional<Expected> video_lane(const LaneSpec& spec, const std::array<std::uint64_t, 4>& in,
                                                 std::uint64_t control);
/// vote, shfl, match and redux with a member mask, which is source `members`.
[[nodiscard]] std::optional<Expected> member_lane(const LaneSpec& spec, const Warp& warp, unsigned lane);
/// The lanes that take part together with `lane`.
[[nodiscard]] std::uint32_t partners(const LaneSpec& spec, const Warp& warp, unsigned lane);

/// Result and carry of extended-precision arithmetic.
struct CarrySum {
  std::uint64_t value = 0;
  bool carry = false;
};
[[nodiscard]] CarrySum carried(const LaneSpec& spec, const std::array<std::uint64_t, 4>& in, bool carry);
[[nodiscard]] bool is_carry_op(const LaneSpec& spec);

[[nodiscard]] bool predicate(const Warp& warp, unsigned operand, unsigned lane);
[[nodiscard]] bool comparison(Compare compare, Type type, bool ftz, std::uint64_t a, std::uint64_t b);

__extension__ using Wide = __int128;
/// The low bits of a cell as a number.
[[nodiscard]] Wide number(Type type, std::uint64_t cell);
/// Cell for a number: modulo 2^bits, zero-extended.
[[nodiscard]] std::uint64_t cell(Wide value, unsigned bits);
[[nodiscard]] unsigned bits_of(Type type);

// f16 as numbers; exact sums of products need the 113 bits of Quad.
__extension__ using Quad = __float128;
[[nodiscard]] double half_value(std::uint64_t half);
[[nodiscard]] std::uint64_t half_cell(Rounding rounding, Quad value);

inline constexpr std::uint64_t kNanF16 = 0x7fff;
inline constexpr std::uint64_t kNanF32 = 0x7fff'ffffu;
inline constexpr std::uint64_t kNanF64 = 0xfff8'0000'0000'0000u;

}  // namespace heddle::isa::test
