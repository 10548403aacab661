#include "frontend/sass/lower/rows.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "isa/each_operand.h"

namespace heddle::sass {

isa::Operand KernelRows::special(isa::SpecialRow which) {
  isa::Operand operand;
  operand.offset = isa::special_offset(which);
  operand.space = isa::RowSpace::kSpecial;
  operand.present = true;
  return operand;
}

isa::Operand KernelRows::row(unsigned family, unsigned n) {
  const unsigned number = family + n;
  const unsigned end = family == kGeneral            ? kRz
                       : family == kUniform          ? kUniform + kUrz
                       : family == kOwn              ? kWide
                       : family == kWide             ? kPredicate
                       : family == kPredicate        ? kPredicate + kPt
                       : family == kUniformPredicate ? kUniformPredicate + kPt
                                                     : kNumbers;
  if (number >= end) refuse("a register pair or vector goes on behind the last register");
  named_.set(number);
  isa::Operand operand;
  operand.reg = static_cast<isa::RegId>(number);
  operand.width = family >= kPredicate ? isa::RowWidth::kPredicate
                  : family == kWide    ? isa::RowWidth::k64
                                       : isa::RowWidth::k32;
  operand.present = true;
  return operand;
}

isa::Operand KernelRows::truth(unsigned family, unsigned n, bool negated) {
  if (n == kPt) return constant_predicate(!negated);
  isa::Operand operand = row(family, n);
  operand.negated = negated;
  return operand;
}

void KernelRows::finish(isa::Kernel& kernel) {
  std::array<isa::RegId, kNumbers> dense{};
  const auto number = [&](unsigned first, unsigned end) {
    std::uint32_t count = 0;
    for (unsigned n = first; n < end; ++n) {
      if (!named_.test(n)) continue;
      dense[n] = static_cast<isa::RegId>(kernel.register_names.size());
      kernel.register_names.push_back(n < kUniform            ? fmt::format("R{}", n)
                                      : n < kOwn              ? fmt::format("UR{}", n - kUniform)
                                      : n < kPredicate        ? fmt::format("(own {})", n - kOwn)
                                      : n < kUniformPredicate ? fmt::format("P{}", n - kPredicate)
                                      : n < kOwnPredicate     ? fmt::format("UP{}", n - kUniformPredicate)
                                                              : fmt::format("(own P{})", n - kOwnPredicate));
      ++count;
      if (n < kWide)
        kernel.row_registers.push_back(
            static_cast<std::uint16_t>(n < kUniform ? n : isa::Kernel::kNoRegister));
    }
    return count;
  };
  kernel.registers.rows32 = number(kGeneral, kWide);
  kernel.registers.rows64 = number(kWide, kPredicate);
  kernel.registers.predicates = number(kPredicate, kNumbers);
  const auto place = [&](isa::Operand& operand) {
    if (!operand.present || operand.space != isa::RowSpace::kRegister) return;
    const bool negated = operand.negated;
    operand = kernel.registers.row(dense.at(operand.reg));
    operand.negated = negated;
  };
  for (isa::Instruction& instruction : kernel.code) {
    isa::for_each_operand(instruction, place);
    isa::list_registers(instruction);
  }
}

void KernelRows::refuse(const std::string& why) const {
  throw base::InputError(place_(), why, "run the kernel's PTX instead (heddle run --ptx)");
}

}  // namespace heddle::sass
