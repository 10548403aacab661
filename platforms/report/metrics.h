// The metrics of a page: what is computed of a run's statistics, with unit, meaning and the direction that is better.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/machine.h"

namespace heddle::report {

enum class Better : int { kLess = -1, kNeither = 0, kMore = 1 };

/// Where a metric is shown before the reader has chosen.
struct Shown {
  bool first = false;   ///< a column of the table
  bool axis = false;    ///< an axis of the parallel coordinates
  bool hidden = false;  ///< in charts alone: no column
};

struct Metric {
  std::string key;    ///< "simd_efficiency"
  std::string label;  ///< "SIMD efficiency"
  std::string unit;   ///< "share": a fraction of 1, shown in per cent
  std::string description;
  Better better = Better::kNeither;
  Shown shown{};
  std::vector<std::string> statistics;  ///< what compute() gets, by name
  /// Of a run. Values of statistics that it lacks are NaN. A quotient of nothing is NaN.
  double (*compute)(std::span<const double> values, const Machine& machine) = nullptr;
  bool needs_machine = false;  ///< not computed for runs without a configuration
};

/// In the order in which they are shown.
[[nodiscard]] const std::vector<Metric>& metrics();

}  // namespace heddle::report
