#include "cli/trace_distance.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace heddle::cli {
namespace {

using Symbols = std::span<const std::uint32_t>;
constexpr std::int64_t kWord = 64;  ///< rows of a block

/// The blocks of the pattern in which each symbol is, and where in them.
class Occurrences {
 public:
  struct Entry {
    std::int64_t block = 0;
    std::uint64_t rows = 0;
  };

  explicit Occurrences(Symbols pattern) {
    const std::size_t symbols = std::size_t{*std::max_element(pattern.begin(), pattern.end())} + 1;
    // The block seen last, plus one, and the number of blocks.
    std::vector<std::int64_t> seen(symbols, 0);
    first_.assign(symbols + 1, 0);
    for (std::size_t row = 0; row < pattern.size(); ++row) {
      const std::int64_t block = static_cast<std::int64_t>(row) / kWord;
      if (std::exchange(seen[pattern[row]], block + 1) != block + 1) ++first_[pattern[row] + 1];
    }
    for (std::size_t symbol = 0; symbol < symbols; ++symbol) first_[symbol + 1] += first_[symbol];
    entries_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t row = 0; row < pattern.size(); ++row) {
      const std::int64_t block = static_cast<std::int64_t>(row) / kWord;
      std::size_t& end = next[pattern[row]];
      if (end == first_[pattern[row]] || entries_[end - 1].block != block) entries_[end++] = {block, 0};
      entries_[end - 1].rows |= std::uint64_t{1} << (static_cast<std::int64_t>(row) % kWord);
    }
  }
  /// In ascending order, from block `first` on.
  [[nodiscard]] std::span<const Entry> from(std::uint32_t symbol, std::int64_t first) const {
    if (symbol + std::size_t{1} >= first_.size()) return {};
    const std::span<const Entry> all(entries_.data() + first_[symbol], first_[symbol + 1] - first_[symbol]);
    const auto begin =
        std::lower_bound(all.begin(), all.end(), first,
                         [](const Entry& entry, std::int64_t block) { return entry.block < block; });
    return {begin, all.end()};
  }

 private:
  std::vector<std::size_t> first_;  ///< by symbol
  std::vector<Entry> entries_;
};

/// 64 rows of a column: the differences from row to row, and the value in the last one.
struct Block {
  std::uint64_t plus = ~std::uint64_t{0};
  std::uint64_t minus = 0;
  std::int64_t last = 0;

  /// The next column. `above`: the difference of the row above from the column before to this one; returns that of the
  /// last row (Hyyrö's form of Myers' recurrence).
  int advance(std::uint64_t matches, int above) {
    const std::uint64_t vertical = matches | minus;
    if (above < 0) matches |= 1;
    const std::uint64_t horizontal = (((matches & plus) + plus) ^ plus) | matches;
    std::uint64_t up = minus | ~(horizontal | plus);
    std::uint64_t down = plus & horizontal;
    const int below = static_cast<int>(up >> 63) - static_cast<int>(down >> 63);
    up = up << 1 | (above > 0 ? 1u : 0u);
    down = down << 1 | (above < 0 ? 1u : 0u);
    plus = down | ~(vertical | up);
    minus = up & vertical;
    last += below;
    return below;
  }
};

/// The distance if it is at most `band`, otherwise something larger that is not less than it. |text| - |pattern| must be
/// within the band. Cells outside of it take values that are too large, which cannot make any other one too small.
std::int64_t distance_within(Symbols pattern, Symbols text, const Occurrences& occurrences,
                             std::vector<Block>& blocks, std::int64_t band) {
  const auto rows = static_cast<std::int64_t>(pattern.size());
  const auto columns = static_cast<std::int64_t>(text.size());
  const std::int64_t difference = columns - rows;
  // A way of at most `band` steps keeps column - row within these.
  const std::int64_t slack = (band - std::abs(difference)) / 2;
  const std::int64_t lowest = std::min<std::int64_t>(0, difference) - slack;
  const std::int64_t highest = std::max<std::int64_t>(0, difference) + slack;
  blocks.resize(static_cast<std::size_t>((rows + kWord - 1) / kWord));
  std::int64_t end = 0;  ///< behind the last block in use
  for (std::int64_t column = 1; column <= columns; ++column) {
    const std::int64_t first = (std::max<std::int64_t>(1, column - highest) - 1) / kWord;
    const std::int64_t last = (std::min(rows, column - lowest) - 1) / kWord;
    for (; end <= last; ++end) {
      const std::int64_t above = end == 0 ? 0 : blocks[static_cast<std::size_t>(end - 1)].last;
      blocks[static_cast<std::size_t>(end)] = {~std::uint64_t{0}, 0, above + kWord};
    }
    const std::span<const Occurrences::Entry> matches =
        occurrences.from(text[static_cast<std::size_t>(column - 1)], first);
    auto match = matches.begin();
    int step = 1;
    for (std::int64_t block = first; block <= last; ++block) {
      std::uint64_t here = 0;
      if (match != matches.end() && match->block == block) here = (match++)->rows;
      step = blocks[static_cast<std::size_t>(block)].advance(here, step);
    }
  }
  // The last block may reach beyond the last row.
  const Block& block = blocks.back();
  std::int64_t value = block.last;
  for (std::int64_t row = static_cast<std::int64_t>(blocks.size()) * kWord - 1; row >= rows; --row)
    value -= static_cast<std::int64_t>(block.plus >> (row % kWord) & 1) -
             static_cast<std::int64_t>(block.minus >> (row % kWord) & 1);
  return value;
}

}  // namespace

std::optional<std::uint64_t> edit_distance(Symbols a, Symbols b, std::uint64_t most) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) a = a.subspan(1), b = b.subspan(1);
  while (!a.empty() && !b.empty() && a.back() == b.back())
    a = a.first(a.size() - 1), b = b.first(b.size() - 1);
  if (a.size() > b.size()) std::swap(a, b);
  const std::uint64_t difference = b.size() - a.size();
  if (difference > most) return std::nullopt;
  if (a.empty()) return difference;
  const Occurrences occurrences(a);
  std::vector<Block> blocks;
  const auto limit = static_cast<std::int64_t>(std::min<std::uint64_t>(most, b.size()));
  std::int64_t band = std::min(limit, static_cast<std::int64_t>(difference) + kWord);
  for (;;) {
    const std::int64_t found = distance_within(a, b, occurrences, blocks, band);
    if (found <= band) return static_cast<std::uint64_t>(found);
    if (band == limit) return std::nullopt;
    band = std::min({limit, 2 * band, found});
  }
}

}  // namespace heddle::cli
