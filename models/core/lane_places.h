// Where the lanes of a warp find their data in a block of memory (a cache line, a constant, shared memory),
// in a form that keeps the two patterns most instructions have as cheap as one copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/instruction.h"
#include "sim/lane_mask.h"

namespace heddle::core {

using sim::kLanes;
using sim::LaneMask;

enum class Shape : std::uint8_t {
  kScattered,   ///< an address per lane
  kUniform,     ///< all lanes have the same address
  kUnitStride,  ///< lane l has the lowest lane's address + (l - lowest) * unit, a unit being one lane's bytes
};

/// Addresses that a register row holds for `lanes`.
struct AddressPattern {
  Shape shape = Shape::kUniform;
  std::uint64_t first = 0;  ///< of the lowest lane
  std::uint64_t last = 0;   ///< of the highest lane; for kUniform and kUnitStride also the largest
};

/// Recognises the pattern of base row + displacement; `unit` bytes per lane. An absent base is uniform.
[[nodiscard]] AddressPattern recognise(const std::byte* row, const isa::Operand& base,
                                       std::uint64_t displacement, LaneMask lanes, unsigned unit);

/// address[l] = base row + displacement, for every lane, active or not.
void expand(const std::byte* row, const isa::Operand& base, std::uint64_t displacement,
            std::uint64_t* address);

/// The lanes' places in a block; offsets count from the block's first byte.
struct LanePlaces {
  LaneMask lanes;
  Shape shape = Shape::kScattered;
  std::uint32_t first = 0;                 ///< offset of the lowest lane
  const std::uint64_t* address = nullptr;  ///< kScattered: the offset of lane l is address[l] - origin
  std::uint64_t origin = 0;

  [[nodiscard]] std::size_t offset(unsigned lane, unsigned unit) const {
    switch (shape) {
      case Shape::kUniform:
        return first;
      case Shape::kUnitStride:
        return first + (lane - lanes.lowest()) * std::size_t{unit};
      case Shape::kScattered:
        break;
    }
    return static_cast<std::size_t>(address[lane] - origin);
  }
  /// Unit stride without holes: the lanes' data is one piece of memory.
  [[nodiscard]] bool contiguous() const {
    const std::uint32_t run = lanes.bits() >> lanes.lowest();
    return shape == Shape::kUnitStride && (run & (run + 1)) == 0;
  }
};

}  // namespace heddle::core
