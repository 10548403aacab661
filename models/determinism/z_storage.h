// Storage of a Z-buffer unit in hardware, in bits per memory partition ([GPUDet:H1]).
#pragma once

#include <cstdint>

#include "determinism/config.h"

namespace heddle::determinism {

struct ZBufferStorage {
  std::uint64_t request_buffer = 0;  ///< state, chunk address, colours, depths, byte mask, core, wavefront
  std::uint64_t cache_data = 0;
  std::uint64_t cache_tags = 0;         ///< tag, state, dirty, order of use
  std::uint64_t comparator_buffer = 0;  ///< request, set and way, depths, filled
  std::uint64_t comparators = 0;        ///< number of signed comparators, of depth_bits each

  // What [GPUDet:H1] does not count.
  std::uint64_t order = 0;  ///< which of two requests is the older; which are done
  std::uint64_t l2_queue =
      0;  ///< kind, address, entry, result mask, and the depths of a line that is written back

  /// Of what [GPUDet:H1] counts.
  [[nodiscard]] std::uint64_t total() const {
    return request_buffer + cache_data + cache_tags + comparator_buffer;
  }
};

/// For device addresses of 32 bits, as [GPUDet:H1] has it.
[[nodiscard]] ZBufferStorage storage_bits(const ZBufferConfig& config, std::uint32_t cores,
                                          std::uint32_t wave_slots_per_core);

}  // namespace heddle::determinism
