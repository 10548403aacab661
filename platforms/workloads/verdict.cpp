#include "workloads/verdict.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstddef>

namespace heddle::workloads {

namespace {

template <class T>
Verdict compare_bits(const std::string& name, const char* plural, const std::vector<T>& actual,
                     const std::vector<T>& expected) {
  if (actual.size() != expected.size())
    return {false, fmt::format("{} has {} {}, expected {}", name, actual.size(), plural, expected.size())};
  using Bits = std::array<std::byte, sizeof(T)>;  // bit for bit, for floating-point numbers too
  std::size_t different = 0, first = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::bit_cast<Bits>(actual[i]) == std::bit_cast<Bits>(expected[i])) continue;
    if (different++ == 0) first = i;
  }
  if (different == 0) return {true, fmt::format("{} {} of {} match", actual.size(), plural, name)};
  return {false, fmt::format("{}[{}] = {}, expected {} ({} of {} differ)", name, first, actual[first],
                             expected[first], different, actual.size())};
}

}  // namespace

Verdict compare(const std::string& name, const std::vector<float>& actual,
                const std::vector<float>& expected) {
  return compare_bits(name, "floats", actual, expected);
}
Verdict compare(const std::string& name, const std::vector<std::int32_t>& actual,
                const std::vector<std::int32_t>& expected) {
  return compare_bits(name, "integers", actual, expected);
}
Verdict compare(const std::string& name, const std::vector<std::uint32_t>& actual,
                const std::vector<std::uint32_t>& expected) {
  return compare_bits(name, "integers", actual, expected);
}
Verdict compare(const std::string& name, const std::vector<std::uint8_t>& actual,
                const std::vector<std::uint8_t>& expected) {
  return compare_bits(name, "bytes", actual, expected);
}
Verdict compare(const std::string& name, const std::vector<std::uint64_t>& actual,
                const std::vector<std::uint64_t>& expected) {
  return compare_bits(name, "integers", actual, expected);
}

Verdict combine(std::initializer_list<Verdict> parts) {
  Verdict all{true, ""};
  for (const Verdict& part : parts) {
    if (!part.passed) return part;
    all.summary += (all.summary.empty() ? "" : ", ") + part.summary;
  }
  return all;
}

}  // namespace heddle::workloads
