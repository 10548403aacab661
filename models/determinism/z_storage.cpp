#include "determinism/z_storage.h"

#include <bit>

#include "determinism/chunk.h"
#include "determinism/depth.h"

namespace heddle::determinism {

ZBufferStorage storage_bits(const ZBufferConfig& config, std::uint32_t cores,
                            std::uint32_t wave_slots_per_core) {
  constexpr std::uint64_t kStateBits = 2, kChunkAddressBits = 25, kLineBits = 8 * kChunkBytes;
  const auto bits_for = [](std::uint64_t count) -> std::uint64_t { return wavefront_bits(count); };
  const std::uint64_t lines = std::uint64_t{config.sets()} * config.cache_ways;
  const std::uint64_t depths =
      (config.full_depth_packet ? kChunkWords : 1u) * std::uint64_t{config.depth_bits};
  ZBufferStorage bits;
  bits.request_buffer =
      config.request_entries * (kStateBits + kChunkAddressBits + kLineBits + depths + kChunkBytes +
                                bits_for(cores) + bits_for(wave_slots_per_core));
  bits.cache_data = lines * kLineBits;
  bits.cache_tags =
      lines * (kChunkAddressBits - bits_for(config.sets()) + kStateBits + 1 + bits_for(config.cache_ways));
  bits.comparator_buffer =
      config.comparator_entries * (bits_for(config.request_entries) + bits_for(lines) + kLineBits + 1);
  bits.comparators = kChunkWords;
  bits.order =
      std::uint64_t{config.request_entries} * (config.request_entries - 1) / 2 + config.request_entries;
  // Colours stay in the request buffer until L2 has accepted them.
  bits.l2_queue = config.l2_queue * (kStateBits + kChunkAddressBits + bits_for(config.request_entries) +
                                     kChunkWords + kLineBits);
  return bits;
}

}  // namespace heddle::determinism
