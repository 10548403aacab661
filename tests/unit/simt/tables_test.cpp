// The size of the tables, and the record formats of spilled entries.
#include <gtest/gtest.h>

#include "simt/reconvergence_table.h"
#include "simt/simt_stack.h"
#include "simt/split_table.h"
#include "simt/table_size.h"

namespace heddle::simt::tables_test {
namespace {

std::uint64_t aware_bits(std::uint32_t st_entries, std::uint32_t rt_entries) {
  return aware_table_bits({st_entries, rt_entries});
}

// [AWARE] Tab 5.2
TEST(TableSize, MimdTab52) {
  EXPECT_EQ(SimtStack(1, FirstSide::kTaken).table_bits(), 3072u);
  EXPECT_EQ(SimtStack(1, FirstSide::kSmaller).table_bits(), 480u);
  EXPECT_EQ(aware_bits(32, 32), 7680u);
  EXPECT_EQ(aware_bits(1, 1), 1088u);
  EXPECT_EQ(aware_bits(6, 2), 1696u);
  EXPECT_EQ(aware_bits(4, 2), 1504u);
  EXPECT_EQ(aware_bits(6, 4), 1952u);
}

TEST(TableRecords, HoldWhatTheThesisCounts) {
  Split split;
  split.pc = Pc{0x1234567};
  split.mask = LaneMask(0x8000'0001u);
  split.rpc.pc = Pc{0x1fff'fffe};
  for (const std::uint8_t index : {0, 1, 7, 8, 31}) {
    split.rpc.index = ReconvergenceId{index};
    Split back;
    unpack(pack(split), back);
    EXPECT_EQ(back, split);
  }
  split.rpc = {};
  Split back;
  back.rpc.index = ReconvergenceId{3};
  unpack(pack(split), back);
  EXPECT_EQ(back, split);

  Reconvergence entry;
  entry.rpc.index = ReconvergenceId{21};
  entry.rpc.pc = Pc{5};
  entry.rec = LaneMask(0xffff'0000u);
  entry.pend = LaneMask(0x00ff'0000u);
  Reconvergence entry_back;
  unpack(pack(entry), entry_back);
  EXPECT_EQ(entry_back, entry) << "a return point that is not known yet has no PC";
}

}  // namespace
}  // namespace heddle::simt::tables_test
