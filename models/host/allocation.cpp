#include "host/allocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/error.h"
#include "isa/types.h"

namespace heddle::host {

namespace {

constexpr std::uint64_t kGapBytes = 256;
// Kernels reach the whole of a buffer's last word: compilers and programs make atomics of bytes from ones of words.
constexpr std::uint64_t kWordBytes = 4;
constexpr std::uint64_t kEnd = 1ull << 40;  // 1 TiB device address space
// An address further away than this from every allocation is not called an overrun of one.
constexpr std::uint64_t kNear = 1ull << 20;
constexpr const char* kNothingNear = "no allocation near";

std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) & ~(align - 1);
}

std::string bytes_text(std::uint64_t n) { return fmt::format("{} byte{}", n, n == 1 ? "" : "s"); }

std::string owner_text(const AllocationTable::Allocation& a) {
  return fmt::format("'{}' (0x{:x}, {})", a.name, a.address, bytes_text(a.bytes));
}

}  // namespace

std::uint64_t AllocationTable::allocate(std::uint64_t bytes, std::uint32_t align, const std::string& name,
                                        Owner owner) {
  if (bytes == 0)
    throw base::InputError("allocation of '" + name + "'", "a device buffer of 0 bytes",
                           "Ask for at least one byte.");
  if (!std::has_single_bit(align))
    throw base::InputError("allocation of '" + name + "'",
                           fmt::format("alignment {} is not a power of two", align));
  align = std::max(align, static_cast<std::uint32_t>(kWordBytes));
  const std::uint64_t first = align_up(isa::kGlobalBase + tolerance_, align);
  const auto behind = [&](std::uint64_t end) { return std::max(first, align_up(end + gap(), align)); };
  std::uint64_t candidate = by_address_.empty() ? first : behind(end_of(std::prev(by_address_.end())));
  for (const auto& [begin, end] : holes_) {
    const std::uint64_t at = begin == 0 ? first : behind(begin);
    // Subtractions, so that a huge size cannot wrap around.
    if (at >= end || end - at < gap() || bytes > end - at - gap()) continue;
    candidate = at;
    break;
  }
  if (candidate >= kEnd || bytes > kEnd - candidate)
    throw base::InputError(
        "allocation of '" + name + "'",
        fmt::format("{} do not fit into the 1 TiB device address space", bytes_text(bytes)),
        "Free buffers that are no longer used, or use a smaller problem.");
  note(candidate, bytes, name, owner);
  return candidate;
}

std::uint64_t AllocationTable::gap() const { return kGapBytes + 2 * tolerance_; }

void AllocationTable::note(std::uint64_t address, std::uint64_t bytes, const std::string& name, Owner owner) {
  const auto [at, inserted] = by_address_.emplace(address, Allocation{address, bytes, name, owner});
  if (!inserted) return;
  const std::uint64_t below = at == by_address_.begin() ? 0 : end_of(std::prev(at));
  holes_.erase(below);
  add_hole(below, address);
  if (const auto next = std::next(at); next != by_address_.end()) add_hole(end_of(at), next->first);
}

void AllocationTable::add_hole(std::uint64_t begin, std::uint64_t end) {
  if (begin == 0 || (end > begin && end - begin > 2 * gap())) holes_.insert_or_assign(begin, end);
}

void AllocationTable::set_tolerance(std::uint64_t bytes) {
  tolerance_ = bytes;
  holes_.clear();
  std::uint64_t below = 0;
  for (auto at = by_address_.begin(); at != by_address_.end(); below = end_of(at++))
    add_hole(below, at->first);
}

bool AllocationTable::tolerates(std::uint64_t address, std::uint64_t bytes) const {
  if (tolerance_ == 0) return false;
  const auto next = by_address_.upper_bound(address + bytes);
  const auto near = [&](const Allocation& a) {
    return a.owner == Owner::kProgram && address + tolerance_ >= a.address &&
           address + bytes <= a.address + a.bytes + tolerance_;
  };
  return (next != by_address_.end() && near(next->second)) ||
         (next != by_address_.begin() && near(std::prev(next)->second));
}

void AllocationTable::set_owner(std::uint64_t address, Owner owner) {
  by_address_.at(address).owner = owner;
  state_ = next_state();
}

