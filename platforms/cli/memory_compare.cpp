#include "cli/memory_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/address_pairs.h"
#include "cli/heap_pairs.h"
#include "frontend/ptx/atomic_lock.h"

namespace heddle::cli {
namespace {

using Symbol = host::ModuleSymbol;
using Bytes = std::span<const std::byte>;
constexpr std::uint64_t kAddressBytes = 8;

std::uint64_t address_at(Bytes memory, std::uint64_t offset) {
  std::uint64_t address = 0;
  std::memcpy(&address, memory.data() + offset, kAddressBytes);
  return address;
}

/// What is compared, and everything that a stored address may point to.
class Memories {
 public:
  /// Empty, or how the two host programs differ in what they have allocated and loaded.
  std::string match(const TrackedDevice& device, const TrackedDevice& oracle) {
    if (device.buffers().size() != oracle.buffers().size())
      return fmt::format("{} buffers on the GPU, {} on the oracle", device.buffers().size(),
                         oracle.buffers().size());
    auto other = oracle.buffers().begin();
    for (const auto& [order, buffer] : device.buffers()) {
      const TrackedDevice::Buffer& twin = (other++)->second;
      if (buffer.name != twin.name || buffer.bytes != twin.bytes)
        return fmt::format("buffer '{}' of {} bytes on the GPU is '{}' of {} bytes on the oracle",
                           buffer.name, buffer.bytes, twin.name, twin.bytes);
      add(buffer, twin);
      compared.push_back(pairs.back());
    }
    for (const auto& [order, buffer] : device.freed())
      if (const auto twin = oracle.freed().find(order); twin != oracle.freed().end())
        add(buffer, twin->second);
    if (device.modules().size() != oracle.modules().size())
      return fmt::format("{} modules on the GPU, {} on the oracle", device.modules().size(),
                         oracle.modules().size());
    for (std::size_t i = 0; i < device.modules().size(); ++i)
      if (std::string different = add(device.modules()[i], oracle.modules()[i]); !different.empty())
        return different;
    return {};
  }

  std::vector<AddressPair> compared;
  std::size_t variables = 0;  ///< of `compared`; the others are buffers
  std::vector<AddressPair> pairs;

 private:
  void add(const TrackedDevice::Buffer& buffer, const TrackedDevice::Buffer& twin) {
    pairs.push_back(
        {buffer.address, twin.address, std::min(buffer.bytes, twin.bytes), "buffer '" + buffer.name + "'"});
  }

  std::string add(const TrackedDevice::Module& module, const TrackedDevice::Module& twin) {
    // .shared variables of different scopes may have the same name: any of them will do.
    std::multimap<std::pair<Symbol::Kind, std::string>, const Symbol*> by_name;
    for (const Symbol& symbol : twin.symbols) by_name.emplace(std::pair(symbol.kind, symbol.name), &symbol);
    for (const Symbol& symbol : module.symbols) {
      if (symbol.name == ptx::kAtomicLocks) continue;  // not the program's
      const auto [first, last] = by_name.equal_range({symbol.kind, symbol.name});
      for (auto found = first; found != last; ++found) {
        const Symbol& other = *found->second;
        pairs.push_back(
            {symbol.address, other.address, std::max(symbol.bytes, other.bytes), text_of(symbol)});
        if (symbol.kind != Symbol::Kind::kVariable || !module.loaded || !twin.loaded) continue;
        if (symbol.bytes != other.bytes)
          return fmt::format("variable '{}' has {} bytes on the GPU, {} on the oracle", symbol.name,
                             symbol.bytes, other.bytes);
        compared.push_back(pairs.back());
        ++variables;
      }
    }
    return {};
  }

  static std::string text_of(const Symbol& symbol) {
    switch (symbol.kind) {
      case Symbol::Kind::kFunction:
        return "function '" + symbol.name + "'";
      case Symbol::Kind::kShared:
        return "shared variable '" + symbol.name.substr(symbol.name.find(':') + 1) + "'";
      case Symbol::Kind::kVariable:
        break;
    }
    return "variable '" + symbol.name + "'";
  }
};

/// A stretch of memory on both devices, compared.
class Stretch {
 public:
  Stretch(const AddressPairs& pairs, HeapPairs& heap, Bytes have, Bytes want)
      : pairs_(pairs), heap_(heap), have_(have), want_(want) {
    if (heap.empty()) return;
    for (std::uint64_t word = 0; word + kAddressBytes <= have.size(); word += kAddressBytes)
      (void)heap.same(address_at(have, word), address_at(want, word));
  }

  /// The first byte that differs and is not part of an address of the same thing.
  std::optional<std::uint64_t> first_difference() {
    for (std::uint64_t from = 0;;) {
      const auto rest = have_.subspan(from);
      const auto at =
          std::mismatch(rest.begin(), rest.end(), want_.begin() + static_cast<std::ptrdiff_t>(from)).first;
      if (at == rest.end()) return std::nullopt;
      const std::uint64_t byte = from + static_cast<std::uint64_t>(at - rest.begin());
      const auto address = same_address_over(byte, from);
      if (!address) return byte;
      ++addresses_;
      from = *address + kAddressBytes;
    }
  }
  /// Addresses that differ and point to the same.
  [[nodiscard]] std::uint64_t addresses() const { return addresses_; }

