// --check oracle: the same host program on the scalar oracle, then every allocation compared byte for byte.
#pragma once

#include <functional>
#include <string>

#include "cli/tracked_device.h"

namespace heddle::cli {

struct OracleVerdict {
  bool passed = false;
  std::string summary;  ///< "3 buffers, 196608 bytes, are the same" or where the first difference is
};

/// Runs `program` on a fresh oracle and compares its memory with what is on `device` now. May end by
/// stop_if_interrupted().
[[nodiscard]] OracleVerdict compare_with_oracle(TrackedDevice& device,
                                                const std::function<void(host::Device&)>& program);

}  // namespace heddle::cli
