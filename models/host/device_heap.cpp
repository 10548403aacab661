#include "host/device_heap.h"

#include <fmt/format.h>

#include <iterator>

namespace heddle::host {

namespace {

std::uint64_t rounded(std::uint64_t bytes) {
  return (bytes + DeviceHeap::kAlignment - 1) / DeviceHeap::kAlignment * DeviceHeap::kAlignment;
}

}  // namespace

DeviceHeap::DeviceHeap(std::uint64_t begin, std::uint64_t bytes)
    : begin_(begin), bytes_(bytes / kAlignment * kAlignment) {
  if (bytes_ != 0) add_free(begin_, bytes_);
}

void DeviceHeap::add_free(std::uint64_t address, std::uint64_t bytes) {
  free_.emplace(address, bytes);
  by_size_.emplace(bytes, address);
}

void DeviceHeap::take_free(std::map<std::uint64_t, std::uint64_t>::iterator range) {
  by_size_.erase({range->second, range->first});
  free_.erase(range);
}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
  if (bytes == 0 || bytes > bytes_) return 0;
  const std::uint64_t taken = rounded(bytes);
  const auto found = by_size_.lower_bound({taken, 0});
  if (found == by_size_.end()) return 0;
  const auto [size, address] = *found;
  take_free(free_.find(address));
  if (size > taken) add_free(address + taken, size - taken);
  blocks_.emplace(address, bytes);
  return address;
}

std::optional<std::string> DeviceHeap::free(std::uint64_t address) {
  if (address == 0) return std::nullopt;
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) {
    if (address < begin_ || address >= end()) return "it is not in the heap";
    if (const auto around = block_of(address))
      return fmt::format("it lies {} bytes into a block (0x{:x}, {} bytes)", address - around->address,
                         around->address, around->bytes);
    return "no block begins there, or it has been freed already";
  }
  std::uint64_t from = address;
  std::uint64_t bytes = rounded(block->second);
  blocks_.erase(block);
  const auto next = free_.find(from + bytes);
  if (next != free_.end()) {
    bytes += next->second;
    take_free(next);
  }
  const auto after = free_.lower_bound(from);
  if (after != free_.begin())
    if (const auto before = std::prev(after); before->first + before->second == from) {
      from = before->first;
      bytes += before->second;
      take_free(before);
    }
  add_free(from, bytes);
  return std::nullopt;
}

std::vector<HeapBlock> DeviceHeap::blocks() const {
  std::vector<HeapBlock> all;
  all.reserve(blocks_.size());
  for (const auto& [address, bytes] : blocks_) all.push_back({address, bytes});
  return all;
}

std::optional<HeapBlock> DeviceHeap::block_of(std::uint64_t address) const {
  const auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return std::nullopt;
  const auto& [begin, bytes] = *std::prev(next);
  if (address - begin >= bytes) return std::nullopt;
  return HeapBlock{begin, bytes};
}

std::string DeviceHeap::describe(std::uint64_t address) const {
  const auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin())
    return "in the device heap, where malloc has given nothing, or free has taken it";
  const auto& [begin, bytes] = *std::prev(next);
  const auto block = fmt::format("a block of {} bytes that malloc gave (0x{:x})", bytes, begin);
  if (address - begin < bytes) return fmt::format("{} bytes into {}", address - begin, block);
  if (address - begin < rounded(bytes))
    return fmt::format("{} bytes past the end of {}", address - begin - bytes, block);
  return fmt::format("in the device heap, free, behind {}", block);
}

}  // namespace heddle::host
