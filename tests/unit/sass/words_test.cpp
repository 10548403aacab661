// Words and their text, one of each kind that the modules of the corpus have.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "frontend/sass/cubin.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/form.h"
#include "frontend/sass/print.h"
#include "unit/sass/data.h"

namespace heddle::sass {
namespace {

class Words : public testing::TestWithParam<Arch> {};

TEST_P(Words, HaveTheDisassemblersText) {
  const std::vector<TextOfWord> words = words_of(GetParam());
  ASSERT_GT(words.size(), 400u);
  for (const TextOfWord& each : words) {
    const Decoded decoded = decode(each.word, GetParam());
    ASSERT_TRUE(decoded.instruction) << each.text << ": " << decoded.problem;
    EXPECT_EQ(text_with_offsets(*decoded.instruction, each.offset), each.text);
  }
}

TEST_P(Words, AreEncodedAgain) {
  for (const TextOfWord& each : words_of(GetParam())) {
    const Decoded decoded = decode(each.word, GetParam());
    ASSERT_TRUE(decoded.instruction) << each.text;
    EXPECT_EQ(encode(*decoded.instruction), each.word) << each.text;
  }
}

// A bit that nothing reads would give the same instruction with another value.
TEST_P(Words, EachBitMeansSomethingOrIsRefused) {
  std::size_t refused = 0;
  std::size_t others = 0;
  for (const TextOfWord& each : words_of(GetParam())) {
    for (unsigned bit = 0; bit < 128; ++bit) {
      Word word = each.word;
      word.set(bit, 1, word.get(bit, 1) ^ 1);
      const Decoded decoded = decode(word, GetParam());
      if (!decoded.instruction) {
        EXPECT_FALSE(decoded.problem.empty());
        ++refused;
        continue;
      }
      ++others;
      ASSERT_EQ(encode(*decoded.instruction), word) << each.text << ", bit " << bit;
    }
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(others, 10'000u);
}

TEST_P(Words, EveryOperationOfTheTablesThatWorkloadsUseIsAmongThem) {
  std::set<Opcode> seen;
  for (const TextOfWord& each : words_of(GetParam()))
    seen.insert(decode(each.word, GetParam()).instruction->op);
  EXPECT_GT(seen.size(), 80u);
}

// Nothing but what ptxas makes of PTX is known of them.
TEST_P(Words, OfTexturesAreEncodedAgain) {
  const std::string arch = GetParam() == Arch::kSm75 ? "sm_75" : "sm_90";
  const Cubin cubin = read_cubin(cubin_bytes("texture/textures." + arch), "textures");
  std::set<std::string> names;
  for (const CodeSection& section : cubin.code)
    for (const Word& word : section.words) {
      const Decoded decoded = decode(word, GetParam());
      ASSERT_TRUE(decoded.instruction) << section.name << ": " << decoded.problem;
      if (decoded.instruction->op < Opcode::kTex || decoded.instruction->op > Opcode::kSust) continue;
      names.insert(decoded.instruction->form->name);
      EXPECT_EQ(encode(*decoded.instruction), word) << section.name;
      for (unsigned bit = 0; bit < 128; ++bit) {
        Word other = word;
        other.set(bit, 1, other.get(bit, 1) ^ 1);
        const Decoded changed = decode(other, GetParam());
        if (!changed.instruction) continue;
        ASSERT_EQ(encode(*changed.instruction), other) << section.name << ", bit " << bit;
      }
    }
  EXPECT_EQ(names, (std::set<std::string>{"TEX", "TLD", "TLD4", "TXD", "TXQ", "SULD.D.BA", "SUST.D.BA"}));
}

INSTANTIATE_TEST_SUITE_P(Architectures, Words, testing::Values(Arch::kSm75, Arch::kSm90),
                         [](const auto& each) { return each.param == Arch::kSm75 ? "sm_75" : "sm_90"; });

}  // namespace
}  // namespace heddle::sass
