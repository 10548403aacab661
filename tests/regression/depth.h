// How much the tests that could run for ever do: HEDDLE_TEST_DEPTH multiplies their counts of random kernels, seeds and turns (default 1).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::depth {

/// The factor. Throws std::invalid_argument unless it is a number above 0 and at most 1000.
[[nodiscard]] inline double factor() {
  const char* const text = std::getenv("HEDDLE_TEST_DEPTH");
  if (text == nullptr) return 1;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(value > 0 && value <= 1000))
    throw std::invalid_argument("HEDDLE_TEST_DEPTH=" + std::string(text) +
                                ": no number above 0 and at most 1000; unset it, or set for example 4");
  return value;
}

/// `usual` at depth 1. Never 0.
[[nodiscard]] inline std::uint64_t times(std::uint64_t usual) {
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(factor() * static_cast<double>(usual))));
}

/// Instead of every case in each of `count` ways: which ways case number `index` takes, `usual` of them at depth 1, all from depth
/// `count / usual` on. They take turns: cases that follow each other begin with ways that follow each other, so that every way
/// is taken as soon as there are as many cases as ways.
[[nodiscard]] inline std::vector<std::size_t> turns(std::size_t index, std::size_t count,
                                                    std::size_t usual = 1) {
  const std::uint64_t taken = std::min<std::uint64_t>(count, times(usual));
  std::vector<std::size_t> ways;
  for (std::size_t i = 0; i < taken; ++i) ways.push_back((index + i) % count);
  return ways;
}

}  // namespace heddle::depth
