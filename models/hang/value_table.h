// Sets of values that a register or a word of memory may have, each stored once and identified by a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace heddle::hang {

/// Identifies a set in a ValueTable.
using Values = std::uint32_t;

/// Any value: nothing is known.
inline constexpr Values kAnyValue = 0;

class ValueTable {
 public:
  /// Larger sets become kAnyValue.
  static constexpr std::size_t kMostValues = 4096;
  /// With more combinations of operands than this, the result is any value.
  static constexpr std::size_t kMostCombinations = 8192;

  ValueTable();

  [[nodiscard]] Values one(std::uint64_t value);
  /// `values` in any order, with repetitions; not empty.
  [[nodiscard]] Values set(std::vector<std::uint64_t> values);
  /// a + (b << shift) for every pair of values. With more than `most` pairs, or if either is any value: any value.
  [[nodiscard]] Values sum(Values a, Values b, unsigned shift, std::size_t most);
  /// The union of both.
  [[nodiscard]] Values join(Values a, Values b);

  [[nodiscard]] static bool known(Values values) { return values != kAnyValue; }
  /// Ascending; not for kAnyValue.
  [[nodiscard]] std::span<const std::uint64_t> of(Values values) const;
  [[nodiscard]] std::size_t size(Values values) const { return of(values).size(); }
  [[nodiscard]] bool contains(Values values, std::uint64_t value) const;
  /// Values put into sets so far: a measure of the cost of large sets.
  [[nodiscard]] std::uint64_t work() const { return work_; }

 private:
  std::vector<std::vector<std::uint64_t>> sets_;
  std::unordered_map<std::uint64_t, Values> ones_;
  std::unordered_map<std::uint64_t, std::vector<Values>> larger_;  ///< sets of several values, by their hash
  std::unordered_map<std::uint64_t, Values> joins_;
  std::uint64_t work_ = 0;
};

}  // namespace heddle::hang
