// Sums over a tree of statistics that are read often: names are looked up once, and late work is done once for all sums.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/stats.h"

namespace heddle::base {

/// Of a counter, a maximum or a derived number.
struct StatName {
  std::string path;    ///< "core3.issue.slots.issued": of StatGroup::count()
  std::string common;  ///< "core.issue.slots.issued": of the dictionary, with the label behind it
};
/// All of the tree; of units of a kind (core0, core1 ...) only those of the first, unless `every_unit`.
[[nodiscard]] std::vector<StatName> stat_names(const StatGroup& group, bool every_unit);

class StatSums {
 public:
  /// A sum for each pattern, of all counters and derived numbers whose path matches: those of StatGroup::sum() and count(). 0 if there
  /// are none. `group` outlives this object and declares nothing more.
  StatSums(const StatGroup& group, const std::vector<std::string>& patterns);

  /// Present sums since the last reset, by pattern. The result is valid until the next call.
  [[nodiscard]] const std::vector<std::uint64_t>& read();

 private:
  friend std::vector<StatName> stat_names(const StatGroup& group, bool every_unit);
  static std::vector<StatName> names_of(const StatGroup& group, bool every_unit);
  struct Counter {
    const std::uint64_t* value;
    const std::uint64_t* zero;  ///< its value at the last reset
  };
  struct Sum {
    std::vector<Counter> counters;
    std::vector<const std::function<std::uint64_t()>*> derived;
  };
  const StatGroup& group_;
  std::vector<Sum> sums_;
  std::vector<std::uint64_t> values_;
};

}  // namespace heddle::base
