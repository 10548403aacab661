// Steps in processes of their own, some at a time, each with a time limit.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/error.h"

namespace heddle::cli {

struct ChildOutcome {
  nlohmann::ordered_json result;     ///< of the body
  std::optional<base::Error> error;  ///< what it threw instead, or that it was ended
  double seconds = 0;                ///< from its start to its end
};

/// Runs all bodies, `at_a_time` of them in parallel, started in order. One that takes longer than `seconds` is ended. `done` is
/// told of each as it ends. Throws only what a signal to this process asks for: a child that fails is an outcome.
void run_children(const std::vector<std::function<nlohmann::ordered_json()>>& bodies, std::size_t at_a_time,
                  double seconds, const std::function<void(std::size_t body, ChildOutcome)>& done);

}  // namespace heddle::cli
