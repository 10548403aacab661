// One run of --deterministic-check, in the process that makes its GPU: digests of memory after each launch, an image of
// memory, or the last writer of a word.
#pragma once

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run.h"

namespace heddle::cli {

struct PerturbedRun {
  const Job& job;
  const RunSettings& settings;
  std::uint64_t seed = 1;
};

/// The assignments that give every source of perturbation this seed.
[[nodiscard]] std::vector<std::string> perturbation(std::uint64_t seed);

/// {"seed", "launches": [{"kernel", "cycles", "memory": digest}], "passed", "verdict"}; "ended": {"code", "message"}
/// instead of the last two if the run ended early.
[[nodiscard]] nlohmann::ordered_json digests_of(const PerturbedRun& run);

/// Writes all of memory after launch `launch` (1: the first) to `image`, allocation by allocation, in order of their
/// addresses, and returns [{"name", "address", "bytes"}].
[[nodiscard]] nlohmann::ordered_json memory_after(const PerturbedRun& run, std::uint64_t launch,
                                                  std::FILE* image);

/// {"value", "stores": how many were made to the word, "writer": of its value after that launch}; no writer: the host.
[[nodiscard]] nlohmann::ordered_json writer_of(const PerturbedRun& run, std::uint64_t launch,
                                               std::uint64_t word);

}  // namespace heddle::cli
