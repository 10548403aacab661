// The words of global memory that an access of a transaction is about: up to four of each lane, from the first word on that it
// touches, with bits of the bytes that are wanted and known.
#pragma once

#include <array>
#include <cstdint>

#include "tm/global_reads.h"
#include "tm/tx_log.h"

namespace heddle::tm {

struct AccessWords {
  LaneMask lanes;
  LaneAddresses address{};
  LaneAddresses word_address{};   ///< of the first word
  unsigned bytes = 0, words = 0;  ///< of a lane
  std::array<std::array<unsigned char, kMostWords * kWordBytes>, base::kLanes> data{};
  std::array<std::uint16_t, base::kLanes> wanted{}, known{};  ///< bit per byte of `data`

  [[nodiscard]] std::uint16_t missing(unsigned lane) const {
    return static_cast<std::uint16_t>(wanted[lane] & ~known[lane]);
  }
  void set(unsigned lane, unsigned byte, unsigned char value) {
    data[lane][byte] = value;
    known[lane] |= byte_bits(byte, 1);
  }
};

/// A word of each lane that an instruction reads or writes: what a row of a log holds.
struct AccessRow {
  bool write = false;
  LaneMask lanes;
  LaneAddresses address{};
  std::array<std::uint32_t, base::kLanes> values{};
  unsigned bytes = 4;  ///< of a write, within its word
};

}  // namespace heddle::tm
