#include "memory/sparse_memory.h"

#include <algorithm>
#include <cstring>

#include "base/zeros.h"

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

SparseMemory::Page& SparseMemory::get(std::uint64_t page) {
  Region* region = find_region(page / kRegionPages);
  if (region == nullptr)
    region = regions_.emplace(page / kRegionPages, std::make_unique<Region>()).first->second.get();
  Page*& found = region->pages[page % kRegionPages];
  if (found == nullptr) {
    ++pages_;
    if (region->single.size() < kPagesOneByOne) {
      found = region->single.emplace_back(std::make_unique<Page>()).get();
    } else {
      if (region->block == nullptr) region->block = base::zeroed_block(kRegionPages * kPageBytes);
      found = reinterpret_cast<Page*>(region->block.get() + page % kRegionPages * kPageBytes);
    }
  }
  return *found;
}

void SparseMemory::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const {
  for_each_piece(address, bytes, [&](auto number, auto offset, auto done, auto count) {
    if (const Page* page = find(number))
      std::memcpy(to + done, page->data() + offset, count);
    else
      std::memset(to + done, 0, count);
  });
}

void SparseMemory::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes) {
  for_each_piece(address, bytes, [&](auto number, auto offset, auto done, auto count) {
    if (find(number) == nullptr && base::all_zeros(from + done, count)) return;
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
