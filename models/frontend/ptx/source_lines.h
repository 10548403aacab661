// The CUDA source line of a PTX instruction, if the compiler has recorded it (.loc and .file, as with nvcc
// -lineinfo).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/kernel.h"

namespace heddle::ptx {

struct CudaLine {
  std::string file;  ///< as in .file; empty: no file has that number
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
    std::uint32_t line = 0;  ///< 0: a function starts here, the line is unknown
  };
  std::map<std::uint32_t, std::string> files_;
  std::map<std::uint32_t, Entry> entries_;  ///< by PTX line, valid from there on
};

}  // namespace heddle::ptx
