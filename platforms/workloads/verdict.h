// Comparison of a device's results with the CPU reference: bit for bit, but for what approximate functions may change.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "workloads/workload.h"

namespace heddle::workloads {

/// "16384 floats of c match", or "c[17] = 3, expected 4 (12 of 16384 differ)". Floats are compared by their
/// bits: the references repeat the kernels' roundings in the kernels' order.
[[nodiscard]] Verdict compare(const std::string& name, const std::vector<float>& actual,
                              const std::vector<float>& expected);
[[nodiscard]] Verdict compare(const std::string& name, const std::vector<std::int32_t>& actual,
                              const std::vector<std::int32_t>& expected);
[[nodiscard]] Verdict compare(const std::string& name, const std::vector<std::uint32_t>& actual,
                              const std::vector<std::uint32_t>& expected);
[[nodiscard]] Verdict compare(const std::string& name, const std::vector<std::uint8_t>& actual,
                              const std::vector<std::uint8_t>& expected);
[[nodiscard]] Verdict compare(const std::string& name, const std::vector<std::uint64_t>& actual,
                              const std::vector<std::uint64_t>& expected);

/// What the PTX ISA allows the approximate functions of a device to be off (Floating-Point Instructions: ex2, lg2, cos,
/// rsqrt). References have each function's value, rounded once.
namespace approximate {
constexpr float kExp2 = 0x1p-22f;          ///< of the value: two units in the last place
constexpr float kLog2 = 0x1p-22f;          ///< of the value, but absolute for arguments from 0.5 to 2
constexpr float kCos = 0x1.6a09e6p-21f;    ///< absolute, 2^-20.5, up to two pi
constexpr float kRsqrt = 0x1.125fbep-23f;  ///< of the value: 2^-22.9
constexpr float kRounding =
    0x1p-24f;  ///< of the value, each operation behind them: it may now round another way
}  // namespace approximate

/// As `compare`, but a float may be off by its own tolerance, which is absolute; the summary then says how many are.
[[nodiscard]] Verdict compare_near(const std::string& name, const std::vector<float>& actual,
                                   const std::vector<float>& expected, const std::vector<float>& tolerance);

/// Passed if all parts are; the summary is that of the first failure, or of all parts.
[[nodiscard]] Verdict combine(std::initializer_list<Verdict> parts);

/// By size: `tiny`, `small` or `paper`.
template <class T>
[[nodiscard]] const T& pick(Size size, const T& tiny, const T& small, const T& paper) {
  return size == Size::kTiny ? tiny : size == Size::kSmall ? small : paper;
}

/// `ctas` CTAs of `threads` threads, in one dimension.
[[nodiscard]] inline host::Launch grid(std::uint32_t ctas, std::uint32_t threads) {
  return {.grid = {ctas, 1, 1}, .block = {threads, 1, 1}, .dynamic_shared_bytes = 0};
}

/// CTAs of `block_x` x `block_y` threads that cover `width` x `height`.
[[nodiscard]] inline host::Launch cover(std::uint32_t width, std::uint32_t height, std::uint32_t block_x,
                                        std::uint32_t block_y) {
  return {.grid = {(width + block_x - 1) / block_x, (height + block_y - 1) / block_y, 1},
          .block = {block_x, block_y, 1},
          .dynamic_shared_bytes = 0};
}

/// A one-dimensional launch of at least `threads` threads.
[[nodiscard]] inline host::Launch cover(std::uint32_t threads, std::uint32_t block) {
  return grid((threads + block - 1) / block, block);
}

}  // namespace heddle::workloads
