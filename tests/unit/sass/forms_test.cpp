// The table of forms, row by row: every code of every modifier, and every operand with random values.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "frontend/sass/codec.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/form.h"
#include "frontend/sass/print.h"
#include "unit/sass/random_instruction.h"

namespace heddle::sass {
namespace {

TEST(Forms, EveryCodeOfEveryModifierIsDecodedPrintedAndEncoded) {
  std::mt19937_64 random(7);
  std::size_t codes = 0;
  std::set<std::string> texts;
  for (const FormCase& of : form_cases()) {
    for (unsigned i = 0; i < of.form->modifiers.size() && of.form->modifiers[i].id != Modifier::kNone; ++i) {
      const ModifierSpec& modifier = of.form->modifiers[i];
      for (unsigned code = 0; code < modifier.names.count; ++code) {
        if (modifier.names.text[code] == nullptr) continue;
        std::optional<Instruction> instruction;
        for (int tries = 0; tries < 50 && !instruction; ++tries)
          instruction = random_instruction(of, random, i, code);
        ASSERT_TRUE(instruction) << of.form->name << " " << modifier.names.text[code];
        ++codes;
        EXPECT_EQ(instruction->modifiers[i], code);
        const std::string text = mnemonic(*instruction) + ".";
        EXPECT_TRUE(text.starts_with(of.form->name)) << text;
        const std::string suffix = modifier.names.text[code];
        EXPECT_TRUE(suffix.empty() || text.find("." + suffix + ".") != std::string::npos)
            << text << " without " << suffix;
        texts.insert(text);
        const Decoded again = decode(encode(*instruction), of.arch);
        ASSERT_TRUE(again.instruction) << again.problem;
        EXPECT_EQ(again.instruction->operand, instruction->operand) << text;
        EXPECT_EQ(again.instruction->modifiers, instruction->modifiers) << text;
      }
    }
  }
  EXPECT_GT(codes, 2000u);
  EXPECT_GT(texts.size(), 1000u);
}

TEST(Forms, UndefinedCodesOfModifiersAreRefused) {
  std::mt19937_64 random(8);
  std::size_t codes = 0;
  for (const FormCase& of : form_cases()) {
    for (unsigned i = 0; i < of.form->modifiers.size() && of.form->modifiers[i].id != Modifier::kNone; ++i) {
      const ModifierSpec& modifier = of.form->modifiers[i];
      for (unsigned code = 0; code < 1u << modifier.field.bits(); ++code) {
        if (code < modifier.names.count && modifier.names.text[code] != nullptr) continue;
        const std::optional<Instruction> instruction = random_instruction(of, random, i, code);
        EXPECT_FALSE(instruction) << of.form->name << " " << code;
        ++codes;
      }
    }
  }
  EXPECT_GT(codes, 300u);
}

TEST(Forms, AWordBelongsToOneFormOnly) {
  std::mt19937_64 random(9);
  std::size_t words = 0;
  for (const FormCase& of : form_cases()) {
    for (int repeat = 0; repeat < 8; ++repeat) {
      const std::optional<Instruction> instruction = random_instruction(of, random, kMostModifiers, 0);
      if (!instruction) continue;
      ++words;
      const Word word = encode(*instruction);
      const auto forms = forms_of(of.arch, static_cast<unsigned>(word.get(0, 12)));
      for (const Form* const other : forms) {
        if (other == of.form) continue;
        bool differs = false;  // in a fixed bit: otherwise the order of the rows would decide
        for (const FixedBits& fixed : other->fixed)
          differs |= fixed.field.width != 0 && word.get(fixed.field) != fixed.value;
        for (unsigned i = 0; i < other->modifiers.size() && other->modifiers[i].id != Modifier::kNone; ++i) {
          const std::uint64_t code = word.get(other->modifiers[i].field);
          differs |=
              code >= other->modifiers[i].names.count || other->modifiers[i].names.text[code] == nullptr;
        }
        EXPECT_TRUE(differs) << of.form->name << " and " << other->name;
      }
    }
  }
  EXPECT_GT(words, 1000u);
}

/// Notes the bits of a row in one of its operand forms. Bit 91 may say the same thing of a row and of its operands.
class Bits {
 public:
  explicit Bits(const Form& form) : form_(form) {}
  void raw(Field field, std::uint64_t&) { take(field); }
  void require(unsigned) {}
  void take(Field field) {
    Word mask;
    mask.set(field, ~std::uint64_t{0});
    mask.set(codec::kUniformSource, 1, 0);
    EXPECT_EQ(used_.low & mask.low, 0u) << form_.name << ", bits from " << unsigned{field.at};
    EXPECT_EQ(used_.high & mask.high, 0u) << form_.name << ", bits from " << unsigned{field.at};
    used_ = {used_.low | mask.low, used_.high | mask.high};
  }

 private:
  const Form& form_;
  Word used_;
};

// A bit with two meanings: what an operand form of a row has in it would be refused, or be another modifier.
TEST(Forms, FixedBitsModifiersAndOperandsDoNotOverlapInAnyOperandForm) {
  for (const FormCase& of : form_cases())
    for (const std::uint8_t uniform : {kNoRegister, std::uint8_t{0}}) {
      SCOPED_TRACE(fmt::format("{:#x}, operand form {}", of.form->code, of.number));
      Bits bits(*of.form);
      bits.take({0, 12});
      bits.take({12, 4});
      Control control;
      codec::control(bits, control);
      for (const ModifierSpec& modifier : of.form->modifiers) bits.take(modifier.field);
      for (const FixedBits& fixed : of.form->fixed) {
        // A row may be of one code of a modifier: LEA.HI.SX32.
        const auto same = [&](const ModifierSpec& modifier) { return modifier.field.at == fixed.field.at; };
        if (std::none_of(of.form->modifiers.begin(), of.form->modifiers.end(), same)) bits.take(fixed.field);
      }
      for (const OperandSpec& spec : of.form->operands) {
        Operand operand;
        operand.uniform = uniform;
        if (spec.source != Source::kNothing) codec::operand(bits, spec, of.number, of.form->uniform, operand);
      }
    }
}

}  // namespace
}  // namespace heddle::sass
