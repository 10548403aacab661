#include "oracle/memory.h"

#include <algorithm>
#include <cstring>

#include "base/zeros.h"

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
  if (!slot) slot = std::make_unique<Page>();
  return slot->data();
}

void SparseMemory::write(std::uint64_t address, std::span<const std::byte> bytes) {
  written.mark(address, bytes.size());
  for_each_piece(address, bytes.size(), [&](std::uint64_t to, std::uint64_t offset, std::uint64_t count) {
    if (pages_.contains(to / kPageBytes) || !base::all_zeros(bytes.data() + offset, count))
      std::memcpy(at(to), bytes.data() + offset, count);
  });
}

void SparseMemory::read(std::uint64_t address, std::span<std::byte> bytes) {
  for_each_piece(address, bytes.size(), [&](std::uint64_t from, std::uint64_t offset, std::uint64_t count) {
    if (pages_.contains(from / kPageBytes))
      std::memcpy(bytes.data() + offset, at(from), count);
    else
      std::memset(bytes.data() + offset, 0, count);
  });
}

void SparseMemory::clear(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = address + bytes;
  for (auto it = pages_.lower_bound(address / kPageBytes); it != pages_.end() && it->first * kPageBytes < end;
       ++it) {
    const std::uint64_t page = it->first * kPageBytes;
    const std::uint64_t from = std::max(page, address), to = std::min(page + kPageBytes, end);
    std::memset(it->second->data() + (from - page), 0, to - from);
  }
}

}  // namespace heddle::oracle
