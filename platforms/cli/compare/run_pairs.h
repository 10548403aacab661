// Which runs are compared with which.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/results.h"

namespace heddle::cli {

struct RunPair {
  std::size_t base = 0;  ///< of Results::runs()
  std::size_t other = 0;
  std::string
      program;  ///< what both have in common where pairs differ: "workload=bfs seed=2"; empty: one pair
};

/// Pairs with the same difference: "core.scheduler.policy=lrr" against "core.scheduler.policy=gto".
struct PairGroup {
  std::string base;
  std::string other;
  std::vector<RunPair> pairs;
  std::size_t unmatched = 0;  ///< runs of either side without a partner
};

/// The runs of the first of `paths` against those of each other one, matched by the parameters that runs of one path differ in.
/// Throws base::InputError if nothing matches, or a run matches several.
[[nodiscard]] std::vector<PairGroup> pairs_of_paths(const results::Results& results,
                                                    const std::vector<std::string>& paths);
/// Runs that differ in `parameter` only: its first value against each other one. The same errors, and for a parameter that no run
/// has.
[[nodiscard]] std::vector<PairGroup> pairs_by(const results::Results& results, const std::string& parameter);

}  // namespace heddle::cli
