#include "unit/workloads/watched_device.h"

namespace heddle::workloads::testing {
namespace {

oracle::Options options_for(const Workload& workload) {
  oracle::Options options;
  // Without lockstep its threads lose updates, unless one at a time runs from barrier to barrier.
  if (workload.needs_lockstep) {
    options.slice = 1'000'000;
    options.polls_end_turns = false;
  }
  return options;
}

}  // namespace

WatchedDevice::WatchedDevice(const Workload& workload) : OracleDevice(options_for(workload)) {}

std::uint64_t WatchedDevice::allocate(std::uint64_t bytes, const std::string& name) {
  const std::uint64_t address = OracleDevice::allocate(bytes, name);
  buffers_[address] = bytes;
  return address;
}

void WatchedDevice::write(std::uint64_t address, std::span<const std::byte> bytes) {
  OracleDevice::write(address, bytes);
  inputs_.insert(inputs_.end(), bytes.begin(), bytes.end());
}

void WatchedDevice::read(std::uint64_t address, std::span<std::byte> bytes) {
  OracleDevice::read(address, bytes);
  const auto behind = buffers_.upper_bound(address);
  if (behind == buffers_.begin()) return;
  const auto& [start, size] = *std::prev(behind);
  if (address - start >= size) return;  // a variable
  if (corrupt_read == reads_) (corrupt_last_byte ? bytes.back() : bytes[first_byte]) ^= std::byte{1};
  ++reads_;
}

host::ModuleHandle WatchedDevice::load_module(std::span<const std::byte> bytes, const std::string& name) {
  const host::ModuleHandle module = OracleDevice::load_module(bytes, name);
  modules_[module] = name;
  return module;
}

void WatchedDevice::launch(host::ModuleHandle module, const std::string& name, const host::Launch& shape,
                           const host::Args& args) {
  Launched record{modules_.at(module), name, {}};
  for (const auto& value : args.values()) record.argument_bytes.push_back(value.size());
  launched_.insert(record);
  if (!dead) OracleDevice::launch(module, name, shape, args);
}

}  // namespace heddle::workloads::testing
