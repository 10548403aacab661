// Hash of a warp's state, register by register.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/lane_mask.h"
#include "isa/kernel.h"

namespace heddle::core {

class Hash {
 public:
  void add(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15ull;
    state_ ^= state_ >> 29;
    second_ = (second_ + value) * 0xbf58476d1ce4e5b9ull;
    second_ ^= second_ >> 31;
  }
  [[nodiscard]] std::uint64_t value() const { return state_ ^ (second_ << 1); }

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3ull;
  std::uint64_t second_ = 0x13198a2e03707344ull;
};

/// Adds what lanes `mask` hold in a register.
inline void hash_register(Hash& hash, isa::RegId reg, base::LaneMask mask, const isa::RegisterLayout& layout,
                  const isa::RowBytes& registers) {
  if (reg < layout.rows32) {
    const std::byte* row = registers.data() + layout.offset32(reg);
    mask.for_each([&](unsigned lane) {
      std::uint32_t value;
      std::memcpy(&value, row + lane * std::size_t{4}, 4);
      hash.add(value);
    });
  } else if (reg < layout.rows32 + layout.rows64) {
    const std::byte* row = registers.data() + layout.offset64(reg - layout.rows32);
    mask.for_each([&](unsigned lane) {
      std::uint64_t value;
      std::memcpy(&value, row + lane * std::size_t{8}, 8);
      hash.add(value);
    });
  } else {
    std::uint32_t lanes;
    std::memcpy(&lanes, registers.data() + layout.offset_predicate(reg - layout.rows32 - layout.rows64), 4);
    hash.add(lanes & mask.bits());
  }
}

}  // namespace heddle::core
