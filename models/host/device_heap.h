// The heap that kernels allocate from with malloc and free: a range of device memory. Blocks are placed by
// size and address only, so that the same calls in the same order always give the same addresses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle::host {

/// What a kernel has allocated.
struct HeapBlock {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< as asked for
};

class DeviceHeap {
 public:
  static constexpr std::uint64_t kDefaultBytes = std::uint64_t{8} << 20;  ///< CUDA's cudaLimitMallocHeapSize
  static constexpr std::uint64_t kAlignment =
      16;  ///< of blocks (CUDA C++ Programming Guide, in-kernel malloc)

  /// `begin` is aligned to kAlignment.
  DeviceHeap(std::uint64_t begin, std::uint64_t bytes);

  /// The smallest free range that holds the bytes, at its beginning; of several the lowest. 0 if there is none, or
  /// `bytes` is 0.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
  /// Nothing for the address of a block, or 0. Otherwise what is wrong with it.
  [[nodiscard]] std::optional<std::string> free(std::uint64_t address);

  /// The block that holds the address.
  [[nodiscard]] std::optional<HeapBlock> block_of(std::uint64_t address) const;
  /// "4 bytes past the end of a block of 40 bytes that malloc gave (0x...)".
  [[nodiscard]] std::string describe(std::uint64_t address) const;

  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] std::uint64_t end() const { return begin_ + bytes_; }
  /// Ascending by address.
  [[nodiscard]] std::vector<HeapBlock> blocks() const;

 private:
  void add_free(std::uint64_t address, std::uint64_t bytes);
  void take_free(std::map<std::uint64_t, std::uint64_t>::iterator range);

  std::uint64_t begin_;
  std::uint64_t bytes_;
  std::map<std::uint64_t, std::uint64_t> blocks_;              ///< address, bytes asked for
  std::map<std::uint64_t, std::uint64_t> free_;                ///< address, bytes; never adjacent
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;  ///< the same: bytes, address
};

}  // namespace heddle::host
