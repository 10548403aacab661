#include "memory/sparse_memory.h"

#include <algorithm>
#include <cstring>
#include <ranges>

namespace heddle::memory {
namespace {

/// Calls piece(page number, offset in the page, offset in the range, bytes) for every page the range touches.
template <class Piece>
void for_each_piece(std::uint64_t address, std::uint64_t bytes, Piece piece) {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t at = address + done;
    const std::uint64_t offset = at % SparseMemory::kPageBytes;
    const std::uint64_t count = std::min(bytes - done, SparseMemory::kPageBytes - offset);
    piece(at / SparseMemory::kPageBytes, offset, done, count);
    done += count;
  }
}

}  // namespace

SparseMemory::Region* SparseMemory::find_region(std::uint64_t number) const {
  Recent& recent = recent_[number % recent_.size()];
  if (number == recent.number) return recent.region;
  const auto it = regions_.find(number);
  if (it == regions_.end()) return nullptr;
  recent = {number, it->second.get()};
  return recent.region;
}

unsigned char* SparseMemory::storage(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t page = address / kPageBytes, offset = address % kPageBytes;
  if (offset + bytes > kPageBytes) return nullptr;
  Region* const region = find_region(page / kRegionPages);
  if (region == nullptr) return nullptr;
  Page* const found = region->pages[page % kRegionPages];
  if (found == nullptr) return nullptr;
  unsigned char* const at = found->data() + offset;
  __builtin_prefetch(at);
  if (bytes > 64) __builtin_prefetch(at + 64);
  return at;
}

const SparseMemory::Page* SparseMemory::find(std::uint64_t page) const {
  const Region* const region = find_region(page / kRegionPages);
  return region == nullptr ? nullptr : region->pages[page % kRegionPages];
}

SparseMemory::Region& SparseMemory::get_region(std::uint64_t number) {
  Region* const region = find_region(number);
  return region != nullptr ? *region : *regions_.emplace(number, std::make_unique<Region>()).first->second;
}

SparseMemory::Page& SparseMemory::get(std::uint64_t page) {
  Region& region = get_region(page / kRegionPages);
  Page*& found = region.pages[page % kRegionPages];
  if (found == nullptr) {
    ++pages_;
    if (region.single.size() < kPagesOneByOne) {
      found = region.single.emplace_back(std::make_unique<Page>()).get();
    } else {
      if (region.block == nullptr) region.block = base::zeroed_block(kRegionPages * kPageBytes);
      found = reinterpret_cast<Page*>(region.block.get() + page % kRegionPages * kPageBytes);
    }
    if (region.fills != nullptr)
      copy_fill((*region.fills)[page % kRegionPages], 0, found->data(), kPageBytes);
  }
  return *found;
}

const SparseMemory::Fill* SparseMemory::find_fill(std::uint64_t page) const {
  const Region* const region = find_region(page / kRegionPages);
  return region == nullptr || region->fills == nullptr ? nullptr : &(*region->fills)[page % kRegionPages];
}

/// Bytes of a page that is not stored, from `offset` on.
void SparseMemory::copy_fill(const Fill& fill, std::uint64_t offset, unsigned char* to, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t at = offset + done;
    const std::uint64_t count = std::min(bytes - done, kChunkBytes - at % kChunkBytes);
    base::fill(to + done, count, fill[at / kChunkBytes].data(), at % base::kFillBytes);
    done += count;
  }
}

bool SparseMemory::kept_as_fill(std::uint64_t page, std::uint64_t offset, const unsigned char* from,
                                std::uint64_t bytes) {
  if (!base::repeats(from, bytes)) return false;
  const Fill* const now = find_fill(page);
  const auto is_zero = [&](std::uint64_t chunk) { return (*now)[chunk] == Element{}; };
  const std::uint64_t first = offset / kChunkBytes, last = (offset + bytes - 1) / kChunkBytes;
  if (base::all_zeros(from, std::min<std::uint64_t>(bytes, base::kFillBytes)) &&
      (now == nullptr || std::ranges::all_of(std::views::iota(first, last + 1), is_zero)))
    return true;
  if (offset % kChunkBytes != 0 || bytes % kChunkBytes != 0) return false;
  Region& region = get_region(page / kRegionPages);
  if (region.fills == nullptr) region.fills = std::make_unique<std::array<Fill, kRegionPages>>();
  Element element;
  std::memcpy(element.data(), from, element.size());
  Fill& fill = (*region.fills)[page % kRegionPages];
  for (std::uint64_t chunk = first; chunk <= last; ++chunk) fill[chunk] = element;
  return true;
}

void SparseMemory::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const {
  for_each_piece(address, bytes, [&](auto number, auto offset, auto done, auto count) {
    if (const Page* page = find(number))
      std::memcpy(to + done, page->data() + offset, count);
    else if (const Fill* const fill = find_fill(number))
      copy_fill(*fill, offset, to + done, count);
    else
      std::memset(to + done, 0, count);
  });
}

void SparseMemory::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes) {
  for_each_piece(address, bytes, [&](auto number, auto offset, auto done, auto count) {
    if (find(number) == nullptr && kept_as_fill(number, offset, from + done, count)) return;
    std::memcpy(get(number).data() + offset, from + done, count);
  });
}

void SparseMemory::write_enabled(std::uint64_t address, const unsigned char* from, std::uint64_t bytes,
                                 const unsigned char* enables, std::uint64_t enable_bytes) {
  for_each_piece(address, bytes, [&](auto number, auto offset, auto done, auto count) {
    unsigned char* page = get(number).data() + offset;
    for (std::uint64_t i = 0; i < count; ++i)
      if (enables[(done + i) % enable_bytes] != 0) page[i] = from[done + i];
  });
}

}  // namespace heddle::memory
