// Which thread wrote words of global memory last: of those that one core's threads wrote lately, in a table of bounded size. A
// word that shares its place with a later one is forgotten.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"

namespace heddle::compaction {

struct WrittenWord {
  std::uint64_t word = ~std::uint64_t{0};  ///< address / 4
  std::uint64_t warp = 0;                  ///< number in the grid
  unsigned lane = 0;
  std::uint8_t bytes = 0;     ///< bit per byte
  std::uint64_t at = 0;       ///< time of the warp (WarpSynchrony)
  base::LaneMask wrote_with;  ///< lanes of that warp in its group
  base::Pc pc{};
};

class WrittenWords {
 public:
  static constexpr std::size_t kPlaces = std::size_t{1} << 14;

  void clear() { places_.assign(kPlaces, {}); }
  /// Null: not known.
  [[nodiscard]] const WrittenWord* find(std::uint64_t word) const {
    const WrittenWord& place = places_[word % kPlaces];
    return place.word == word ? &place : nullptr;
  }
  void write(const WrittenWord& written) { places_[written.word % kPlaces] = written; }
  /// Bytes that others have written since, or by an atomic, are no longer the thread's.
  void forget(std::uint64_t word) {
    WrittenWord& place = places_[word % kPlaces];
    if (place.word == word) place = {};
  }

 private:
  std::vector<WrittenWord> places_ = std::vector<WrittenWord>(kPlaces);
};

}  // namespace heddle::compaction
