// heddle run --sample N: statistics every N core cycles of each launch, into samples.sqlite of --out (platforms/results).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/stat_sums.h"
#include "cli/temporaries.h"
#include "gpu/launch_records.h"
#include "results/series_writer.h"

namespace heddle::cli {

struct SampleSettings {
  std::uint64_t cycles = 0;             ///< of a sample; 0: none are taken
  std::vector<std::string> statistics;  ///< besides the usual ones: names with '*' for any run of characters
};

class Sampler {
 public:
  /// `folder`: that of --out, where the series grow under a temporary name.
  Sampler(const SampleSettings& settings, const std::string& folder);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// The GPU's statistics, which outlive this object. Throws base::InputError for a name that matches none of its counters.
  void attach(const base::StatGroup& stats);
  /// For gpu::RunOptions::on_sample.
  void sample();
  /// For gpu::RunOptions::on_launch.
  void launch_ended(const gpu::LaunchRecord& launch);
  /// The complete file.
  [[nodiscard]] std::string take();

 private:
  [[nodiscard]] std::vector<double> grown();

  SampleSettings settings_;
  std::unique_ptr<Temporary> file_;
  std::unique_ptr<results::SeriesWriter> writer_;
  std::optional<base::StatSums> sums_;  ///< by series
  std::vector<std::uint64_t> before_;   ///< by series: at the last sample of the launch
  std::vector<double> pending_;         ///< the last sample: what the launch's end still adds belongs to it
  std::uint64_t samples_ = 0;           ///< of the launch
};

}  // namespace heddle::cli
