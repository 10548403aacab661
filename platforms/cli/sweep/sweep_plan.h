// The runs of a sweep, in order: the product of its axes without what it excludes. Runs are made when they are asked for, so that
// a sweep takes no memory for those to come.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/sweep/sweep_spec.h"
#include "results/run.h"

namespace heddle::cli {

class SweepPlan {
 public:
  /// Throws base::InputError for a spec that no run can follow: nothing to run, a setting that two axes have, too many runs.
  explicit SweepPlan(SweepSpec spec);

  [[nodiscard]] std::size_t runs() const { return combinations_.size(); }
  /// The settings of a run, in the order of the spec.
  [[nodiscard]] std::vector<Setting> settings(std::size_t run) const;
  /// The same as the parameters of its row: with the defaults of a workload where the spec says nothing.
  [[nodiscard]] std::vector<results::Parameter> parameters(std::size_t run) const;
  [[nodiscard]] const SweepSpec& spec() const { return spec_; }
  [[nodiscard]] const SweepKernel* kernel(const std::string& name) const;
  [[nodiscard]] const SweepProgram* program(const std::string& name) const;
  /// Equal for specs with the same runs in the same order.
  [[nodiscard]] std::string digest() const;

 private:
  [[nodiscard]] std::vector<Setting> combination(std::uint64_t number) const;
  [[nodiscard]] bool is_excluded(const std::vector<Setting>& settings) const;

  SweepSpec spec_;
  std::vector<std::uint32_t> combinations_;  ///< by run: its number in the whole product
};

/// The value of a setting; empty: it is not there.
[[nodiscard]] std::string value_of(const std::vector<Setting>& settings, const std::string& name);
/// Whether it is a key of the configuration: all that is no name of the command's own.
[[nodiscard]] bool is_key(const std::string& name);

}  // namespace heddle::cli
