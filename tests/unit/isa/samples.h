// Operands for tests of lane operations: special values and random ones.
#pragma once

#include <random>

#include "unit/isa/reference.h"

namespace heddle::isa::test {

class Samples {
 public:
  explicit Samples(std::uint32_t seed) : random_(seed) {}

  [[nodiscard]] std::uint64_t value(bool wide);
  [[nodiscard]] std::uint32_t bits() { return random_(); }

 private:
  [[nodiscard]] double moderate();
  std::mt19937 random_;
};

/// Operands of `spec`; full and partial masks by `round`.
[[nodiscard]] Warp random_warp(const LaneSpec& spec, Samples& samples, unsigned round);

[[nodiscard]] bool close_enough(Expected expected, std::uint64_t actual, bool wide);

}  // namespace heddle::isa::test
