#include "workloads/verdict.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
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

Verdict compare_near(const std::string& name, const std::vector<float>& actual,
                     const std::vector<float>& expected, const std::vector<float>& tolerance) {
  const Verdict exact = compare(name, actual, expected);
  if (exact.passed || actual.size() != expected.size()) return exact;
  std::size_t near = 0, wrong = 0, first = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(actual[i]) == std::bit_cast<std::uint32_t>(expected[i])) continue;
    if (std::fabs(actual[i] - expected[i]) <= tolerance[i])
      ++near;
    else if (wrong++ == 0)  // NaN is near nothing
      first = i;
  }
  if (wrong != 0)
    return {false,
            fmt::format(
                "{}[{}] = {}, expected {} within {} ({} of {} differ by more than approximate functions may)",
                name, first, actual[first], expected[first], tolerance[first], wrong, actual.size())};
  return {true, fmt::format("{} floats of {} match, {} of them but for last digits of approximate functions",
                            actual.size(), name, near)};
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
