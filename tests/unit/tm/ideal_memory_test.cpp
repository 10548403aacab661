// Ideal transactional memory: who has read what a commit writes is doomed, nobody else.
#include "tm/comparison/ideal_memory.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "tm/comparison/ideal_stores.h"

namespace heddle::tm::ideal_memory_test {
namespace {

struct Rig {
  std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> written;
  IdealMemory memory{[this](std::uint64_t address, std::span<const std::uint8_t> bytes) {
    written.emplace_back(address, std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
  }};
};

TEST(IdealMemory, ACommitWritesItsBytesWordByWord) {
  Rig rig;
  rig.memory.begin(7);
  rig.memory.write(7, 0x104, 0x44332211, 4);
  rig.memory.write(7, 0x108, 0x00aabb00, 2);  // the lower half of a word
  rig.memory.write(7, 0x105, 0x0000ee00, 1);
  unsigned char byte = 0;
  EXPECT_TRUE(rig.memory.own(7, 0x105, byte));
  EXPECT_EQ(byte, 0xee);
  EXPECT_FALSE(rig.memory.own(7, 0x10a, byte));
  rig.memory.ask(7, 10);
  rig.memory.advance(10);
  EXPECT_TRUE(rig.written.empty()) << "the cycle is not over";
  rig.memory.advance(11);
  EXPECT_EQ(rig.memory.outcome(7), kFirstCid);
  using Bytes = std::vector<std::uint8_t>;
  ASSERT_EQ(rig.written.size(), 2u);
  EXPECT_EQ(rig.written[0], std::pair(std::uint64_t{0x104}, Bytes{0x11, 0xee, 0x33, 0x44}));
  EXPECT_EQ(rig.written[1], std::pair(std::uint64_t{0x108}, Bytes{0x00, 0xbb}));
}

TEST(IdealMemory, ReadersOfWhatIsWrittenFailAndTryAgain) {
  Rig rig;
  for (const IdealMemory::Owner owner : {0u, 1u, 2u}) rig.memory.begin(owner);
  rig.memory.read(1, 0x100);
  rig.memory.read(2, 0x104);
  rig.memory.write(0, 0x100, 1, 4);
  rig.memory.write(1, 0x104, 1, 4);
  rig.memory.ask(1, 5);  // asked first, decided behind 0
  rig.memory.ask(0, 5);
  rig.memory.ask(2, 5);
  rig.memory.advance(6);
  EXPECT_EQ(rig.memory.outcome(0), kFirstCid);
  EXPECT_EQ(rig.memory.outcome(1), 0u);
  EXPECT_EQ(rig.memory.outcome(2), kFirstCid + 1) << "what has failed dooms nobody";
  EXPECT_EQ(rig.written.size(), 1u);
  rig.memory.begin(1);
  rig.memory.ask(1, 7);
  rig.memory.advance(8);
  EXPECT_EQ(rig.memory.outcome(1), kFirstCid + 2);
}

TEST(IdealMemory, WritesWithoutReadsDoNotConflict) {
  Rig rig;
  for (const IdealMemory::Owner owner : {0u, 1u}) {
    rig.memory.begin(owner);
    rig.memory.write(owner, 0x200, owner, 4);
    rig.memory.ask(owner, 3);
  }
  rig.memory.advance(4);
  EXPECT_NE(rig.memory.outcome(0), 0u);
  EXPECT_NE(rig.memory.outcome(1), 0u);
  EXPECT_EQ(rig.written.back().second[0], 1) << "the later commit wins";
}

constexpr auto kWithSignatures = {IdealConflicts::kSignatures, IdealConflicts::kRing,
                                  IdealConflicts::kRingWords};

/// 8 words are read by thread 1, 8 others written by thread 0, one set after another: how often that fails.
unsigned false_failures(IdealConflicts conflicts, std::uint32_t bits) {
  IdealMemory memory([](std::uint64_t, std::span<const std::uint8_t>) {}, {conflicts, bits, 4}, 7);
  unsigned failed = 0;
  std::mt19937 random(bits);
  for (std::uint64_t round = 0; round < 200; ++round) {
    for (const IdealMemory::Owner owner : {0u, 1u}) memory.begin(owner);
    for (std::uint64_t i = 0; i < 8; ++i) {
      memory.read(1, random() % 0x10'0000 * 4);
      memory.write(0, (0x10'0000 + random() % 0x10'0000) * 4, 1, 4);
    }
    memory.ask(0, round);
    memory.ask(1, round);
    memory.advance(round + 1);
    EXPECT_NE(memory.outcome(0), 0u);
    failed += memory.outcome(1) == 0 ? 1 : 0;
    EXPECT_EQ(memory.failed_falsely(1), memory.outcome(1) == 0);
  }
  return failed;
}

TEST(IdealMemory, SignaturesFailMoreTheSmallerTheyAre) {
  for (const IdealConflicts conflicts : kWithSignatures) {
    EXPECT_EQ(false_failures(conflicts, 16384), 0u);
    EXPECT_GT(false_failures(conflicts, 64), 25u);
    EXPECT_GT(false_failures(conflicts, 64), false_failures(conflicts, 256));
  }
  // Two signatures meet more often than one holds a word of the other's set: 1 - (1 - 1/32)^64 against 8/32 each to the power
  // of 4 for 128 bits, times 8 words for the words.
  EXPECT_NEAR(false_failures(IdealConflicts::kSignatures, 128), 200 * 0.019, 12);
  EXPECT_NEAR(false_failures(IdealConflicts::kRingWords, 128), 200 * 0.019, 12);
  EXPECT_NEAR(false_failures(IdealConflicts::kRing, 128), 200 * 0.57, 35);
  EXPECT_EQ(false_failures(IdealConflicts::kWords, 16), 0u);
}

TEST(IdealMemory, SignaturesMissNoConflict) {
  for (const IdealConflicts conflicts : kWithSignatures) {
    IdealMemory memory([](std::uint64_t, std::span<const std::uint8_t>) {}, {conflicts, 1024, 4}, 7);
    for (const IdealMemory::Owner owner : {0u, 1u, 2u}) memory.begin(owner);
    memory.read(1, 0x100);
    memory.read(2, 0x200);
    memory.write(0, 0x100, 1, 4);
    for (const IdealMemory::Owner owner : {0u, 1u, 2u}) memory.ask(owner, 5);
    memory.advance(6);
    EXPECT_NE(memory.outcome(0), 0u);
    EXPECT_EQ(memory.outcome(1), 0u);
    EXPECT_FALSE(memory.failed_falsely(1));
    EXPECT_NE(memory.outcome(2), 0u);
    memory.begin(1);  // nothing is left of the attempt before
    memory.begin(3);
    memory.write(3, 0x100, 2, 4);
    memory.ask(3, 7);
    memory.ask(1, 7);
    memory.advance(8);
    EXPECT_NE(memory.outcome(1), 0u);
  }
}

// ---- Writes that take their way to L2 (tm.ideal.writes=stores)

struct StoreRig {
  IdealMemory memory{[](std::uint64_t, std::span<const std::uint8_t>) { ADD_FAILURE() << "written at once"; },
                     {.writes = IdealWrites::kStores}};
  IdealStores stores{2, 128};
  /// Lane 0 of the warp writes, and commits.
  void commit(IdealMemory::Owner owner, base::WarpId warp,
              const std::vector<std::pair<std::uint64_t, std::uint32_t>>& writes, unsigned bytes = 4) {
    memory.begin(owner);
    stores.begin(warp);
    for (const auto& [address, value] : writes) {
      LaneAddresses addresses{};
      addresses[0] = address;
      memory.write(owner, address, value << 8 * (address % 4), bytes);
      stores.append(warp, LaneMask(1), addresses, bytes);
    }
    memory.ask(owner, cycle);
    memory.advance(++cycle);
    stores.pack(warp, LaneMask(1), memory);
    memory.packed(owner);
  }
  base::Cycle cycle = 1;
};

TEST(IdealStores, ARowIsAPacketForEachLineWithTheNewestValue) {
  StoreRig rig;
  const base::WarpId first{0}, second{1};
  rig.commit(3, first, {{0x100, 1}, {0x104, 2}, {0x200, 3}, {0x100, 4}});
  // A row each, as the stores of a kernel: not gathered over rows.
  std::vector<std::uint64_t> lines;
  unsigned sent = 0;
  for (; rig.stores.next() != nullptr; ++sent) {
    lines.push_back(rig.stores.next()->line);
    EXPECT_EQ(rig.stores.sent(), sent == 3);
  }
  EXPECT_EQ(lines, (std::vector<std::uint64_t>{0x100, 0x100, 0x200, 0x100}));
  ASSERT_TRUE(rig.memory.on_its_way(0x100));
  EXPECT_EQ(rig.memory.on_its_way(0x100)->value, 4u);
  EXPECT_EQ(rig.memory.on_its_way(0x100)->which, 0xf);
  EXPECT_FALSE(rig.memory.on_its_way(0x108));
  // Another commit writes a byte of the word, and its packet overtakes.
  rig.commit(4, second, {{0x101, 0xee}}, 1);
  EXPECT_EQ(rig.stores.next()->bytes.count(), 1u);
  EXPECT_TRUE(rig.stores.sent());
  EXPECT_EQ(rig.memory.value(0x100), 0xee04u);
  rig.memory.arrives(0x100);  // the overtaker
  rig.memory.arrives(0x100);
  EXPECT_EQ(rig.memory.value(0x100), 0xee04u) << "the older packet brings the newer byte, too";
  EXPECT_TRUE(rig.memory.on_its_way(0x100));
  rig.memory.arrives(0x100);
  EXPECT_FALSE(rig.memory.on_its_way(0x100)) << "L2 has it";
  EXPECT_FALSE(rig.memory.all_arrived());
  rig.memory.arrives(0x104);
  rig.memory.arrives(0x200);
  EXPECT_TRUE(rig.memory.all_arrived());
}

TEST(IdealStores, AFenceWaitsForThoseOfItsWarp) {
  StoreRig rig;
  const base::WarpId first{0}, second{1};
  rig.commit(3, first, {{0x100, 1}, {0x200, 3}});
  EXPECT_TRUE(rig.stores.waiting(first));
  EXPECT_FALSE(rig.stores.waiting(second));
  EXPECT_FALSE(rig.stores.sent());
  EXPECT_TRUE(rig.stores.sent());
  EXPECT_FALSE(rig.stores.waiting(first));
  EXPECT_FALSE(rig.stores.performed(first));
  EXPECT_TRUE(rig.stores.await(first));
  EXPECT_FALSE(rig.stores.await(second));
  EXPECT_TRUE(rig.stores.performed(first));
  EXPECT_FALSE(rig.stores.await(first));
}

TEST(IdealStores, WhatHasFailedSendsNothing) {
  StoreRig rig;
  rig.memory.begin(0);
  rig.memory.read(0, 0x300);
  rig.memory.write(0, 0x304, 1, 4);
  rig.commit(1, base::WarpId{1}, {{0x300, 1}});
  rig.memory.ask(0, rig.cycle);
  rig.memory.advance(++rig.cycle);
  EXPECT_EQ(rig.memory.outcome(0), 0u);
  EXPECT_FALSE(rig.memory.on_its_way(0x304));
}

}  // namespace
}  // namespace heddle::tm::ideal_memory_test
