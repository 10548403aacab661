// Which reads share an answer of L2.
#include "memory/request_coalescer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

namespace heddle::memory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// Cores 0, 1, 4 and 5 are of one GPC, 2 and 3 of another one. A table has four entries, an answer serves three reads.
class Coalescer : public testing::Test {
 protected:
  sim::MemoryTransaction& request(sim::MemoryOp op, unsigned core, std::uint64_t line,
                                  base::Cycle issued = 10) {
    sim::MemoryTransaction& transaction = pool_.allocate(op, line, 128);
    transaction.extension.core = base::CoreId{core};
    transaction.extension.issued_at = issued;
    return transaction;
  }
  sim::MemoryTransaction& read(unsigned core, std::uint64_t line, unsigned sectors = 0b0011,
                               base::Cycle issued = 10, base::Cycle join_from = 0) {
    sim::MemoryTransaction& transaction = request(sim::MemoryOp::kRead, core, line, issued);
    transaction.extension.wanted_sectors = static_cast<sim::SectorMask>(sectors);
    transaction.extension.join_from = join_from;
    return transaction;
  }
  using Way = RequestCoalescer::Way;
  bool joins(sim::MemoryTransaction& transaction) {
    return coalescer_.take(transaction, true) == Way::kStays;
  }
  /// Who gets the answer besides, by core, and its byte 40.
  std::vector<std::pair<unsigned, unsigned>> answer(sim::MemoryTransaction& transaction,
                                                    unsigned char value) {
    std::memset(transaction.get_data_ptr(), value, 128);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
    std::vector<std::pair<unsigned, unsigned>> got;
    coalescer_.answered(transaction, [&](unsigned core, tlm::tlm_generic_payload& follower) {
      EXPECT_TRUE(follower.is_response_ok());
      got.emplace_back(core, follower.get_data_ptr()[40]);
    });
    return got;
  }

  sim::MemoryPool pool_;
  RequestCoalescer coalescer_{
      CrossbarConfig{.coalesced_reads = 3, .coalescer_entries = 4, .group_of_core = {0, 0, 1, 1, 0, 0}}, 6};
};

TEST_F(Coalescer, ReadsOfTheSameSectorsOfAGpcShareAnAnswer) {
  sim::MemoryTransaction& first = read(0, 0x1000);
  EXPECT_FALSE(joins(first));
  EXPECT_TRUE(joins(read(4, 0x1000)));
  EXPECT_EQ(coalescer_.waiting(4), 1u);
  EXPECT_FALSE(joins(read(2, 0x1000))) << "another GPC";
  EXPECT_FALSE(joins(read(1, 0x1080))) << "another line";
  EXPECT_THAT(answer(first, 7), ElementsAre(Pair(4u, 7u)));
  EXPECT_EQ(coalescer_.waiting(4), 0u);
  EXPECT_FALSE(joins(read(1, 0x1000))) << "the answer has come";
  EXPECT_EQ(coalescer_.joined, 1u);
}

TEST_F(Coalescer, OtherSectorsGoToL2AndAreJoinedNext) {
  sim::MemoryTransaction& two = read(0, 0x1000, 0b0011);
  EXPECT_FALSE(joins(two));
  sim::MemoryTransaction& one = read(1, 0x1000, 0b0010);
  EXPECT_FALSE(joins(one));
  EXPECT_FALSE(joins(read(4, 0x1000, 0b0011))) << "the newest read of the line has other sectors";
  EXPECT_THAT(answer(one, 1), IsEmpty());
  EXPECT_TRUE(joins(read(5, 0x1000, 0b0011)));
  EXPECT_THAT(answer(two, 2), IsEmpty());
}

TEST_F(Coalescer, AnAnswerServesSoManyReadsAndNoMore) {
  sim::MemoryTransaction& first = read(0, 0x1000);
  EXPECT_FALSE(joins(first));
  EXPECT_TRUE(joins(read(1, 0x1000)));
  EXPECT_TRUE(joins(read(4, 0x1000)));
  sim::MemoryTransaction& next = read(5, 0x1000);
  EXPECT_FALSE(joins(next));
  EXPECT_TRUE(joins(read(0, 0x1000)));
  EXPECT_THAT(answer(first, 3), ElementsAre(Pair(1u, 3u), Pair(4u, 3u)));
  EXPECT_THAT(answer(next, 4), ElementsAre(Pair(0u, 4u)));
}

TEST_F(Coalescer, NobodyJoinsWhatIsOlderThanItsAcquire) {
  sim::MemoryTransaction& first = read(0, 0x1000, 0b0011, 10);
  EXPECT_FALSE(joins(first));
  sim::MemoryTransaction& second = read(4, 0x1000, 0b0011, 12, 11);
  EXPECT_FALSE(joins(second)) << "acquired at 11";
  EXPECT_TRUE(joins(read(1, 0x1000, 0b0011, 13))) << "its core has acquired nothing";
  EXPECT_TRUE(joins(read(5, 0x1000, 0b0011, 13, 12)));
  EXPECT_THAT(answer(first, 1), IsEmpty());
  EXPECT_THAT(answer(second, 2), ElementsAre(Pair(1u, 2u), Pair(5u, 2u)));
}

