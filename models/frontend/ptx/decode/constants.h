// Immediates as constant rows: a value broadcast to 32 lanes, so that every operand is a row pointer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "isa/code_pointers.h"
#include "isa/instruction.h"
#include "isa/row_bytes.h"

namespace heddle::ptx {

class ConstantPool {
 public:
  /// The operand of a row that holds `bits` in every lane; in predicate rows all lanes are true unless bits
  /// is 0. Equal rows of one width are stored once; every row starts at a multiple of 64 bytes.
  [[nodiscard]] isa::Operand row(isa::RowWidth width, std::uint64_t bits);
  /// A separate row for a code address, since immediates of the same value must not change when code moves.
  [[nodiscard]] isa::Operand code_pointer(base::Pc pc, bool behind_call);
  [[nodiscard]] std::vector<isa::CodePointer> take_code_pointers() { return std::move(code_pointers_); }
  [[nodiscard]] isa::RowBytes take() { return std::move(bytes_); }

 private:
  [[nodiscard]] isa::Operand append(isa::RowWidth width, std::uint64_t bits);

  isa::RowBytes bytes_;
  std::vector<isa::CodePointer> code_pointers_;
  std::array<std::unordered_map<std::uint64_t, isa::Operand>, 3> rows_;  ///< by width
};

}  // namespace heddle::ptx
