// The outcome of a correlation, as text, JSON and CSV. All three are reproducible: the host's times are not in them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "correlation/comparison.h"
#include "correlation/means.h"

namespace heddle::cli {

struct CorrelationResult {
  std::string device;                   ///< of the card
  std::string platform;                 ///< of the model
  std::string code;                     ///< "machine code of cubin", "nvcc PTX"
  std::vector<std::string> settings{};  ///< changed keys
  bool cold_caches = true;
  bool replayed = true;
  double add_cycles = 0;
  double large_cycles = 10'000;  ///< launches of at least as many of the card's are counted apart
  std::vector<correlation::LaunchComparison> launches{};
  std::vector<std::string> notes{};  ///< what else a reader must know, a line each
};

/// `most`: how many of the worst launches, and of the instructions of a launch, are listed.
[[nodiscard]] std::string correlation_text(const CorrelationResult& result, std::size_t most);
[[nodiscard]] nlohmann::ordered_json correlation_json(const CorrelationResult& result);
/// One line for each launch and counter: workload, size, kernel, launch, counter, unit, card, model, error.
[[nodiscard]] std::string correlation_csv(const CorrelationResult& result);

}  // namespace heddle::cli
