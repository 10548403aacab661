// Plain models of the core's memory path: coalescer, L1 data cache, shared memory banks.
#include <gtest/gtest.h>

#include <numeric>

#include "core/coalescer.h"
#include "core/l1_data_cache.h"
#include "core/shared_memory.h"

namespace heddle::core {
namespace {

using Addresses = std::array<std::uint64_t, kLanes>;

Addresses strided(std::uint64_t base, std::uint64_t stride) {
  Addresses a;
  for (unsigned lane = 0; lane < kLanes; ++lane) a[lane] = base + lane * stride;
  return a;
}

TEST(Coalescer, ConsecutiveWordsAreOneLine) {
  Coalesced out;
  coalesce(strided(0x1000, 4), LaneMask::all(), 4, 128, out);
  ASSERT_EQ(out.access_count, 1u);
  EXPECT_EQ(out.accesses[0].line, 0x1000u);
  EXPECT_EQ(out.accesses[0].count, 32u);
  EXPECT_EQ(out.pieces[5].line_offset, 20u);
}

TEST(Coalescer, LineCountFollowsStrideAndAlignment) {
  Coalesced out;
  for (const auto& [base, stride, lines] : {std::tuple{0x1000u, 8u, 2u},
                                            {0x1000u, 64u, 16u},
                                            {0x1000u, 128u, 32u},
                                            {0x1040u, 4u, 2u},
                                            {0x1000u, 0u, 1u}}) {
    coalesce(strided(base, stride), LaneMask::all(), 4, 128, out);
    EXPECT_EQ(out.access_count, lines) << "base " << base << " stride " << stride;
  }
}

TEST(Coalescer, GroupsScatteredLanesByLineInOrderOfLowestLane) {
  Addresses a = strided(0x1000, 4);
  a[1] = 0x2000;
  a[3] = 0x2004;
  Coalesced out;
  coalesce(a, LaneMask(0xf), 4, 128, out);
  ASSERT_EQ(out.access_count, 2u);
  EXPECT_EQ(out.accesses[0].line, 0x1000u);
  EXPECT_EQ(out.accesses[1].line, 0x2000u);
  EXPECT_EQ(out.pieces[out.accesses[1].first].lane, 1u);
  EXPECT_EQ(out.pieces[out.accesses[1].first + 1].lane, 3u);
  EXPECT_EQ(out.piece_count, 4u);
}

TEST(Coalescer, LocalMemoryInterleavesWordsSoThatEqualOffsetsAreOneLine) {
  Coalesced out;
  coalesce_local(0x4000, strided(8, 0), LaneMask::all(), 4, 128, out, false);
  ASSERT_EQ(out.access_count, 1u);
  EXPECT_EQ(out.accesses[0].line, 0x4000u + 2 * 128);
  coalesce_local(0x4000, strided(0, 0), LaneMask::all(), 16, 128, out, false);
  EXPECT_EQ(out.access_count, 4u) << "16 bytes per lane are four words, four lines";
  EXPECT_EQ(out.piece_count, 128u);
}

TEST(Coalescer, LocalCanBeAppendedToDeviceAccesses) {
  Addresses a = strided(0x1000, 4);
  Coalesced out;
  coalesce(a, LaneMask(0x0000ffff), 4, 128, out);
  for (unsigned lane = 16; lane < 32; ++lane) a[lane] = 0;
  coalesce_local(0x8000, a, LaneMask(0xffff0000), 4, 128, out, true);
  ASSERT_EQ(out.access_count, 2u);
  EXPECT_EQ(out.accesses[0].count, 16u);
  EXPECT_EQ(out.accesses[1].line, 0x8000u);
  EXPECT_EQ(out.pieces[out.accesses[1].first].lane, 16u);
}

class L1 : public testing::Test {
 protected:
  L1dRequest::Result load(std::uint64_t line, bool may_send = true) {
    request_ = {};
    request_.line = line;
    request_.may_send = may_send;
    cache_.serve(request_);
    return request_.result;
  }
  void write(std::uint64_t line) {
    L1dRequest r;
    r.op = L1dRequest::Op::kWrite;
    r.line = line;
    cache_.serve(r);
  }
  std::size_t fill(std::uint32_t mshr, unsigned char value) {
    std::array<unsigned char, 128> data;
    data.fill(value);
    L1dRequest r;
    r.op = L1dRequest::Op::kFill;
    r.mshr = mshr;
    r.fill = data.data();
    r.targets = &targets_;
    cache_.serve(r);
    return targets_.size();
  }
  void bring(std::uint64_t line, unsigned char value) {
    ASSERT_EQ(load(line), L1dRequest::Result::kMissSend);
    fill(request_.mshr, value);
  }

