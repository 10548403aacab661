// Seeded inputs that are identical on every platform. The standard defines the sequence of std::mt19937_64
// but not the algorithms of its distributions, so those are implemented here.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace heddle::workloads {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [0, bound); bound > 0. The bias, below bound / 2^32, does not matter for test inputs.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((engine_() >> 32) * std::uint64_t{bound}) >> 32);
  }
  /// A multiple of 2^-16 in [-1, 1): exact in f32, and so are sums of a few of them.
  float signed_unit() {
    return static_cast<float>(static_cast<std::int32_t>(below(1u << 17)) - (1 << 16)) / 65536.0f;
  }
  std::vector<float> floats(std::size_t count) {
    std::vector<float> values(count);
    for (float& v : values) v = signed_unit();
    return values;
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[below(static_cast<std::uint32_t>(i))]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace heddle::workloads
