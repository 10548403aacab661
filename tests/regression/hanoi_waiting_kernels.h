// Kernels whose lanes wait for other lanes of their warp, wherever these may be: they end if threads run independently.
#pragma once

#include <string>
#include <vector>

namespace heddle {

struct WaitingKernel {
  const char* name = "";
  unsigned yields = 0;         ///< YIELDs that are to be placed
  const char* functions = "";  ///< and variables
  const char* body = "";       ///< %me: number of the thread, %at: address of the buffer
  unsigned threads = 32;
  unsigned regions = 0;  ///< that are to be placed; 0: not counted
  unsigned ctas = 1;
  [[nodiscard]] std::string module() const;
};

[[nodiscard]] const std::vector<WaitingKernel>& waiting_kernels();

}  // namespace heddle
