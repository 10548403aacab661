// Writes that allocate in L1, and an L1 of another size for each launch.
#include "unit/core/l1_rig.h"

namespace heddle::core::l1d_test {
namespace {

TEST_F(L1, AnAllocatingWriteMakesALineOfTheWrittenBytes) {
  allocating_write(0x1000, 7, enabling(0, 128));
  EXPECT_FALSE(request_.writes_back);
  EXPECT_EQ(load(0x1000), Result::kHit);
  EXPECT_EQ(request_.line_data[127], 7);
  EXPECT_EQ(unwritten(0x1000), -1) << "L2 has it";
  EXPECT_EQ(cache_->write_allocations, 1u);
  bring(0x1200, 1);
  bring(0x1400, 1);  // evicts it
  EXPECT_FALSE(request_.writes_back);
  EXPECT_EQ(cache_->write_backs, 0u);
}

TEST_F(L1, BytesThatWereNotWrittenAreFetchedAfterAnAllocatingWrite) {
  allocating_write(0x1000, 7, enabling(4, 4));
  const Line inside = enabling(4, 4), outside = enabling(0, 8);
  EXPECT_EQ(load(0x1000), Result::kPartial);
  EXPECT_EQ(load(0x1000, 1, true, inside.data()), Result::kHit);
  EXPECT_EQ(request_.line_data[4], 7);
  ASSERT_EQ(load(0x1000, 1, true, outside.data()), Result::kMissSend) << "nothing goes to L2 first";
  EXPECT_FALSE(request_.writes_back);
  Line line = filled(3);
  std::fill_n(line.begin() + 4, 4, static_cast<unsigned char>(7));  // L2 puts it together
  fill(request_.mshr, line);
  ASSERT_EQ(load(0x1000), Result::kHit);
  EXPECT_EQ(request_.line_data[0], 3);
  EXPECT_EQ(request_.line_data[4], 7);
}

TEST_F(L1, AnAllocatingWriteToALineThatIsBeingFetchedMakesNone) {
  ASSERT_EQ(load(0x1000), Result::kMissSend);
  const std::uint32_t mshr = request_.mshr;
  allocating_write(0x1000, 7, enabling(0, 128));
  EXPECT_EQ(cache_->write_allocations, 0u);
  EXPECT_EQ(load(0x1000), Result::kBypass) << "the fill is older than the write";
  fill(mshr, filled(1));
  EXPECT_EQ(load(0x1000), Result::kMissSend);
}

TEST_F(L1, AnAcquireForgetsWhatAllocatingWritesMade) {
  allocating_write(0x1000, 7, enabling(4, 4));
  invalidate_global({});
  const Line inside = enabling(4, 4);
  EXPECT_EQ(load(0x1000, 1, true, inside.data()), Result::kMissSend);
}

TEST_F(L1, AnInvalidationMayChangeTheSize) {
  EXPECT_EQ(cache_->kib(), 1u);
  bring(0x1000, 1);
  invalidate(2);  // 8 sets: 0x1200 is in another one
  EXPECT_EQ(cache_->kib(), 2u);
  for (const std::uint64_t line : {0x1000u, 0x1200u, 0x1400u, 0x1600u}) bring(line, 2);
  for (const std::uint64_t line : {0x1000u, 0x1200u, 0x1400u, 0x1600u}) EXPECT_EQ(load(line), Result::kHit);
  invalidate(0);
  EXPECT_EQ(cache_->kib(), 2u);
  EXPECT_EQ(load(0x1000), Result::kMissSend);
  fill(request_.mshr, filled(4));
  invalidate(1);
  for (const std::uint64_t line : {0x1000u, 0x1200u, 0x1400u}) bring(line, 2);
  EXPECT_EQ(load(0x1000), Result::kMissSend) << "two ways, and three lines of one set";
}

}  // namespace
}  // namespace heddle::core::l1d_test
