#include "runtime/session/device_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "base/error.h"
#include "runtime/session/device_runtime.h"

namespace heddle::runtime {
namespace {

/// Of a kernel that is refused: a launch of it takes a record without parameters, and is refused then.
std::uint32_t parameter_bytes(host::Device& device, host::ModuleHandle module, const std::string& kernel) {
  std::uint32_t bytes = 0;
  try {
    for (const isa::Param& each : device.kernel(module, kernel)->params)
      bytes = std::max(bytes, each.offset + each.bytes);
  } catch (const base::InputError&) {
    return 0;
  }
  return bytes;
}

template <class T>
T read(host::Device& device, std::uint64_t address) {
  T value;
  device.read(address, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

void write(host::Device& device, std::uint64_t address, std::uint64_t value) {
  device.write(address, std::as_bytes(std::span(&value, 1)));
}

host::Dim3 shape_of(const std::uint32_t (&from)[3]) { return {from[0], from[1], from[2]}; }

}  // namespace

void DeviceLaunches::add(host::Device& device, host::ModuleHandle module, const std::string& ptx) {
  const auto kernels = kernels_with_handles(ptx);
  if (kernels.empty()) return;
  Pool& pool = modules_[module];
  pool.used = device.symbol(module, kPoolUsed);
  pool.end = device.symbol(module, kPoolEnd);
  pool.records = device.symbol(module, kPool);
  for (const auto& [kernel, variable] : kernels) {
    const std::uint64_t handle = device.symbol(module, variable);
    const std::uint32_t bytes = parameter_bytes(device, module, kernel);
    device.write(handle, std::as_bytes(std::span(&bytes, 1)));
    pool.kernels.emplace(handle, kernel);
  }
}

std::vector<DeviceLaunch> DeviceLaunches::take(host::Device& device, host::ModuleHandle module) {
  std::vector<DeviceLaunch> launches;
  const auto found = modules_.find(module);
  if (found == modules_.end()) return launches;
  const Pool& pool = found->second;
  const auto used = read<std::uint64_t>(device, pool.used);
  if (used == 0) return launches;
  const std::uint64_t end = std::min(used, read<std::uint64_t>(device, pool.end));
  std::vector<std::byte> records(end);
  device.read(pool.records, records);
  write(device, pool.used, 0);
  write(device, pool.end, kPoolBytes);
  for (std::size_t at = 0; at < end;) {
    DeviceRecord record;
    std::memcpy(&record, records.data() + at, sizeof record);
    const auto behind = std::span(records).subspan(at + sizeof record, record.bytes - sizeof record);
    at += record.bytes;
    if (record.asked == 0) continue;
    DeviceLaunch launch;
    launch.tail = record.stream == kTailStream;
    if (record.kernel == kDeviceCopy || record.kernel == kDeviceFill) {
      launch.kind = record.kernel == kDeviceCopy ? DeviceLaunch::Kind::kCopy : DeviceLaunch::Kind::kFill;
      std::uint64_t values[3];
      std::memcpy(values, behind.data(), sizeof values);
      launch.to = values[0], launch.from_or_value = values[1], launch.bytes = values[2];
    } else {
      const auto kernel = pool.kernels.find(record.kernel);
      if (kernel == pool.kernels.end())
        throw base::InputError("launch by a kernel",
                               fmt::format("0x{:x} is no kernel of its module", record.kernel),
                               "Launch a kernel by its name.");
      launch.kernel = kernel->second;
      launch.shape = {shape_of(record.grid), shape_of(record.block), record.shared};
      launch.parameters.assign(behind.begin(), behind.end());
    }
    launches.push_back(std::move(launch));
  }
  if (used > end)
    throw base::InputError("launches by a kernel", fmt::format("they take {} bytes of {}", used, kPoolBytes),
                           "Let fewer threads of one kernel launch (cudaErrorLaunchPendingCountExceeded).");
  std::stable_partition(launches.begin(), launches.end(),
                        [](const DeviceLaunch& each) { return !each.tail; });
  return launches;
}

}  // namespace heddle::runtime
