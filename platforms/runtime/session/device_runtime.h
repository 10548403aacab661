// What kernels call of the CUDA runtime (dynamic parallelism), as PTX: launches and copies are written down in device memory,
// and made when the kernel has ended (device_launches.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host/device.h"

namespace heddle::runtime {

/// A record of `device_pool`; what belongs to it (parameters) follows. All offsets are those of the PTX.
struct DeviceRecord {
  std::uint64_t bytes;   ///< with what follows; a multiple of 16
  std::uint64_t kernel;  ///< its handle, or one of the operations below
  std::uint64_t stream;
  std::uint32_t asked;  ///< 0: only the space was taken
  std::uint32_t shared;
  std::uint32_t grid[3], block[3];
  std::uint64_t unused;
};
static_assert(sizeof(DeviceRecord) == 64);
// Followed by destination, source or value, and bytes.
inline constexpr std::uint64_t kDeviceCopy = 1, kDeviceFill = 2;
/// cudaStreamTailLaunch.
inline constexpr std::uint64_t kTailStream = 3;

/// Of the module's variables: what is taken of the pool, where the first record lies that found no place, the pool.
inline constexpr const char *kPoolUsed = "$pool_used", *kPoolEnd = "$pool_end", *kPool = "$pool";
inline constexpr std::uint64_t kPoolBytes = std::uint64_t{4} << 20;

/// The PTX with the device runtime's functions that it declares, as far as there are any, and with variables in the place of
/// the kernels whose addresses it takes: an address of such a variable, of 32 bits, is the handle of the kernel, and its value
/// the bytes of its parameters. PTX that declares none of them is returned as it is.
[[nodiscard]] std::string with_device_runtime(const std::string& ptx, const host::DeviceProperties& device,
                                              unsigned compute_capability);
/// Names of the kernels that have handles, with those of their variables.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> kernels_with_handles(const std::string& ptx);
/// Whether it is NVIDIA's own, linked to programs with -rdc=true.
[[nodiscard]] bool is_device_runtime(const std::string& ptx);

}  // namespace heddle::runtime
