// Two profiles (heddle run --profile) instruction by instruction.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "results/results.h"

namespace heddle::cli {

struct PcDifference {
  std::string kernel;
  std::string pc;
  std::uint64_t line = 0;
  std::string text;
  std::uint64_t base = 0, other = 0;               ///< group-cycles: issues and waiting
  std::map<std::string, std::int64_t> by_cause{};  ///< other - base; "issues" is one of them
  [[nodiscard]] std::int64_t difference() const {
    return static_cast<std::int64_t>(other) - static_cast<std::int64_t>(base);
  }
};

struct PcDifferences {
  std::vector<PcDifference> pcs;  ///< those that differ, the largest difference first
  std::string problem{};          ///< why there are none: profiles are missing, or of different code
};

/// Instructions are matched by kernel and PC where both runs have the same code.
[[nodiscard]] PcDifferences pc_differences(const results::Results& results, std::size_t base,
                                           std::size_t other);

}  // namespace heddle::cli
