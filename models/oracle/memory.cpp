#include "oracle/memory.h"

#include <algorithm>
#include <cstring>

namespace heddle::oracle {

namespace {
/// Calls fn(address, offset in the range, bytes) for each page the range touches.
template <class Fn>
void for_each_piece(std::uint64_t address, std::uint64_t bytes, Fn&& fn) {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t room = SparseMemory::kPageBytes - (address + done) % SparseMemory::kPageBytes;
    const std::uint64_t piece = std::min(room, bytes - done);
    fn(address + done, done, piece);
    done += piece;
  }
}
}  // namespace

std::byte* SparseMemory::find_or_make(std::uint64_t page) {
  auto& slot = pages_[page];
  if (slot) return slot->data();
  slot = std::make_unique<Page>();
  if (const auto fill = fills_.find(page); fill != fills_.end()) {
    base::fill(slot->data(), slot->size(), fill->second.data(), 0);
    fills_.erase(fill);
  }
  return slot->data();
}

void SparseMemory::write(std::uint64_t address, std::span<const std::byte> bytes) {
  written.mark(address, bytes.size());
  for_each_piece(address, bytes.size(), [&](std::uint64_t to, std::uint64_t offset, std::uint64_t count) {
    const std::uint64_t page = to / kPageBytes;
    const std::byte* const from = bytes.data() + offset;
    if (!pages_.contains(page) && base::repeats(from, count)) {
      const bool zeros = base::all_zeros(from, std::min(count, base::kFillBytes));
      if (zeros && !fills_.contains(page)) return;
      if (count == kPageBytes) {
        if (zeros)
          fills_.erase(page);
        else
          std::copy_n(from, base::kFillBytes, fills_[page].begin());
        return;
      }
    }
    std::memcpy(at(to), from, count);
  });
}

void SparseMemory::read(std::uint64_t address, std::span<std::byte> bytes) {
  for_each_piece(address, bytes.size(), [&](std::uint64_t from, std::uint64_t offset, std::uint64_t count) {
    const std::uint64_t page = from / kPageBytes;
    if (pages_.contains(page))
      std::memcpy(bytes.data() + offset, at(from), count);
    else if (const auto fill = fills_.find(page); fill != fills_.end())
      base::fill(bytes.data() + offset, count, fill->second.data(), from % base::kFillBytes);
    else
      std::memset(bytes.data() + offset, 0, count);
  });
}

void SparseMemory::clear(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = address + bytes;
  for (auto it = fills_.lower_bound(address / kPageBytes);
       it != fills_.end() && it->first * kPageBytes < end;) {
    const std::uint64_t page = it->first;
    ++it;
    if (page * kPageBytes >= address && (page + 1) * kPageBytes <= end)
      fills_.erase(page);
    else
      find_or_make(page);
  }
  for (auto it = pages_.lower_bound(address / kPageBytes); it != pages_.end() && it->first * kPageBytes < end;
       ++it) {
    const std::uint64_t page = it->first * kPageBytes;
    const std::uint64_t from = std::max(page, address), to = std::min(page + kPageBytes, end);
    std::memset(it->second->data() + (from - page), 0, to - from);
  }
}

}  // namespace heddle::oracle
