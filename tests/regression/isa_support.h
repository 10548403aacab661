// Runs PTX fragments on a small GPU, to test the effect of instructions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/device.h"

namespace heddle::testing {

/// A kernel k(.param .u64 out) with %out loaded, %t = %tid.x, %mine = %out + 4 * %t, registers %r<32>,
/// %w<32>, %h<16>, %f<16>, %d<8>, %p<16>; `module`: declarations before it.
struct Fragment {
  std::string module{};
  std::string body{};
  host::Launch shape{{1, 1, 1}, {32, 1, 1}, 0};
  std::size_t words = 64;
  bool timed = false;  ///< what it writes depends on when it runs
};

[[nodiscard]] std::string fragment_text(const Fragment& fragment);
/// The words of `out`, which starts as zeros. They are the same if the kernel runs without time, unless it is `timed`.
[[nodiscard]] std::vector<std::uint32_t> run(const Fragment& fragment);
/// The same on the oracle.
[[nodiscard]] std::vector<std::uint32_t> on_oracle(const Fragment& fragment);
/// Message of the base::Error that ends the run; empty if there is none. After a fault the process cannot run
/// anything else: one per test.
[[nodiscard]] std::string fault_of(const Fragment& fragment);
[[nodiscard]] std::string oracle_fault_of(const Fragment& fragment);

/// The words ("ld .global", "ld .v2" ...) of the instruction forms without a lane function that no fragment
/// of this process has used, and their total number.
struct FormCoverage {
  std::vector<std::string> missing;
  std::size_t forms = 0;
  std::size_t words = 0;
};
[[nodiscard]] FormCoverage form_coverage();
/// Whether any fragment has run in this process.
[[nodiscard]] bool anything_ran();

}  // namespace heddle::testing
