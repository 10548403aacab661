#include "report/synthesis_sheets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/text_input.h"

namespace heddle::report::synthesis_sheets_test {
namespace {

constexpr const char* kSheet = R"(# table: synthesis

`rtl/table`, 2 parameter points. OSU cells, 0.18 um; clock aimed at: 5 ns.

## Area

| Point | `Warps` | `FrameW` | um2 | Gate equiv. | to first | in state | in logic | Bits per warp |
|---|---:|---|---:|---:|---:|---|---:|---:|
| 1 warp | 1 | default | 60,700 | 2,529 | x 1.00 | 1,061 (42 %) | 1,468 | 133 |
| 2 warps | 2 | 8 | 90,873 | 3,786 | x 1.50 | 1,703 (45 %) | 2,083 | - |

What one warp more adds:

| Other parameters | Warps | Gate equiv. |
|---|---|---:|
| all | 1 to 2 | 1,257 |

## Timing

| Point | Shortest period, ns | Slack at 5 ns |
|---|---:|---:|
| 1 warp | 3.81 | 1.19 |
| 2 warps | 3.90 | -1.10 |
)";

TEST(SynthesisSheets, ArePointsWithAreaAndPeriod) {
  const Sheet sheet = parse_sheet("table", kSheet, "table.md");
  EXPECT_EQ(sheet.process, "OSU cells, 0.18 um; clock aimed at: 5 ns.");
  ASSERT_EQ(sheet.points.size(), 2u);
  EXPECT_EQ(sheet.points[0].name, "1 warp");
  EXPECT_EQ(sheet.points[0].gate_equivalents, 2529);
  EXPECT_EQ(sheet.points[0].state_gate_equivalents, 1061);
  EXPECT_EQ(sheet.points[0].bits_per_warp, 133);
  EXPECT_EQ(sheet.points[0].shortest_period_ns, 3.81);
  EXPECT_THAT(sheet.points[0].parameters, testing::ElementsAre(testing::Pair("Warps", 1)));
  EXPECT_THAT(sheet.points[1].parameters,
              testing::ElementsAre(testing::Pair("FrameW", 8), testing::Pair("Warps", 2)));
  EXPECT_EQ(sheet.points[1].bits_per_warp, std::nullopt);
}

void expect_refused(const std::string& from, const std::string& to, const std::string& says) {
  std::string text = kSheet;
  text.replace(text.find(from), from.size(), to);
  try {
    (void)parse_sheet("table", text, "table.md");
    ADD_FAILURE() << "accepted: " << to;
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.where(), "table.md");
    EXPECT_THAT(error.message(), testing::HasSubstr(says));
  }
}

TEST(SynthesisSheets, OtherTablesAreRefused) {
  expect_refused("Gate equiv.", "Gates", "no column 'Gate equiv.'");
  expect_refused("2,529", "many", "'many' in the column 'Gate equiv.'");
  expect_refused("| 2 warps | 3.90", "| 3 warps | 3.90", "points of Timing are others");
  expect_refused("| 2 warps | 3.90 | -1.10 |\n", "", "not the same ones twice");
  expect_refused("| 3.81 | 1.19 |", "| 3.81 |", "other columns than its heading");
}

TEST(SynthesisSheets, OfTheTreeAreRead) {
  for (const char* block : {"simt_stack", "split_table", "reconvergence_table", "split_fifo", "scoreboard",
                            "warp_scheduler", "sib_table"}) {
    const std::string path = std::string(HEDDLE_SOURCE_DIR) + "/rtl/" + block + "/SYNTHESIS.md";
    const Sheet sheet = parse_sheet(block, base::read_file(path, "sheet", std::size_t{1} << 20), path);
    EXPECT_GT(sheet.points.size(), 3u) << path;
    for (const SheetPoint& point : sheet.points)
      EXPECT_GT(point.gate_equivalents, point.state_gate_equivalents) << path << point.name;
  }
}

}  // namespace
}  // namespace heddle::report::synthesis_sheets_test
