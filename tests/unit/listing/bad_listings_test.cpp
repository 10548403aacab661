// Errors in listings: place, message and remedy.
#include <gtest/gtest.h>

#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "frontend/listing/listing.h"

namespace heddle::listing::bad_listings_test {
namespace {

std::string problem(const std::string& body) {
  try {
    (void)parse(".listing\n.kernel k(n: 32)\n" + body, "k.sass");
  } catch (const base::InputError& error) {
    const std::string what = error.what();
    return what.substr(0, what.find('\n')) + (error.remedy().empty() ? "" : " | " + error.remedy());
  }
  return "";
}

TEST(BadListings, SayWhereWhatAndWhatToDo) {
  EXPECT_EQ(problem("BSYN B0;\nEXIT;\n"), "k.sass:3:1: unknown instruction 'BSYN' | Did you mean 'BSYNC'?");
  EXPECT_EQ(problem("  BSSY B0, R1+;\nEXIT;\n"),
            "k.sass:3:14: expected ';' at the end of the instruction, found '+'");
  EXPECT_EQ(problem("BSSY B16, X;\nX: EXIT;\n"),
            "k.sass:3:6: operand 1 of BSSY must be a barrier register B0 to B15, not 'B16'");
  EXPECT_EQ(problem("BSSY B1, Loop;\nLop: EXIT;\n"),
            "k.sass:3:10: label 'Loop' is not defined | Did you mean 'Lop'?");
  EXPECT_EQ(problem("BSYNC B1, B2;\nEXIT;\n"), "k.sass:3:1: BSYNC takes 1 operand, not 2");
  EXPECT_EQ(problem("BMOV.32 B1, P0;\nEXIT;\n"),
            "k.sass:3:13: operand 2 of BMOV.32 must be a register R0 to R254, RZ, or a number, not 'P0'");
  EXPECT_EQ(problem("@P7 EXIT;\nEXIT;\n"), "k.sass:3:2: 'P7' is not a predicate register P0 to P6");
  EXPECT_EQ(problem("@P0 EXIT P1;\nEXIT;\n"),
            "k.sass:3:5: EXIT takes no second predicate | BRA, JMP and convergence instructions do; branch "
            "around this "
            "one.");
  EXPECT_EQ(problem("NOP;\n"), "k.sass:3:1: threads run past the end of 'k' | End it with EXIT;");
  EXPECT_EQ(problem("LDC R1, m;\nEXIT;\n"),
            "k.sass:3:9: 'k' has no parameter 'm' | Name it: .kernel k(m: 32)");
  EXPECT_EQ(problem("CALL f;\nEXIT;\n"), "k.sass:3:6: function 'f' is not defined | Add it: .func f");
  EXPECT_EQ(problem("A: NOP;\nA: EXIT;\n"), "k.sass:4:1: label 'A' is defined twice");
  EXPECT_EQ(problem("EXIT\n"),
            "k.sass:3:5: expected ';' at the end of the instruction, found the end of the line");
  EXPECT_EQ(problem("RET;\n"), "k.sass:3:1: RET in a kernel | Write EXIT;");
}

TEST(BadListings, AnUnknownInstructionIsNotAMissingEnd) {
  EXPECT_EQ(problem("FOO;\n"), "k.sass:3:1: unknown instruction 'FOO' | Did you mean 'NOP'?");
}

TEST(BadListings, NumbersAreInRange) {
  const std::string narrow = " | Take an instruction of 64 bits (MOV.64), or a smaller number.";
  EXPECT_EQ(problem("MOV R1, 0x100000000;\nEXIT;\n"),
            "k.sass:3:9: the number 0x100000000 does not fit in 32 bits" + narrow);
  EXPECT_EQ(problem("IADD R1, R1, -2147483649;\nEXIT;\n"),
            "k.sass:3:14: the number -2147483649 does not fit in 32 bits" + narrow);
  EXPECT_EQ(problem("MOV R1, 0xffffffff;\nMOV R1, -2147483648;\nEXIT;\n"), "");
  EXPECT_EQ(problem("MOV.64 RD1, 18446744073709551616;\nEXIT;\n"),
            "k.sass:3:13: the number 18446744073709551616 does not fit in 64 bits | Take a smaller number.");
  EXPECT_EQ(problem("MOV.64 RD1, 18446744073709551615;\nMOV.64 RD1, -9223372036854775808;\nEXIT;\n"), "");
  EXPECT_EQ(problem("WARPSYNC 0x1ffffffff;\nEXIT;\n"),
            "k.sass:3:10: the number 0x1ffffffff does not fit in 32 bits" + narrow);
  EXPECT_EQ(problem("LDG R1, [RD1+2147483648];\nEXIT;\n"),
            "k.sass:3:9: the offset 2147483648 does not fit in 32 bits | Offsets are from -2147483647 to "
            "2147483647; add larger ones to the register.");
  EXPECT_EQ(problem("LDG R1, [RD1-2147483647];\nLDG R1, [RD1+0x7fffffff];\nEXIT;\n"), "");
  EXPECT_EQ(problem("BAR.SYNC 16;\nEXIT;\n"),
            "k.sass:3:10: there is no barrier 16 | Barriers are numbered 0 to 15.");
  EXPECT_EQ(problem("BAR.SYNC -1;\nEXIT;\n"),
            "k.sass:3:10: there is no barrier -1 | Barriers are numbered 0 to 15.");
  EXPECT_EQ(problem("BAR.SYNC 15;\nBAR.SYNC R1;\nEXIT;\n"), "");
  EXPECT_EQ(problem("MOV R1, 010;\nEXIT;\n"),
            "k.sass:3:9: the number 010 begins with 0 | Numbers are decimal, or hexadecimal with 0x in "
            "front; octal ones there are not.");
  EXPECT_EQ(problem("MOV R255, 0;\nEXIT;\n"),
            "k.sass:3:5: operand 1 of MOV must be a register R0 to R254, or RZ, not 'R255'");
}

TEST(BadListings, PredicatesAreInRangeWhereverTheyAre) {
  EXPECT_EQ(problem("BRA P7, X;\nX: EXIT;\n"), "k.sass:3:5: 'P7' is not a predicate register P0 to P6");
  EXPECT_EQ(problem("@P0 BSYNC !R1, B0;\nEXIT;\n"), "k.sass:3:11: 'R1' is not a predicate register P0 to P6");
  EXPECT_EQ(problem("ISETP.EQ P7, R1, 0;\nEXIT;\n"),
            "k.sass:3:10: operand 1 of ISETP.EQ must be a predicate register P0 to P6, not 'P7'");
}

TEST(BadListings, NamesOfRegistersNameNothingElse) {
  EXPECT_EQ(problem("R1: EXIT;\n"),
            "k.sass:3:1: 'R1' names a register, and cannot name a label | Take another name.");
  EXPECT_EQ(problem("B99: EXIT;\n"),
            "k.sass:3:1: 'B99' names a register, and cannot name a label | Take another name.");
  EXPECT_EQ(problem("EXIT;\n.kernel RD3\nEXIT;\n"),
            "k.sass:4:1: 'RD3' names a register, and cannot name a kernel | Take another name.");
  EXPECT_EQ(problem("EXIT;\n.func RPC\nRET;\n"),
            "k.sass:4:1: 'RPC' names a register, and cannot name a function | Take another name.");
  EXPECT_EQ(problem("EXIT;\n.kernel l(n: 32, P0: 32)\nEXIT;\n"),
            "k.sass:4:18: 'P0' names a register, and cannot name a parameter | Take another name.");
  EXPECT_EQ(problem("EXIT;\n.kernel l(n: 32, n: 64)\nEXIT;\n"),
            "k.sass:4:18: there are two parameters 'n' | Take another name.");
  EXPECT_EQ(problem("EXIT;\n.kernel _\nEXIT;\n"),
            "k.sass:4:1: '_' is no name of a kernel | Take one with letters.");
  EXPECT_EQ(problem("Bx: BRA R;\nR: EXIT;\n"), "");
}

TEST(BadListings, ACommentWithoutAnEndIsShownWhereItBegins) {
  EXPECT_EQ(problem("NOP;\n  EXIT; /* the\nend\n"),
            "k.sass:4:9: expected '*/' at the end of the comment, found the end of the file");
  EXPECT_FALSE(is_listing("/* .listing\n.kernel k\n"));
}

// What decoding finds, it shows in the listing's text.
TEST(BadListings, LaterErrorsNameTheListingsLineAndColumn) {
  const std::string text = ".listing\n.kernel k\n  A:  @P0  BRX R1, [A];\n EXIT;\n";
  const ptx::Module tree = tree_of(parse(text, "k.sass"));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const ptx::Statement& statement : tree.functions.at(0).body.statements)
    if (const auto* const instruction = std::get_if<ptx::Instruction>(&statement)) {
      places.emplace_back(instruction->where.line, instruction->where.column);
      for (const ptx::Operand& operand : instruction->operands)
        places.emplace_back(operand.where.line, operand.where.column);
    }
  for (const auto& [line, column] : places) {
    EXPECT_TRUE(line == 3 || line == 4);
    EXPECT_EQ(column, line == 3 ? 12u : 2u);
  }
  EXPECT_GE(places.size(), 4u);
}

TEST(BadListings, WithoutAKernelThereIsNothingToRun) {
  EXPECT_THROW((void)parse(".listing\n", "k.sass"), base::InputError);
  EXPECT_THROW((void)parse(".listing\nEXIT;\n", "k.sass"), base::InputError);
  EXPECT_THROW((void)parse(".listing\n.func f\nRET;\n", "k.sass"), base::InputError);
}

}  // namespace
}  // namespace heddle::listing::bad_listings_test
