// Banks and sectors of an L2 slice.
#include <cstring>

#include "unit/memory/l2_rig.h"

namespace heddle::memory::l2_banks_test {
namespace {

constexpr std::uint64_t kLineBytes = 128;

// ---- banks ----

TEST(L2Banks, ServeInTheSameCycleAndAnswerOnePerCycle) {
  for (const std::uint32_t banks : {1u, 2u, 4u}) {
    L2Rig rig({.banks = banks, .latency_cycles = 10});
    for (std::uint64_t line = 0; line < 4; ++line) rig.complete(rig.make(MemoryOp::kRead, line * kLineBytes));
    rig.run_until_idle();
    rig.responses.clear();
    const std::uint64_t waited = rig.slice.counters().bank_wait_cycles;
    const base::Cycle start = rig.now;
    for (std::uint64_t line = 0; line < 4; ++line) rig.accept(rig.make(MemoryOp::kRead, line * kLineBytes));
    rig.run_until_idle();
    ASSERT_EQ(rig.responses.size(), 4u);
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(rig.responses[i].second, start + 10 + i);
    const L2Counters& c = rig.slice.counters();
    EXPECT_EQ(c.bank_conflicts, 4u - banks);
    EXPECT_EQ(c.bank_wait_cycles - waited, banks == 1 ? 0u + 1 + 2 + 3 : banks == 2 ? 0u + 0 + 1 + 1 : 0u);
  }
}

TEST(L2Banks, ABlockedBankDoesNotHoldUpAnother) {
  L2Rig rig({.banks = 2, .latency_cycles = 1, .mshr_entries = 1});
  rig.complete(rig.make(MemoryOp::kRead, 128));
  rig.run_until_idle();
  const base::Cycle start = rig.now;
  MemoryTransaction& miss = rig.make(MemoryOp::kRead, 2 * kLineBytes);
  MemoryTransaction& blocked = rig.make(MemoryOp::kRead, 4 * kLineBytes);
  MemoryTransaction& hit = rig.make(MemoryOp::kRead, 128);
  for (MemoryTransaction* t : {&miss, &blocked, &hit}) rig.accept(*t);
  rig.run_until_idle();
  ASSERT_EQ(rig.responses.size(), 4u);
  EXPECT_EQ(rig.responses[1].first, &hit);
  EXPECT_EQ(rig.responses[1].second, start + 1);
  EXPECT_EQ(rig.responses[3].first, &blocked);
  EXPECT_EQ(rig.stalls(L2Stall::kMshrs), 49u);
}

TEST(L2Banks, EachHasItsOwnQueue) {
  L2Rig rig({.banks = 2, .request_queue = 2});
  for (int i = 0; i < 2; ++i) rig.accept(rig.make(MemoryOp::kRead, 0));
  EXPECT_FALSE(rig.can_accept(rig.make(MemoryOp::kRead, 256)));
  EXPECT_TRUE(rig.can_accept(rig.make(MemoryOp::kRead, 128)));
}

TEST(L2Banks, TheLastPlaceOfTheDramQueueGoesToTheBankWhoseTurnItIs) {
  for (const unsigned turn : {0u, 1u}) {
    L2Rig rig({.banks = 2, .latency_cycles = 1, .dram_queue = 3});
    rig.dram_blocked = true;
    for (std::uint64_t i = 0; i < 2; ++i) {  // two entries used
      rig.accept(rig.make(MemoryOp::kRead, (8 + i) * kLineBytes));
      rig.step();
    }
    while (rig.now % 2 != turn) rig.step();
    rig.accept(rig.make(MemoryOp::kRead, 0));
    rig.accept(rig.make(MemoryOp::kRead, 128));
    rig.step();
    EXPECT_EQ(rig.slice.counters().misses[0], 3u);
    rig.dram_blocked = false;
    rig.run_until_idle();
    ASSERT_EQ(rig.transfers.size(), 4u);
    EXPECT_EQ(rig.transfers[2].transfer.address, turn * 128u);
  }
}

TEST(L2Banks, AnyNumberThatDividesTheSetsUsesTheWholeCapacity) {
  L2Config config{.size_kib = 12, .banks = 3, .ways = 2, .latency_cycles = 1};  // 48 sets
  L2Rig rig(config);
  for (std::uint64_t line = 0; line < 96; ++line) rig.complete(rig.make(MemoryOp::kRead, line * kLineBytes));
  for (std::uint64_t line = 0; line < 96; ++line) rig.complete(rig.make(MemoryOp::kRead, line * kLineBytes));
  EXPECT_EQ(rig.slice.counters().misses[0], 96u);
  EXPECT_EQ(rig.slice.counters().hits[0], 96u);
}

// ---- sectors ----

struct Move {
  bool write;
  std::uint64_t address;
  std::uint32_t bytes;
  bool operator==(const Move&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Move& m) {
  return out << (m.write ? "write " : "fetch ") << m.bytes << " at " << m.address;
}

struct SectorRig : L2Rig {
  explicit SectorRig(L2Config c = {}) : L2Rig(sectored(c)) {}
  static L2Config sectored(L2Config c) {
    c.banks = 1;
    c.sector_bytes = 32;
    c.latency_cycles = 1;
    return c;
  }
  /// The transfers since the last call.
  std::vector<Move> moves() {
    run_until_idle();
    std::vector<Move> list;
    for (const InFlight& f : transfers)
      list.push_back({f.transfer.write, f.transfer.address, f.transfer.bytes});
    transfers.clear();
    return list;
  }
};
using Moves = std::vector<Move>;

TEST(L2Sectors, OnlyWhatIsWantedAndMissingIsFetched) {
  SectorRig rig;
  rig.complete(rig.make_read(0, 0b0100));
  EXPECT_EQ(rig.moves(), (Moves{{false, 64, 32}}));
  rig.complete(rig.make_read(0, 0b0100));
  EXPECT_EQ(rig.moves(), Moves{});
  rig.complete(rig.make_read(0, 0b0001));
  EXPECT_EQ(rig.moves(), (Moves{{false, 0, 32}}));
  rig.complete(rig.make(MemoryOp::kRead, 0));
  EXPECT_EQ(rig.moves(), (Moves{{false, 32, 32}, {false, 96, 32}}));  // a transfer per run
  rig.complete(rig.make_read(128, 0b0110));
  EXPECT_EQ(rig.moves(), (Moves{{false, 128 + 32, 64}}));
  const L2Counters& c = rig.slice.counters();
  EXPECT_EQ(c.hits[0], 1u);
  EXPECT_EQ(c.misses[0], 4u);
  EXPECT_EQ(c.sector_misses[0], 2u);
  EXPECT_EQ(c.fetches, 4u);
}

TEST(L2Sectors, TransfersAreAlignedPowersOfTwoIfAskedFor) {
  const auto moved = [](std::uint32_t most, SectorMask wanted) {
    SectorRig rig({.dram_access_bytes = most});
    rig.complete(rig.make_read(0, wanted));
    EXPECT_EQ(rig.slice.counters().fetches, 1u);
    return rig.moves();
  };
  EXPECT_EQ(moved(0, 0b1110), (Moves{{false, 32, 96}}));
  EXPECT_EQ(moved(128, 0b1110), (Moves{{false, 32, 32}, {false, 64, 64}}));
  EXPECT_EQ(moved(128, 0b0111), (Moves{{false, 0, 64}, {false, 64, 32}}));
  EXPECT_EQ(moved(128, 0b0110), (Moves{{false, 32, 32}, {false, 64, 32}}));
  EXPECT_EQ(moved(128, 0b1111), (Moves{{false, 0, 128}}));
  EXPECT_EQ(moved(64, 0b1111), (Moves{{false, 0, 64}, {false, 64, 64}}));
  EXPECT_EQ(moved(32, 0b1101), (Moves{{false, 0, 32}, {false, 64, 32}, {false, 96, 32}}));
}

TEST(L2Sectors, AWriteFetchesTheSectorsItWritesInPart) {
  SectorRig rig;
  rig.complete(rig.make_write(0, 32, 32, 7));
  EXPECT_EQ(rig.moves(), Moves{});
  EXPECT_EQ(rig.slice.counters().writes_without_fetch, 1u);
  rig.complete(rig.make_write(128, 32, 40, 7));  // sector 1 whole, sector 2 in part
  EXPECT_EQ(rig.moves(), (Moves{{false, 128 + 64, 32}}));
  MemoryTransaction& read = rig.make(MemoryOp::kRead, 128);
  rig.complete(read);
  EXPECT_EQ(rig.moves(), (Moves{{false, 128, 32}, {false, 128 + 96, 32}}));
  for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(read.data[i], i >= 32 && i < 72 ? 7 : 0) << i;
}

TEST(L2Sectors, OnlyDirtySectorsAreWrittenBack) {
  SectorRig rig({.size_kib = 1, .ways = 1});  // 8 sets
  unsigned char before[128];
  std::memset(before, 9, sizeof before);
  rig.dram.write(0, before, sizeof before);
  rig.complete(rig.make(MemoryOp::kRead, 0));
  rig.complete(rig.make_write(0, 0, 32, 1));
  rig.complete(rig.make_write(0, 70, 30, 2));
  rig.moves();
  rig.complete(rig.make(MemoryOp::kRead, 8 * kLineBytes));
  EXPECT_EQ(rig.moves(), (Moves{{true, 0, 32}, {true, 64, 64}, {false, 8 * kLineBytes, 128}}));
  unsigned char after[128];
  rig.dram.read(0, after, sizeof after);
  for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(after[i], i < 32 ? 1 : i >= 70 && i < 100 ? 2 : 9) << i;
  EXPECT_EQ(rig.slice.counters().write_backs, 1u);
}

TEST(L2Sectors, OtherSectorsOfTheLineAreHitWhileOneIsFetched) {
  SectorRig rig;
  rig.complete(rig.make_read(0, 0b0001));
  rig.moves();
  const base::Cycle start = rig.now;
  MemoryTransaction& miss = rig.make_read(0, 0b0010);
  MemoryTransaction& hit = rig.make_read(0, 0b0001);
  MemoryTransaction& behind = rig.make_read(0, 0b0011);  // accesses the line that the first waits for
  MemoryTransaction& further = rig.make_read(0, 0b1000);
  for (MemoryTransaction* t : {&miss, &hit, &behind, &further}) rig.accept(*t);
  EXPECT_EQ(rig.moves(), (Moves{{false, 32, 32}, {false, 96, 32}}));
  ASSERT_EQ(rig.responses.size(), 5u);
  EXPECT_EQ(rig.responses[1].first, &hit);
  EXPECT_EQ(rig.responses[1].second, start + 2);
  EXPECT_EQ(rig.responses[2].first, &miss);
  EXPECT_EQ(rig.responses[3].first, &behind);
  EXPECT_EQ(rig.responses[4].first, &further);
  EXPECT_EQ(rig.slice.counters().merged[0], 1u);
}

TEST(L2Sectors, WhatAWaitingWriteOverwritesIsNotFetched) {
  SectorRig rig;
  rig.accept(rig.make_read(0, 0b0001));
  rig.accept(rig.make_write(0, 16, 48, 5));  // sector 0 in part, sector 1 whole: waits for sector 0
  MemoryTransaction& read = rig.make_read(0, 0b0010);
  rig.accept(read);
  EXPECT_EQ(rig.moves(), (Moves{{false, 0, 32}}));
  EXPECT_EQ(read.data[32], 5);
  EXPECT_EQ(read.data[63], 5);
}

TEST(L2Sectors, AnAtomicFetchesTheSectorsOfItsLanes) {
  SectorRig rig;
  rig.complete(rig.make_add(0, 3, {4, 8, 100}));
  EXPECT_EQ(rig.moves(), (Moves{{false, 0, 32}, {false, 96, 32}}));
  rig.complete(rig.make_add(0, 1, {100}));
  EXPECT_EQ(rig.moves(), Moves{});
}

TEST(L2Sectors, ARequestForNothingCostsNothing) {
  SectorRig rig;
  rig.complete(rig.make_read(0, 0));
  MemoryTransaction& write = rig.make(MemoryOp::kWrite, 128);  // no byte enabled
  rig.complete(write);
  EXPECT_TRUE(write.is_response_ok());
  EXPECT_EQ(rig.moves(), Moves{});
}

}  // namespace
}  // namespace heddle::memory::l2_banks_test
