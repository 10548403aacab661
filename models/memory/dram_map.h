// Which bank and row of a DRAM channel hold a channel-local address.
#pragma once

#include <cstdint>

#include "base/divisor.h"

namespace heddle::memory {

struct DramConfig;

/// Chunks of bank_interleave_bytes are distributed over the banks round robin; the chunks of one bank fill
/// its rows one after the other. With `bank_skew` each round starts one bank further than the previous one,
/// so that arrays whose distance is a multiple of a whole round do not collide in the same banks. A bijection
/// for any number of banks and any sizes.
class DramMap {
 public:
  explicit DramMap(const DramConfig& config);

  struct BankRow {
    std::uint32_t bank = 0;
    std::uint64_t row = 0;
    bool operator==(const BankRow&) const = default;
  };
  [[nodiscard]] BankRow bank_row(std::uint64_t local) const {
    const std::uint64_t chunk = interleave_.quotient(local);
    const std::uint64_t turn = banks_.quotient(chunk);
    const std::uint64_t in_bank = turn * interleave_.value() + interleave_.remainder(local);
    return {static_cast<std::uint32_t>(banks_.remainder(skew_ ? chunk + turn : chunk)),
            row_bytes_.quotient(in_bank)};
  }
  /// Whether all of the range lies in one row of one bank.
  [[nodiscard]] bool in_one_row(std::uint64_t local, std::uint64_t bytes) const {
    const std::uint64_t last = local + bytes - 1;
    const bool one_chunk = interleave_.quotient(local) == interleave_.quotient(last);
    if (whole_chunks_ && one_chunk) return true;
    return (banks_.value() == 1 || one_chunk) && bank_row(local) == bank_row(last);
  }

 private:
  base::Divisor interleave_;
  base::Divisor banks_;
  base::Divisor row_bytes_;
  bool skew_;
  bool whole_chunks_;  ///< a row ends with a chunk
};

}  // namespace heddle::memory
