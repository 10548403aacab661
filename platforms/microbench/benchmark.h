// Microbenchmarks: kernels that measure one property of a platform with the GPU's own clock, in the style of
// published GPU dissections, and compare it with what the platform's configuration says it must be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/gpu_config.h"

namespace heddle::microbench {

/// What a measured value must be.
struct Expectation {
  enum class Bound : std::uint8_t { kExactly, kAtLeast, kAtMost, kWithin };
  Bound bound = Bound::kExactly;
  double value = 0;
  double slack = 0;  ///< kWithin: largest distance from `value`

  [[nodiscard]] bool accepts(double measured) const;
  /// "18", ">= 168.5", "318.4 +- 2".
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] Expectation exactly(double value);
[[nodiscard]] Expectation at_least(double value);
[[nodiscard]] Expectation at_most(double value);
[[nodiscard]] Expectation within(double slack, double of);

/// One measured value: a line of the table.
struct Reading {
  std::string what;  ///< the case within the benchmark, "stride 4"; unique within it
  double measured = 0;
  Expectation expected;
  std::string unit;
  std::string keys;      ///< configuration keys that the expectation follows from
  std::string why = {};  ///< where the expectation is a bound: why it is not exact
  [[nodiscard]] bool ok() const { return expected.accepts(measured); }
};

class Session;

struct Benchmark {
  std::string name;
  std::string description;
  void (*run)(Session&);
  /// Changes of the configuration ("key=value", one or several to be made together) under which the measured
  /// value has to move to where the base configuration's expectation rejects it. Used by the tests.
  std::vector<std::vector<std::string>> (*mutations)(const gpu::GpuConfig&);
  /// Changes made for these runs, before and after, so that they are cheaper or what changes is what limits.
  /// Null: none.
  std::vector<std::string> (*prepare)(const gpu::GpuConfig&) = nullptr;
  /// Why there is nothing to measure on a platform; empty: there is. Null: on every platform.
  std::string (*missing)(const gpu::GpuConfig&) = nullptr;
};

/// All benchmarks, in the order of the table.
[[nodiscard]] const std::vector<Benchmark>& all();
/// nullptr if there is none of that name.
[[nodiscard]] const Benchmark* find(const std::string& name);

}  // namespace heddle::microbench
