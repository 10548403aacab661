// Results to compare and to show: the runs of sweeps and of single `heddle run --out` folders, in one table.
//
//   const Results results = Results::open({"out/sweep"});
//   for (const Run& run : results.runs()) ...
//   const std::vector<double> ipc = results.values("total.ipc");      // one a run, NaN where there is none
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/run.h"
#include "results/series.h"

namespace heddle::results {

class Results {
 public:
  /// Each path: the folder of a sweep (--out of `heddle sweep`) or its results.sqlite, or the folder of a run (--out of `heddle
  /// run`). Runs are in the order of the paths, those of a sweep in the order of its spec. With several paths every run has the
  /// parameter "results", the path. Runs of folders have as parameters what their stats.json says of them, and the configuration
  /// keys in which these folders differ. Throws base::InputError with the path.
  [[nodiscard]] static Results open(const std::vector<std::string>& paths);
  Results(Results&&) noexcept;
  ~Results();

  [[nodiscard]] const std::vector<Run>& runs() const;
  /// Names of all parameters, in order of first appearance.
  [[nodiscard]] std::vector<std::string> parameters() const;
  /// Of these, those in which runs differ.
  [[nodiscard]] std::vector<std::string> differing() const;
  /// All statistics that any run has, in the order of the first run that has them.
  [[nodiscard]] const std::vector<Statistic>& statistics() const;
  /// Nothing: no run has it.
  [[nodiscard]] std::optional<Statistic> statistic(const std::string& name) const;
  /// A statistic of every run; NaN for runs that do not have it.
  [[nodiscard]] std::vector<double> values(const std::string& statistic) const;
  /// The same for several statistics, in one pass over the database: [statistic][run].
  [[nodiscard]] std::vector<std::vector<double>> table(const std::vector<std::string>& statistics) const;
  /// All statistics of a run, in the order of statistics(); NaN for those that it does not have.
  [[nodiscard]] std::vector<double> values_of(std::size_t run) const;

  /// The names of the series of `--sample` that a run has; empty: it was not sampled.
  [[nodiscard]] std::vector<Statistic> series_names(std::size_t run) const;
  /// Throws std::out_of_range if it has no series of this name.
  [[nodiscard]] Series series(std::size_t run, const std::string& name) const;

  /// A JSON file of a run's folder: stats.json (statistics of every core and kernel), host.json, profile.json. Null: it is not
  /// there.
  [[nodiscard]] nlohmann::ordered_json document(std::size_t run, const std::string& file) const;
  /// The resolved configuration of a run, by dotted key, in the order of config.yaml; empty: it left none.
  [[nodiscard]] std::vector<Parameter> configuration(std::size_t run) const;
  /// What a sweep says of itself ("spec", "heddle", "commit", "machine" ...) and folders do not; of the first path.
  [[nodiscard]] std::vector<Parameter> about() const;

 private:
  struct Impl;
  explicit Results(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::results
