#include "analysis/regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/cfg.h"
#include "isa/convergence.h"
#include "unit/analysis/code.h"

namespace heddle::analysis::testing::regions_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

isa::Instruction bssy(std::uint8_t barrier, std::uint32_t resume) {
  return isa::bssy(barrier, base::Pc(resume));
}

TEST(Regions, ABsyncOfTheRegisterClosesARegion) {
  // 0: bssy b0   1: @p bra 3   2: bssy b1   3: bsync b1   4: bsync b0   5: exit
  const Code code{bssy(0, 5), branch(3), bssy(1, 4), isa::bsync(1), isa::bsync(0), exit()};
  EXPECT_THAT(closing_syncs(code, {}, 0), ElementsAre(4));
  EXPECT_THAT(closing_syncs(code, {}, 2), ElementsAre(3));
  EXPECT_THAT(stray_syncs(code, {}), IsEmpty());
}

TEST(Regions, BothArmsMayCloseIt) {
  // 0: bssy   1: @p bra 4   2: bsync   3: exit   4: bsync   5: exit
  const Code code{bssy(0, 3), branch(4), isa::bsync(0), exit(), isa::bsync(0), exit()};
  EXPECT_THAT(closing_syncs(code, {}, 0), UnorderedElementsAre(2, 4));
  ASSERT_EQ(stray_syncs(code, {}).size(), 1u);
  EXPECT_EQ(stray_syncs(code, {})[0].sync, 4u);
  EXPECT_EQ(stray_syncs(code, {})[0].resume, base::Pc(3));
}

TEST(Regions, ARegisterThatIsUsedAgainIsAnotherRegion) {
  isa::Operand row;
  row.present = true;
  for (const isa::Instruction& again :
       {bssy(0, 3), isa::break_barrier(0), isa::read_barrier(row, 0, true), isa::write_barrier(0, row)}) {
    const Code code{bssy(0, 3), again, isa::bsync(0), exit()};
    EXPECT_THAT(closing_syncs(code, {}, 0), IsEmpty());
    const Code sometimes{bssy(0, 3), guarded(again), isa::bsync(0), exit()};
    EXPECT_THAT(closing_syncs(sometimes, {}, 0), ElementsAre(2));
  }
  const Code read{bssy(0, 3), isa::read_barrier(row, 0, false), isa::bsync(0), exit()};
  EXPECT_THAT(closing_syncs(read, {}, 0), ElementsAre(2));
}

TEST(Regions, LanesOfABssyThatPointsBackwardsGoBack) {
  // 0: (work)   1: bssy to 0   2: bsync   3: exit
  const Code code{plain(), bssy(0, 0), isa::bsync(0), exit()};
  const ControlFlowGraph cfg(code);
  ASSERT_EQ(cfg.block_count(), 2u);
  EXPECT_THAT(cfg.block(0).successors, ElementsAre(1, 0));
  const Code right{plain(), bssy(0, 3), isa::bsync(0), exit()};
  EXPECT_EQ(ControlFlowGraph(right).block_count(), 1u);
}

}  // namespace
}  // namespace heddle::analysis::testing::regions_test
