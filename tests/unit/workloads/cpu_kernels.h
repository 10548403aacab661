// The workloads' own .cu sources, compiled as C++: their kernels and module-scope variables by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "unit/workloads/cpu_fibers.h"

namespace heddle::workloads::testing {

namespace cuda {
extern CudaIndex threadIdx, blockIdx, blockDim, gridDim;  // NOLINT(readability-identifier-naming): CUDA's
}

/// The values of a kernel's parameters.
using Values = std::vector<std::vector<std::byte>>;

struct HostKernel {
  std::vector<std::size_t> parameter_bytes;
  std::function<std::function<void()>(const Values&)> bind;  ///< the body of a thread
};

[[nodiscard]] const std::map<std::string, HostKernel>& host_kernels();
/// Address and size of each module-scope variable.
[[nodiscard]] const std::map<std::string, std::pair<void*, std::uint64_t>>& host_symbols();

}  // namespace heddle::workloads::testing
