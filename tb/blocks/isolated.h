// One simulation per process: SystemC elaborates once, so a test that compares several runs forks for each.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace heddle::tb {

/// Runs `simulate()` in a child process and returns its result. A child that throws or dies
/// yields {"errors": [reason]}. Numbers that are not finite arrive as such, not as null.
[[nodiscard]] nlohmann::ordered_json isolated(const std::function<nlohmann::ordered_json()>& simulate);

}  // namespace heddle::tb
