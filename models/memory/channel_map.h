// Translates channel-local addresses to the addresses a channel's memory uses: the last step from the L2
// slice to the DRAM.
#pragma once

#include <cstdint>

#include "isa/types.h"
#include "memory/address_map.h"

namespace heddle::memory {

/// Device memory has two address ranges: allocations grow up from isa::kGlobalBase, kernel code from
/// isa::kCodeWindowBase. (Parameters, local memory and control-flow tables are allocations.)
///
/// Sparse: a channel sees the slice's channel-local addresses unchanged; instruction fetches are around 2^44.
/// Dense: a channel of `bytes` bytes holds allocations from its first byte up and code from its last
/// interleave chunk down. Every address is then below `bytes`, and the two ranges do not overlap as long as
/// fits() holds. A transaction lies within one chunk and stays in one piece.
class ChannelMap {
 public:
  ChannelMap() = default;  ///< sparse
  /// Dense. `bytes`: a multiple of the interleave.
  ChannelMap(const AddressMap& map, std::uint64_t bytes)
      : data_base_(map.local(isa::kGlobalBase)),
        code_base_(map.local(isa::kCodeWindowBase)),
        last_chunk_(bytes - map.interleave_bytes()),
        offset_mask_(map.interleave_bytes() - 1) {}

  [[nodiscard]] bool dense() const { return code_base_ != kNone; }

  /// `local`: an address of AddressMap::local().
  [[nodiscard]] std::uint64_t channel(std::uint64_t local) const {
    if (local < code_base_) return local - data_base_;
    const std::uint64_t in_chunk = local & offset_mask_;
    return last_chunk_ - (local - code_base_ - in_chunk) + in_chunk;
  }

  /// Whether allocations up to the global address `data_end` and code up to `code_end` (both exclusive) do
  /// not overlap in any channel.
  [[nodiscard]] bool fits(const AddressMap& map, std::uint64_t data_end, std::uint64_t code_end) const {
    if (!dense()) return true;
    const auto used = [&](std::uint64_t base, std::uint64_t end) {
      return (map.local(end - 1) & ~offset_mask_) - base + offset_mask_ + 1;
    };
    const std::uint64_t data = data_end > isa::kGlobalBase ? used(data_base_, data_end) : 0;
    const std::uint64_t code = code_end > isa::kCodeWindowBase ? used(code_base_, code_end) : 0;
    const std::uint64_t bytes = last_chunk_ + offset_mask_ + 1;
    return data <= bytes && code <= bytes - data;
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t data_base_ = 0;
  std::uint64_t code_base_ = kNone;  ///< kNone: sparse
  std::uint64_t last_chunk_ = 0;
  std::uint64_t offset_mask_ = 0;
};

}  // namespace heddle::memory
