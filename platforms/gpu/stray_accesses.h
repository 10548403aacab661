// Accesses of kernels beyond their buffers that go on all the same (runtime.tolerant_memory): a warning for each instruction.
#pragma once

#include <cstdio>
#include <set>
#include <string>

namespace heddle::gpu {

class StrayAccesses {
 public:
  void warn(const std::string& where, const std::string& what) {
    if (seen_.insert(where).second)
      std::fprintf(stderr, "heddle: warning: %s: out of bounds, tolerated: %s\n", where.c_str(),
                   what.c_str());
  }

 private:
  std::set<std::string> seen_;  ///< instructions
};

}  // namespace heddle::gpu
