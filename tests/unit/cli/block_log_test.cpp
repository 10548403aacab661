// A log of basic blocks in PTX text: where blocks begin, and what is refused. That what it logs is right is checked by runs
// (regression/cli_trace_cases.py) and by the traces of a card (regression/machine_code_test.cpp).
#include "cli/block_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "frontend/ptx/parser.h"

namespace heddle::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kText = R"(.version 7.0
.target sm_75
.address_size 64
.func (.param .b32 r) twice(.param .b32 x)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  shl.b32 %r2, %r1, 1;
  st.param.b32 [r], %r2;
  ret;
}
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<3>;
  .reg .b32 %r<3>;
TOP: AGAIN:
  mov.u32 %r1, %tid.x;
  @%p1 bra TOP;
  @%p2 mov.u32 %r1, 1;
  {
    .reg .b32 %inner;
    @!%p1 bra OUT;
  }
OUT:
  bra.uni LAST;
  mov.u32 %r2, 0;
LAST:
  @%p1 exit;
T: .branchtargets TOP, OUT;
  brx.idx %r2, T;
}
)";

std::vector<std::string> blocks(const InstrumentedText& text) {
  std::vector<std::string> all;
  for (const LoggedBlock& block : text.blocks)
    all.push_back(block.function + ":" + std::to_string(block.line) + ":" + block.label);
  return all;
}

TEST(BlockLog, BlocksBeginAtEntriesAtLabelsAndBehindGuardedBranches) {
  EXPECT_THAT(blocks(with_block_log(kText, "t.ptx", {})),
              ElementsAre("twice:7:", "k:16:", "k:16:TOP", "k:16:AGAIN", "k:19:", "k:24:OUT", "k:27:LAST"));
}

TEST(BlockLog, KeepsLinesAndIsPtx) {
  const InstrumentedText done = with_block_log(kText, "t.ptx", {});
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(lines(done.text), lines(kText));
  const ptx::Module module = ptx::parse_text(done.text, "t.ptx");
  ASSERT_EQ(module.variables.size(), 2u);
  EXPECT_EQ(module.variables[0].name, kBlockCounts);
  EXPECT_THAT(module.variables[0].dims, ElementsAre(64u * 4));
  EXPECT_THAT(module.variables[1].dims, ElementsAre(64u * 2048 * 8));
  EXPECT_EQ(with_block_log(kText, "t.ptx", {.warps = 3, .entries = 5}).text.find("hwlog_buf[120]") !=
                std::string::npos,
            true);
}

std::string refusal(const std::string& text, const BlockLogShape& shape = {}) {
  try {
    (void)with_block_log(text, "t.ptx", shape);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "not refused";
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kText;
  return text.replace(text.find(from), from.size(), to);
}

TEST(BlockLog, RefusesWhatCannotLog) {
  EXPECT_THAT(refusal(changed("7.0", "6.1")), HasSubstr("PTX 6.1 has no activemask"));
  EXPECT_THAT(refusal(changed("7.0", "6.2")), HasSubstr("not refused"));
  EXPECT_THAT(refusal(changed("7.0", "8.3")), HasSubstr("not refused"));
  EXPECT_THAT(refusal(with_block_log(kText, "t.ptx", {}).text),
              HasSubstr("has a variable 'hwlog_cnt' already"));
  EXPECT_THAT(refusal(kText, {.warps = 0}), HasSubstr("0 warps"));
  EXPECT_THAT(refusal(kText, {.warps = 1u << 31, .entries = 1u << 31}),
              HasSubstr("at most 134217728 entries"));
  EXPECT_THAT(refusal("no ptx"), Not(HasSubstr("not refused")));
}

}  // namespace
}  // namespace heddle::cli
