// A run's statistics as a list of numbers: the trees of stats.json, summed over equal units and over kernels.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace heddle::results {

/// Statistics of a stats.json and their values (run.h says what they are). Throws nlohmann::json::exception if it is none.
struct RunStatistics {
  std::vector<Statistic> statistics;
  std::vector<double> values;
};
[[nodiscard]] RunStatistics statistics_of(const nlohmann::ordered_json& stats);

/// Unit and description of a name.
[[nodiscard]] Statistic meaning_of(const std::string& name, const nlohmann::ordered_json& dictionary);

/// Whether the larger of two intervals' values is that of both together. By its name: "max_depth", "most_entries"
/// (base::StatGroup::maximum()).
[[nodiscard]] bool is_maximum(std::string_view path);

}  // namespace heddle::results