void AllocationTable::free(std::uint64_t address) {
  const auto found = by_address_.find(address);
  if (found == by_address_.end())
    throw base::InputError(
        "free", fmt::format("0x{:x} is not the start of an allocation: {}", address, describe(address)),
        "Pass the address that allocate() returned, once.");
  state_ = next_state();
  const std::uint64_t below = found == by_address_.begin() ? 0 : end_of(std::prev(found));
  holes_.erase(below);
  holes_.erase(end_of(found));
  const auto next = by_address_.erase(found);
  if (next != by_address_.end()) add_hole(below, next->first);
}

std::uint64_t AllocationTable::next_state() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

const AllocationTable::Allocation* AllocationTable::holder(std::uint64_t address) const {
  const auto next = by_address_.upper_bound(address);
  if (next == by_address_.begin()) return nullptr;
  const Allocation& a = std::prev(next)->second;
  return address - a.address < a.bytes ? &a : nullptr;
}

bool AllocationTable::look_up(Access access, std::uint64_t address, std::uint64_t bytes) const {
  const Allocation* const a = holder(address);
  if (a == nullptr) return false;
  HeapBlock within{a->address, a->bytes};
  if (heap_ != nullptr && a->address == heap_->begin()) {
    const auto block = heap_->block_of(address);
    if (!block) return false;
    within = *block;
  }
  hit_ = {state_, within.address, within.bytes, a->owner};
  const bool of_kernel = access == Access::kKernelRead || access == Access::kKernelWrite;
  const bool last_word = of_kernel && bytes == kWordBytes && address % kWordBytes == 0;
  return (last_word || bytes <= within.bytes - (address - within.address)) && may_access(a->owner, access);
}

bool AllocationTable::in_heap(std::uint64_t address) const {
  return heap_ != nullptr && address - heap_->begin() < heap_->end() - heap_->begin();
}

namespace {

/// Where an address is that lies in neither.
std::string between(std::uint64_t address, const AllocationTable::Allocation* below,
                    const AllocationTable::Allocation* above) {
  const std::uint64_t past = below == nullptr ? kNear + 1 : address - (below->address + below->bytes);
  const std::uint64_t before = above == nullptr ? kNear + 1 : above->address - address;
  if (std::min(past, before) > kNear) return kNothingNear;
  // Overruns are far more common than underruns: the buffer below gets the benefit of a tie.
  if (past <= before) return fmt::format("{} past the end of {}", bytes_text(past), owner_text(*below));
  return fmt::format("{} before the start of {}", bytes_text(before), owner_text(*above));
}

std::string into(std::uint64_t address, const AllocationTable::Allocation& a) {
  return fmt::format("{} into {}", bytes_text(address - a.address), owner_text(a));
}

}  // namespace

std::string AllocationTable::describe(std::uint64_t address) const {
  if (in_heap(address)) return heap_->describe(address);
  if (const Allocation* const in = holder(address)) return into(address, *in);
  const auto next = by_address_.upper_bound(address);
  return between(address, next == by_address_.begin() ? nullptr : &std::prev(next)->second,
                 next == by_address_.end() ? nullptr : &next->second);
}

std::string AllocationTable::describe_refused(std::uint64_t address) const {
  if (in_heap(address)) return heap_->describe(address);
  const Allocation* const in = holder(address);
  if (in != nullptr && in->owner == Owner::kConstants)
    return into(address, *in) + ", a .const variable, which kernels only read";
  if (in != nullptr && in->owner == Owner::kParameters)
    return into(address, *in) + ", which kernels only read";
  if (in != nullptr && in->owner != Owner::kDevice) return into(address, *in);
  // The program has left a buffer of its own, whatever of the device's lies beside that.
  const Allocation* below = nullptr;
  const Allocation* above = nullptr;
  const auto next = by_address_.upper_bound(address);
  for (auto at = next; at != by_address_.begin() && below == nullptr;)
    if ((--at)->second.owner != Owner::kDevice) below = &at->second;
  for (auto at = next; at != by_address_.end() && above == nullptr; ++at)
    if (at->second.owner != Owner::kDevice) above = &at->second;
  const std::string near = between(address, below, above);
  if (in == nullptr) return near;
  return into(address, *in) + ", which is the device's own memory" +
         (near == kNothingNear ? "" : "; " + near);
}

}  // namespace heddle::host
