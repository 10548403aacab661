// heddle compare: its results as text, JSON and CSV.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/compare/run_pairs.h"
#include "results/results.h"

namespace heddle::cli {

struct CompareLimits {
  std::size_t statistics = 20;  ///< lines of statistics, of instructions
  std::size_t pairs = 40;       ///< lines of pairs
};

/// One pair: all that differs. Several: a line a pair, geometric means, the sum of their stall causes.
[[nodiscard]] std::string compare_text(const results::Results& results, const std::vector<PairGroup>& groups,
                                       const CompareLimits& limits);
/// The same without limits.
[[nodiscard]] nlohmann::ordered_json compare_json(const results::Results& results,
                                                  const std::vector<PairGroup>& groups);
/// A line for each pair and statistic that differs.
[[nodiscard]] std::string compare_csv(const results::Results& results, const std::vector<PairGroup>& groups);

}  // namespace heddle::cli
