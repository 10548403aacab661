// Sets of values that a register or a word of memory may have, each stored once and named by a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace heddle::hang {

/// Names a set in a ValueTable.
using Values = std::uint32_t;

/// "Any value": what is not known.
inline constexpr Values kAnyValue = 0;

class ValueTable {
 public:
  /// Larger sets become kAnyValue.
  static constexpr std::size_t kMostValues = 4096;
  /// More combinations of operands than this are not tried: any result.
  static constexpr std::size_t kMostCombinations = 8192;

  ValueTable();

  [[nodiscard]] Values one(std::uint64_t value);
  /// `values` in any order, with repetitions; not empty.
  [[nodiscard]] Values set(std::vector<std::uint64_t> values);
  /// Either of them.
  [[nodiscard]] Values join(Values a, Values b);

  [[nodiscard]] static bool known(Values values) { return values != kAnyValue; }
  /// Ascending; not for kAnyValue.
  [[nodiscard]] std::span<const std::uint64_t> of(Values values) const;
  [[nodiscard]] std::size_t size(Values values) const { return of(values).size(); }
  [[nodiscard]] bool contains(Values values, std::uint64_t value) const;
  /// Values put into sets so far: what large sets cost.
  [[nodiscard]] std::uint64_t work() const { return work_; }

 private:
  std::vector<std::vector<std::uint64_t>> sets_;
  std::unordered_map<std::uint64_t, Values> ones_;
  std::map<std::vector<std::uint64_t>, Values> larger_;
  std::unordered_map<std::uint64_t, Values> joins_;
  std::uint64_t work_ = 0;
};

}  // namespace heddle::hang
