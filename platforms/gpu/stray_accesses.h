// Accesses of kernels beyond their buffers that go on all the same (runtime.tolerant_memory): a warning for each instruction.
// Host threads that simulate cores find them at the same time.
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "base/ids.h"
#include "isa/kernel.h"

namespace heddle::gpu {

class StrayAccesses {
 public:
  /// Kernels are kept, so that another one never has the place of one that was here.
  bool is_first(const std::shared_ptr<const isa::Kernel>& kernel, base::Pc pc) {
    const std::lock_guard lock(mutex_);
    return seen_.emplace(kernel, pc).second;
  }
  static void warn(const std::string& where, const std::string& what) {
    std::fprintf(stderr, "heddle: warning: %s: out of bounds, tolerated: %s\n", where.c_str(), what.c_str());
  }

 private:
  std::mutex mutex_;
  std::set<std::pair<std::shared_ptr<const isa::Kernel>, base::Pc>> seen_;  ///< instructions
};

}  // namespace heddle::gpu
