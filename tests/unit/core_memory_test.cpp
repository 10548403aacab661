// Plain models of the core's memory path: coalescer, L1 data cache, shared memory banks.
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "core/coalescer.h"
#include "core/constant_cache.h"
#include "core/l1_data_cache.h"
#include "core/mshr_table.h"
#include "core/register_transfer.h"
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

class Constants : public testing::Test {
 protected:
  using Miss = ConstantCacheModel::Miss;
  /// The byte read at `address`, -1 on a miss.
  int read(std::uint64_t address) {
    const unsigned char* data = cache_.look_up(address);
    return data == nullptr ? -1 : *data;
  }
  Miss miss(std::uint64_t address, std::uint32_t op = 0, bool may_send = true) {
    return cache_.miss(address, {op, 0}, may_send, mshr_);
  }
  /// Byte i of the line holds first + i.
  void fill(unsigned first) {
    std::array<unsigned char, 64> line;
    std::iota(line.begin(), line.end(), static_cast<unsigned char>(first));
    cache_.fill(mshr_, line.data());
  }
  ConstantCacheConfig config_{
      .size_kib = 1, .line_bytes = 64, .ways = 2, .mshr_entries = 1, .mshr_targets = 2};
  sim::ProgressMonitor progress_;
  ConstantCacheModel cache_{config_, progress_};
  std::uint32_t mshr_ = 0;
};

TEST_F(Constants, MissFillHitWithTheBytesOfTheLine) {
  EXPECT_EQ(read(0x1010), -1);
  EXPECT_EQ(miss(0x1010), Miss::kSend);
  EXPECT_EQ(read(0x1010), -1) << "not before the line is there";
  fill(100);
  EXPECT_EQ(read(0x1010), 116);
  EXPECT_EQ(read(0x103f), 163);
  EXPECT_EQ(read(0x1040), -1);
  cache_.invalidate();
  EXPECT_EQ(read(0x1010), -1);
}

TEST_F(Constants, MissesToALineUnderWayMergeAndRememberTheirOffsets) {
  EXPECT_EQ(miss(0x1004, 7), Miss::kSend);
  EXPECT_EQ(miss(0x1020, 8), Miss::kMerged);
  EXPECT_EQ(miss(0x1030, 9), Miss::kStall) << "two targets";
  EXPECT_EQ(miss(0x2000, 9), Miss::kStall) << "one MSHR";
  fill(0);
  ASSERT_EQ(cache_.mshrs().target_count(mshr_), 2u);
  EXPECT_EQ(cache_.mshrs().targets(mshr_)[0].target.op, 7u);
  EXPECT_EQ(cache_.mshrs().targets(mshr_)[0].offset, 4u);
  EXPECT_EQ(cache_.mshrs().targets(mshr_)[1].target.op, 8u);
  EXPECT_EQ(cache_.mshrs().targets(mshr_)[1].offset, 0x20u);
  EXPECT_EQ(miss(0x2000, 9, false), Miss::kNoPort);
  EXPECT_EQ(miss(0x2000, 9), Miss::kSend);
}

TEST_F(Constants, EvictTheLeastRecentlyUsedWay) {
  for (const std::uint64_t line : {0x0000u, 0x0200u}) {  // 8 sets: lines 0x200 apart share one
    EXPECT_EQ(miss(line), Miss::kSend);
    fill(static_cast<unsigned>(line / 0x200));
  }
  EXPECT_EQ(read(0x0000), 0);
  EXPECT_EQ(miss(0x0400), Miss::kSend);
  fill(2);
  EXPECT_EQ(read(0x0000), 0);
  EXPECT_EQ(read(0x0200), -1);
  EXPECT_EQ(read(0x0400), 2);
}

TEST(MshrTable, FindsEveryOutstandingLineWhateverTheOrderOfRelease) {
  MshrTable<unsigned> table(8, 2, 128);
  std::map<std::uint64_t, std::uint32_t> outstanding;
  std::uint64_t random = 1;
  for (unsigned step = 0; step < 5000; ++step) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    const std::uint64_t line = (random >> 40) % 24 * 128 + (random >> 33) % 2 * 0x400000;
    const auto known = outstanding.find(line);
    const std::uint32_t found = table.find(line);
    ASSERT_EQ(found, known == outstanding.end() ? table.kNone : known->second) << step;
    ASSERT_EQ(table.full(), outstanding.size() == 8);
    ASSERT_EQ(table.empty(), outstanding.empty());
    if (known != outstanding.end()) {
      ASSERT_EQ(table.line(found), line);
      table.release(found);
      outstanding.erase(known);
    } else if (!table.full()) {
      outstanding[line] = table.allocate(line, step);
    }
  }
}

TEST(MshrTable, SeveralEntriesOfOneLineAreFoundNewestFirst) {
  MshrTable<unsigned> table(4, 1, 128);
  const std::uint32_t a = table.allocate(0x1000, 1);
  const std::uint32_t other = table.allocate(0x2000, 2);
  const std::uint32_t b = table.allocate(0x1000, 3);
  EXPECT_EQ(table.find(0x1000), b);
  EXPECT_EQ(table.find_next(b), a);
  EXPECT_EQ(table.find_next(a), table.kNone);
  EXPECT_FALSE(table.add(a, 9)) << "one target each";
  table.release(b);
  EXPECT_EQ(table.find(0x1000), a);
  EXPECT_EQ(table.find(0x2000), other);
}

TEST(RegisterTransfer, ExtendsElementsToTheirRegisters) {
  alignas(64) std::array<std::byte, 4 * 256> registers{};
  isa::Instruction load;
  load.op = isa::Opcode::kLoad;
  load.type = isa::Type::kS8;
  load.vector = 2;
  load.dst[0] = {.offset = 0, .width = isa::RowWidth::k32, .present = true};
  load.dst[1] = {.offset = 256, .width = isa::RowWidth::k64, .present = true};
  const std::array<unsigned char, 2> bytes{0x7f, 0x80};
  load_lane(load, registers.data(), 3, 0, 2, bytes.data());
  EXPECT_EQ(lane_value(registers.data(), isa::RowWidth::k32, 3), 0x7fu);
  EXPECT_EQ(lane_value(registers.data() + 256, isa::RowWidth::k64, 3), 0xffffffffffffff80u);
  EXPECT_EQ(lane_value(registers.data(), isa::RowWidth::k32, 2), 0u) << "other lanes keep their value";
  load_uniform(load, registers.data(), LaneMask(0xfffffff0), bytes.data());
  EXPECT_EQ(lane_value(registers.data() + 256, isa::RowWidth::k64, 31), 0xffffffffffffff80u);
  EXPECT_EQ(lane_value(registers.data() + 256, isa::RowWidth::k64, 0), 0u);
}

TEST(RegisterTransfer, HalvesOfAnEightByteElementMayComeApart) {
  alignas(64) std::array<std::byte, 512> registers{};
  isa::Instruction load;
  load.op = isa::Opcode::kLoad;
  load.type = isa::Type::kU64;
  load.vector = 2;
  load.dst[1] = {.offset = 256, .width = isa::RowWidth::k64, .present = true};  // the first is discarded
  const std::array<unsigned char, 16> bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  load_lane(load, registers.data(), 7, 12, 4, bytes.data() + 12);
  load_lane(load, registers.data(), 7, 0, 12, bytes.data());
  EXPECT_EQ(lane_value(registers.data() + 256, isa::RowWidth::k64, 7), 0x100f0e0d0c0b0a09u);
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
