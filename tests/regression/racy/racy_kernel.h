// Random kernels full of data races, for determinism: loads, stores and atomics of many warps on a few hot words, with
// barriers, fences, bounded loops and branches that depend on what was read. They have no right result; what matters is
// whether memory comes out the same.
#pragma once

#include <cstdint>
#include <string>

#include "host/device.h"

namespace heddle::testing {

struct RacyKernel {
  std::uint64_t seed = 0;
  std::string
      ptx;  ///< one entry, "racy", with the addresses of the hot words and of a result for each thread
  host::Launch shape;
  std::uint32_t hot_words = 0;
};

struct RacyMix {
  unsigned constant_loads = 10;  ///< percent of loads that go through the constant cache
  std::uint32_t hot_words = 0;   ///< a multiple of 4; 0: each kernel's own choice
};

/// The kernel of a seed, the same on every machine. Ends on every mechanism: loops have fixed bounds, barriers are where
/// control flow is uniform.
[[nodiscard]] RacyKernel racy_kernel(std::uint64_t seed, const RacyMix& mix = {});

/// Runs it on zeroed memory and returns a digest of the hot words and results.
[[nodiscard]] std::uint64_t digest_after(host::Device& device, const RacyKernel& kernel);

}  // namespace heddle::testing
