// Writes a run's series (series.h) while it runs: at most 1,024 samples are in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "results/database.h"
#include "results/run.h"

namespace heddle::results {

class SeriesWriter {
 public:
  /// `file` must not exist. Throws base::InputError if it cannot be written.
  SeriesWriter(const std::string& file, std::uint64_t interval, const std::vector<Statistic>& series);
  /// A sample of each series, in their order.
  void add(std::span<const double> values);
  /// The samples since the last launch's end belong to this one.
  void end_launch(const std::string& kernel, std::uint64_t cycles);
  /// Completes the file.
  void finish();

 private:
  void flush();

  Database database_;
  std::vector<std::vector<double>> columns_;  ///< by series: samples that are not written yet
  std::size_t written_ = 0;                   ///< samples
  std::size_t launch_first_ = 0;
  std::int64_t launches_ = 0;
};

}  // namespace heddle::results
