#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "host/allocation.h"
#include "host/device_heap.h"

namespace heddle::host::device_heap_test {
namespace {

using ::testing::HasSubstr;

TEST(DeviceHeap, TheSmallestRangeThatFitsIsTaken) {
  DeviceHeap heap(0x1000, 256);
  const auto a = heap.allocate(64), b = heap.allocate(16), c = heap.allocate(32), d = heap.allocate(16);
  EXPECT_EQ(a, 0x1000u);
  EXPECT_EQ(b, 0x1040u);
  EXPECT_EQ(c, 0x1050u);
  EXPECT_EQ(d, 0x1070u);
  EXPECT_FALSE(heap.free(a));
  EXPECT_FALSE(heap.free(c));
  EXPECT_EQ(heap.allocate(20), c) << "32 bytes are free there, 64 at the beginning, 128 at the end";
  EXPECT_EQ(heap.allocate(33), a);
  EXPECT_EQ(heap.allocate(128), 0x1080u);
  EXPECT_EQ(heap.allocate(17), 0u) << "16 bytes are left";
  EXPECT_EQ(heap.allocate(16), 0x1030u);
  EXPECT_EQ(heap.allocate(0), 0u);
  EXPECT_EQ(heap.allocate(~std::uint64_t{0}), 0u);
}

TEST(DeviceHeap, FreedNeighboursBecomeOneRange) {
  DeviceHeap heap(0x1000, 96);
  const auto a = heap.allocate(32), b = heap.allocate(32), c = heap.allocate(32);
  EXPECT_EQ(heap.allocate(1), 0u);
  EXPECT_FALSE(heap.free(a));
  EXPECT_FALSE(heap.free(c));
  EXPECT_EQ(heap.allocate(64), 0u);
  EXPECT_FALSE(heap.free(b));
  EXPECT_EQ(heap.allocate(96), 0x1000u);
}

TEST(DeviceHeap, WhatCannotBeFreed) {
  DeviceHeap heap(0x1000, 96);
  const auto a = heap.allocate(20);
  EXPECT_FALSE(heap.free(0));
  EXPECT_THAT(*heap.free(0x900), HasSubstr("not in the heap"));
  EXPECT_THAT(*heap.free(0x1060), HasSubstr("not in the heap"));
  EXPECT_THAT(*heap.free(a + 4), HasSubstr("4 bytes into a block (0x1000, 20 bytes)"));
  EXPECT_THAT(*heap.free(a + 32), HasSubstr("no block begins there"));
  EXPECT_FALSE(heap.free(a));
  EXPECT_THAT(*heap.free(a), HasSubstr("freed already"));
}

TEST(DeviceHeap, OfItsRangeOnlyBlocksAreAllocated) {
  AllocationTable table;
  const auto base = table.allocate(4096, 256, "device heap");
  const auto other = table.allocate(64, 256, "other");
  DeviceHeap heap(base, 4096);
  table.set_heap(&heap);
  const auto block = heap.allocate(40);
  EXPECT_TRUE(table.allows(Access::kKernelWrite, block, 40));
  EXPECT_TRUE(table.allows(Access::kKernelWrite, block + 39, 1));
  EXPECT_FALSE(table.allows(Access::kKernelWrite, block + 36, 8));
  EXPECT_FALSE(table.allows(Access::kKernelWrite, block + 40, 1));
  EXPECT_TRUE(table.allows(Access::kKernelWrite, other, 64));
  EXPECT_THAT(table.describe(block + 41),
              HasSubstr("1 bytes past the end of a block of 40 bytes that malloc gave"));
  EXPECT_TRUE(table.allows(Access::kKernelWrite, block, 1));
  EXPECT_FALSE(heap.free(block));
  table.heap_freed();
  EXPECT_FALSE(table.allows(Access::kKernelWrite, block, 1));
}

/// Against a map of every byte.
TEST(DeviceHeap, BlocksNeverOverlapAndNothingIsLost) {
  constexpr std::uint64_t kBytes = 2048;
  std::mt19937 random(1);
  DeviceHeap heap(0x1000, kBytes);
  std::vector<bool> used(kBytes);
  std::map<std::uint64_t, std::uint64_t> blocks;
  for (int step = 0; step < 20'000; ++step) {
    if (random() % 2 == 0 || blocks.empty()) {
      const std::uint64_t bytes = 1 + random() % 200;
      const std::uint64_t at = heap.allocate(bytes);
      const std::uint64_t rounded = (bytes + 15) / 16 * 16;
      std::uint64_t longest = 0, run = 0;
      for (const bool byte : used) longest = std::max(longest, run = byte ? 0 : run + 1);
      ASSERT_EQ(at != 0, longest >= rounded);
      if (at == 0) continue;
      for (std::uint64_t i = 0; i < rounded; ++i) {
        ASSERT_FALSE(used[at - 0x1000 + i]);
        used[at - 0x1000 + i] = true;
      }
      blocks[at] = rounded;
    } else {
      const auto block = std::next(blocks.begin(), static_cast<std::ptrdiff_t>(random() % blocks.size()));
      ASSERT_FALSE(heap.free(block->first));
      for (std::uint64_t i = 0; i < block->second; ++i) used[block->first - 0x1000 + i] = false;
      blocks.erase(block);
    }
    ASSERT_EQ(heap.blocks().size(), blocks.size());
  }
}

}  // namespace
}  // namespace heddle::host::device_heap_test