TEST_F(Coalescer, UntilAWriteIsAnsweredReadsOfItsLineGoToL2) {
  for (const sim::MemoryOp op : {sim::MemoryOp::kWrite, sim::MemoryOp::kAtomic}) {
    sim::MemoryTransaction& first = read(0, 0x1000);
    EXPECT_FALSE(joins(first));
    EXPECT_TRUE(joins(read(5, 0x1000)));
    sim::MemoryTransaction& write = request(op, 1, 0x1000);
    EXPECT_FALSE(joins(write));
    EXPECT_FALSE(joins(read(1, 0x1000, 0b0011, 11)))
        << "L2 may have performed the first one before the write";
    EXPECT_FALSE(joins(read(4, 0x1000, 0b0011, 11)));
    sim::MemoryTransaction& elsewhere = read(4, 0x1080);
    EXPECT_FALSE(joins(elsewhere));
    EXPECT_TRUE(joins(read(0, 0x1080))) << "another line";
    EXPECT_THAT(answer(write, 0), IsEmpty());
    sim::MemoryTransaction& behind = read(1, 0x1000, 0b0011, 12);
    EXPECT_FALSE(joins(behind)) << "those of before are not joined, whether or not they have had an answer";
    EXPECT_TRUE(joins(read(4, 0x1000, 0b0011, 12)));
    EXPECT_THAT(answer(first, 1), ElementsAre(Pair(5u, 1u)));
    EXPECT_THAT(answer(behind, 2), ElementsAre(Pair(4u, 2u)));
    EXPECT_THAT(answer(elsewhere, 3), ElementsAre(Pair(0u, 3u)));
  }
}

TEST_F(Coalescer, SoDoReadsAfterOneThatIsToGoToL2) {
  sim::MemoryTransaction& first = read(0, 0x1000);
  EXPECT_FALSE(joins(first));
  sim::MemoryTransaction& strong = read(1, 0x1000, 0b0001, 11, base::kNever);
  EXPECT_FALSE(joins(strong));
  EXPECT_FALSE(joins(read(1, 0x1000, 0b0011, 12)));
  EXPECT_THAT(answer(strong, 1), IsEmpty());
  EXPECT_FALSE(joins(read(1, 0x1000, 0b0011, 13)));
  EXPECT_THAT(answer(first, 2), IsEmpty());
  sim::MemoryTransaction& message = request(sim::MemoryOp::kRead, 0, 0x1080);  // a fence's: of no sector
  message.extension.wanted_sectors = 0;
  EXPECT_FALSE(joins(message));
  EXPECT_FALSE(joins(read(1, 0x1080)));
  EXPECT_TRUE(joins(read(4, 0x1080)));
}

TEST_F(Coalescer, WhatFollowsAReadThatWaitsHereWaitsAsWell) {
  for (const sim::MemoryOp op : {sim::MemoryOp::kWrite, sim::MemoryOp::kAtomic, sim::MemoryOp::kRead}) {
    sim::MemoryTransaction& first = read(0, 0x1000);
    EXPECT_FALSE(joins(first));
    EXPECT_TRUE(joins(read(1, 0x1000)));
    sim::MemoryTransaction& follows = request(op, 1, 0x1000);
    EXPECT_EQ(coalescer_.take(follows, true), Way::kWaits) << "L2 could perform it before the first read";
    EXPECT_EQ(coalescer_.take(follows, true), Way::kWaits);
    sim::MemoryTransaction& others = request(op, 4, 0x1000);
    EXPECT_EQ(coalescer_.take(others, true), Way::kGoes) << "of another core";
    EXPECT_THAT(answer(first, 1), ElementsAre(Pair(1u, 1u)));
    EXPECT_EQ(coalescer_.take(follows, true), Way::kGoes);
    EXPECT_FALSE(joins(read(5, 0x1000))) << "two are on their way";
    EXPECT_THAT(answer(others, 2), IsEmpty());
    EXPECT_FALSE(joins(read(5, 0x1000)));
    EXPECT_THAT(answer(follows, 3), IsEmpty());
    sim::MemoryTransaction& last = read(5, 0x1000);
    EXPECT_FALSE(joins(last));
    EXPECT_TRUE(joins(read(0, 0x1000)));
    EXPECT_THAT(answer(last, 4), ElementsAre(Pair(0u, 4u)));
  }
}

TEST_F(Coalescer, WithoutAnEntryOrRoomAReadGoesToL2) {
  for (unsigned line = 0; line < 4; ++line) EXPECT_FALSE(joins(read(0, 0x1000 + 128 * line)));
  EXPECT_EQ(coalescer_.table_full, 0u);
  EXPECT_FALSE(joins(read(0, 0x2000)));
  EXPECT_EQ(coalescer_.table_full, 1u);
  EXPECT_FALSE(joins(read(1, 0x2000))) << "that one has no entry";
  EXPECT_EQ(coalescer_.take(read(1, 0x1000), false), Way::kGoes);
  EXPECT_EQ(coalescer_.take(read(1, 0x1000), true), Way::kStays);
}

}  // namespace
}  // namespace heddle::memory
