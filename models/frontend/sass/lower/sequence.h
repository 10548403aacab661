// Words of which the model makes several instructions: stores of matrices, atomics on vectors and on 128 bits, bulk copies. A word
// is one instruction at its own index, so it is a branch to them, behind all other code of the kernel; the last one leads back. No
// branch of a sequence divides its lanes: loops go on while any lane has work.
#pragma once

#include <vector>

#include "frontend/sass/lower/lowering.h"
#include "isa/lane_ops.h"
#include "isa/machine_ops.h"

namespace heddle::sass {

class Sequence {
 public:
  /// `out` becomes the branch.
  Sequence(Lowering& of, const Instruction& in, isa::Instruction& out);

  /// The word's guard; absent: it has none.
  [[nodiscard]] const isa::Operand& guard() const { return guard_; }

  // Each appends an instruction. Where control codes decide, it waits for all that is on its way.
  isa::Instruction& add(isa::Instruction instruction);
  isa::Instruction& lane(const isa::LaneSpec& what, isa::Operand to, isa::Operand a, isa::Operand b = {});
  isa::Instruction& own(isa::LaneFn function, std::initializer_list<isa::Operand> to,
                        std::initializer_list<isa::Operand> from);
  isa::Instruction& memory(isa::Opcode op, isa::Type type, isa::StateSpace space, isa::MemoryOperand at);
  /// predicate := value, in all lanes.
  isa::Instruction& set(isa::Operand predicate, bool value);
  /// predicate := the word's guard holds.
  void set_to_guard(isa::Operand predicate);
  void fence(isa::FenceOrder order);
  /// Where the next instruction will be.
  [[nodiscard]] std::uint32_t here() const;
  /// All lanes go to `target`.
  isa::Instruction& jump(std::uint32_t target);
  /// ... if the predicate holds in any of them.
  void jump_if_any(isa::Operand predicate, std::uint32_t target);

  // Rows of the lowering's own; no sequence leaves anything in them.
  [[nodiscard]] isa::Operand row(unsigned n);
  [[nodiscard]] isa::Operand wide(unsigned n) { return of_.rows.wide(n); }
  [[nodiscard]] isa::Operand predicate(unsigned n) { return of_.rows.own_predicate(n); }
  [[nodiscard]] isa::Operand literal(std::uint32_t value) { return of_.rows.literal(value); }

 private:
  Lowering& of_;
  isa::Operand guard_;
  std::size_t number_;  ///< of of_.sequences
};

/// The sequences behind the kernel's code, with their branches. To be called once, when all other code is there.
void append_sequences(Lowering& of);

}  // namespace heddle::sass
