// Sequences and scores of the Needleman-Wunsch workloads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "workloads/random.h"

namespace heddle::workloads {

constexpr std::int32_t kAlignMatch = 3, kAlignMismatch = -2, kAlignGap = -4;  // as in the kernels

struct Sequences {
  std::vector<std::uint8_t> a, b;
};

/// Two sequences over four letters; the second follows the first, with a letter in eight replaced.
[[nodiscard]] inline Sequences random_sequences(Random& random, std::uint32_t rows, std::uint32_t cols) {
  Sequences s;
  for (std::uint32_t i = 0; i < rows; ++i) s.a.push_back(static_cast<std::uint8_t>(random.below(4)));
  for (std::uint32_t j = 0; j < cols; ++j)
    s.b.push_back(random.below(8) == 0 ? static_cast<std::uint8_t>(random.below(4)) : s.a[j % rows]);
  return s;
}

[[nodiscard]] inline std::int32_t align_best(std::int32_t diagonal, std::int32_t one, std::int32_t other,
                                             std::uint8_t a, std::uint8_t b) {
  return std::max(diagonal + (a == b ? kAlignMatch : kAlignMismatch), std::max(one, other) + kAlignGap);
}

}  // namespace heddle::workloads
