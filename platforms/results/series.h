// A statistic over time, as `heddle run --sample N --out DIR` writes it to DIR/samples.sqlite.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/run.h"

namespace heddle::results {

inline constexpr const char* kSeriesFile = "samples.sqlite";

/// A launch, and where its samples are. Launches follow one another on the axis of time; what the host does between them takes
/// none.
struct SampledLaunch {
  std::string kernel;
  std::uint64_t begin = 0;   ///< core cycles of all launches before it
  std::uint64_t cycles = 0;  ///< of this launch
  std::size_t first = 0;     ///< of its samples
  std::size_t samples = 0;
};

struct Series {
  Statistic statistic;
  std::uint64_t interval = 0;           ///< core cycles of a sample; the last of a launch may be shorter
  std::vector<SampledLaunch> launches;  ///< in order
  std::vector<std::uint64_t>
      end;  ///< by sample: the core cycle at which it ends, on the axis of all launches
  std::vector<double>
      values;  ///< by sample: how much the counter has grown; of a maximum: its value in the launch so far
};

/// The series of a file; empty: there is no file. Throws base::InputError for a file that cannot be read.
[[nodiscard]] std::vector<Statistic> series_in(const std::string& file);
/// Throws std::out_of_range if the file has no series of this name.
[[nodiscard]] Series read_series(const std::string& file, const std::string& name);

}  // namespace heddle::results
