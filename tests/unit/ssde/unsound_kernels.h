// Kernels that end under independent threads and that the published algorithms let hang (analysis/SOUNDNESS.md). Each body
// works on (lock, data, n) as those of kernels.h: words of %rd1 are flags, each thread ends with its word of %rd2 written.
#pragma once

#include <string_view>
#include <vector>

namespace heddle::ssde_test {

struct UnsoundKernel {
  std::string_view name;
  const char* body;
  unsigned threads;
  bool barriers;  ///< in diverged code: beyond a stack
};

/// Each on its own; together they are what the explorer (tests/regression/waiting) has found so far, reduced.
[[nodiscard]] const std::vector<UnsoundKernel>& unsound_kernels();

}  // namespace heddle::ssde_test
