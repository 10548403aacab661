// The results of a run of microbenchmarks, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "microbench/benchmark.h"

namespace heddle::microbench {

/// One benchmark's readings.
struct Result {
  std::string benchmark;
  std::vector<Reading> readings;
  std::string missing = {};  ///< why there are no readings, or none but these
  [[nodiscard]] bool ok() const;
};

/// Runs the benchmarks one after the other on the device.
[[nodiscard]] Result run(const Benchmark& benchmark, Session& session);

/// benchmark | measured | expected | unit | from (keys) | ok, one line per reading, and the reasons for
/// bounds.
[[nodiscard]] std::string table(const std::vector<Result>& results);
/// [{"benchmark", "what", "measured", "expected", "bound", "slack", "unit", "keys", "why", "ok"}]
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<Result>& results);

}  // namespace heddle::microbench
