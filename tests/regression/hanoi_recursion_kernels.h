// Kernels with recursive functions in which lanes of a warp part and meet again.
#pragma once

#include <span>
#include <string>

namespace heddle {

struct RecursiveKernel {
  const char* name;
  bool placed;  ///< regions in its recursive functions, with four registers or more
  const char* functions;
  const char* body;
  bool breaks = false;  ///< X lets lanes go on that wait in a region while others wait at a barrier

  /// The whole module. Its kernel is `k(out)`, for 64 threads.
  [[nodiscard]] std::string module() const;
};

[[nodiscard]] std::span<const RecursiveKernel> recursive_kernels();

}  // namespace heddle
