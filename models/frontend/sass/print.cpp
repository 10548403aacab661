#include "frontend/sass/print.h"

#include <fmt/format.h>

#include <bit>

#include "frontend/sass/form.h"
#include "frontend/sass/number_text.h"
#include "frontend/sass/special_registers.h"

namespace heddle::sass {
namespace {

using Kind = Operand::Kind;

std::string register_name(unsigned number) { return number == kRz ? "RZ" : fmt::format("R{}", number); }
std::string uniform_name(unsigned number) { return number == kUrz ? "URZ" : fmt::format("UR{}", number); }

std::string predicate_name(const Operand& operand) {
  const char* const u = operand.kind == Kind::kUniformPredicate ? "U" : "";
  return (operand.negate ? "!" : "") +
         (operand.number == kPt ? fmt::format("{}PT", u) : fmt::format("{}P{}", u, operand.number));
}

/// "+0x8" behind a register; "" if there is nothing to add.
std::string offset_text(std::int64_t value) { return value == 0 ? "" : "+" + signed_hex(value); }

/// An offset without a register: its bits, unsigned.
std::string bare_offset(std::int64_t value, unsigned bits) {
  return fmt::format("{:#x}", static_cast<std::uint64_t>(value) & Word::ones(bits));
}

std::string constant_text(const Operand& operand, const OperandSpec& spec) {
  const bool loads = operand.role == Role::kAddress;  // others name a constant as it is
  const bool has_uniform = operand.uniform != kNoRegister;
  const std::string bank = has_uniform && !loads ? fmt::format("cx[{}]", uniform_name(operand.uniform))
                                                 : fmt::format("c[{:#x}]", operand.bank);
  std::string inside;
  if (has_uniform && loads)
    inside = uniform_name(operand.uniform) + offset_text(operand.value);
  else if (operand.number != kRz || (spec.source == Source::kConstant && operand.value == 0))
    inside = register_name(operand.number) + offset_text(operand.value);
  else
    inside = bare_offset(operand.value, 16);
  return fmt::format("{}[{}]", bank, inside);
}

std::string address_text(const Operand& operand, const OperandSpec& spec) {
  const std::string offset = offset_text(operand.value);
  std::string base = register_name(operand.number);
  if (operand.scale != 0) base += fmt::format(".X{}", 2 << operand.scale);
  const bool has_uniform = operand.uniform != kNoRegister;
  if (has_uniform && spec.address.wide != 0) base += operand.wide ? ".64" : ".U32";
  if (operand.descriptor) return fmt::format("desc[{}][{}{}]", uniform_name(operand.uniform), base, offset);
  if (has_uniform) {
    const std::string uniform = uniform_name(operand.uniform) + offset;
    return operand.number == kRz ? fmt::format("[{}]", uniform) : fmt::format("[{}+{}]", base, uniform);
  }
  if (operand.number == kRz && operand.value != 0)
    return fmt::format("[{}]", bare_offset(operand.value, spec.address.offset.bits()));
  return fmt::format("[{}{}]", base, offset);
}

const char* half_suffix(const Instruction& instruction, const Operand& operand, const OperandSpec& spec) {
  if (spec.sign == Sign::kHalf) {
    constexpr const char* kHalves[] = {"", ".F32", ".H0_H0", ".H1_H1"};
    return kHalves[operand.half & 3];
  }
  if (spec.half.width == 0) return "";
  constexpr unsigned kOfTwoBytes = 2;  // U16 and S16 without the lowest bit
  if (spec.half.width == 1 || (instruction.value(Modifier::kSource) & ~1u) == kOfTwoBytes)
    return operand.half != 0 ? ".H1" : "";
  constexpr const char* kBytes[] = {"", ".B1", ".B2", ".B3"};
  return kBytes[operand.half & 3];
}

std::string immediate_text(const Operand& operand, Style style) {
  const auto bits = static_cast<std::uint64_t>(operand.value);
  switch (style) {
    case Style::kHex:
      return fmt::format("{:#x}", bits);
    case Style::kSigned:
      return signed_hex(operand.value);
    case Style::kFloat:
      return float_text(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case Style::kDouble:
      return float_text(std::bit_cast<double>(bits << 32));
    case Style::kHalves:
      return fmt::format("{}, {}", float_text(half_value(static_cast<std::uint16_t>(bits >> 16))),
                         float_text(half_value(static_cast<std::uint16_t>(bits))));
  }
  return {};
}

std::string with_sign(std::string text, const Instruction& instruction, const Operand& operand,
                      const OperandSpec& spec) {
  if (operand.absolute) text = "|" + text + "|";
  if (operand.negate) {
    const bool invert = spec.sign == Sign::kInvert ||
                        (spec.sign == Sign::kNegateOrInvert && instruction.value(Modifier::kExtended) != 0);
    text = (invert ? "~" : "-") + text;
  }
  if (operand.reuse) text += ".reuse";
  return text + half_suffix(instruction, operand, spec) + spec.suffix;
}

/// The row of each operand: rows have gaps.
const OperandSpec& spec_of(const Instruction& instruction, unsigned index) {
  for (const OperandSpec& spec : instruction.form->operands)
    if (spec.source != Source::kNothing && index-- == 0) return spec;
  return instruction.form->operands.back();
}

std::uint64_t comparable(const Operand& operand) {
  switch (operand.kind) {
    case Kind::kPredicate:
    case Kind::kUniformPredicate:
      return operand.number | (operand.negate ? 8u : 0u);
    case Kind::kRegister:
    case Kind::kUniformRegister:
      return operand.number;
    default:
      return static_cast<std::uint64_t>(operand.value);
  }
}

/// IMAD is printed by what it is used for.
const char* imad_use(const Instruction& instruction) {
  if (instruction.op != Opcode::kImad || instruction.value(Modifier::kExtended) != 0) return "";
  const Operand& a = *instruction.find(Role::kA);
  const Operand& b = *instruction.find(Role::kB);
  const Operand& c = *instruction.find(Role::kC);
  const auto is_zero = [](const Operand& operand) {
    return operand.kind == Kind::kRegister && operand.number == kRz;
  };
  if (instruction.operand_form <= 3) return is_zero(a) && is_zero(b) ? ".MOV" : "";
  if (b.kind != Kind::kImmediate) return "";
  const auto factor = static_cast<std::uint32_t>(b.value);
  if (factor == 1) return is_zero(c) ? "" : ".IADD";
  const bool is_unsigned = instruction.value(Modifier::kSigned) == 0;
  return is_zero(c) && is_unsigned && std::has_single_bit(factor) && factor != 0x10000 ? ".SHL" : "";
}

}  // namespace

std::string mnemonic(const Instruction& instruction) {
  const Form& form = *instruction.form;
  std::string text = form.name;
  text += imad_use(instruction);
  for (unsigned i = 0; i < form.modifiers.size() && form.modifiers[i].id != Modifier::kNone; ++i) {
    const char* const name = form.modifiers[i].names.text[instruction.modifiers[i]];
    if (*name != '\0') text += std::string(".") + name;
  }
  return text;
}

bool is_shown(const Instruction& instruction, unsigned index) {
  const OperandSpec& spec = spec_of(instruction, index);
  const Operand& operand = instruction.operand[index];
  const bool differs = comparable(operand) != spec.otherwise;
  switch (spec.show) {
    case Show::kAlways:
      return true;
    case Show::kNever:
      return false;
    case Show::kNotDefault:
      return differs;
    case Show::kWith:
      return differs || instruction.value(spec.when) != 0;
    case Show::kPairedFirst:
      return differs || comparable(instruction.operand[index + 1]) != spec.otherwise;
  }
  return true;
}

bool is_named_target(const Instruction& instruction, unsigned index) {
  const Kind kind = instruction.operand[index].kind;
  return kind == Kind::kAbsoluteTarget ||
         (kind == Kind::kTarget && spec_of(instruction, index).style != Style::kSigned);
}

std::string operand_text(const Instruction& instruction, unsigned index, const TargetName& target) {
  const OperandSpec& spec = spec_of(instruction, index);
  const Operand& operand = instruction.operand[index];
  switch (operand.kind) {
    case Kind::kRegister:
      return with_sign(register_name(operand.number), instruction, operand, spec);
    case Kind::kUniformRegister:
      return with_sign(uniform_name(operand.number), instruction, operand, spec);
    case Kind::kPredicate:
    case Kind::kUniformPredicate:
      return predicate_name(operand);
    case Kind::kPredicates:
      return instruction.form->uniform ? "UPR" : "PR";
    case Kind::kBarrier:
      return fmt::format("B{}", operand.number);
    case Kind::kReturnPc:
      return operand.number == 0 ? "Rpc.LO" : "Rpc.HI";
    case Kind::kScoreboard:
      return fmt::format("SB{}", operand.number);
    case Kind::kScoreboards: {
      std::string text;
      for (int i = 5; i >= 0; --i)
        if ((operand.value >> i & 1) != 0) text += fmt::format("{}{}", text.empty() ? "" : ",", i);
      return "{" + text + "}";
    }
    case Kind::kSpecialRegister:
      return std::string(special_register_name(operand.value));
    case Kind::kImmediate:
      return immediate_text(operand, spec.style);
    case Kind::kConstant:
      return with_sign(constant_text(operand, spec), instruction, operand, spec);
    case Kind::kAddress:
      return address_text(operand, spec);
    case Kind::kTarget:
    case Kind::kAbsoluteTarget:
      return is_named_target(instruction, index) ? target(operand) : signed_hex(operand.value);
  }
  return {};
}

std::string guard_text(const Instruction& instruction) {
  if (instruction.guard == kPt && !instruction.guard_negated) return {};
  Operand guard;
  guard.kind = instruction.guard_uniform ? Kind::kUniformPredicate : Kind::kPredicate;
  guard.number = instruction.guard;
  guard.negate = instruction.guard_negated;
  return "@" + predicate_name(guard);
}

std::string text_of(const Instruction& instruction, const TargetName& target) {
  std::string text = mnemonic(instruction);
  bool first = true;
  for (unsigned i = 0; i < instruction.operand_count; ++i) {
    if (!is_shown(instruction, i)) continue;
    text += first || spec_of(instruction, i).spaced ? " " : ", ";
    text += operand_text(instruction, i, target);
    first = false;
  }
  return text;
}

}  // namespace heddle::sass
