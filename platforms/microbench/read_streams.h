// All cores reading at once, each warp from a separate stream.
#pragma once

#include <cstdint>

#include "microbench/session.h"

namespace heddle::microbench {

/// Lines that a warp asks for at once, at consecutive channel-local addresses.
inline constexpr std::uint32_t kStreamLines = 8;

/// Warps that read one partition. Cores that share a port of the crossbar read the same one, port mod
/// partitions, so that packets of different partitions never wait for each other.
struct Readers {
  std::uint32_t ports_of_partition = 1;  ///< at most
  std::uint32_t cores_of_port = 1;
  std::uint32_t warps = 1;  ///< of a core
  [[nodiscard]] std::uint32_t streams() const { return ports_of_partition * cores_of_port * warps; }
};
/// As many warps as give a partition with few readers `streams` of them, within what a core and a CTA hold.
[[nodiscard]] Readers readers(const gpu::GpuConfig& config, std::uint32_t streams);
/// The same, but at most `streams` in any partition.
[[nodiscard]] Readers readers_within(const gpu::GpuConfig& config, std::uint32_t streams);

/// Where the streams of a partition go: each reads `part` bytes, the streams' parts one behind the other, and
/// then again (jump 0) or the same `jump` bytes further.
struct Streams {
  std::uint32_t part = 0;  ///< a power of two, at least kStreamLines lines
  std::uint32_t jump = 0;  ///< a multiple of the partition interleave
  bool any_partition =
      false;  ///< every line is taken from a partition chosen at random, at the same place there
};

/// GB/s that arrive. `about`: what to expect, which sets the time for `turns` turns of kStreamLines lines.
[[nodiscard]] double read_bandwidth(Session& session, const Readers& reader, const Streams& streams,
                                    double about, std::uint32_t turns);

}  // namespace heddle::microbench
