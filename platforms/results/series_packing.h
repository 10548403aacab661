// Samples as bytes: the narrowest whole numbers that hold them all, or doubles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace heddle::results {

namespace series_packing {

template <class Number>
bool holds(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) {
    return value >= 0 && value <= static_cast<double>(Number(-1)) && value == std::floor(value);
  });
}

template <class Number>
std::vector<std::byte> packed(std::span<const double> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(Number));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto number = static_cast<Number>(values[i]);
    std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
  }
  return bytes;
}

template <class Number>
void unpack(std::span<const std::byte> bytes, std::span<double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Number number{};
    std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
    values[i] = static_cast<double>(number);
  }
}

}  // namespace series_packing

[[nodiscard]] inline std::vector<std::byte> pack(std::span<const double> values) {
  namespace sp = series_packing;
  if (sp::holds<std::uint8_t>(values)) return sp::packed<std::uint8_t>(values);
  if (sp::holds<std::uint16_t>(values)) return sp::packed<std::uint16_t>(values);
  if (sp::holds<std::uint32_t>(values)) return sp::packed<std::uint32_t>(values);
  return sp::packed<double>(values);
}

/// False: the bytes are no such samples.
[[nodiscard]] inline bool unpack(std::span<const std::byte> bytes, std::span<double> values) {
  namespace sp = series_packing;
  if (values.empty() || bytes.size() % values.size() != 0) return false;
  switch (bytes.size() / values.size()) {
    case sizeof(std::uint8_t):
      sp::unpack<std::uint8_t>(bytes, values);
      return true;
    case sizeof(std::uint16_t):
      sp::unpack<std::uint16_t>(bytes, values);
      return true;
    case sizeof(std::uint32_t):
      sp::unpack<std::uint32_t>(bytes, values);
      return true;
    case sizeof(double):
      sp::unpack<double>(bytes, values);
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::results
