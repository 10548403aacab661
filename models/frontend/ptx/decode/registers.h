// Register rows of a kernel. Rows are allocated on first use, so that declaring a million registers costs
// nothing. Their final numbers and offsets are known once all of them are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/instruction.h"
#include "isa/kernel.h"

namespace heddle::ptx {

/// In front of the names of a function's registers, which are its own.
[[nodiscard]] inline std::string register_prefix(const std::string& function) { return function + ":"; }

/// The kind of row for a register of this type.
[[nodiscard]] constexpr isa::RowWidth row_width(isa::Type type) {
  if (type == isa::Type::kPred) return isa::RowWidth::kPredicate;
  return isa::type_bytes(type) == 8 ? isa::RowWidth::k64 : isa::RowWidth::k32;
}

class RegisterRows {
 public:
  /// Prefix of the names of further rows, to distinguish the registers of different functions.
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  /// A new row. Until finish(), `reg` of the operand counts the rows of its width. nullopt: the maximum
  /// number of registers is reached.
  [[nodiscard]] std::optional<isa::Operand> allocate(isa::RowWidth width, const std::string& name);
  /// A scratch row of the decoder, for instructions that it splits; always the same for one index.
  [[nodiscard]] std::optional<isa::Operand> scratch(isa::RowWidth width, unsigned index);

  /// The condition code register of extended-precision arithmetic: a predicate row with the carry of each
  /// thread.
  [[nodiscard]] std::optional<isa::Operand> carry();

  /// Fills in the layout and the names, by register number.
  void finish(isa::Kernel& kernel);
  /// After finish().
  [[nodiscard]] const isa::RegisterLayout& layout() const { return layout_; }
  /// Replaces the provisional number of a register operand by its number and offset. Call after finish().
  void place(isa::Operand& operand) const;

 private:
  std::string prefix_;
  std::array<std::vector<std::string>, 3> names_;  ///< by width
  std::array<std::vector<std::optional<isa::Operand>>, 3> scratch_;
  std::optional<isa::Operand> carry_;
  isa::RegisterLayout layout_;
};

}  // namespace heddle::ptx
