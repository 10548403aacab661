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

namespace heddle::isa {

class ConstantPool {
 public:
  /// The operand of a row that holds `bits` in every lane; in predicate rows all lanes are true unless bits
  /// is 0. Equal rows of one width are stored once; every row starts at a multiple of 64 bytes.
  [[nodiscard]] Operand row(RowWidth width, std::uint64_t bits);
  /// A row of its own, for a value that somebody fills in later.
  [[nodiscard]] Operand separate_row(RowWidth width) { return append(width, 0); }
  /// A separate row for a code address, since immediates of the same value must not change when code moves.
  [[nodiscard]] Operand code_pointer(base::Pc pc, bool behind_call);
  [[nodiscard]] std::vector<CodePointer> take_code_pointers() { return std::move(code_pointers_); }
  [[nodiscard]] RowBytes take() { return std::move(bytes_); }

 private:
  [[nodiscard]] Operand append(RowWidth width, std::uint64_t bits);

  RowBytes bytes_;
  std::vector<CodePointer> code_pointers_;
  std::array<std::unordered_map<std::uint64_t, Operand>, 3> rows_;  ///< by width
};

}  // namespace heddle::isa
