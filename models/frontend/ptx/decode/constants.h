// Immediates as constant rows: one value broadcast to 32 lanes, so that an operand is a row pointer whatever
// it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "isa/instruction.h"
#include "isa/row_bytes.h"

namespace heddle::ptx {

class ConstantPool {
 public:
  /// The operand of a row that holds `bits` in every lane; predicate rows: all lanes true unless bits is 0.
  /// Equal rows of a width are kept once; every row starts at a multiple of 64 bytes.
  [[nodiscard]] isa::Operand row(isa::RowWidth width, std::uint64_t bits);
  [[nodiscard]] isa::RowBytes take() { return std::move(bytes_); }

 private:
  isa::RowBytes bytes_;
  std::array<std::unordered_map<std::uint64_t, std::uint32_t>, 3> offsets_;  ///< by width
};

}  // namespace heddle::ptx
