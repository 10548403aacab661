// How far the model is from the card, over many launches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "correlation/comparison.h"

namespace heddle::correlation {

/// Of the errors of a set of launches. An error is relative to the card's count.
struct Means {
  std::uint64_t launches = 0;   ///< that have an error
  std::uint64_t workloads = 0;  ///< that they belong to
  double absolute = 0;          ///< mean absolute error over launches
  double by_workload = 0;       ///< mean, over workloads, of each workload's mean absolute error
  double bias = 0;              ///< mean error over launches: positive if the model counts more
  /// Pearson's coefficient of the logarithms of card and model; none with fewer than two launches, or if one side's counts
  /// are all the same. Launches with a count of 0 have no logarithm and are left out.
  std::optional<double> pearson{};
};

/// Over the launches whose card cycles are in [least, most).
struct CycleRange {
  double least = 0;
  double most = 0;  ///< 0: no limit
  [[nodiscard]] bool holds(const LaunchComparison& launch) const;
};

[[nodiscard]] Means means_of(const std::vector<LaunchComparison>& launches, std::size_t counter,
                             const CycleRange& range = {});

/// How often a counter is right.
struct Agreement {
  std::uint64_t launches = 0;  ///< that have both counts
  std::uint64_t equal = 0;
  std::uint64_t within = 0;  ///< the tolerance, those equal among them
};
[[nodiscard]] Agreement agreement_of(const std::vector<LaunchComparison>& launches, std::size_t counter);

/// Indices of the launches with the largest absolute errors of cycles, largest first.
[[nodiscard]] std::vector<std::size_t> worst(const std::vector<LaunchComparison>& launches, std::size_t most);

}  // namespace heddle::correlation
