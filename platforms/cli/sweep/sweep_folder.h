// The folder of a sweep: its database, which refuses another sweep's runs, and the parts of several machines.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "cli/sweep/sweep_plan.h"
#include "results/results_writer.h"
#include "results/run.h"

namespace heddle::cli {

class SweepFolder {
 public:
  /// Makes the folder, or with `resume` goes on with the one that is there, including what other machines have put into its parts.
  /// `part`: of --part, empty: the whole sweep. Throws base::InputError: it has results and is not to be resumed, or those of another spec.
  SweepFolder(const std::string& out, const SweepPlan& plan, bool resume, const std::string& part);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Whether it has the run's result. A run that failed for reasons of the machine is made again.
  [[nodiscard]] bool has(std::size_t run) const { return done_.contains(run); }
  void add(std::size_t run, const results::MeasuredRun& measured);
  /// Completes the database and returns its path.
  std::string close();

 private:
  void check_spec(const SweepPlan& plan) const;
  void take_parts(const SweepPlan& plan);

  std::string given_;
  std::string path_;
  std::string file_;
  std::unique_ptr<results::ResultsWriter> writer_;
  std::set<std::size_t> done_;
};

}  // namespace heddle::cli
