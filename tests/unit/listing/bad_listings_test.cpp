// Errors in listings: place, message and remedy.
#include <gtest/gtest.h>

#include "base/error.h"
#include "frontend/listing/listing.h"

namespace heddle::listing {
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
            "k.sass:3:1: operand 1 of BSSY must be a barrier register B0 to B15, not 'B16'");
  EXPECT_EQ(problem("BSSY B1, Loop;\nLop: EXIT;\n"),
            "k.sass:3:1: label 'Loop' is not defined | Did you mean 'Lop'?");
  EXPECT_EQ(problem("BSYNC B1, B2;\nEXIT;\n"), "k.sass:3:1: BSYNC takes 1 operand, not 2");
  EXPECT_EQ(problem("BMOV.32 B1, B0;\nEXIT;\n"),
            "k.sass:3:1: operand 2 of BMOV.32 must be a register R0 to R254, RZ, or a number, not 'B0'");
  EXPECT_EQ(problem("@P7 EXIT;\nEXIT;\n"), "k.sass:3:2: 'P7' is not a predicate register P0 to P6");
  EXPECT_EQ(problem("@P0 EXIT P1;\nEXIT;\n"),
            "k.sass:3:5: EXIT takes no second predicate | BRA, JMP and convergence instructions do; branch "
            "around this "
            "one.");
  EXPECT_EQ(problem("NOP;\n"), "k.sass:3:1: threads run past the end of 'k' | End it with EXIT;");
  EXPECT_EQ(problem("LDC R1, m;\nEXIT;\n"),
            "k.sass:3:1: 'k' has no parameter 'm' | Name it: .kernel k(m: 32)");
  EXPECT_EQ(problem("CALL f;\nEXIT;\n"), "k.sass:3:1: function 'f' is not defined | Add it: .func f");
  EXPECT_EQ(problem("A: NOP;\nA: EXIT;\n"), "k.sass:4:4: label 'A' is defined twice");
  EXPECT_EQ(problem("EXIT\n"),
            "k.sass:3:5: expected ';' at the end of the instruction, found the end of the line");
  EXPECT_EQ(problem("RET;\n"), "k.sass:3:1: RET in a kernel | Write EXIT;");
}

TEST(BadListings, WithoutAKernelThereIsNothingToRun) {
  EXPECT_THROW((void)parse(".listing\n", "k.sass"), base::InputError);
  EXPECT_THROW((void)parse(".listing\nEXIT;\n", "k.sass"), base::InputError);
  EXPECT_THROW((void)parse(".listing\n.func f\nRET;\n", "k.sass"), base::InputError);
}

}  // namespace
}  // namespace heddle::listing
