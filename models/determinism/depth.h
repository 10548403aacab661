// Deterministic depth of a store ([GPUDet] §4.4.2): the smaller one wins a word.
#pragma once

#include <cstdint>

namespace heddle::determinism {

/// Signed, as compared by the hardware; 32 bits or fewer are significant.
using Depth = std::int32_t;

/// What every depth is before something is stored: the largest positive one.
inline constexpr Depth kNoDepth = 0x7fff'ffff;

/// depth = wavefront - quantum * 2^wavefront_bits, without an adder: the wavefront's number in the low bits, and above
/// it a down-counter of quanta.
class DepthFormat {
 public:
  /// `wavefront_bits`: m, enough for all resident wavefronts of the GPU. `depth_bits`: of a depth in the Z-buffer, more
  /// than m and at most 32.
  constexpr DepthFormat(std::uint32_t wavefront_bits, std::uint32_t depth_bits)
      : wavefront_bits_(wavefront_bits), depth_bits_(depth_bits) {}

  /// Number of a hardware wavefront slot in the whole GPU.
  [[nodiscard]] static constexpr std::uint32_t gwid(std::uint32_t core, std::uint32_t waves_per_core,
                                                    std::uint32_t wave_slot) {
    return core * waves_per_core + wave_slot;
  }
  /// Precondition: gwid < wavefronts(), quantum <= last_quantum().
  [[nodiscard]] constexpr Depth depth(std::uint32_t gwid, std::uint32_t quantum) const {
    return static_cast<Depth>(std::uint32_t{0} - (quantum << wavefront_bits_) + gwid);
  }
  [[nodiscard]] constexpr std::uint64_t wavefronts() const { return std::uint64_t{1} << wavefront_bits_; }
  /// The last legal quantum number (2^21 for m = 10 and 32 bits). Behind it the depths are reset and quanta count from 0
  /// again ([GPUDet] §4.4.2).
  [[nodiscard]] constexpr std::uint32_t last_quantum() const {
    return std::uint32_t{1} << (depth_bits_ - 1 - wavefront_bits_);
  }
  [[nodiscard]] constexpr std::uint32_t wavefront_bits() const { return wavefront_bits_; }
  [[nodiscard]] constexpr std::uint32_t depth_bits() const { return depth_bits_; }

 private:
  std::uint32_t wavefront_bits_;
  std::uint32_t depth_bits_;
};

/// m: bits that number `wavefronts` of them.
[[nodiscard]] constexpr std::uint32_t wavefront_bits(std::uint64_t wavefronts) {
  std::uint32_t bits = 0;
  while ((std::uint64_t{1} << bits) < wavefronts) ++bits;
  return bits;
}

}  // namespace heddle::determinism
