// Device memory of the oracle: flat, sparse, zero until written. Copies make no page of zeros, nor of a fill.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "base/page_marks.h"
#include "base/repeated_bytes.h"

namespace heddle::oracle {

class SparseMemory {
 public:
  static constexpr std::uint64_t kPageBytes = 65536;

  /// Storage of `address` up to the end of its page. A naturally aligned access of up to 16 bytes never
  /// crosses a page.
  [[nodiscard]] std::byte* at(std::uint64_t address) {
    const std::uint64_t page = address / kPageBytes;
    Recent& recent = recent_[page % recent_.size()];
    if (recent.page != page) recent = {page, find_or_make(page)};
    return recent.bytes + address % kPageBytes;
  }
  /// The same for a kernel that writes there.
  [[nodiscard]] std::byte* at_to_write(std::uint64_t address) {
    written.mark(address);
    return at(address);
  }
  void write(std::uint64_t address, std::span<const std::byte> bytes);
  void read(std::uint64_t address, std::span<std::byte> bytes);
  /// Costs nothing for ranges that have never been accessed.
  void clear(std::uint64_t address, std::uint64_t bytes);

  base::PageMarks written;  ///< by kernels, or from the host

 private:
  using Page = std::array<std::byte, kPageBytes>;
  struct Recent {
    std::uint64_t page = ~std::uint64_t{0};
    std::byte* bytes = nullptr;
  };
  using Fill = std::array<std::byte, base::kFillBytes>;
  std::byte* find_or_make(std::uint64_t page);

  std::map<std::uint64_t, std::unique_ptr<Page>> pages_;  ///< by page number
  std::map<std::uint64_t, Fill>
      fills_;  ///< missing pages that repeat this; the other missing ones read as zero
  std::array<Recent, 64> recent_{};
};

}  // namespace heddle::oracle
