// An L2 of two halves: near and far, copies, and who loses them.
#include "unit/memory/l2_rig.h"

namespace heddle::memory::l2_halves_test {
namespace {

constexpr base::CoreId kNear{0}, kFar{2};  // cores come in pairs

class L2Halves : public testing::Test {
 protected:
  explicit L2Halves(
      const L2Config& config = {.sector_bytes = 32, .latency_cycles = 10, .halves = 2, .far_cycles = 7})
      : rig(config) {}
  /// Cycles from the request to its response.
  base::Cycle time(MemoryTransaction& t, base::CoreId core) {
    t.extension.core = core;
    const base::Cycle start = rig.now;
    return rig.complete(t) - start;
  }
  base::Cycle read(base::CoreId core, SectorMask sectors = sim::kAllSectors) {
    return time(rig.make_read(0x400, sectors), core);
  }
  [[nodiscard]] const FarCounters& far() const { return rig.slice.counters().far; }

  L2Rig rig;
};

TEST_F(L2Halves, TheSlicesHalfIsThatOfItsConfiguration) {
  EXPECT_EQ(FarHalf::half_of(base::CoreId{1}), 0u);
  EXPECT_EQ(FarHalf::half_of(base::CoreId{3}), 1u);
  EXPECT_EQ(FarHalf::half_of(base::CoreId{4}), 0u);
  L2Rig other({.latency_cycles = 10, .halves = 2, .far_cycles = 7, .half = 1});
  MemoryTransaction& t = other.make(MemoryOp::kRead, 0);
  t.extension.core = kFar;
  EXPECT_EQ(other.complete(t), 60u) << "near to this one: the fetch and the latency";
}

TEST_F(L2Halves, AFarReadTakesLongerOnceAndThenHitsItsCopy) {
  read(kNear);
  EXPECT_EQ(read(kNear), 10u);
  EXPECT_EQ(read(kFar), 17u);
  EXPECT_EQ(read(kFar), 10u);
  EXPECT_EQ(far().requests, 1u);
  EXPECT_EQ(far().sectors[0], 4u) << "of reads";
  EXPECT_EQ(far().copy_hits, 1u);
}

TEST_F(L2Halves, AFarMissTakesLongerThanANearOne) { EXPECT_EQ(read(kFar), 67u); }

TEST_F(L2Halves, AReadOfNoSectorGoesToTheHome) {
  EXPECT_EQ(read(kNear, 0), 10u);
  EXPECT_EQ(read(kFar, 0), 17u);
  EXPECT_EQ(read(kFar, 0), 17u) << "it leaves no copy";
  EXPECT_EQ(far().requests, 0u) << "nothing is looked up for it";
}

TEST_F(L2Halves, CopiesAreOfSectors) {
  read(kNear);
  EXPECT_EQ(read(kFar, 0b0001), 17u);
  EXPECT_EQ(read(kFar, 0b0011), 17u) << "the second sector is not there";
  EXPECT_EQ(read(kFar, 0b0011), 10u);
}

TEST_F(L2Halves, ACopyIsThereWhenItHasArrived) {
  read(kNear);
  MemoryTransaction &first = rig.make(MemoryOp::kRead, 0x400), &second = rig.make(MemoryOp::kRead, 0x400);
  first.extension.core = second.extension.core = kFar;
  const base::Cycle start = rig.now;
  rig.accept(first);
  rig.accept(second);
  rig.run_until_idle();
  ASSERT_EQ(rig.responses.size(), 3u);
  EXPECT_EQ(rig.responses[1].first, &first) << "responses of one line to one core stay in order";
  EXPECT_EQ(rig.responses[1].second, start + 17);
  EXPECT_EQ(rig.responses[2].second, start + 18) << "one leaves in a cycle";
}

TEST_F(L2Halves, ReadsWaitForACopyOnItsWayWhoeverWritesMeanwhile) {
  read(kNear);
  MemoryTransaction& first = rig.make(MemoryOp::kRead, 0x400);
  MemoryTransaction& write = rig.make_write(0x400, 0, 32, 1);
  MemoryTransaction& second = rig.make(MemoryOp::kRead, 0x400);
  first.extension.core = second.extension.core = kFar;
  write.extension.core = kNear;
  const base::Cycle start = rig.now;
  for (MemoryTransaction* t : {&first, &write, &second}) rig.accept(*t);
  rig.run_until_idle();
  EXPECT_EQ(far().requests, 1u) << "the second read does not cross";
  EXPECT_EQ(far().copy_hits, 1u);
  EXPECT_EQ(rig.responses.back().first, &second);
  EXPECT_EQ(rig.responses.back().second, start + 18) << "it waits for the copy";
  EXPECT_EQ(read(kFar, 0b0001), 17u) << "the copy of what was written did not outlast its arrival";
  EXPECT_EQ(read(kFar, 0b1110), 10u);
}

TEST_F(L2Halves, WritesAndAtomicsGoToTheHomeAndEndCopies) {
  read(kFar);
  EXPECT_EQ(time(rig.make_write(0x400, 0, 128, 1), kFar), 17u);
  EXPECT_EQ(read(kFar), 17u) << "its own write ended the copy";
  EXPECT_EQ(time(rig.make_add(0x400, 1), kFar), 17u);
  EXPECT_EQ(read(kFar, 0b1110), 10u) << "sectors that the atomic did not touch are there";
  EXPECT_EQ(read(kFar, 0b0001), 17u);
  EXPECT_EQ(time(rig.make_write(0x400, 0, 32, 2), kNear), 10u);
  EXPECT_EQ(read(kFar, 0b0001), 17u) << "a near write ends it too";
}

class L2HalvesThatTakeTurns : public L2Halves {
 protected:
  L2HalvesThatTakeTurns()
      : L2Halves(
            {.sector_bytes = 32, .latency_cycles = 10, .halves = 2, .far_cycles = 7, .far_turns = true}) {
    read(kNear);
  }
  /// From `first`, of a core, to the response of a near read that comes with it, without the latency: the bank's cycles of both.
  base::Cycle with_read(MemoryTransaction& first, base::CoreId core) {
    rig.complete(rig.make_read(0x800, 0b0001));  // another line
    return with_read_at_once(first, core);
  }
  base::Cycle with_read_at_once(MemoryTransaction& first, base::CoreId core) {
    MemoryTransaction& behind = rig.make_read(0x400, 0b0001);
    first.extension.core = core;
    behind.extension.core = kNear;
    const base::Cycle start = rig.now;
    rig.accept(first);
    rig.accept(behind);
    rig.run_until_idle();
    for (const auto& [response, when] : rig.responses)
      if (response == &behind) return when - start - 10;
    return 0;
  }
};

TEST_F(L2HalvesThatTakeTurns, WhatCrossesTakesTheSliceOfItsOwnHalfAsWell) {
  EXPECT_EQ(with_read(rig.make_write(0x400, 0, 32, 1), kNear), 1u);
  EXPECT_EQ(with_read(rig.make_write(0x400, 0, 32, 1), kFar), 2u);
  EXPECT_EQ(with_read(rig.make_read(0x400, 0b1000), kFar), 2u);
  EXPECT_EQ(with_read(rig.make_read(0x400, 0b1000), kFar), 1u) << "it hits its copy";
  EXPECT_EQ(with_read(rig.make_read(0x400, 0), kFar), 1u) << "of no sector: a fence's message";
}

TEST_F(L2HalvesThatTakeTurns, AMessageToTheSliceIsLookedUpInBothHalvesAndAnsweredByTheNearOne) {
  for (const base::CoreId core : {kNear, kFar}) {
    MemoryTransaction& message = rig.make_read(0, 0);
    message.extension.to_partition = true;
    EXPECT_EQ(with_read(message, core), 2u);
    MemoryTransaction& alone = rig.make_read(0, 0);
    alone.extension.to_partition = true;
    EXPECT_EQ(time(alone, core), 10u);
  }
}

TEST_F(L2HalvesThatTakeTurns, LanesOfAnAtomicPassOneByOne) {
  EXPECT_EQ(with_read(rig.make_add(0x400, 4), kNear), 4u) << "on one word";
  EXPECT_EQ(with_read(rig.make_add(0x400, 4), kFar), 8u);
  EXPECT_EQ(with_read(rig.make_add(0x400, 4, {0, 4, 8, 12}), kFar), 2u);
  EXPECT_EQ(rig.stalls(L2Stall::kAtomicUnit), 3u + 7u + 1u);
}

TEST_F(L2HalvesThatTakeTurns, AWordThatAllWantIsServedAsOften) {
  EXPECT_EQ(with_read(rig.make_write(0x400, 0, 32, 1), kFar), 2u);
  EXPECT_EQ(with_read_at_once(rig.make_write(0x400, 0, 32, 2), kFar), 1u)
      << "no turn: the line is that of the access before";
}

class L2HalvesThatInvalidate : public L2Halves {
 protected:
  L2HalvesThatInvalidate()
      : L2Halves({.sector_bytes = 32,
                  .latency_cycles = 10,
                  .halves = 2,
                  .far_cycles = 7,
                  .await_invalidation = true}) {}
};

TEST_F(L2HalvesThatInvalidate, ANearWriteWaitsUntilTheCopyIsGone) {
  read(kNear);
  EXPECT_EQ(time(rig.make_write(0x400, 0, 32, 1), kNear), 10u) << "there is no copy";
  read(kFar, 0b0001);
  EXPECT_EQ(time(rig.make_write(0x400, 32, 32, 1), kNear), 10u) << "none of this sector";
  EXPECT_EQ(time(rig.make_write(0x400, 0, 32, 1), kNear), 17u);
  EXPECT_EQ(time(rig.make_write(0x400, 0, 32, 1), kNear), 10u) << "it is gone";
  read(kFar, 0b0001);
  EXPECT_EQ(time(rig.make_add(0x400, 1), kNear), 10u) << "an atomic does not wait";
  EXPECT_EQ(time(rig.make_write(0x400, 0, 32, 1), kNear), 10u) << "but has ended the copy";
  read(kFar, 0b0001);
  EXPECT_EQ(time(rig.make_write(0x400, 0, 32, 1), kFar), 17u) << "a far write ends it on its way";
  EXPECT_EQ(far().invalidations, 1u) << "of the one write";
  EXPECT_EQ(far().invalidation_wait_cycles, 7u);
}

TEST_F(L2HalvesThatInvalidate, ACopyThatHasGoneByItselfIsNotAwaited) {
  read(kNear);
  MemoryTransaction &far_read = rig.make_read(0x400, 0b0001), &far_write = rig.make_write(0x400, 0, 32, 1);
  for (MemoryTransaction* t : {&far_read, &far_write}) {
    t->extension.core = kFar;
    rig.accept(*t);
  }
  rig.run_until_idle();
  ASSERT_EQ(rig.responses.size(), 3u);
  EXPECT_EQ(time(rig.make_write(0x400, 0, 32, 2), kNear), 10u) << "the write ended the copy as it arrived";
  EXPECT_EQ(far().invalidations, 0u);
  EXPECT_EQ(far().invalidation_wait_cycles, 0u);
}

TEST_F(L2HalvesThatInvalidate, AReadBehindAFarWriteFindsWhatItHasWritten) {
  read(kFar);
  MemoryTransaction& write = rig.make_write(0x400, 0, 32, 1);
  MemoryTransaction& behind = rig.make_read(0x400, 0b0001);
  write.extension.core = behind.extension.core = kFar;
  rig.accept(write);
  rig.accept(behind);
  rig.run_until_idle();
  EXPECT_EQ(far().copy_hits, 1u);
  EXPECT_EQ(behind.data[0], 1);
  EXPECT_EQ(read(kFar, 0b0001), 17u) << "the write has been answered: the copy has gone";
  MemoryTransaction &far_write = rig.make_write(0x400, 0, 32, 2),
                    &near_write = rig.make_write(0x400, 0, 32, 3);
  far_write.extension.core = kFar;
  near_write.extension.core = kNear;
  const base::Cycle start = rig.now;
  rig.accept(far_write);
  rig.accept(near_write);
  rig.run_until_idle();
  EXPECT_EQ(rig.responses.back().first, &near_write);
  EXPECT_EQ(rig.responses.back().second, start + 17 + 7) << "it takes back what the far write has changed";
  EXPECT_EQ(far().invalidations, 1u);
}

TEST_F(L2HalvesThatInvalidate, LaterAccessesToTheSectorWaitAsWell) {
  read(kFar);
  MemoryTransaction& write = rig.make_write(0x400, 0, 32, 1);
  MemoryTransaction &same = rig.make_read(0x400, 0b0001), &other = rig.make_read(0x400, 0b0010);
  const base::Cycle start = rig.now;
  for (MemoryTransaction* t : {&write, &same, &other}) {
    t->extension.core = kNear;
    rig.accept(*t);
  }
  rig.run_until_idle();
  ASSERT_EQ(rig.responses.size(), 4u);
  EXPECT_EQ(rig.responses[1].first, &other) << "its sector is free";
  EXPECT_EQ(rig.responses[2].first, &write);
  EXPECT_EQ(rig.responses[2].second, start + 17);
  EXPECT_EQ(rig.responses[3].first, &same);
  EXPECT_EQ(rig.responses[3].second, start + 18) << "one leaves in a cycle";
  EXPECT_EQ(far().invalidations, 1u);
  EXPECT_EQ(far().invalidation_wait_cycles, 7u + 6u) << "of the write, and of the read a cycle behind it";
}

TEST(L2HalvesStatistics, ReplacedCopiesAreThereWithTheKeyOnly) {
  for (const bool key : {false, true}) {
    base::StatGroup group{"l2", ""};
    const L2Counters counters;
    declare(group, counters, {.halves = 2, .far_cycles = 7, .copies_take_ways = key});
    EXPECT_EQ(group.to_json().contains("copies_replaced"), key);
  }
}

TEST(L2HalvesStatistics, WaitsForInvalidationsAreThereWithTheKeyOnly) {
  for (const bool key : {false, true}) {
    const L2Config config{.halves = 2, .far_cycles = 7, .await_invalidation = key};
    base::StatGroup group{"l2", ""};
    const L2Counters counters;
    declare(group, counters, config);
    const auto values = group.to_json();
    for (const char* name : {"invalidations", "invalidation_wait_cycles"})
      EXPECT_EQ(values.contains(name), key) << name;
  }
}

TEST_F(L2Halves, ACopyEndsWithItsLine) {
  L2Rig small({.size_kib = 1, .ways = 1, .latency_cycles = 10, .halves = 2, .far_cycles = 7});
  const auto read_far = [&](std::uint64_t address) {
    MemoryTransaction& t = small.make(MemoryOp::kRead, address);
    t.extension.core = kFar;
    const base::Cycle start = small.now;
    return small.complete(t) - start;
  };
  read_far(0x80);
  EXPECT_EQ(read_far(0x80), 10u);
  read_far(0x480);  // the same set
  EXPECT_EQ(read_far(0x80), 67u);
}

/// One set of eight ways of 128 bytes.
class L2CopiesInWays : public testing::Test {
 protected:
  static L2Config config(bool take = true) {
    return {.size_kib = 1,
            .banks = 1,
            .sector_bytes = 32,
            .ways = 8,
            .latency_cycles = 10,
            .halves = 2,
            .far_cycles = 7,
            .copies_take_ways = take};
  }
  static base::Cycle access(L2Rig& rig, MemoryTransaction& t, base::CoreId core) {
    t.extension.core = core;
    const base::Cycle start = rig.now;
    return rig.complete(t) - start;
  }
  static base::Cycle read(L2Rig& rig, base::CoreId core, unsigned line) {
    return access(rig, rig.make_read(std::uint64_t{line} * 128, sim::kAllSectors), core);
  }
  static void write(L2Rig& rig, base::CoreId core, unsigned line) {
    access(rig, rig.make_write(std::uint64_t{line} * 128, 0, 128, 1), core);
  }
};

TEST_F(L2CopiesInWays, ALineThatTheOtherHalfReadsTakesTwo) {
  for (const bool take : {false, true})
    for (const unsigned lines : {4u, 5u, 8u}) {
      L2Rig rig(config(take));
      for (unsigned line = 0; line < lines; ++line) read(rig, kFar, line);
      for (unsigned line = 0; line < lines; ++line) read(rig, kFar, line);
      EXPECT_EQ(rig.slice.counters().fetches, take && lines > 4 ? 2 * lines : lines) << lines << take;
    }
}

TEST_F(L2CopiesInWays, NeedMoreThanOneWay) {
  MemoryConfig whole;
  whole.l2.halves = 2;
  whole.l2.copies_take_ways = true;
  EXPECT_NO_THROW(whole.validate());
  whole.l2.ways = 1;
  EXPECT_THROW(whole.validate(), base::InputError);
}

TEST_F(L2CopiesInWays, ReadsOfTheHomesHalfLeaveNone) {
  L2Rig rig(config());
  for (int twice = 0; twice < 2; ++twice)
    for (unsigned line = 0; line < 8; ++line) read(rig, kNear, line);
  EXPECT_EQ(rig.slice.counters().fetches, 8u);
}

TEST_F(L2CopiesInWays, AReplacedCopyIsReadFromTheHomeAgain) {
  L2Rig rig(config());
  read(rig, kFar, 0);
  read(rig, kNear, 0);
  EXPECT_EQ(read(rig, kFar, 0), 10u) << "the copy";
  for (unsigned line = 1; line < 7; ++line) read(rig, kNear, line);
  read(rig, kNear, 0);  // so the copy is the oldest
  read(rig, kNear, 7);
  EXPECT_EQ(rig.slice.counters().far.copies_replaced, 1u);
  EXPECT_EQ(read(rig, kFar, 0), 17u) << "the line is there still";
  EXPECT_EQ(rig.slice.counters().fetches, 8u);
}

TEST_F(L2CopiesInWays, NoPolicyGivesUpTheLineForItsCopy) {
  for (const cache::Replacement& policy :
       {cache::lru_replacement(), cache::tree_plru_replacement(), cache::srrip_replacement()}) {
    L2Config with = config();
    with.replacement = cache::ReplacementChoice({policy});
    L2Rig rig(with);
    for (int twice = 0; twice < 2; ++twice)
      for (unsigned line = 0; line < 8; ++line) read(rig, kNear, line);
    EXPECT_EQ(read(rig, kFar, 0), 17u) << policy.name;
    EXPECT_EQ(read(rig, kFar, 0), 10u) << policy.name;
  }
}

TEST_F(L2CopiesInWays, ACopyReplacesADirtyLineThatIsWrittenBack) {
  L2Rig rig(config());
  for (unsigned line = 0; line < 8; ++line) write(rig, kNear, line);
  EXPECT_EQ(rig.slice.counters().write_backs, 0u);
  read(rig, kFar, 7);
  EXPECT_EQ(rig.slice.counters().write_backs, 1u);
  EXPECT_EQ(rig.slice.counters().fetches, 0u);
}

TEST_F(L2CopiesInWays, ACopyThatIsWrittenGivesItsWayBack) {
  L2Rig rig(config());
  read(rig, kFar, 0);
  write(rig, kNear, 0);
  for (unsigned line = 1; line < 8; ++line) read(rig, kNear, line);
  read(rig, kNear, 0);
  EXPECT_EQ(rig.slice.counters().fetches, 8u);
  EXPECT_EQ(rig.slice.counters().far.copies_replaced, 0u);
}

TEST_F(L2CopiesInWays, ALineTakesItsCopyAlong) {
  L2Rig rig(config());
  read(rig, kFar, 0);
  for (unsigned line = 1; line < 8; ++line) read(rig, kNear, line);  // the last one replaces line 0
  EXPECT_EQ(read(rig, kFar, 0), 67u);
  EXPECT_EQ(rig.slice.counters().far.copies_replaced, 0u);
}

TEST_F(L2Halves, NearResponsesOvertakeFarOnes) {
  read(kNear);
  rig.complete(rig.make(MemoryOp::kRead, 0x480));
  MemoryTransaction &far_read = rig.make(MemoryOp::kRead, 0x400),
                    &near_read = rig.make(MemoryOp::kRead, 0x480);
  far_read.extension.core = kFar;
  near_read.extension.core = kNear;
  rig.accept(far_read);
  rig.accept(near_read);
  rig.run_until_idle();
  ASSERT_EQ(rig.responses.size(), 4u);
  EXPECT_EQ(rig.responses[2].first, &near_read);
  EXPECT_EQ(rig.responses[3].first, &far_read);
}

TEST(L2OneHalf, FarCyclesHaveNoEffect) {
  L2Rig rig({.latency_cycles = 10, .halves = 1, .far_cycles = 7});
  MemoryTransaction& t = rig.make(MemoryOp::kRead, 0);
  t.extension.core = kFar;
  EXPECT_EQ(rig.complete(t), 60u);
  EXPECT_EQ(rig.slice.counters().far.requests, 0u);
}

}  // namespace
}  // namespace heddle::memory::l2_halves_test
