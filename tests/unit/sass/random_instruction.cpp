#include "unit/sass/random_instruction.h"

#include "frontend/sass/decode.h"

namespace heddle::sass {

std::vector<FormCase> form_cases() {
  std::vector<FormCase> all;
  for (const auto group : all_forms())
    for (const Form& form : group)
      for (const Arch arch : {Arch::kSm75, Arch::kSm90}) {
        if ((form.archs & static_cast<std::uint8_t>(arch)) == 0) continue;
        if (form.forms == kExact) all.push_back({&form, arch, unsigned{form.code} >> 9});
        for (unsigned number = 1; number < 8 && form.forms != kExact; ++number)
          if ((form.forms >> number & 1) != 0) all.push_back({&form, arch, number});
      }
  return all;
}

std::optional<Instruction> random_instruction(const FormCase& of, std::mt19937_64& random, unsigned index,
                                              unsigned code) {
  const Form& form = *of.form;
  Word word{random(), random()};
  word.set(0, 12, form.forms == kExact ? form.code : form.code | of.number << 9);
  // Bits that no field has are found by clearing them one after another.
  for (const FixedBits& fixed : form.fixed) word.set(fixed.field, fixed.value);
  for (unsigned i = 0; i < form.modifiers.size() && form.modifiers[i].id != Modifier::kNone; ++i) {
    const ModifierSpec& modifier = form.modifiers[i];
    unsigned value = i == index ? code : static_cast<unsigned>(random() % modifier.names.count);
    while (i != index && modifier.names.text[value] == nullptr)
      value = static_cast<unsigned>(random() % modifier.names.count);
    word.set(modifier.field, value);
  }
  const auto problem_bits = [&](const std::string& problem) {
    // "bits 64-71, 91 of NAME are set and not known"
    const std::size_t end = problem.find(" of ");
    if (!problem.starts_with("bits ") || problem.find("not known") == std::string::npos) return false;
    std::string list = problem.substr(5, end - 5);
    for (std::size_t at = 0; at < list.size();) {
      std::size_t used = 0;
      const auto first = static_cast<unsigned>(std::stoul(list.substr(at), &used));
      at += used;
      unsigned last = first;
      if (at < list.size() && list[at] == '-') {
        last = static_cast<unsigned>(std::stoul(list.substr(at + 1), &used));
        at += used + 1;
      }
      word.set(first, last - first + 1, 0);
      at += 2;
    }
    return true;
  };
  for (int tries = 0; tries < 4; ++tries) {
    const Decoded decoded = decode(word, of.arch);
    if (decoded.instruction && decoded.instruction->form == of.form) return decoded.instruction;
    if (decoded.instruction || !problem_bits(decoded.problem)) break;
  }
  return std::nullopt;
}

}  // namespace heddle::sass
