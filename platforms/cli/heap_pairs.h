// Blocks that kernels have allocated on two devices. Each allocates in an order of its own, so which block is which shows
// only in the memory that holds their addresses: what is stored at the same byte of the same thing is the same block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "cli/address_pairs.h"
#include "host/memory_map.h"

namespace heddle::cli {

class HeapPairs {
 public:
  /// Both ascending by address.
  HeapPairs(const std::vector<host::HeapBlock>& here, const std::vector<host::HeapBlock>& there);

  /// Whether both point to the same byte, or the end, of blocks of one size that may be the same; they are from then on.
  [[nodiscard]] bool same(std::uint64_t here, std::uint64_t there);
  /// The blocks found so far, in that order.
  [[nodiscard]] const std::vector<AddressPair>& found() const { return found_; }
  [[nodiscard]] bool empty() const { return here_.empty(); }

 private:
  struct Block {
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> twin;  ///< address on the other device
  };
  using Blocks = std::map<std::uint64_t, Block>;

  static Blocks blocks_of(const std::vector<host::HeapBlock>& list);
  /// The block that holds the address, or with `end` the one that ends there.
  static Blocks::iterator find(Blocks& blocks, std::uint64_t address, bool end);

  Blocks here_;
  Blocks there_;
  std::vector<AddressPair> found_;
};

}  // namespace heddle::cli
