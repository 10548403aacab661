// Means over several pairs of runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/compare/run_difference.h"
#include "cli/compare/run_pairs.h"

namespace heddle::cli {

/// The geometric mean of other / base over the pairs in which both are greater than 0.
struct MeanRatio {
  results::Statistic statistic;
  double ratio = 1;
  std::size_t pairs = 0;
};

struct GroupMeans {
  std::vector<MeanRatio> ratios;                  ///< of cycles and the other main figures
  std::vector<CauseDifference> causes;            ///< summed over pairs: their cycles sum to `cycles`
  std::int64_t cycles = 0;                        ///< difference, of all pairs
  std::size_t faster = 0, slower = 0, equal = 0;  ///< pairs by cycles
  std::size_t incomplete = 0;  ///< pairs of which a run did not come to its end: in none of the above
};

[[nodiscard]] GroupMeans means_of(const results::Results& results, const PairGroup& group);
/// Both runs came to their end.
[[nodiscard]] bool is_complete(const results::Results& results, const RunPair& pair);

/// The main figures: "total.cycles" and others.
[[nodiscard]] const std::vector<std::string>& main_figures();

}  // namespace heddle::cli
