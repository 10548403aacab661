#include "unit/sass/assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "frontend/sass/decode.h"
#include "frontend/sass/print.h"
#include "unit/sass/case_text.h"

namespace heddle::sass {
namespace {

struct Line {
  std::uint8_t guard = kPt;
  bool guard_negated = false;
  std::string mnemonic;
  unsigned code = 0;
  std::string fields;
  std::optional<std::int64_t> target;    ///< instructions from the next one
  std::optional<std::uint64_t> uniform;  ///< register in the address
};

Line parse(const std::string& text) {
  Line line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word.front() == '@') {
      line.guard_negated = word[1] == '!';
      const char last = word.back();
      line.guard = last == 'T' ? kPt : static_cast<std::uint8_t>(last - '0');
    } else if (line.mnemonic.empty()) {
      const std::size_t at = word.find('@');
      line.mnemonic = word.substr(0, at);
      line.code = static_cast<unsigned>(std::stoul(word.substr(at + 1), nullptr, 16));
    } else if (word.starts_with("t=")) {
      line.target = std::stoll(word.substr(2)) - 1;
    } else if (word.starts_with("u=")) {
      line.uniform = std::stoull(word.substr(2));
    } else {
      line.fields += word + " ";
    }
  }
  return line;
}

/// The code whose text comes next; the longest one, or the one that prints nothing.
unsigned take_code(const ModifierSpec& modifier, std::string_view& rest) {
  std::optional<unsigned> best;
  std::size_t length = 0;
  for (unsigned code = 0; code < modifier.names.count; ++code) {
    const char* const name = modifier.names.text[code];
    if (name == nullptr) continue;
    const std::string text = *name == 0 ? "" : std::string(".") + name;
    const bool fits =
        rest.starts_with(text) && (text.size() == rest.size() || rest[text.size()] == '.' || text.empty());
    if (fits && (!best || text.size() > length)) {
      best = code;
      length = text.size();
    }
  }
  rest.remove_prefix(length);
  return best.value_or(0);
}

void set_defaults(Word& word, const OperandSpec& spec, bool uniform) {
  switch (spec.source) {
    case Source::kRegister:
    case Source::kUniformRegister:
    case Source::kPredicate:
    case Source::kUniformPredicate:
    case Source::kEitherPredicate:
      word.set(spec.field, ~std::uint64_t{0});
      return;
    case Source::kSlotA:
      word.set(24, uniform ? 6 : 8, ~std::uint64_t{0});
      return;
    case Source::kSlotC:
      word.set(64, uniform ? 6 : 8, ~std::uint64_t{0});
      return;
    case Source::kAddress:
    case Source::kUniformAddress:
      word.set(spec.field, ~std::uint64_t{0});
      return;
    default:
      return;
  }
}

bool has_uniform(const Form& form) {
  return std::any_of(form.operands.begin(), form.operands.end(), [](const OperandSpec& spec) {
    return spec.source == Source::kAddress && spec.address.uniform != 0;
  });
}

/// A descriptor, or a register that is added to the base, which is a pair then.
void set_uniform(Word& word, const AddressBits& bits, std::uint64_t number) {
  word.set(bits.uniform, 6, number);
  word.set(91, 1, 1);
  if (bits.wide != 0) word.set(bits.wide, 1, 1);
}

Word word_of_form(const Form& form, const Line& line) {
  Word word;
  word.set(0, 12, line.code);
  word.set(12, 3, line.guard);
  word.set(15, 1, line.guard_negated ? 1 : 0);
  for (const OperandSpec& spec : form.operands) set_defaults(word, spec, form.uniform);
  if (form.uniform) word.set(91, 1, 1);
  std::string_view rest = std::string_view(line.mnemonic).substr(std::string_view(form.name).size());
  for (const ModifierSpec& modifier : form.modifiers)
    if (modifier.id != Modifier::kNone) word.set(modifier.field, take_code(modifier, rest));
  for (const FixedBits& fixed : form.fixed) word.set(fixed.field, fixed.value);
  for (const OperandSpec& spec : form.operands)
    if (spec.source == Source::kAddress && spec.address.uniform != 0 &&
        (line.uniform || word.get(91, 1) != 0))
      set_uniform(word, spec.address, line.uniform.value_or(kUrz));
  set_case_fields(word, line.fields);
  return word;
}

}  // namespace

Word assemble(Arch arch, const std::string& text, std::size_t index) {
  const Line line = parse(text);
  std::string why = "there is no such operation";
  for (const Form* const form : forms_of(arch, line.code)) {
    if (!line.mnemonic.starts_with(form->name) || (line.uniform && !has_uniform(*form))) continue;
    const Decoded decoded = decode(word_of_form(*form, line), arch);
    why = decoded.problem;
    if (!decoded.instruction) continue;
    Instruction instruction = *decoded.instruction;
    const std::string printed = mnemonic(instruction);
    if (printed != line.mnemonic) {
      why = "it would be " + printed;
      continue;
    }
    if (line.target)
      for (Operand& operand : instruction.operand)
        if (operand.role == Role::kTarget) {
          const bool absolute = operand.kind == Operand::Kind::kAbsoluteTarget;
          operand.value = (*line.target + (absolute ? static_cast<std::int64_t>(index) + 1 : 0)) *
                          static_cast<std::int64_t>(kInstructionBytes);
        }
    return encode(instruction);
  }
  throw std::runtime_error(fmt::format("{} of sm_{}: {}", text, arch == Arch::kSm75 ? 75 : 90, why));
}

std::vector<Word> assemble_lines(Arch arch, const std::string& lines, std::size_t first) {
  std::vector<Word> words;
  std::istringstream all(lines);
  for (std::string line; std::getline(all, line, ';');)
    if (line.find_first_not_of(' ') != std::string::npos)
      words.push_back(assemble(arch, line, first + words.size()));
  return words;
}

}  // namespace heddle::sass
