// Memory as a set of possible values per word: current ones, those seen while the lanes were observed, and
// those that explored lanes may write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "hang/snapshot.h"
#include "hang/value_table.h"

namespace heddle::hang {

class AbstractMemory {
 public:
  AbstractMemory(const Snapshot& snapshot, ValueTable& values) : snapshot_(snapshot), values_(values) {}

  /// What a load of `core` may find; `through_l1`: in its L1 as well.
  [[nodiscard]] Values load(const Word& word, std::uint32_t core, bool through_l1);
  /// The word may become one of `written`.
  void store(const Word& word, Values written);
  /// The word may have any value, regardless of later stores.
  void forget(const Word& word) { forgotten_.insert(word); }

  /// Starts a new round of explorations. True: some word has gained values since the last call.
  bool next_round();
  /// Words that may have gained a value they did not have when the snapshot was taken.
  [[nodiscard]] const std::set<Word>& changed() const { return changed_; }
  /// Whether the word has more than one possible value.
  [[nodiscard]] bool varies(const Word& word);

 private:
  struct Cell {
    Values values = kAnyValue;
    std::uint32_t grown_in = 0;  ///< last round in which it grew
    std::uint32_t growths = 0;   ///< rounds in which it grew
  };
  struct Hash {
    std::size_t operator()(const Word& word) const {
      constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15ull;
      constexpr unsigned kCore = 40, kSpace = 56;
      return static_cast<std::size_t>((word.address ^ (std::uint64_t{word.core} << kCore) ^
                                       (std::uint64_t{static_cast<unsigned>(word.space)} << kSpace)) *
                                      kMix);
    }
  };
  Cell& cell(const Word& word);

  const Snapshot& snapshot_;
  ValueTable& values_;
  std::unordered_map<Word, Cell, Hash> cells_;
  std::unordered_map<Word, Values, Hash>
      stale_;  ///< word as a core's L1 may have it; kAnyValue: nothing more
  std::set<Word> forgotten_;
  std::set<Word> changed_;
  std::uint32_t round_ = 1;
  bool grew_ = false;
};

}  // namespace heddle::hang
