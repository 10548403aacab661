// Which line of the CUDA source a PTX instruction comes from, where the compiler has written it down (.loc
// and .file, as with nvcc -lineinfo).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/kernel.h"

namespace heddle::ptx {

struct CudaLine {
  std::string file;  ///< as in .file; empty: there is none of that number
  std::uint32_t line = 0;
};

class SourceLines {
 public:
  explicit SourceLines(const isa::SourceText& text);
  /// nullopt: no .loc precedes it in its function.
  [[nodiscard]] std::optional<CudaLine> of(isa::SourceLoc where) const;

 private:
  struct Entry {
    std::uint32_t file = 0;
    std::uint32_t line = 0;  ///< 0: a function begins here, nothing is known
  };
  std::map<std::uint32_t, std::string> files_;
  std::map<std::uint32_t, Entry> entries_;  ///< by PTX line: from there on
};

}  // namespace heddle::ptx
