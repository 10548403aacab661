// From a line to register rows: which sectors an access wants, and which lanes get their bytes.
#include "core/memory/load_data_path.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "instruction.h"

namespace heddle::core::load_data_path_test {
namespace {

constexpr std::uint64_t kLine = 0x1000;

L1dConfig l1d(std::uint32_t sector_bytes) {
  L1dConfig config;
  config.line_bytes = 128;
  config.sector_bytes = sector_bytes;
  return config;
}

/// A load of a word by each of the lanes, at kLine + 4 * lane.
class LoadPath : public ::testing::Test {
 protected:
  LoadPath() {
    load_.type = isa::Type::kU32;
    load_.dst[0].present = true;
    load_.dst[0].width = isa::RowWidth::k32;
    op_.instruction = &load_;
    op_.bytes = 4;
    const MemorySlice slice{.lanes = LaneMask::all(), .registers = reinterpret_cast<std::byte*>(row_.data())};
    op_.take({&slice, 1});
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      op_.address[lane] = kLine + 4 * lane;
      line_[lane] = 1000 + lane;
    }
    access_ = {.line = kLine, .lanes = LaneMask::all(), .shape = Shape::kScattered};
  }
  [[nodiscard]] const unsigned char* line() const {
    return reinterpret_cast<const unsigned char*>(line_.data());
  }
  /// Lanes whose register has what the line has for them.
  [[nodiscard]] LaneMask delivered() const {
    LaneMask lanes;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (row_[lane] == 1000 + lane) lanes |= LaneMask(1u << lane);
    return lanes;
  }
  isa::Instruction load_ = instruction({0}, {0}, isa::Opcode::kLoad);
  MemoryInstruction op_;
  LineAccess access_;
  alignas(64) std::array<std::uint32_t, kLanes> row_{};
  std::array<std::uint32_t, kLanes> line_{};
};

TEST_F(LoadPath, an_access_wants_the_sectors_that_its_lanes_are_in) {
  const LoadDataPath path(l1d(32), base::CoreId{0}, nullptr);
  EXPECT_EQ(path.sectors_of(op_, access_), 0b1111);
  access_.lanes = LaneMask(0x00ff'0000u);
  EXPECT_EQ(path.sectors_of(op_, access_), 0b0100);
  access_.lanes = LaneMask(0x8000'0001u);
  EXPECT_EQ(path.sectors_of(op_, access_), 0b1001);
}

TEST_F(LoadPath, a_cache_without_sectors_has_one) {
  const LoadDataPath path(l1d(0), base::CoreId{0}, nullptr);
  EXPECT_EQ(path.sectors_of(op_, access_), 1);
}

TEST_F(LoadPath, lanes_get_what_is_theirs_of_the_line) {
  const LoadDataPath path(l1d(0), base::CoreId{0}, nullptr);
  access_.lanes = LaneMask(0x0f0f'0f0fu);
  path.deliver(op_, access_, line());
  EXPECT_EQ(delivered(), access_.lanes);
}

TEST_F(LoadPath, lanes_of_other_sectors_wait) {
  const LoadDataPath path(l1d(32), base::CoreId{0}, nullptr);
  path.deliver(op_, access_, line(), 0b0110);
  EXPECT_EQ(delivered(), LaneMask(0x00ff'ff00u));
  path.deliver(op_, access_, line(), 0b1111);
  EXPECT_EQ(delivered(), LaneMask::all());
}

/// What the watchdog's log knows of words that core 3 got.
class LoggedLoad : public LoadPath {
 protected:
  std::vector<std::uint64_t> logged() {
    std::vector<std::uint64_t> values;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      log_.for_each(sim::MemoryLog::Space::kDelivered, 3, kLine + 4 * lane,
                    [&](std::uint32_t value) { values.push_back(value); });
    return values;
  }
  sim::MemoryLog log_;
};

TEST_F(LoggedLoad, the_log_hears_what_came_out_of_l1_while_it_is_active) {
  const LoadDataPath path(l1d(0), base::CoreId{3}, &log_);
  access_.lanes = LaneMask(0b101);
  path.deliver(op_, access_, line());
  EXPECT_TRUE(logged().empty());
  log_.start();
  path.deliver(op_, access_, line());
  EXPECT_EQ(logged(), (std::vector<std::uint64_t>{1000, 1002}));
}

TEST_F(LoggedLoad, the_log_has_from_l2_what_passes_l1_by) {
  const LoadDataPath path(l1d(0), base::CoreId{3}, &log_);
  log_.start();
  op_.bypass_l1 = true;
  path.deliver(op_, access_, line());
  EXPECT_TRUE(logged().empty());
  access_.local = true;  // local memory is in L1 all the same
  path.deliver(op_, access_, line());
  EXPECT_EQ(logged().size(), kLanes);
}

}  // namespace
}  // namespace heddle::core::load_data_path_test
