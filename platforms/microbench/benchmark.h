// Microbenchmarks: kernels that measure one property of a platform with the GPU's own clock, in the style of
// published GPU dissections, and compare it with the value that the platform's configuration implies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/gpu_config.h"

namespace heddle::microbench {

/// The expected value of a measurement.
struct Expectation {
  enum class Bound : std::uint8_t { kExactly, kAtLeast, kAtMost, kWithin };
  static constexpr const char* kBoundNames[] = {"exactly", "at_least", "at_most", "within"};
  Bound bound = Bound::kExactly;
  double value = 0;
  double slack = 0;  ///< kWithin: largest allowed distance from `value`

  [[nodiscard]] bool accepts(double measured) const;
  /// "18", ">= 168.5", "318.4 +- 2".
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] Expectation exactly(double value);
[[nodiscard]] Expectation at_least(double value);
[[nodiscard]] Expectation at_most(double value);
[[nodiscard]] Expectation within(double slack, double of);

/// One measured value: a row of the table.
struct Reading {
  std::string what;  ///< the case within the benchmark, "stride 4"; unique within it
  double measured = 0;
  Expectation expected;
  std::string unit;
  std::string keys;        ///< configuration keys that determine the expectation
  std::string why = {};    ///< if the expectation is a bound: why it is not exact
  bool of_values = false;  ///< what kernels have computed, not how long it took
  [[nodiscard]] bool ok() const { return expected.accepts(measured); }
};

class Session;

struct Benchmark {
  std::string name;
  std::string description;
  void (*run)(Session&);
  /// Changes of the configuration ("key=value", one or several applied together) that must move the measured
  /// value so far that the base configuration's expectation rejects it. Used by the tests.
  std::vector<std::vector<std::string>> (*mutations)(const gpu::GpuConfig&);
  /// Changes applied in those test runs, before and after the mutation, to make them cheaper or to make the
  /// mutated key the bottleneck. Null: none.
  std::vector<std::string> (*prepare)(const gpu::GpuConfig&) = nullptr;
  /// Why the benchmark does not apply to a platform; empty: it does. Null: applies to every platform.
  std::string (*missing)(const gpu::GpuConfig&) = nullptr;
};

/// All benchmarks, in table order.
[[nodiscard]] const std::vector<Benchmark>& all();
/// nullptr if there is no benchmark of that name.
[[nodiscard]] const Benchmark* find(const std::string& name);

}  // namespace heddle::microbench
