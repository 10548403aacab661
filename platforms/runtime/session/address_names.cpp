#include "runtime/session/address_names.h"

#include <cstring>
#include <iterator>
#include <string>

#include "host/memory_map.h"

namespace heddle::runtime {
namespace {

/// FNV-1a, 64 bits.
std::uint64_t hash_of(std::uint64_t hash, const std::string& text) {
  for (const char each : text)
    hash = (hash ^ static_cast<unsigned char>(each)) * std::uint64_t{0x100000001b3};
  return hash;
}
std::uint64_t hash_of(const std::string& kind, std::uint64_t number) {
  return hash_of(0xcbf29ce484222325, kind + std::to_string(number));
}

std::string kind_of(host::ModuleSymbol::Kind kind) {
  using Kind = host::ModuleSymbol::Kind;
  return kind == Kind::kFunction ? "function " : kind == Kind::kShared ? "shared " : "variable ";
}

}  // namespace

void AddressNames::allocated(std::uint64_t address, std::uint64_t bytes) {
  // What has been there before is gone.
  auto next = allocations_.lower_bound(address);
  if (next != allocations_.begin())
    if (const auto before = std::prev(next); address - before->first < before->second.bytes)
      before->second.bytes = address - before->first;
  while (next != allocations_.end() && next->first - address < bytes) next = allocations_.erase(next);
  allocations_[address] = {bytes, hash_of("allocation ", ++turn_)};
}

const AddressNames::Things::value_type* AddressNames::at(const Things& things, std::uint64_t address) {
  const auto next = things.upper_bound(address);
  if (next == things.begin()) return nullptr;
  const auto& found = *std::prev(next);
  // One behind the end is still an address of it, as C++ has it.
  return address - found.first <= found.second.bytes ? &found : nullptr;
}

std::vector<std::byte> AddressNames::named(std::span<const std::byte> bytes, const host::Device& device) {
  std::vector<std::byte> result(bytes.begin(), bytes.end());
  Things heap;
  if (const auto* const map = dynamic_cast<const host::MemoryMap*>(&device)) {
    for (const host::HeapBlock& block : map->heap_blocks())
      heap[block.address] = {block.bytes, hash_of("heap ", block.bytes)};
    for (auto& [module, symbols] : modules_)
      if (symbols.empty())
        for (const host::ModuleSymbol& each : map->symbols(module))
          symbols[each.address] = {each.bytes, hash_of(hash_of("", 0), kind_of(each.kind) + each.name)};
  }
  for (std::size_t from = 0; from + sizeof(std::uint64_t) <= result.size(); from += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, result.data() + from, sizeof word);
    if (word == 0) continue;
    const auto* found = at(allocations_, word);
    if (found == nullptr) found = at(heap, word);
    for (auto module = modules_.begin(); found == nullptr && module != modules_.end(); ++module)
      found = at(module->second, word);
    if (found == nullptr) continue;
    const std::uint64_t name = found->second.name + (word - found->first);
    std::memcpy(result.data() + from, &name, sizeof name);
  }
  return result;
}

}  // namespace heddle::runtime
