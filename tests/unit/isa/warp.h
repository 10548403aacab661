// One warp's worth of operands for a lane function, for the tests of models/isa.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "isa/lane_levels.h"

namespace heddle::isa::test {

inline constexpr unsigned kWarp = 32;
using Row = std::array<std::uint64_t, kWarp>;

/// The kind of storage of an operand. kParam: eight bytes at an odd address.
enum class Kind : std::uint8_t { kAbsent, kRow32, kRow64, kPredicate, kParam };
struct Shape {
  Kind dst = Kind::kAbsent;
  bool second_predicate = false;  ///< dst[1]: q of setp, the in-range predicate of shfl, the carry ...
  std::array<Kind, 4> src{};
};
/// Operand kinds of an operation, as in the PTX ISA's operand tables.
[[nodiscard]] Shape shape_of(const LaneSpec& spec);

/// Inputs and outputs; rows hold the raw cells (32-bit cells zero-extended), predicates lane masks.
struct Warp {
  std::array<Row, 4> src{};
  std::array<std::uint32_t, 4> predicate{};
  std::uint32_t mask = 0xffff'ffffu;
  std::uint8_t negated = 0;
  std::uint64_t cycle = 0;
  std::uint64_t param = 0;
  std::uint64_t immediate = 0;
  Row dst{};  ///< before: old values
  std::array<std::uint32_t, 2> dst_predicate{};
};

/// Runs fn on a copy of the operands in row memory; returns the warp with its destinations updated.
/// alias_src: the destination row is the row of that source (kinds must agree).
[[nodiscard]] Warp run(LaneFn fn, const LaneSpec& spec, const Warp& in,
                       std::optional<unsigned> alias_src = {});

/// "cvt.rzi.s32.f32.ftz"-like text for messages.
[[nodiscard]] std::string describe(const LaneSpec& spec);

[[nodiscard]] std::uint64_t f32(float v);
[[nodiscard]] std::uint64_t f64(double v);
[[nodiscard]] float as_f32(std::uint64_t cell);
[[nodiscard]] double as_f64(std::uint64_t cell);

}  // namespace heddle::isa::test
