// A memory image of any size that stores only the pages that have been written with something else than zeros or a fill.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/host_heap.h"
#include "base/repeated_bytes.h"

namespace heddle::memory {

/// Bytes at 64-bit addresses; bytes never written read as zero. Ranges may cross pages and wrap at 2^64. Of a page whose chunks are written
/// whole with one element of up to 8 bytes again and again (a host's cudaMemset), the element is kept, until something else is written there.
class SparseMemory {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;

  void read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const;
  void write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes);
  /// Writes byte i where enables[i % enable_bytes] is not zero (the generic payload's rule).
  void write_enabled(std::uint64_t address, const unsigned char* from, std::uint64_t bytes,
                     const unsigned char* enables, std::uint64_t enable_bytes);

  /// Pointer to the range if it lies in one existing page; stays valid. Its first bytes are prefetched into
  /// the host's cache.
  [[nodiscard]] unsigned char* storage(std::uint64_t address, std::uint64_t bytes);

  /// That of an address, which there is from now on; stays valid.
  [[nodiscard]] unsigned char* page(std::uint64_t address) { return get(address / kPageBytes).data(); }

  [[nodiscard]] std::size_t pages() const { return pages_; }

 private:
  using Page = std::array<unsigned char, kPageBytes>;
  static constexpr std::uint64_t kChunkBytes = 256;
  using Element = std::array<unsigned char, base::kFillBytes>;
  /// Of a page that is not stored: what each chunk repeats.
  using Fill = std::array<Element, kPageBytes / kChunkBytes>;
  /// Pages are found through a table per region, so that accesses scattered over a few MiB need no hashing.
  static constexpr std::uint64_t kRegionPages = 512;
  /// A region with so many pages gets the others in one block: the heap is not asked for each, and the host clears them.
  static constexpr unsigned kPagesOneByOne = 64;
  struct Region {
    std::array<Page*, kRegionPages> pages{};
    std::unique_ptr<std::array<Fill, kRegionPages>> fills;  ///< none: no page is filled
    std::vector<std::unique_ptr<Page>> single;
    base::ZeroedBlock block;  ///< of the others
  };
  [[nodiscard]] Region* find_region(std::uint64_t number) const;
  [[nodiscard]] const Page* find(std::uint64_t page) const;
  [[nodiscard]] Page& get(std::uint64_t page);
  [[nodiscard]] Region& get_region(std::uint64_t number);
  /// Of a page that is not stored, or nullptr.
  [[nodiscard]] const Fill* find_fill(std::uint64_t page) const;
  static void copy_fill(const Fill& fill, std::uint64_t offset, unsigned char* to, std::uint64_t bytes);
  /// Whether nothing need be stored, of bytes of a page that is not.
  [[nodiscard]] bool kept_as_fill(std::uint64_t page, std::uint64_t offset, const unsigned char* from,
                                  std::uint64_t bytes);

  struct Recent {
    std::uint64_t number = ~std::uint64_t{0};  ///< no address has this region number
    Region* region = nullptr;
  };
  std::unordered_map<std::uint64_t, std::unique_ptr<Region>> regions_;  ///< never iterated
  std::size_t pages_ = 0;
  mutable std::array<Recent, 16> recent_{};  ///< found last, by number mod 16
};

}  // namespace heddle::memory
