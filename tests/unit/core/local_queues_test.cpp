// Plain model of the sub-cores' queues in front of the load/store unit.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/memory/local_queues.h"

namespace heddle::core::local_queues_test {
namespace {

struct LocalQueuesBench {
  LocalQueuesBench(const LsuConfig& config, std::uint32_t sub_cores) : queues(config, sub_cores) {}
  MemoryInstruction& push(std::uint32_t sub_core, Cycle available_at) {
    MemoryInstruction& op = ops[pushed++];
    op.available_at = available_at;
    queues.push(sub_core, op);
    return op;
  }
  std::vector<const MemoryInstruction*> hand_on(Cycle now, std::size_t room = 8, Cycle busy = 1) {
    std::vector<const MemoryInstruction*> taken;
    queues.hand_on(now, room, [&](MemoryInstruction& op) {
      taken.push_back(&op);
      return busy;
    });
    return taken;
  }
  using Taken = std::vector<const MemoryInstruction*>;
  LocalQueues queues;
  std::array<MemoryInstruction, 16> ops;
  std::size_t pushed = 0;
};

TEST(LocalQueues, AreOffUnlessTheyHaveEntries) {
  EXPECT_FALSE(LocalQueues({}, 4).on());
  EXPECT_TRUE(LocalQueues({.local_queue_entries = 1}, 4).on());
}

TEST(LocalQueues, AnAddressUnitTakesAnInstructionEverySoManyCycles) {
  LocalQueuesBench bench({.local_queue_entries = 4, .address_cycles = 4}, 1);
  const MemoryInstruction& first = bench.push(0, 10);
  const MemoryInstruction& second = bench.push(0, 11);
  EXPECT_EQ(bench.queues.next_due(), 10u);
  EXPECT_TRUE(bench.hand_on(9).empty()) << "its operands have not been read";
  EXPECT_EQ(bench.hand_on(10), LocalQueuesBench::Taken{&first});
  EXPECT_EQ(bench.queues.next_due(), 14u);
  EXPECT_TRUE(bench.hand_on(13).empty());
  EXPECT_EQ(bench.hand_on(14), LocalQueuesBench::Taken{&second});
  EXPECT_EQ(bench.queues.wait_cycles, 3u) << "the second one, from 11 to 14";
  EXPECT_EQ(bench.queues.next_due(), kNever);
}

TEST(LocalQueues, AnInstructionMayTakeItsAddressUnitLonger) {
  LocalQueuesBench bench({.local_queue_entries = 4, .address_cycles = 4}, 2);
  for (const std::uint32_t sub_core : {0u, 0u, 0u, 1u}) bench.push(sub_core, 0);
  EXPECT_EQ(bench.hand_on(0, 8, 7).size(), 2u) << "one of each sub-core";
  EXPECT_EQ(bench.queues.next_due(), 7u);
  EXPECT_EQ(bench.hand_on(7, 8, 3).size(), 1u);
  EXPECT_EQ(bench.queues.next_due(), 11u) << "never shorter than address_cycles";
}

TEST(LocalQueues, AnInstructionWithoutLanesTakesItsAddressUnitOnly) {
  LocalQueuesBench bench({.local_queue_entries = 2, .address_cycles = 4}, 1);
  bench.queues.push_empty(0, 3);
  const MemoryInstruction& behind = bench.push(0, 3);
  EXPECT_EQ(bench.queues.full(), 1u) << "it has a place";
  EXPECT_EQ(bench.queues.next_due(), 3u);
  EXPECT_TRUE(bench.hand_on(3, 0).empty()) << "it needs no room behind the queue";
  EXPECT_EQ(bench.queues.full(), 0u);
  EXPECT_TRUE(bench.hand_on(6).empty());
  EXPECT_EQ(bench.hand_on(7), LocalQueuesBench::Taken{&behind});
}

TEST(LocalQueues, EachSubCoreHasItsOwnRoom) {
  LocalQueuesBench bench({.local_queue_entries = 2, .address_cycles = 4}, 2);
  bench.push(1, 0);
  EXPECT_EQ(bench.queues.full(), 0u);
  bench.push(1, 0);
  EXPECT_EQ(bench.queues.full(), 2u) << "bit 1: sub-core 1";
  (void)bench.hand_on(0);
  EXPECT_EQ(bench.queues.full(), 0u);
}

TEST(LocalQueues, TakeTurnsWhereTheSharedQueueHasLittleRoom) {
  LocalQueuesBench bench({.local_queue_entries = 4, .address_cycles = 1}, 3);
  const MemoryInstruction& a = bench.push(0, 0);
  const MemoryInstruction& b = bench.push(1, 0);
  const MemoryInstruction& c = bench.push(2, 0);
  const MemoryInstruction& d = bench.push(0, 0);
  EXPECT_TRUE(bench.hand_on(0, 0).empty());
  EXPECT_EQ(bench.hand_on(1, 1), LocalQueuesBench::Taken{&a});
  EXPECT_EQ(bench.hand_on(2, 1), LocalQueuesBench::Taken{&b}) << "not sub-core 0 again";
  EXPECT_EQ(bench.hand_on(3, 2), (LocalQueuesBench::Taken{&c, &d}));
}

}  // namespace
}  // namespace heddle::core::local_queues_test
