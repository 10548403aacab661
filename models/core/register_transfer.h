// From memory bytes to register rows: the elements of a load, extended to the width of their registers.
//
// A load's registers are written when its data arrives and released by the scoreboard when its latency is
// over. Nothing can tell the difference: until then no instruction of the warp may read or write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isa/instruction.h"
#include "sim/lane_mask.h"

namespace heddle::core {

/// A register operand of a lane, zero-extended.
[[nodiscard]] inline std::uint64_t lane_value(const std::byte* row, isa::RowWidth width, unsigned lane) {
  if (width == isa::RowWidth::k64) {
    std::uint64_t value;
    std::memcpy(&value, row + lane * std::size_t{8}, 8);
    return value;
  }
  std::uint32_t value;
  std::memcpy(&value, row + lane * std::size_t{4}, 4);
  return value;
}

/// An element of `size` bytes (1, 2, 4 or 8), zero- or sign-extended to 64 bits.
[[nodiscard]] inline std::uint64_t extended(const unsigned char* from, unsigned size, bool is_signed) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, size);
  if (!is_signed || size == 8) return value;
  const std::uint64_t sign = std::uint64_t{1} << (size * 8 - 1);
  return (value ^ sign) - sign;
}

/// Writes bytes [byte, byte+size) of lane `lane`'s data, which start at `from`, to the destination registers
/// of `load` in the register block of its warp. The range covers whole elements, or four bytes of an
/// eight-byte element.
void load_lane(const isa::Instruction& load, std::byte* registers, unsigned lane, unsigned byte,
               unsigned size, const unsigned char* from);

/// The same for all `lanes`, which get all elements from the same address.
void load_uniform(const isa::Instruction& load, std::byte* registers, sim::LaneMask lanes,
                  const unsigned char* from);

}  // namespace heddle::core
