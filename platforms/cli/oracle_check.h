// --check oracle: the same host program on the scalar oracle, then every buffer and every module variable compared byte
// for byte. The devices have addresses of their own: eight bytes that differ are the same if they are addresses of the
// same thing (address_pairs.h).
#pragma once

#include <functional>
#include <string>

#include "cli/tracked_device.h"

namespace heddle::cli {

struct OracleVerdict {
  bool passed = false;
  std::string
      summary;  ///< "3 buffers and 1 variable, 196672 bytes, are the same", or where they differ first
};

/// Runs `program` on a fresh oracle and compares its memory with the current contents of `device`. May be
/// ended by stop_if_interrupted().
[[nodiscard]] OracleVerdict compare_with_oracle(TrackedDevice& device,
                                                const std::function<void(host::Device&)>& program);

}  // namespace heddle::cli
