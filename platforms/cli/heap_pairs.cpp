#include "cli/heap_pairs.h"

#include <fmt/format.h>

#include <iterator>

namespace heddle::cli {

HeapPairs::HeapPairs(const std::vector<host::HeapBlock>& here, const std::vector<host::HeapBlock>& there)
    : here_(blocks_of(here)), there_(blocks_of(there)) {}

HeapPairs::Blocks HeapPairs::blocks_of(const std::vector<host::HeapBlock>& list) {
  Blocks blocks;
  for (const host::HeapBlock& block : list) blocks[block.address] = {block.bytes, {}};
  return blocks;
}

HeapPairs::Blocks::iterator HeapPairs::find(Blocks& blocks, std::uint64_t address, bool end) {
  const auto next = end ? blocks.lower_bound(address) : blocks.upper_bound(address);
  if (next == blocks.begin()) return blocks.end();
  const auto block = std::prev(next);
  const std::uint64_t offset = address - block->first;
  return (end ? offset == block->second.bytes : offset < block->second.bytes) ? block : blocks.end();
}

bool HeapPairs::same(std::uint64_t here, std::uint64_t there) {
  for (const bool end : {false, true}) {
    const auto a = find(here_, here, end);
    const auto b = find(there_, there, end);
    if (a == here_.end() || b == there_.end() || a->second.bytes != b->second.bytes ||
        here - a->first != there - b->first)
      continue;
    if (a->second.twin && b->second.twin && *a->second.twin == b->first) return true;
    if (a->second.twin || b->second.twin) continue;
    a->second.twin = b->first;
    b->second.twin = a->first;
    found_.push_back({a->first, b->first, a->second.bytes,
                      fmt::format("heap block {} ({} bytes)", found_.size(), a->second.bytes)});
    return true;
  }
  return false;
}

}  // namespace heddle::cli
