// How far two sequences are from each other ([Hanoi] §IX).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace heddle::cli {

/// Levenshtein's distance: insertions, deletions and updates, each 1, that make one of the other. Exact. nullopt: it is
/// more than `most`.
///
/// Myers' bit vectors of 64 rows within Ukkonen's band, which is widened until it is wide enough: time is length x
/// distance / 64, memory 17 bytes for each element of the shorter sequence and 24 for each different one. Symbols are small
/// numbers.
[[nodiscard]] std::optional<std::uint64_t> edit_distance(std::span<const std::uint32_t> a,
                                                         std::span<const std::uint32_t> b,
                                                         std::uint64_t most = ~std::uint64_t{0});

}  // namespace heddle::cli
