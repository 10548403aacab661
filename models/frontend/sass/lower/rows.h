// The rows that a kernel's machine code names: its registers, and constant rows for what is no register. RZ, URZ, PT and
// UPT are constants as sources and absent as destinations, so a lane function's sources are always rows.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "frontend/sass/instruction.h"
#include "isa/constant_pool.h"
#include "isa/kernel.h"

namespace heddle::sass {

/// Where the rows of one kernel come from. R registers, UR registers and rows of the lowering's own are 32-bit rows;
/// P and UP registers are predicates. A uniform register is a row like any other: its lanes that are written are those that
/// execute, and all of them have one value.
class KernelRows {
 public:
  /// A word of a constant bank as an operand; `offset` is a multiple of 4.
  using BankWord = std::function<isa::Operand(unsigned bank, std::uint32_t offset)>;
  KernelRows(isa::ConstantPool& pool, BankWord bank) : pool_(pool), bank_(std::move(bank)) {}

  // Sources. A pair is two operands: general(n) is its low word, general_high(n) the high one, and RZ is a pair of zeros.
  [[nodiscard]] isa::Operand general(unsigned n) { return n == kRz ? literal(0) : row(kGeneral, n); }
  [[nodiscard]] isa::Operand general_high(unsigned n) { return n == kRz ? literal(0) : row(kGeneral, n + 1); }
  [[nodiscard]] isa::Operand uniform(unsigned n) { return n == kUrz ? literal(0) : row(kUniform, n); }
  [[nodiscard]] isa::Operand uniform_high(unsigned n) {
    return n == kUrz ? literal(0) : row(kUniform, n + 1);
  }
  [[nodiscard]] isa::Operand predicate(unsigned n, bool negated) { return truth(kPredicate, n, negated); }
  [[nodiscard]] isa::Operand uniform_predicate(unsigned n, bool negated) {
    return truth(kUniformPredicate, n, negated);
  }
  [[nodiscard]] isa::Operand literal(std::uint32_t value) { return pool_.row(isa::RowWidth::k32, value); }
  [[nodiscard]] isa::Operand constant_predicate(bool value) {
    return pool_.row(isa::RowWidth::kPredicate, value ? 1 : 0);
  }
  /// The 32-bit word of a constant bank: a value of the module, or a value that each launch fills in.
  [[nodiscard]] isa::Operand bank(unsigned bank, std::uint32_t offset) { return bank_(bank, offset); }
  [[nodiscard]] static isa::Operand special(isa::SpecialRow which);
  /// A 64-bit constant row.
  [[nodiscard]] isa::Operand literal64(std::uint64_t value) { return pool_.row(isa::RowWidth::k64, value); }

  // Destinations: absent for RZ, URZ, PT, UPT.
  [[nodiscard]] isa::Operand to_general(unsigned n) { return n == kRz ? isa::Operand{} : row(kGeneral, n); }
  [[nodiscard]] isa::Operand to_general_high(unsigned n) {
    return n == kRz ? isa::Operand{} : row(kGeneral, n + 1);
  }
  [[nodiscard]] isa::Operand to_uniform(unsigned n) { return n == kUrz ? isa::Operand{} : row(kUniform, n); }
  [[nodiscard]] isa::Operand to_uniform_high(unsigned n) {
    return n == kUrz ? isa::Operand{} : row(kUniform, n + 1);
  }
  [[nodiscard]] isa::Operand to_predicate(unsigned n) {
    return n == kPt ? isa::Operand{} : row(kPredicate, n);
  }
  [[nodiscard]] isa::Operand to_uniform_predicate(unsigned n) {
    return n == kPt ? isa::Operand{} : row(kUniformPredicate, n);
  }

  /// A row of the lowering's own, by number: the result of BAR.RED until B2R reads it.
  [[nodiscard]] isa::Operand own(unsigned n) { return row(kOwn, n); }
  [[nodiscard]] isa::Operand own_predicate(unsigned n) { return row(kOwnPredicate, n); }

  /// Rows of 64 bits, of the lowering's own.
  [[nodiscard]] isa::Operand wide(unsigned n) { return row(kWide, n); }

  /// Numbers the registers that have been named, densely, in all operands of the code; gives the kernel its register layout
  /// and names. R comes first, then UR, own rows, P and UP.
  void finish(isa::Kernel& kernel);

  /// An operation that the model cannot execute: base::InputError with kernel, offset, text and `why`. The place is that of
  /// the instruction being lowered.
  [[noreturn]] void refuse(const std::string& why) const;
  void now_at(std::function<std::string()> place) { place_ = std::move(place); }

 private:
  // Register numbers until finish().
  static constexpr unsigned kGeneral = 0, kUniform = 256, kOwn = 320, kWide = 336, kPredicate = 340,
                            kUniformPredicate = 348, kOwnPredicate = 356, kNumbers = 360;
  [[nodiscard]] isa::Operand row(unsigned family, unsigned n);
  [[nodiscard]] isa::Operand truth(unsigned family, unsigned n, bool negated);

  isa::ConstantPool& pool_;
  BankWord bank_;
  std::bitset<kNumbers> named_;
  std::function<std::string()> place_ = [] { return std::string(); };
};

/// Whether the guard is a source of the operation, not the instruction's guard: of lanes, of an operation that gives a uniform
/// result. That is all lanes' that come, also of those whose guard does not hold; it says which take part, and whether any does.
[[nodiscard]] bool guard_is_source(const Instruction& in);

/// An operation that reads and writes registers only: fills in lane function, operands, immediate, latency class, unit and the
/// facts that follow from the operation (compare, cross_lane, time_dependent). The guard is the caller's. False: it is none of
/// these operations.
[[nodiscard]] bool lower_lane(const Instruction& instruction, KernelRows& rows, isa::Instruction& out);

}  // namespace heddle::sass