  [[nodiscard]] std::string describe(std::uint64_t byte, const std::string& what) const {
    const std::uint64_t word = byte / kAddressBytes * kAddressBytes;
    if (word + kAddressBytes <= have_.size()) {
      const std::string here = pairs_.describe_here(address_at(have_, word));
      const std::string there = pairs_.describe_there(address_at(want_, word));
      if (!here.empty() && !there.empty())
        return fmt::format("the address at byte {} of {} points to {}, on the oracle to {}", word, what, here,
                           there);
    }
    return fmt::format("byte {} of {} is 0x{:02x}, on the oracle it is 0x{:02x}", byte, what,
                       static_cast<unsigned>(have_[byte]), static_cast<unsigned>(want_[byte]));
  }

 private:
  /// Where an address begins that the byte is part of; aligned ones first, since a structure may be packed.
  [[nodiscard]] std::optional<std::uint64_t> same_address_over(std::uint64_t byte, std::uint64_t from) const {
    const auto is_one = [&](std::uint64_t start) {
      return start >= from && start <= byte && byte - start < kAddressBytes &&
             start + kAddressBytes <= have_.size() && is_same(start);
    };
    if (const std::uint64_t aligned = byte / kAddressBytes * kAddressBytes; is_one(aligned)) return aligned;
    for (std::uint64_t start = byte - std::min(byte, kAddressBytes - 1); start <= byte; ++start)
      if (is_one(start)) return start;
    return std::nullopt;
  }

  [[nodiscard]] bool is_same(std::uint64_t start) const {
    const std::uint64_t here = address_at(have_, start), there = address_at(want_, start);
    return pairs_.same(here, there) || heap_.same(here, there);
  }

  const AddressPairs& pairs_;
  HeapPairs& heap_;
  Bytes have_;
  Bytes want_;
  std::uint64_t addresses_ = 0;
};

/// Compares one part after the other.
class MemoryComparison {
 public:
  MemoryComparison(TrackedDevice& device, TrackedDevice& oracle, std::vector<AddressPair> pairs)
      : device_(device),
        oracle_(oracle),
        pairs_(std::move(pairs)),
        heap_(device.heap_blocks(), oracle.heap_blocks()) {}

  /// Empty, or where they differ.
  std::string compare(const AddressPair& part) {
    const auto have = device_.download<std::byte>(part.here, part.bytes);
    const auto want = oracle_.download<std::byte>(part.there, part.bytes);
    Stretch stretch(pairs_, heap_, have, want);
    if (const auto byte = stretch.first_difference()) return stretch.describe(*byte, part.what);
    bytes += part.bytes;
    addresses += stretch.addresses();
    return {};
  }
  /// The blocks that compared memory points to, and those that these point to.
  std::string compare_heap() {
    for (; blocks < heap_.found().size(); ++blocks)
      if (std::string different = compare(AddressPair(heap_.found()[blocks])); !different.empty())
        return different;
    return {};
  }

  std::uint64_t bytes = 0;
  std::uint64_t addresses = 0;
  std::size_t blocks = 0;

 private:
  TrackedDevice& device_;
  TrackedDevice& oracle_;
  AddressPairs pairs_;
  HeapPairs heap_;
};

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

MemoryVerdict compare_memories(TrackedDevice& device, TrackedDevice& oracle) {
  Memories memories;
  if (std::string different = memories.match(device, oracle); !different.empty()) return {false, different};
  MemoryComparison comparison(device, oracle, memories.pairs);
  for (const AddressPair& part : memories.compared)
    if (std::string different = comparison.compare(part); !different.empty()) return {false, different};
  if (std::string different = comparison.compare_heap(); !different.empty()) return {false, different};

  std::vector<std::string> what = {counted(memories.compared.size() - memories.variables, "buffer")};
  if (memories.variables > 0) what.push_back(counted(memories.variables, "variable"));
  if (comparison.blocks > 0) what.push_back(counted(comparison.blocks, "heap block"));
  const std::string last = what.back();
  what.pop_back();
  std::string summary = what.empty() ? last : fmt::format("{} and {}", fmt::join(what, ", "), last);
  summary += fmt::format(", {} bytes, {} the same", comparison.bytes,
                         memories.compared.size() + comparison.blocks == 1 ? "is" : "are");
  if (comparison.addresses > 0)
    summary += fmt::format(" ({} address{} by what {} to)", comparison.addresses,
                           comparison.addresses == 1 ? "" : "es",
                           comparison.addresses == 1 ? "it points" : "they point");
  return {true, summary};
}

}  // namespace heddle::cli