  L1dConfig config_{
      .size_kib = 1, .line_bytes = 128, .ways = 2, .mshr_entries = 2, .mshr_targets = 2};  // 4 sets
  sim::ProgressMonitor progress_;
  L1DataCacheModel cache_{config_, progress_};
  L1dRequest request_;
  std::vector<FillTarget> targets_;
};

TEST_F(L1, MissFillHit) {
  bring(0x1000, 7);
  EXPECT_EQ(load(0x1000), L1dRequest::Result::kHit);
  EXPECT_EQ(request_.data[127], 7);
}

TEST_F(L1, MergesIntoAnOutstandingFillUntilTargetsRunOut) {
  EXPECT_EQ(load(0x1000), L1dRequest::Result::kMissSend);
  const std::uint32_t mshr = request_.mshr;
  EXPECT_EQ(load(0x1000), L1dRequest::Result::kMissMerged);
  EXPECT_EQ(load(0x1000), L1dRequest::Result::kStall);
  EXPECT_EQ(load(0x2000), L1dRequest::Result::kMissSend);
  EXPECT_EQ(load(0x3000), L1dRequest::Result::kStall) << "both MSHRs busy";
  EXPECT_EQ(fill(mshr, 1), 2u);
  EXPECT_EQ(load(0x3000, false), L1dRequest::Result::kStall) << "no room towards L2";
}

TEST_F(L1, EvictsTheLeastRecentlyUsedWay) {
  bring(0x0000, 1);  // lines 0x200 apart share a set
  bring(0x0200, 2);
  EXPECT_EQ(load(0x0000), L1dRequest::Result::kHit);
  bring(0x0400, 3);
  EXPECT_EQ(load(0x0000), L1dRequest::Result::kHit);
  EXPECT_EQ(load(0x0200), L1dRequest::Result::kMissSend);
}

TEST_F(L1, WritesEvict) {
  bring(0x1000, 1);
  write(0x1000);
  EXPECT_EQ(load(0x1000), L1dRequest::Result::kMissSend);
}

TEST_F(L1, WritePoisonsAnOutstandingFill) {
  EXPECT_EQ(load(0x1000), L1dRequest::Result::kMissSend);
  const std::uint32_t mshr = request_.mshr;
  write(0x1000);
  EXPECT_EQ(load(0x1000), L1dRequest::Result::kBypass) << "must see the store, so may not join the old fill";
  EXPECT_EQ(fill(mshr, 1), 1u) << "the older load is served";
  EXPECT_EQ(load(0x1000), L1dRequest::Result::kMissSend) << "and the stale line was not installed";
}

class SharedBanks : public testing::Test {
 protected:
  unsigned passes(const Addresses& a, isa::Opcode op = isa::Opcode::kLoad, isa::Type type = isa::Type::kU32) {
    instruction_.op = op;
    instruction_.type = type;
    op_.instruction = &instruction_;
    op_.shared_lanes = LaneMask::all();
    op_.address = a;
    op_.operand.fill(1);
    SharedMemoryRequest r;
    r.memory_op = &op_;
    memory_.serve(r);
    return r.passes;
  }
  sim::ProgressMonitor progress_;
  SharedMemoryConfig config_;
  SharedMemoryModel memory_{config_, progress_};
  isa::Instruction instruction_;
  MemoryOp op_;
};

TEST_F(SharedBanks, ConflictsByStride) {
  for (const auto& [stride, expected] :
       {std::pair{4u, 1u}, {8u, 2u}, {16u, 4u}, {128u, 32u}, {12u, 1u}, {0u, 1u}})
    EXPECT_EQ(passes(strided(0, stride)), expected) << "stride " << stride;
}

TEST_F(SharedBanks, DoublesTakeTwoPasses) {
  EXPECT_EQ(passes(strided(0, 8), isa::Opcode::kLoad, isa::Type::kU64), 2u);
}

TEST_F(SharedBanks, AtomicsOnOneWordSerialiseAndSumUp) {
  const std::uint64_t before = progress_.changes();
  EXPECT_EQ(passes(strided(64, 0), isa::Opcode::kAtomic), 32u);
  EXPECT_EQ(op_.data.words[0][0], 0u);
  EXPECT_EQ(op_.data.words[0][31], 31u) << "lanes in ascending order";
  EXPECT_EQ(progress_.changes() - before, 32u);
}

TEST_F(SharedBanks, StoreThenLoadAndHighestLaneWins) {
  std::iota(op_.data.words[0].begin(), op_.data.words[0].end(), 100u);
  passes(strided(256, 0), isa::Opcode::kStore);
  passes(strided(256, 0));
  EXPECT_EQ(op_.data.words[0][0], 131u);
}

TEST_F(SharedBanks, StoringTheSameValueIsNoProgress) {
  op_.data.words[0].fill(5);
  passes(strided(512, 4), isa::Opcode::kStore);
  const std::uint64_t before = progress_.changes();
  op_.data.words[0].fill(5);
  passes(strided(512, 4), isa::Opcode::kStore);
  EXPECT_EQ(progress_.changes(), before);
}

TEST(LaneData, BytesOfEverySizeComeBack) {
  LaneData data{};
  for (const unsigned size : {1u, 2u, 4u, 8u, 16u}) {
    unsigned char in[16];
    unsigned char out[16] = {};
    for (unsigned i = 0; i < size; ++i) in[i] = static_cast<unsigned char>(size * 16 + i);
    data.put(9, 0, in, size);
    data.get(9, 0, out, size);
    EXPECT_EQ(std::memcmp(in, out, size), 0) << size;
  }
}

}  // namespace
}  // namespace heddle::core
