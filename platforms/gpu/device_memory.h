// Device memory as host programs see it: allocated, within the channels' capacity, copied in and out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/warp_context.h"
#include "gpu/gpu.h"
#include "gpu/gpu_config.h"
#include "host/allocation.h"
#include "isa/kernel.h"

namespace heddle::gpu {

/// Errors are base::InputErrors.
class DeviceMemory {
 public:
  /// `code_end`: all code lies below this address.
  DeviceMemory(const GpuConfig& config, Gpu& gpu, host::AllocationTable& allocations,
               std::function<std::uint64_t()> code_end)
      : config_(config), gpu_(gpu), allocations_(allocations), code_end_(std::move(code_end)) {}

  /// Zero-filled.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes, const std::string& name, host::Owner owner,
                                       std::uint32_t align = host::kAllocationAlignment);
  void free(std::uint64_t address) { allocations_.free(address); }

  // The host's copies, which must lie within one allocation of the program.
  void copy_in(std::uint64_t address, std::span<const std::byte> bytes);
  void copy_out(std::uint64_t address, std::span<std::byte> bytes);

  // Not checked.
  void write(std::uint64_t address, std::span<const std::byte> bytes);
  void read(std::uint64_t address, std::span<std::byte> bytes);
  /// Nothing has ever been allocated from this address on.
  [[nodiscard]] std::uint64_t end() const { return ever_used_; }
  /// False, and nothing is read, unless all of it lies within one allocation that kernels may read.
  [[nodiscard]] bool read_for_kernel(std::uint64_t address, std::span<std::byte> bytes);

  /// host::Device::take_written_pages().
  [[nodiscard]] std::vector<std::uint64_t> take_written_pages();

  /// Throws unless everything allocated so far fits into the channels, with the code. `place`: what was added.
  void check_capacity(const std::string& place) const { check_capacity(ever_used_, place); }

 private:
  void check_capacity(std::uint64_t data_end, const std::string& place) const;
  void check_host_access(std::uint64_t address, std::size_t bytes, const char* what) const;

  const GpuConfig& config_;
  Gpu& gpu_;
  host::AllocationTable& allocations_;
  std::function<std::uint64_t()> code_end_;
  std::uint64_t ever_used_ = 0;  ///< end of the highest allocation ever made
};

/// Memory that is freed with this object: what one launch needs in addition to the program's.
class LaunchMemory {
 public:
  explicit LaunchMemory(DeviceMemory& memory) : memory_(memory) {}
  LaunchMemory(const LaunchMemory&) = delete;
  LaunchMemory& operator=(const LaunchMemory&) = delete;
  ~LaunchMemory() {
    for (const std::uint64_t address : addresses_) memory_.free(address);
  }
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes, const std::string& name,
                                       host::Owner owner = host::Owner::kDevice) {
    return addresses_.emplace_back(memory_.allocate(bytes, name, owner));
  }

 private:
  DeviceMemory& memory_;
  std::vector<std::uint64_t> addresses_;
};

/// Rows of a launch's constants whose values are set for it; none: its kernel's serve every launch. Memory and addresses of the launch
/// are there.
[[nodiscard]] isa::RowBytes constants_of(const core::LaunchContext& context, DeviceMemory& memory);

/// Whether pointers to parameters occur at all: only then may loads other than ld.param reach them.
[[nodiscard]] bool takes_parameter_address(const isa::Kernel& kernel);

}  // namespace heddle::gpu
