#include "gpu/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace heddle::gpu {

std::uint64_t DeviceMemory::allocate(std::uint64_t bytes, const std::string& name, host::Owner owner,
                                     std::uint32_t align) {
  const std::uint64_t address =
      allocations_.allocate(bytes, std::max(align, host::kAllocationAlignment), name, owner);
  const std::uint64_t end = address + bytes;
  try {
    check_capacity(std::max(ever_used_, end), "allocation of '" + name + "'");
  } catch (const base::InputError&) {
    allocations_.free(address);
    throw;
  }
  // Addresses that were never allocated read as zero; others may hold data of a freed allocation.
  // What was never written there needs no memory of the host now either.
  const std::uint64_t dirty_end = std::min(end, ever_used_);
  const std::vector<unsigned char> zeros(1 << 16);
  std::vector<unsigned char> now(dirty_end > address ? zeros.size() : 0);
  for (std::uint64_t at = address; at < dirty_end; at += zeros.size()) {
    const std::uint64_t piece = std::min<std::uint64_t>(zeros.size(), dirty_end - at);
    gpu_.crossbar->debug_read(at, now.data(), piece);
    if (std::memcmp(now.data(), zeros.data(), piece) != 0)
      gpu_.crossbar->debug_write(at, zeros.data(), piece);
  }
  ever_used_ = std::max(ever_used_, end);
  return address;
}

void DeviceMemory::check_capacity(std::uint64_t data_end, const std::string& place) const {
  const std::uint64_t code_end = code_end_();
  if (gpu_.channel_map.fits(gpu_.address_map, data_end, code_end)) return;
  throw base::InputError(
      place,
      fmt::format(
          "allocations up to 0x{:x} and {} bytes of code do not fit into {} memory channels of {} MiB",
          data_end, code_end - isa::kCodeWindowBase, config_.memory.partitions,
          config_.memory.dram.capacity_mib),
      "free buffers that are no longer used, use a smaller problem, or set memory.dram.capacity_mib to what "
      "the memory really holds");
}

void DeviceMemory::check_host_access(std::uint64_t address, std::size_t bytes, const char* what) const {
  if (bytes == 0 || allocations_.allows(host::Access::kHost, address, bytes)) return;
  throw base::InputError("host",
                         fmt::format("{} of {} bytes at 0x{:x} leaves its allocation: {}", what, bytes,
                                     address, allocations_.describe_refused(address)),
                         "check address and size of the copy");
}

void DeviceMemory::copy_in(std::uint64_t address, std::span<const std::byte> bytes) {
  check_host_access(address, bytes.size(), "write");
  write(address, bytes);
}

void DeviceMemory::copy_out(std::uint64_t address, std::span<std::byte> bytes) {
  check_host_access(address, bytes.size(), "read");
  read(address, bytes);
}

void DeviceMemory::write(std::uint64_t address, std::span<const std::byte> bytes) {
  gpu_.crossbar->debug_write(address, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

void DeviceMemory::read(std::uint64_t address, std::span<std::byte> bytes) {
  gpu_.crossbar->debug_read(address, reinterpret_cast<unsigned char*>(bytes.data()), bytes.size());
}

std::vector<std::uint64_t> DeviceMemory::take_written_pages() {
  std::vector<std::uint64_t> pages;
  for (const auto& each : gpu_.partitions) each->take_written(pages);
  gpu_.crossbar->take_written(pages);
  std::sort(pages.begin(), pages.end());  // a page is of several partitions
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
  return pages;
}

bool DeviceMemory::read_for_kernel(std::uint64_t address, std::span<std::byte> bytes) {
  if (!allocations_.allows(host::Access::kKernelRead, address, bytes.size())) return false;
  read(address, bytes);
  return true;
}

isa::RowBytes constants_of(const core::LaunchContext& context, DeviceMemory& memory) {
  const isa::Kernel& kernel = *context.kernel;
  if (kernel.launch_constants.empty()) return {};
  const host::Launch& shape = context.shape;
  isa::LaunchValues values;
  values.block = {shape.block.x, shape.block.y, shape.block.z};
  values.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  values.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  values.total_shared_bytes = context.shared_bytes_per_cta;
  values.local_bytes_per_thread = context.local_bytes_per_thread;
  values.parameter_base = context.param_base;
  values.parameters = context.params;
  values.read = [&memory](std::uint64_t address, std::span<std::byte> bytes) { memory.read(address, bytes); };
  return isa::constants_of_launch(kernel.constants, kernel.launch_constants, values);
}

bool takes_parameter_address(const isa::Kernel& kernel) {
  constexpr std::uint32_t kBase = isa::special_offset(isa::SpecialRow::kParamBaseLow);
  const auto is_base = [](const isa::Operand& operand) {
    return operand.present && operand.space == isa::RowSpace::kSpecial && operand.offset == kBase;
  };
  return std::ranges::any_of(kernel.launch_constants,
                             [](const isa::LaunchConstant& constant) {
                               return constant.value == isa::LaunchValue::kParameterBase;
                             }) ||
         std::ranges::any_of(kernel.code, [&](const isa::Instruction& instruction) {
           return std::ranges::any_of(instruction.src, is_base);
         });
}

}  // namespace heddle::gpu
