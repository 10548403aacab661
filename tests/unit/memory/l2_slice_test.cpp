#include <cstring>
#include <vector>

#include "unit/memory/l2_rig.h"

namespace heddle::memory::l2_slice_test {
namespace {

TEST(L2Slice, HitsAnswerAfterTheLatencyAndMissesAfterTheFetch) {
  L2Rig rig({.latency_cycles = 10});
  // Miss at 0, issued to the DRAM at 0, back at 50, answered 10 cycles later; nothing else takes time.
  EXPECT_EQ(rig.complete(rig.make(MemoryOp::kRead, 0x400)), 60u);
  const base::Cycle start = rig.now;
  EXPECT_EQ(rig.complete(rig.make(MemoryOp::kRead, 0x400)), start + 10);
  EXPECT_EQ(rig.slice.counters().hits[0], 1u);
  EXPECT_EQ(rig.slice.counters().misses[0], 1u);
  EXPECT_EQ(rig.slice.counters().service_cycles, 70u);
}

TEST(L2Slice, AFullLineWriteNeedsNoFetchAPartialOneDoes) {
  L2Rig rig({.latency_cycles = 10});
  rig.complete(rig.make_write(0, 0, 128, 7));
  EXPECT_TRUE(rig.transfers.empty());
  rig.complete(rig.make_write(128, 4, 4, 7));
  ASSERT_EQ(rig.transfers.size(), 1u);
  EXPECT_FALSE(rig.transfers[0].transfer.write);
  EXPECT_EQ(rig.transfers[0].transfer.address, 128u);
  EXPECT_EQ(rig.slice.counters().writes_without_fetch, 1u);
}

const L2Config kByteMasks{.size_kib = 1, .ways = 1, .latency_cycles = 10, .write_miss = WriteMiss::kByteMask};

TEST(L2ByteMasks, AWriteInPartNeedsNoFetchUntilOtherBytesAreRead) {
  L2Rig rig(kByteMasks);
  std::vector<unsigned char> old(128, 1);
  rig.dram.write(128, old.data(), 128);
  rig.complete(rig.make_write(128, 4, 4, 7));
  EXPECT_TRUE(rig.transfers.empty());
  MemoryTransaction& read = rig.make(MemoryOp::kRead, 128);
  const base::Cycle start = rig.now;
  EXPECT_EQ(rig.complete(read), start + 60) << "a miss";
  ASSERT_EQ(rig.transfers.size(), 1u);
  EXPECT_FALSE(rig.transfers[0].transfer.write);
  for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(read.data[i], i >= 4 && i < 8 ? 7 : 1) << i;
}

TEST(L2ByteMasks, WritesThatMakeASectorWholeMakeItValid) {
  L2Rig rig(kByteMasks);
  rig.complete(rig.make_write(128, 0, 60, 7));
  rig.complete(rig.make_write(128, 60, 68, 8));
  MemoryTransaction& read = rig.make(MemoryOp::kRead, 128);
  rig.complete(read);
  EXPECT_TRUE(rig.transfers.empty());
  EXPECT_EQ(read.data[59], 7);
  EXPECT_EQ(read.data[60], 8);
  rig.accept(rig.make(MemoryOp::kRead, 128 + 1024));  // evicts it
  rig.run_until_idle();
  EXPECT_EQ(rig.transfers[0].transfer.write, true);
  EXPECT_EQ(rig.transfers[0].transfer.enables, nullptr);
}

TEST(L2ByteMasks, ALineInPartIsWrittenBackWithByteEnables) {
  L2Rig rig(kByteMasks);
  std::vector<unsigned char> old(128, 1);
  rig.dram.write(128, old.data(), 128);
  rig.complete(rig.make_write(128, 4, 4, 7));
  rig.accept(rig.make(MemoryOp::kRead, 128 + 1024));
  rig.run_until_idle();
  EXPECT_EQ(rig.slice.counters().masked_write_backs, 1u);
  rig.dram.read(128, old.data(), 128);
  for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(old[i], i >= 4 && i < 8 ? 7 : 1) << i;
}

TEST(L2ByteMasks, AnAtomicFetchesItsSector) {
  L2Rig rig(kByteMasks);
  rig.complete(rig.make_write(128, 4, 4, 7));
  rig.complete(rig.make_add(128, 1));
  EXPECT_EQ(rig.transfers.size(), 1u);
}

TEST(L2ByteMasks, ASectorThatIsBeingFetchedIsThereWhenTheFetchIs) {
  // Writes that wait behind a read make sector 1 whole while it is fetched for a read behind them.
  L2Config config = kByteMasks;
  config.sector_bytes = 64;
  L2Rig rig(config);
  rig.accept(rig.make_read(128, 0b0011));
  MemoryTransaction &low = rig.make_write(128, 32, 64, 7), &high = rig.make_write(128, 64, 64, 8);
  std::memset(high.enables.data() + 64, 0, 32);
  rig.accept(low);
  rig.accept(high);
  for (int i = 0; i < 20; ++i) rig.step();  // so that its fetch comes after the writes
  MemoryTransaction& read = rig.make(MemoryOp::kRead, 128);
  rig.accept(read);
  rig.run_until_idle();
  ASSERT_EQ(rig.responses.size(), 4u);
  EXPECT_EQ(rig.responses[3].first, &read);
  EXPECT_GE(rig.responses[3].second, 70u) << "with its fetch";
  for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(read.data[i], i < 32 ? 0 : i < 96 ? 7 : 8) << i;
}

TEST(L2Slice, EvictsTheLeastRecentlyUsedLineAndWritesItBack) {
  L2Rig rig({.size_kib = 1, .ways = 2, .latency_cycles = 1});  // 4 sets
  const std::uint64_t stride = 4 * 128ull;
  rig.complete(rig.make_write(0, 0, 128, 1));
  rig.complete(rig.make_write(stride, 0, 128, 2));
  rig.complete(rig.make(MemoryOp::kRead, 0));  // line 0 is now the younger
  rig.complete(rig.make(MemoryOp::kRead, 2 * stride));
  rig.run_until_idle();
  ASSERT_EQ(rig.transfers.size(), 2u);
  EXPECT_TRUE(rig.transfers[0].transfer.write);
  EXPECT_EQ(rig.transfers[0].transfer.address, stride);
  EXPECT_EQ(rig.transfers[0].data[5], 2);
  EXPECT_EQ(rig.transfers[1].transfer.address, 2 * stride);
  unsigned char byte = 0;
  rig.dram.read(stride, &byte, 1);
  EXPECT_EQ(byte, 2);
}

TEST(L2Slice, AFetchWaitsForTheWriteBackOfItsLine) {
  L2Rig rig({.size_kib = 1, .ways = 1, .latency_cycles = 1});  // 8 sets
  const std::uint64_t stride = 8 * 128ull;
  rig.complete(rig.make_write(0, 0, 128, 9));
  const base::Cycle start = rig.now;
  rig.accept(rig.make_write(stride, 0, 128, 8));  // evicts line 0: write-back, 50 cycles
  rig.accept(rig.make(MemoryOp::kRead, 0));       // evicts again, and fetches line 0 again
  rig.run_until_idle();
  ASSERT_EQ(rig.responses.size(), 3u);
  EXPECT_GE(rig.responses[2].second, start + 50 + 50);
  EXPECT_EQ(rig.responses[2].first->get_data_ptr()[3], 9);
}

TEST(L2Slice, FurtherRequestsToALineJoinItsFetchInOrder) {
  L2Rig rig({.latency_cycles = 1, .mshr_targets = 4});
  MemoryTransaction& r1 = rig.make(MemoryOp::kRead, 0);
  MemoryTransaction& w = rig.make_write(0, 0, 4, 5);
  MemoryTransaction& r2 = rig.make(MemoryOp::kRead, 0);
  for (MemoryTransaction* t : {&r1, &w, &r2}) rig.accept(*t);
  rig.run_until_idle();
  EXPECT_EQ(rig.slice.counters().fetches, 1u);
  EXPECT_EQ(rig.slice.counters().merged[0], 1u);
  EXPECT_EQ(rig.slice.counters().merged[1], 1u);
  EXPECT_EQ(r1.data[0], 0);
  EXPECT_EQ(r2.data[0], 5);
  ASSERT_EQ(rig.responses.size(), 3u);
  EXPECT_EQ(rig.responses[0].first, &r1);
  EXPECT_EQ(rig.responses[1].first, &w);
  EXPECT_EQ(rig.responses[2].first, &r2);
}

TEST(L2Slice, StallCausesAreCountedInCycles) {
  L2Rig rig({.latency_cycles = 1, .mshr_entries = 1, .mshr_targets = 1});
  rig.accept(rig.make(MemoryOp::kRead, 0));
  rig.accept(rig.make(MemoryOp::kRead, 0));  // no target entry, cycles 1..50
  rig.accept(rig.make(MemoryOp::kRead, 1024));
  rig.accept(rig.make(MemoryOp::kRead, 2048));
  rig.run_until_idle();
  const auto& stalls = rig.slice.counters().stall_cycles;
  EXPECT_EQ(stalls[static_cast<unsigned>(L2Stall::kTargets)], 49u);  // served at 51 as a hit, filled at 50
  EXPECT_EQ(stalls[static_cast<unsigned>(L2Stall::kMshrs)], 49u);
}

TEST(L2Slice, OnlyChangesOfValueAreProgress) {
  L2Rig rig({.latency_cycles = 1});
  rig.complete(rig.make_write(0, 0, 4, 0));  // memory reads 0 already
  EXPECT_EQ(rig.progress.changes(), 0u);
  rig.complete(rig.make_write(0, 0, 4, 1));
  EXPECT_EQ(rig.progress.changes(), 1u);
  rig.complete(rig.make_write(0, 0, 4, 1));
  EXPECT_EQ(rig.progress.changes(), 1u);
  MemoryTransaction& failing = rig.make_add(0, 1);
  failing.extension.atomic_op = isa::AtomicOp::kCas;
  failing.extension.atomics[0].compare = 77;
  rig.complete(failing);
  EXPECT_EQ(rig.progress.changes(), 1u);
  rig.complete(rig.make_add(0, 1));
  EXPECT_EQ(rig.progress.changes(), 2u);
}

TEST(L2Slice, RefusesWhatCrossesALine) {
  L2Rig rig({.latency_cycles = 1});
  MemoryTransaction& t = rig.make(MemoryOp::kRead, 64);
  rig.complete(t);
  EXPECT_EQ(t.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
  MemoryTransaction& a = rig.make_add(0, 1);
  a.extension.atomics[0].offset = 126;
  rig.complete(a);
  EXPECT_EQ(a.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
}

// Between launches, for caches that are to be cold.
TEST(L2Slice, DirtySectorsAreNamedAndLinesForgotten) {
  L2Rig rig({.sector_bytes = 32, .latency_cycles = 10});
  rig.complete(rig.make_write(0, 0, 32, 7));
  rig.complete(rig.make_write(256, 32, 64, 8));
  rig.complete(rig.make_read(512, 1));
  std::vector<std::uint64_t> dirty = rig.slice.debug_dirty();
  std::sort(dirty.begin(), dirty.end());
  EXPECT_EQ(dirty, (std::vector<std::uint64_t>{0, 256 + 32, 256 + 64}));
  rig.slice.debug_forget();
  EXPECT_TRUE(rig.slice.debug_dirty().empty());
  unsigned char byte = 0;
  EXPECT_FALSE(rig.slice.debug_read(0, &byte, 1));
  EXPECT_FALSE(rig.slice.debug_read(512, &byte, 1));
  const std::uint64_t misses = rig.slice.counters().misses[0];
  rig.complete(rig.make_read(512, 1));
  EXPECT_EQ(rig.slice.counters().misses[0], misses + 1);
}

TEST(L2Slice, ALineThatIsBeingFetchedIsNotForgotten) {
  L2Rig rig({.latency_cycles = 10});
  MemoryTransaction& read = rig.make(MemoryOp::kRead, 0);
  rig.accept(read);
  rig.step();
  rig.slice.debug_forget();
  rig.run_until_idle();
  ASSERT_EQ(rig.responses.size(), 1u);
  rig.complete(rig.make(MemoryOp::kRead, 0));
  EXPECT_EQ(rig.slice.counters().hits[0], 1u);
}

TEST(L2Slice, SectorsOfRequestsAreCountedOnDemand) {
  L2Rig off({.sector_bytes = 32});
  off.complete(off.make_read(0, 5));
  EXPECT_EQ(off.slice.counters().sectors[0], 0u);
  L2Rig rig({.sector_bytes = 32, .sector_statistics = true});
  rig.complete(rig.make_read(0, 5));
  rig.complete(rig.make_read(0, 15));
  rig.complete(rig.make_write(256, 32, 64, 8));
  EXPECT_EQ(rig.slice.counters().sectors[0], 6u);
  EXPECT_EQ(rig.slice.counters().sectors[1], 2u);
}

}  // namespace
}  // namespace heddle::memory::l2_slice_test
