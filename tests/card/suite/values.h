// Operands: special values of each kind, and random ones.
#pragma once

#include <cstdint>
#include <vector>

#include "case.h"

namespace heddle::card {

enum class Operands : std::uint8_t {
  kAll,
  kRecorded,  ///< those of which results of a card are known
};

/// Operands of a case's sources, one after the other: [source][tuple]. One source of 16 bits: all its values; otherwise all
/// pairs of special values of the first two sources, then random ones, special ones among them, and related ones, whose sums
/// cancel. The number of tuples depends on the kinds only, and is a multiple of 128.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> operands_of(const std::vector<Values>& sources,
                                                                  Operands which = Operands::kAll);

}  // namespace heddle::card
