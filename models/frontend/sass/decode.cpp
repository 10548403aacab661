#include "frontend/sass/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "frontend/sass/codec.h"
#include "frontend/sass/other_operations.h"
#include "frontend/sass/special_registers.h"

namespace heddle::sass {
namespace {

constexpr Field kOperation{0, 12};
constexpr unsigned kCodes = 1u << 12;

using ByCode = std::array<std::vector<const Form*>, kCodes>;

void add(ByCode& by_code, const Form& form) {
  if (form.forms == kExact) {
    by_code[form.code].push_back(&form);
    return;
  }
  for (unsigned number = 1; number < 8; ++number)
    if ((form.forms >> number & 1) != 0) by_code[form.code | number << 9].push_back(&form);
}

struct Tables {
  ByCode sm75;
  ByCode sm90;
};

const Tables& tables() {
  static const Tables kTables = [] {
    Tables all;
    for (const std::span<const Form> group : all_forms())
      for (const Form& form : group) {
        if ((form.archs & k75) != 0) add(all.sm75, form);
        if ((form.archs & k90) != 0) add(all.sm90, form);
      }
    return all;
  }();
  return kTables;
}

std::string field_name(Field field) {
  std::string text = field.width == 1 ? fmt::format("bit {}", field.at)
                                      : fmt::format("bits {}-{}", field.at, field.at + field.width - 1);
  if (field.high_width != 0)
    text += fmt::format(" and {}-{}", field.high_at, field.high_at + field.high_width - 1);
  return text;
}

/// "bits 76, 91-92" of what is set in a word.
std::string bits_set(Word word) {
  std::string text;
  for (unsigned first = 0; first < 128; ++first) {
    if (word.get(first, 1) == 0) continue;
    unsigned last = first;
    while (last + 1 < 128 && word.get(last + 1, 1) != 0) ++last;
    if (!text.empty()) text += ", ";
    text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    first = last;
  }
  return "bits " + text;
}

bool matches(const Form& form, Word word) {
  return std::all_of(form.fixed.begin(), form.fixed.end(), [&](const FixedBits& fixed) {
    return fixed.field.width == 0 || word.get(fixed.field) == fixed.value;
  });
}

/// Everything but the operation and the values of modifiers, in either direction.
template <class Codec>
void transfer(Codec& codec, Instruction& instruction) {
  const Form& form = *instruction.form;
  for (const FixedBits& fixed : form.fixed) {
    std::uint64_t value = fixed.value;
    codec.raw(fixed.field, value);
  }
  codec::number(codec, {12, 3}, instruction.guard);
  codec::flag(codec, 15, instruction.guard_negated);
  codec::control(codec, instruction.control);
  unsigned next = 0;
  for (const OperandSpec& spec : form.operands)
    if (spec.source != Source::kNothing)
      codec::operand(codec, spec, instruction.operand_form, form.uniform, instruction.operand[next++]);
  instruction.operand_count = static_cast<std::uint8_t>(next);
  codec::idle_reuse(codec, instruction.control);
}

/// Empty if the word is of this form.
std::string read(const Form& form, Word word, Arch arch, Instruction& instruction) {
  instruction.form = &form;
  instruction.op = form.op;
  instruction.arch = arch;
  instruction.operand_form = static_cast<std::uint8_t>(word.get(9, 3));
  instruction.guard_uniform = form.uniform || form.uniform_guard;
  codec::Reader reader(word);
  std::uint64_t code = 0;
  reader.raw(kOperation, code);
  for (unsigned i = 0; i < form.modifiers.size(); ++i) {
    const ModifierSpec& modifier = form.modifiers[i];
    if (modifier.id == Modifier::kNone) break;
    std::uint64_t value = 0;
    reader.raw(modifier.field, value);
    if (value >= modifier.names.count || modifier.names.text[value] == nullptr)
      return fmt::format("{} has no meaning for {} in {}", value, form.name, field_name(modifier.field));
    instruction.modifiers[i] = static_cast<std::uint16_t>(value);
  }
  transfer(reader, instruction);
  if (reader.missing() != 0)
    return fmt::format("bit {} of {} is not set, but its sources are uniform registers", reader.missing(),
                       form.name);
  if (const Word unknown = reader.unknown(); unknown != Word{})
    return fmt::format("{} of {} are set and not known", bits_set(unknown), form.name);
  for (const Operand& operand : instruction.operands())
    if (operand.kind == Operand::Kind::kSpecialRegister && special_register_name(operand.value).empty())
      return fmt::format("{} names no known special register ({:#x})", form.name, operand.value);
  return {};
}

}  // namespace

std::uint16_t Instruction::value(Modifier modifier) const {
  for (unsigned i = 0; i < form->modifiers.size() && form->modifiers[i].id != Modifier::kNone; ++i)
    if (form->modifiers[i].id == modifier) return modifiers[i];
  return 0;
}

std::span<const std::span<const Form>> all_forms() {
  static const std::array kGroups{integer_forms(), float_forms(),   half_forms(),   conversion_forms(),
                                  move_forms(),    uniform_forms(), warp_forms(),   memory_forms(),
                                  atomic_forms(),  control_forms(), matrix_forms(), async_forms(),
                                  texture_forms()};
  return kGroups;
}

std::span<const Form* const> forms_of(Arch arch, unsigned code) {
  return (arch == Arch::kSm75 ? tables().sm75 : tables().sm90)[code % kCodes];
}

Decoded decode(Word word, Arch arch) {
  const auto code = static_cast<unsigned>(word.get(kOperation));
  const std::span<const Form* const> forms = forms_of(arch, code);
  if (forms.empty()) {
    const std::string_view name = other_operation(code);
    return {{},
            name.empty() ? fmt::format("there is no form with the operation {:#05x}", code)
                         : fmt::format("{} ({:#05x}) is not decoded", name, code)};
  }
  Decoded result;
  for (const Form* const form : forms) {
    if (!matches(*form, word)) continue;
    Instruction instruction;
    result.problem = read(*form, word, arch, instruction);
    if (!result.problem.empty()) continue;
    result.instruction = instruction;
    return result;
  }
  if (result.problem.empty())
    result.problem = fmt::format("no form of {} has these modifiers", forms.front()->name);
  return result;
}

Word encode(const Instruction& instruction) {
  const Form& form = *instruction.form;
  codec::Writer writer;
  std::uint64_t code =
      form.forms == kExact ? form.code : form.code | std::uint64_t{instruction.operand_form} << 9;
  writer.raw(kOperation, code);
  for (unsigned i = 0; i < form.modifiers.size() && form.modifiers[i].id != Modifier::kNone; ++i) {
    std::uint64_t value = instruction.modifiers[i];
    writer.raw(form.modifiers[i].field, value);
  }
  Instruction copy = instruction;
  transfer(writer, copy);
  return writer.word();
}

}  // namespace heddle::sass
