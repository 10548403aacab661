// A sweep's database while it grows: each run that ends is one transaction, so that a process that is killed loses only the runs
// that it was making.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/database.h"
#include "results/run.h"

namespace heddle::results {

inline constexpr const char* kResultsFile = "results.sqlite";

class ResultsWriter {
 public:
  /// Opens `file`, or makes it. Throws base::InputError for a file of another kind, or of another version's schema.
  explicit ResultsWriter(const std::string& file);
  ~ResultsWriter();
  ResultsWriter(const ResultsWriter&) = delete;
  ResultsWriter& operator=(const ResultsWriter&) = delete;

  /// What the sweep says of itself; replaces what is there.
  void set_about(const std::vector<Parameter>& about);
  [[nodiscard]] std::string about(const std::string& name) const;  ///< empty: it does not say
  /// The runs that it has, without those of a status.
  [[nodiscard]] std::set<std::size_t> runs(std::optional<RunStatus> except = {}) const;
  /// Takes the runs of another file that this one does not have, or has as failed. False: they are of another spec
  /// (`spec_digest` of its about()).
  [[nodiscard]] bool take(const std::string& file, const std::string& spec_digest);
  /// Adds a run, or replaces it. `folder` of the run is relative to the file's folder.
  void add(std::size_t number, const MeasuredRun& run);
  void remove(std::size_t number);

 private:
  void drop(std::size_t number);
  [[nodiscard]] std::string layout_of(const std::vector<Statistic>& statistics);

  Database database_;
  std::set<std::string> layouts_;  ///< that the database has
};

}  // namespace heddle::results
