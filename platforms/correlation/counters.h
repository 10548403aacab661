// The counters that are compared: how the card's profiler and the model's statistics say each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::correlation {

/// An expression's terms: names and numbers with + - * / between them, all apart by a blank, evaluated from left to right:
/// "a - b / 100" is (a - b) / 100.
using Lookup = std::function<std::optional<double>(const std::string& name)>;
/// None if a name has no value, or something is divided by 0. Throws std::logic_error for a malformed expression.
[[nodiscard]] std::optional<double> evaluate(std::string_view expression, const Lookup& lookup);

struct Counter {
  std::string name;
  std::string unit;
  std::string card;   ///< of Nsight Compute's metrics
  std::string model;  ///< of paths in the statistics, summed over the GPU; launch.* and platform.* are facts
  double tolerance = 0;  ///< the model differs if it is further away than this share of the card's count ...
  double slack = 0;      ///< ... and than this absolute number
  bool comparable = true;  ///< false: shown only; the card counts something else as well (README.md)
};

/// In causal order: instructions, L1 requests, sectors, hits, shared memory, L2, DRAM, occupancy, cycles last.
[[nodiscard]] const std::vector<Counter>& counters();
/// The index of "cycles", the last one.
[[nodiscard]] std::size_t cycles_counter();

}  // namespace heddle::correlation
