// What the files that lower operations on registers share: operands as rows, their modifiers as bits of the immediate.
#pragma once

#include <string_view>

#include "frontend/sass/form.h"
#include "frontend/sass/lower/rows.h"
#include "isa/machine_ops.h"

namespace heddle::sass {

class LaneLowering {
 public:
  LaneLowering(const Instruction& in, KernelRows& rows, isa::Instruction& out)
      : in_(in), rows_(rows), out_(out) {}

  [[nodiscard]] Opcode op() const { return in_.op; }
  [[nodiscard]] std::string_view name() const { return in_.form->name; }
  [[nodiscard]] bool is_uniform() const { return in_.form->uniform; }
  [[nodiscard]] std::uint16_t value(Modifier modifier) const { return in_.value(modifier); }
  [[nodiscard]] bool has(Modifier modifier) const { return in_.value(modifier) != 0; }
  [[nodiscard]] const Operand* find(Role role) const { return in_.find(role); }
  /// An operand that every form of the operation has.
  [[nodiscard]] const Operand& operand(Role role) const;
  [[nodiscard]] KernelRows& rows() { return rows_; }
  [[noreturn]] void refuse(const std::string& why) const { rows_.refuse(why); }

  /// RZ or URZ, without a sign.
  [[nodiscard]] bool is_zero(Role role) const;
  /// Whether the predicate is PT (`holds`) or !PT.
  [[nodiscard]] bool is_constant(Role role, bool holds) const;
  /// Whether a predicate is written that is not PT.
  [[nodiscard]] bool writes_predicate(Role role) const;
  [[nodiscard]] bool has_sign(Role role) const { return operand(role).negate || operand(role).absolute; }
  [[nodiscard]] bool negates(Role role) const { return operand(role).negate; }

  // ---- Sources, in the order of the lane function's; each returns the source's number.
  unsigned word(Role role);  ///< 32 bits, with its sign as modifier
  /// A pair: registers, 8 bytes of a constant, an immediate extended as it is printed, or of a double the high word.
  unsigned integer_pair(Role role);
  unsigned double_pair(Role role);
  unsigned predicate(Role role);
  unsigned predicate(bool value);
  unsigned literal(std::uint32_t value);
  unsigned source(const isa::Operand& row);
  /// Whether the guard is one of lanes and the result uniform (guard_is_source); then the guard is the next source.
  bool guard();
  [[nodiscard]] bool has_source_guard() const;

  // ---- Destinations, in the order of the lane function's. RZ and PT are absent.
  void result(Role role = Role::kDst);
  void result_high(Role role = Role::kDst);
  void predicate_result(Role role);

  /// Bits of the operation in the immediate.
  void immediate(std::uint64_t bits) { out_.immediate |= bits; }
  void operation_bits(std::uint64_t bits) { out_.immediate |= bits << isa::kOperationBits; }

  /// The end: the function, or nothing if nothing is written. Sources without a function are none.
  void use(const isa::MachineSpec& spec, isa::LatencyClass latency);
  /// A function of PTX; the first destination must be present, or all absent, unless `first_may_be_absent`.
  void use_ptx(const isa::LaneSpec& spec, isa::LatencyClass latency);
  /// A function of the lowering's own (words.h).
  void use_own(isa::LaneFn function, isa::LatencyClass latency) { finish(function, latency); }

  isa::Instruction& out() { return out_; }

 private:
  unsigned pair(isa::Operand low, isa::Operand high, const Operand& operand);
  void finish(isa::LaneFn function, isa::LatencyClass latency);

  const Instruction& in_;
  KernelRows& rows_;
  isa::Instruction& out_;
  unsigned sources_ = 0;
  unsigned results_ = 0;
};

// By group of operations; false: it is none of the group.
[[nodiscard]] bool lower_integer(LaneLowering& of);
[[nodiscard]] bool lower_bits(LaneLowering& of);
[[nodiscard]] bool lower_float(LaneLowering& of);
[[nodiscard]] bool lower_half(LaneLowering& of);
[[nodiscard]] bool lower_conversion(LaneLowering& of);
[[nodiscard]] bool lower_move(LaneLowering& of);
[[nodiscard]] bool lower_warp(LaneLowering& of);

/// The value of a rounding field (.RM, .RP, .RZ).
[[nodiscard]] isa::Rounding rounding_of(const LaneLowering& of);

}  // namespace heddle::sass
