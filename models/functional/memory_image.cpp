#include "functional/memory_image.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace heddle::functional {

std::size_t MemoryImage::bytes_of(std::uint64_t number) const {
  const std::uint64_t first = number * kPageBytes;
  return static_cast<std::size_t>(std::min(kPageBytes, end_ - std::min(end_, first)));
}

MemoryImage::Page& MemoryImage::look_up(std::uint64_t number) {
  std::unique_ptr<Page>& page = pages_[number];
  if (!page) {
    page = std::make_unique<Page>();
    const std::size_t bytes = bytes_of(number);
    if (bytes != 0) read_(number * kPageBytes, std::as_writable_bytes(std::span(page->bytes)).first(bytes));
    std::fill(page->bytes.begin() + static_cast<std::ptrdiff_t>(bytes), page->bytes.end(),
              static_cast<unsigned char>(0));
  }
  recent_[number % kRecent] = {number, page.get()};
  return *page;
}

void MemoryImage::read(std::uint64_t address, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t piece =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), kPageBytes - address % kPageBytes));
    std::memcpy(bytes.data(), for_reading(address), piece);
    address += piece;
    bytes = bytes.subspan(piece);
  }
}

void MemoryImage::write_back() {
  std::vector<std::uint64_t> written;
  for (const auto& [number, page] : pages_)
    if (page->written) written.push_back(number);
  std::ranges::sort(written);
  for (const std::uint64_t number : written) {
    Page& page = *pages_[number];
    page.written = false;
    write_(number * kPageBytes, std::as_bytes(std::span(page.bytes)).first(bytes_of(number)));
  }
}

}  // namespace heddle::functional
