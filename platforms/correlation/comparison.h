// Launch by launch: what the card counted beside what the model counts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "correlation/counters.h"
#include "correlation/truth.h"

namespace heddle::correlation {

/// One launch of a run of the model.
struct ModelLaunch {
  std::string kernel;
  std::uint32_t launch_of_kernel = 1;
  std::map<std::string, double> counters{};      ///< by Counter::name
  std::vector<InstructionCount> instructions{};  ///< those that ran; empty: not recorded
};

/// A run of the model, as far as it came.
struct ModelRun {
  std::vector<ModelLaunch> launches{};
  std::string problem{};  ///< why it ended early, in one line; empty: it did not
  double seconds = 0;     ///< of the host
};

struct Pair {
  std::optional<double> card, model;
  [[nodiscard]] bool both() const { return card && model; }
  /// (model - card) / card; 0 if both are 0; none if only the card's is, or one is missing.
  [[nodiscard]] std::optional<double> error() const;
};

/// An instruction that does not run as often as on the card.
struct InstructionDifference {
  std::uint64_t offset = 0;
  std::string text;
  Pair warps, lanes;
};

struct LaunchComparison {
  std::string workload, size, kernel;
  std::uint32_t launch_of_kernel = 1;
  std::vector<Pair> values;  ///< by counters()
  std::string problem{};     ///< why the model has no values; empty: it has
  bool instructions_compared = false;
  std::uint64_t instructions = 0;  ///< that the card or the model has executed
  std::vector<InstructionDifference> differences{};

  [[nodiscard]] const Pair& cycles() const { return values[cycles_counter()]; }
  /// The first counter in causal order, but for the cycles, of which the model is not within the tolerance.
  [[nodiscard]] std::optional<std::size_t> first_difference() const;
};

/// Whether the model's count is further from the card's than the counter allows. False if one is missing.
[[nodiscard]] bool differs(const Counter& counter, const Pair& pair);

struct CompareOptions {
  double add_cycles = 0;  ///< to the model's, for what the card's count contains and the model's does not
};

/// One comparison for each launch of `card`, in its order. Launches are matched by kernel and number.
[[nodiscard]] std::vector<LaunchComparison> compare(const CardRun& card, const ModelRun& model,
                                                    const CompareOptions& options);

/// Kernels that the run of the model has launched and the truth has no launch of.
[[nodiscard]] std::vector<std::string> unknown_kernels(const CardRun& card, const ModelRun& model);

}  // namespace heddle::correlation
