#include "unit/workloads/cpu_device.h"

#include <filesystem>
#include <functional>

#include "base/error.h"
#include "unit/workloads/cpu_fibers.h"
#include "unit/workloads/cpu_kernels.h"

namespace heddle::workloads::testing {

namespace {

// A device address is the buffer's address on this machine.
void* pointer_to(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}
std::uint64_t address_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace

bool CpuDevice::in_buffer(std::uint64_t address, std::uint64_t bytes) const {
  auto next = buffer_bytes_.upper_bound(address);
  if (next == buffer_bytes_.begin()) return false;
  --next;
  return address - next->first <= next->second && bytes <= next->second - (address - next->first);
}

void CpuDevice::check_access(std::uint64_t address, std::uint64_t bytes) const {
  if (in_buffer(address, bytes)) return;
  for (const auto& [name, place] : host_symbols())
    if (address == address_of(place.first) && bytes <= place.second) return;
  throw base::InputError("copy", "outside of every buffer");
}

std::uint64_t CpuDevice::allocate(std::uint64_t bytes, const std::string&) {
  std::vector<std::uint64_t> words((bytes + 31) / 16 * 2, 0);
  const std::uint64_t address = (address_of(words.data()) + 15) & ~std::uint64_t{15};  // float4 needs 16
  buffers_.emplace(address, std::move(words));
  buffer_bytes_.emplace(address, bytes);
  return address;
}

void CpuDevice::free(std::uint64_t address) {
  buffers_.erase(address);
  buffer_bytes_.erase(address);
}

void CpuDevice::write(std::uint64_t address, std::span<const std::byte> bytes) {
  check_access(address, bytes.size());
  std::memcpy(pointer_to(address), bytes.data(), bytes.size());
  inputs_.insert(inputs_.end(), bytes.begin(), bytes.end());
}

void CpuDevice::read(std::uint64_t address, std::span<std::byte> bytes) {
  check_access(address, bytes.size());
  std::memcpy(bytes.data(), pointer_to(address), bytes.size());
  if (!in_buffer(address, bytes.size())) return;
  if (corrupt_read == reads_) (corrupt_last_byte ? bytes.back() : bytes.front()) ^= std::byte{1};
  ++reads_;
}

host::ModuleHandle CpuDevice::load_module(std::span<const std::byte>, const std::string& path) {
  if (!std::filesystem::exists(path)) throw base::InputError(path, "runs files only");
  modules_.push_back(path);
  return static_cast<host::ModuleHandle>(modules_.size() - 1);
}

std::shared_ptr<const isa::Kernel> CpuDevice::kernel(host::ModuleHandle, const std::string& name) {
  throw base::InputError(name, "has no decoded kernels");
}

std::uint64_t CpuDevice::symbol(host::ModuleHandle, const std::string& name) {
  return address_of(host_symbols().at(name).first);
}

void CpuDevice::launch(host::ModuleHandle module, const std::string& name, const host::Launch& shape,
                       const host::Args& args) {
  const HostKernel& kernel = host_kernels().at(name);
  Launched record{modules_.at(module), name, {}};
  for (const auto& value : args.values()) record.argument_bytes.push_back(value.size());
  if (record.argument_bytes != kernel.parameter_bytes)
    throw base::InputError(name, "arguments do not fit the source's parameters");
  launched_.insert(record);
  if (dead) return;
  const std::function<void()> thread = kernel.bind(args.values());
  cuda::gridDim = {shape.grid.x, shape.grid.y, shape.grid.z};
  cuda::blockDim = {shape.block.x, shape.block.y, shape.block.z};
  const auto select = [&](unsigned i) {
    cuda::threadIdx = {i % shape.block.x, i / shape.block.x % shape.block.y,
                       i / shape.block.x / shape.block.y};
  };
  for (unsigned z = 0; z < shape.grid.z; ++z)
    for (unsigned y = 0; y < shape.grid.y; ++y)
      for (unsigned x = 0; x < shape.grid.x; ++x) {
        cuda::blockIdx = {x, y, z};
        run_block(static_cast<unsigned>(shape.block.count()), thread, select);
      }
}

}  // namespace heddle::workloads::testing
