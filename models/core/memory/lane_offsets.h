// Where the lanes of a warp find their data in a block of memory (a cache line, a constant, shared memory),
// in a form that keeps the patterns most instructions have as cheap as a few copies.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/lane_mask.h"
#include "isa/instruction.h"

namespace heddle::core {

using base::kLanes;
using base::LaneMask;

enum class Shape : std::uint8_t {
  kScattered,   ///< an address per lane
  kUniform,     ///< all lanes have the same address
  kUnitStride,  ///< lane l has the lowest lane's address + (l - lowest) * unit, a unit being one lane's bytes
  kRuns,        ///< few groups of neighbouring lanes, each uniform or of unit stride (rows of a tile)
};

/// Highest lane of a non-empty mask.
[[nodiscard]] constexpr unsigned highest_lane(LaneMask lanes) {
  return 31 - static_cast<unsigned>(std::countl_zero(lanes.bits()));
}

/// Neighbouring lanes without gaps.
struct LaneRun {
  LaneMask lanes;
  bool uniform = false;     ///< else of unit stride
  std::uint64_t first = 0;  ///< address of the lowest lane

  [[nodiscard]] std::uint64_t address(unsigned lane, unsigned unit) const {
    return first + (uniform ? 0 : (lane - lanes.lowest()) * std::uint64_t{unit});
  }
};
inline constexpr unsigned kMaxRuns = 8;
struct LaneRuns {
  unsigned count = 0;
  std::array<LaneRun, kMaxRuns> run;
};

/// Addresses that a register row holds for some lanes.
struct AddressPattern {
  Shape shape = Shape::kUniform;
  std::uint64_t first = 0;  ///< of the lowest lane
  std::uint64_t last = 0;   ///< of the highest lane; for kUniform and kUnitStride also the largest
};

/// Recognises the pattern of base row + displacement; `unit` bytes per lane. An absent base is uniform. The
/// sum is as wide as the base: nvcc addresses shared memory with a negative 32-bit base and a displacement.
/// kRuns: `runs` are filled in.
[[nodiscard]] AddressPattern recognise(const std::byte* row, const isa::Operand& base,
                                       std::uint64_t displacement, LaneMask lanes, unsigned unit,
                                       LaneRuns& runs);

/// address[l] = base row + displacement, for every lane, active or not.
void expand(const std::byte* row, const isa::Operand& base, std::uint64_t displacement,
            std::uint64_t* address);

/// Where the lanes' data is in a block: byte offsets from the block's first.
struct LaneOffsets {
  LaneMask lanes;
  Shape shape = Shape::kScattered;
  std::uint32_t first = 0;                 ///< kUniform, kUnitStride: offset of the lowest lane
  std::uint64_t origin = 0;                ///< kScattered, kRuns: offset = address - origin
  const std::uint64_t* address = nullptr;  ///< kScattered: by lane
  const LaneRuns* runs = nullptr;          ///< kRuns; they may have further lanes

  [[nodiscard]] std::size_t offset(unsigned lane, unsigned unit) const {
    switch (shape) {
      case Shape::kUniform:
        return first;
      case Shape::kUnitStride:
        return first + (lane - lanes.lowest()) * std::size_t{unit};
      case Shape::kScattered:
        break;
      case Shape::kRuns:
        for (unsigned r = 0;; ++r)
          if (runs->run[r].lanes.test(lane))
            return static_cast<std::size_t>(runs->run[r].address(lane, unit) - origin);
    }
    return static_cast<std::size_t>(address[lane] - origin);
  }
  /// Unit stride without holes: the lanes' data is one piece of memory.
  [[nodiscard]] bool contiguous() const {
    const std::uint32_t run = lanes.bits() >> lanes.lowest();
    return shape == Shape::kUnitStride && (run & (run + 1)) == 0;
  }
  /// The same for some of the lanes.
  [[nodiscard]] LaneOffsets within(LaneMask some, unsigned unit) const {
    LaneOffsets part = *this;
    part.lanes = lanes & some;
    if (shape == Shape::kUnitStride && part.lanes.any())
      part.first += (part.lanes.lowest() - lanes.lowest()) * unit;
    return part;
  }
  /// kRuns: calls fn(offsets) with the uniform or contiguous offsets of every run.
  template <class Fn>
  void for_each_run(unsigned unit, Fn&& fn) const {
    for (unsigned r = 0; r < runs->count; ++r) {
      const LaneRun& run = runs->run[r];
      const LaneMask here = lanes & run.lanes;
      if (here.none()) continue;
      LaneOffsets piece;
      piece.lanes = here;
      piece.shape = run.uniform ? Shape::kUniform : Shape::kUnitStride;
      piece.first = static_cast<std::uint32_t>(run.address(here.lowest(), unit) - origin);
      fn(piece);
    }
  }
};

}  // namespace heddle::core
