#include "random_instruction.h"

#include <array>

#include "frontend/sass/decode.h"

namespace heddle::oracle::machine_code {
namespace {

using sass::Operand;
using Kind = Operand::Kind;

unsigned below(Generator& random, unsigned limit) {
  return static_cast<unsigned>(random() % limit);
}

void choose_modifiers(const sass::Form& form, sass::Word& word, Generator& random) {
  for (const sass::ModifierSpec& modifier : form.modifiers) {
    if (modifier.id == sass::Modifier::kNone) break;
    unsigned code = 0;
    do
      code = below(random, modifier.names.count);
    while (modifier.names.text[code] == nullptr);
    word.set(modifier.field, code);
  }
}

/// A word of the form with all other fields zero.
std::optional<sass::Instruction> plain_instruction(const sass::Form& form, sass::Arch arch, Generator& random) {
  sass::Word word;
  unsigned code = form.code;
  if (form.forms != sass::kExact) {
    std::array<unsigned, 8> numbers{};
    unsigned count = 0;
    for (unsigned number = 1; number < 8; ++number)
      if ((form.forms >> number & 1) != 0) numbers[count++] = number;
    code |= numbers[below(random, count)] << 9;
  }
  word.set(0, 12, code);
  word.set(12, 3, sass::kPt);
  for (const sass::FixedBits& fixed : form.fixed) word.set(fixed.field, fixed.value);
  choose_modifiers(form, word, random);
  for (const unsigned uniform_source : {0u, 1u}) {
    word.set(91, 1, uniform_source);
    const sass::Decoded decoded = sass::decode(word, arch);
    if (decoded.instruction && decoded.instruction->form == &form) return decoded.instruction;
  }
  return std::nullopt;
}

/// Registers of pairs are even; the last ones are RZ and URZ.
std::uint8_t register_number(Generator& random, std::uint8_t none) {
  constexpr std::array<std::uint8_t, 6> kNumbers{2, 4, 6, 8, 10, 12};
  const unsigned which = below(random, 8);
  return which < kNumbers.size() ? kNumbers[which] : which == 6 ? none : std::uint8_t{5};
}

void choose(Operand& operand, const sass::OperandSpec& spec, Generator& random) {
  constexpr std::array<std::uint8_t, 3> kHalves{0, 2, 3};
  const auto sometimes = [&] { return below(random, 3) == 0; };
  switch (operand.kind) {
    case Kind::kRegister:
      operand.number = register_number(random, sass::kRz);
      break;
    case Kind::kUniformRegister:
      operand.number = register_number(random, sass::kUrz);
      break;
    case Kind::kPredicate:
    case Kind::kUniformPredicate:
      operand.number = static_cast<std::uint8_t>(below(random, 8));
      if (spec.negate != 0) operand.negate = sometimes();
      return;
    case Kind::kImmediate:
      if (spec.field.width == 0 || spec.field.bits() == 32)
        operand.value = spec.style == sass::Style::kSigned
                            ? std::int64_t{static_cast<std::int32_t>(random_value(random))}
                            : std::int64_t{random_value(random)};
      else
        operand.value = static_cast<std::int64_t>(random() & sass::Word::ones(spec.field.bits()));
      return;
    case Kind::kConstant:
      operand.bank = static_cast<std::uint8_t>(below(random, 4));
      operand.value = 8 * below(random, 64);
      break;
    default:
      return;
  }
  if (spec.sign != sass::Sign::kNone) operand.negate = sometimes();
  if (spec.sign == sass::Sign::kNegateAbsolute || spec.sign == sass::Sign::kHalf) operand.absolute = sometimes();
  if (spec.sign == sass::Sign::kHalf) operand.half = kHalves[below(random, kHalves.size())];
}

}  // namespace

std::optional<sass::Instruction> random_instruction(const sass::Form& form, sass::Arch arch, Generator& random) {
  std::optional<sass::Instruction> instruction = plain_instruction(form, arch, random);
  if (!instruction) return std::nullopt;
  unsigned next = 0;
  for (const sass::OperandSpec& spec : form.operands)
    if (spec.source != sass::Source::kNothing) choose(instruction->operand[next++], spec, random);
  return sass::decode(sass::encode(*instruction), arch).instruction;
}

std::uint32_t random_value(Generator& random) {
  constexpr std::array<std::uint32_t, 28> kSpecial{
      0,           1,           2,           0xffff'ffff, 0x7fff'ffff, 0x8000'0000, 0x8000'0001, 0x0000'ffff,
      0x7f80'0000, 0xff80'0000, 0x7fc0'0000, 0xffa0'0001, 0x0080'0000, 0x807f'ffff, 0x3f80'0000, 0xbf80'0000,
      0x3f7f'ffff, 0x4f00'0000, 0x5f80'0000, 0x3ff0'0000, 0x7ff0'0000, 0xfff8'0000, 0x0010'0000, 0x3c00'3c00,
      0x7c00'fc00, 0x03ff'0400, 0x7e00'8001, 0x7bff'fbff};
  switch (below(random, 4)) {
    case 0:
      return kSpecial[below(random, kSpecial.size())];
    case 1:
      return below(random, 64);
    case 2:  // singles of middling size
      return static_cast<std::uint32_t>(random() & 0x807f'ffff) | (100 + below(random, 56)) << 23;
    default:
      return static_cast<std::uint32_t>(random());
  }
}

}  // namespace heddle::oracle::machine_code
