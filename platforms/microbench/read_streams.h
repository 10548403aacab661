// All cores reading at once, each warp with its own stream.
#pragma once

#include <cstdint>

#include "microbench/session.h"

namespace heddle::microbench {

/// Lines that a warp requests at once, at consecutive channel-local addresses.
inline constexpr std::uint32_t kStreamLines = 8;

/// Warps that read one partition. Cores that share a crossbar port read the same partition (port mod
/// partitions), so that packets to different partitions never wait for each other.
struct Readers {
  std::uint32_t ports_of_partition = 1;  ///< at most
  std::uint32_t cores_of_port = 1;
  std::uint32_t warps = 1;  ///< per core
  [[nodiscard]] std::uint32_t streams() const { return ports_of_partition * cores_of_port * warps; }
};
/// As many warps as give the partition with the fewest readers `streams` streams, within the limits of a core
/// and a CTA.
[[nodiscard]] Readers readers(const gpu::GpuConfig& config, std::uint32_t streams);
/// The same, but with at most `streams` in any partition.
[[nodiscard]] Readers readers_within(const gpu::GpuConfig& config, std::uint32_t streams);

/// The addresses of a partition's streams: each reads `part` bytes, the parts of the streams are contiguous,
/// and then the same part again (jump 0) or the part `jump` bytes further.
struct Streams {
  std::uint32_t part = 0;  ///< a power of two, at least kStreamLines lines
  std::uint32_t jump = 0;  ///< a multiple of the partition interleave
  bool any_partition =
      false;  ///< every line is taken from a randomly chosen partition, at the same offset there
};

/// Delivered GB/s. `about`: the expected value, which sets the time for `turns` turns of kStreamLines lines.
[[nodiscard]] double read_bandwidth(Session& session, const Readers& reader, const Streams& streams,
                                    double about, std::uint32_t turns);

}  // namespace heddle::microbench
