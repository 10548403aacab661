// A memory image of any size of which only the pages that were written exist.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace heddle::memory {

/// Bytes at 64-bit addresses; bytes never written read as zero. Ranges may cross pages and wrap at 2^64.
class SparseMemory {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;

  void read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const;
  void write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes);
  /// Writes byte i where enables[i % enable_bytes] is not zero (the generic payload's rule).
  void write_enabled(std::uint64_t address, const unsigned char* from, std::uint64_t bytes,
                     const unsigned char* enables, std::uint64_t enable_bytes);

  [[nodiscard]] std::size_t pages() const { return pages_.size(); }

 private:
  using Page = std::array<unsigned char, kPageBytes>;
  [[nodiscard]] Page* find(std::uint64_t number) const;
  [[nodiscard]] Page& get(std::uint64_t number);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  ///< never iterated
  mutable std::uint64_t last_number_ = ~std::uint64_t{0};           ///< no address has this page number
  mutable Page* last_page_ = nullptr;
};

}  // namespace heddle::memory
