#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "base/error.h"
#include "host/allocation.h"
#include "isa/types.h"

namespace heddle::host::allocation_test {
namespace {

using ::testing::HasSubstr;

TEST(AllocationTable, FirstAllocationStartsAtTheGlobalBase) {
  AllocationTable table;
  EXPECT_EQ(table.allocate(100, 256, "a"), isa::kGlobalBase);
}

TEST(AllocationTable, NeighboursAreAtLeast256UnmappedBytesApart) {
  AllocationTable table;
  const auto a = table.allocate(256, 4, "a");
  const auto b = table.allocate(1, 4, "b");
  EXPECT_EQ(b, a + 256 + 256);
  EXPECT_TRUE(table.allows(Access::kHost, a + 255, 1));
  EXPECT_FALSE(table.allows(Access::kHost, a + 256, 1));
  EXPECT_FALSE(table.allows(Access::kHost, b - 1, 1));
}

TEST(AllocationTable, AddressesAreAligned) {
  AllocationTable table;
  table.allocate(3, 1, "odd");
  for (std::uint32_t align : {2u, 16u, 256u, 4096u, 1u << 20}) {
    EXPECT_EQ(table.allocate(5, align, "x") % align, 0u) << align;
  }
}

TEST(AllocationTable, KernelsReachTheWordsThatBuffersOfBytesLieIn) {
  AllocationTable table;
  table.allocate(3, 1, "odd");
  const auto a = table.allocate(42, 2, "a");
  EXPECT_EQ(a % 4, 0u);
  for (const Access access : {Access::kKernelRead, Access::kKernelWrite}) {
    EXPECT_TRUE(table.allows(access, a + 40, 4));
    EXPECT_TRUE(table.allows(access, a + 36, 4));
    EXPECT_FALSE(table.allows(access, a + 44, 4));
    EXPECT_FALSE(table.allows(access, a + 41, 4)) << "no word";
    EXPECT_FALSE(table.allows(access, a + 40, 8)) << "no word";
    EXPECT_FALSE(table.allows(access, a + 42, 1)) << "a byte outside";
    EXPECT_FALSE(table.allows(access, a + 42, 2)) << "bytes outside";
  }
  EXPECT_FALSE(table.allows(Access::kHost, a + 40, 4));
  const auto constants = table.allocate(6, 2, "constants", Owner::kConstants);
  EXPECT_TRUE(table.allows(Access::kKernelRead, constants + 4, 4));
  EXPECT_FALSE(table.allows(Access::kKernelWrite, constants + 4, 4));
}

TEST(AllocationTable, FreedSpaceIsReusedFirst) {
  AllocationTable table;
  table.allocate(256, 256, "a");
  const auto b = table.allocate(256, 256, "b");
  const auto c = table.allocate(256, 256, "c");
  table.free(b);
  EXPECT_GT(table.allocate(512, 256, "too large for the hole"), c);
  EXPECT_EQ(table.allocate(200, 256, "fits"), b);
}

TEST(AllocationTable, AccessMustLieInOneAllocationAsAWhole) {
  AllocationTable table;
  const auto a = table.allocate(100, 256, "a");
  const auto b = table.allocate(100, 256, "b");
  EXPECT_TRUE(table.allows(Access::kHost, a, 100));
  EXPECT_TRUE(table.allows(Access::kHost, a + 96, 4));
  EXPECT_FALSE(table.allows(Access::kHost, a + 97, 4));
  EXPECT_FALSE(table.allows(Access::kHost, a, b - a + 4));
  EXPECT_FALSE(table.allows(Access::kHost, 0, 4));
  EXPECT_FALSE(table.allows(Access::kHost, a - 1, 1));
  EXPECT_FALSE(table.allows(Access::kHost, std::numeric_limits<std::uint64_t>::max(), 8));
  EXPECT_FALSE(table.allows(Access::kHost, a + 8, std::numeric_limits<std::uint64_t>::max()));
}

TEST(AllocationTable, FreedMemoryIsNoLongerContainedEvenIfItWasHitLast) {
  AllocationTable table;
  const auto a = table.allocate(64, 256, "a");
  EXPECT_TRUE(table.allows(Access::kHost, a, 4));
  table.free(a);
  EXPECT_FALSE(table.allows(Access::kHost, a, 4));
  EXPECT_EQ(table.allocate(16, 256, "smaller"), a);
  EXPECT_TRUE(table.allows(Access::kHost, a + 12, 4));
  EXPECT_FALSE(table.allows(Access::kHost, a + 16, 4));
}

TEST(AllocationTable, DescribesAddressesByTheirNeighbours) {
  AllocationTable table;
  const auto a = table.allocate(256, 256, "a");
  const auto b = table.allocate(1024, 4096, "b");
  EXPECT_EQ(table.describe(a + 260), "4 bytes past the end of 'a' (0x10000000, 256 bytes)");
  EXPECT_EQ(table.describe(a + 256), "0 bytes past the end of 'a' (0x10000000, 256 bytes)");
  EXPECT_EQ(table.describe(a + 255), "255 bytes into 'a' (0x10000000, 256 bytes)");
  EXPECT_EQ(table.describe(b - 1), "1 byte before the start of 'b' (0x10001000, 1024 bytes)");
  EXPECT_EQ(table.describe(a - 8), "8 bytes before the start of 'a' (0x10000000, 256 bytes)");
  EXPECT_EQ(table.describe(0), "no allocation near");
  EXPECT_EQ(table.describe(std::numeric_limits<std::uint64_t>::max()), "no allocation near");
  EXPECT_EQ(AllocationTable{}.describe(isa::kGlobalBase), "no allocation near");
}

TEST(AllocationTable, OwnersSayWhoMayAccess) {
  constexpr std::uint64_t kBytes = 64;
  constexpr Owner kOwners[] = {Owner::kProgram, Owner::kConstants, Owner::kParameters, Owner::kDevice};
  constexpr bool kAllowed[][4] = {
      // kernel reads, kernel writes, host, device
      {true, true, true, true},
      {true, false, true, true},
      {true, false, false, true},
      {false, false, false, true},
  };
  AllocationTable table;
  std::vector<std::uint64_t> starts;
  for (const Owner owner : kOwners) starts.push_back(table.allocate(kBytes, 256, "x", owner));
  // Twice, in changing order: the second question about an allocation is answered by the one that was hit last.
  for (const Access access : {Access::kKernelRead, Access::kKernelWrite, Access::kHost, Access::kDevice})
    for (std::size_t i = 0; i < starts.size(); ++i)
      for (int time = 0; time < 2; ++time)
        EXPECT_EQ(table.allows(access, starts[i] + 4, 4), kAllowed[i][static_cast<int>(access)])
            << i << " " << static_cast<int>(access);
}

TEST(AllocationTable, ANewOwnerCountsAtOnce) {
  AllocationTable table;
  const auto a = table.allocate(64, 256, "a", Owner::kDevice);
  EXPECT_FALSE(table.allows(Access::kKernelWrite, a, 4));
  table.set_owner(a, Owner::kProgram);
  EXPECT_TRUE(table.allows(Access::kKernelWrite, a, 4));
  table.set_owner(a, Owner::kConstants);
  EXPECT_FALSE(table.allows(Access::kKernelWrite, a, 4));
}

TEST(AllocationTable, RefusedAccessesAreDescribedByWhoseMemoryItIsAndWhichBufferWasLeft) {
  AllocationTable table;
  const auto a = table.allocate(256, 256, "a");
  const auto logs = table.allocate(512, 256, "logs", Owner::kDevice);
  const auto c = table.allocate(64, 256, "c", Owner::kConstants);
  const auto p = table.allocate(24, 256, "p", Owner::kParameters);
  EXPECT_EQ(table.describe_refused(logs + 8),
            "8 bytes into 'logs' (0x10000200, 512 bytes), which is the device's own memory; 264 bytes past "
            "the end of "
            "'a' (0x10000000, 256 bytes)");
  EXPECT_EQ(table.describe_refused(logs - 4), "252 bytes past the end of 'a' (0x10000000, 256 bytes)");
  EXPECT_EQ(table.describe_refused(c + 4),
            "4 bytes into 'c' (0x10000500, 64 bytes), a .const variable, which kernels only read");
  EXPECT_EQ(table.describe_refused(p + 4),
            "4 bytes into 'p' (0x10000700, 24 bytes), which kernels only read");
  EXPECT_EQ(table.describe_refused(a + 254), "254 bytes into 'a' (0x10000000, 256 bytes)");
  EXPECT_EQ(table.describe_refused(0), "no allocation near");
  const auto large = table.allocate(4u << 20, 256, "large", Owner::kDevice);
  EXPECT_EQ(table.describe_refused(large + (2u << 20)),
            "2097152 bytes into 'large' (0x10000900, 4194304 bytes), which is the device's own memory");
  EXPECT_EQ(table.describe(logs + 8), "8 bytes into 'logs' (0x10000200, 512 bytes)");
}

TEST(AllocationTable, RefusesSizesThatCannotBe) {
  AllocationTable table;
  EXPECT_THROW(table.allocate(0, 256, "nothing"), base::InputError);
  EXPECT_THROW(table.allocate(1ull << 40, 256, "all"), base::InputError);
  EXPECT_THROW(table.allocate(std::numeric_limits<std::uint64_t>::max(), 256, "wraps"), base::InputError);
  EXPECT_THROW(table.allocate(4, 0, "no alignment"), base::InputError);
  EXPECT_THROW(table.allocate(4, 24, "odd alignment"), base::InputError);
  EXPECT_TRUE(table.all().empty());
  // The same with a neighbour, so that the size is compared with a hole.
  table.allocate(1, 256, "a");
  table.free(table.allocate(1, 1u << 20, "b"));
  table.allocate(1, 1u << 20, "b");
  EXPECT_THROW(table.allocate(std::numeric_limits<std::uint64_t>::max() - 100, 256, "wraps"),
               base::InputError);
}

TEST(AllocationTable, AddressSpaceRunsOutWithAMessage) {
  AllocationTable table;
  table.allocate(1ull << 39, 256, "half");
  try {
    table.allocate(1ull << 39, 256, "other half");
    FAIL() << "the base and the gap leave less than half";
  } catch (const base::InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("other half"));
    EXPECT_THAT(e.what(), HasSubstr("1 TiB"));
  }
}

TEST(AllocationTable, RefusesToFreeWhatIsNotAStart) {
  AllocationTable table;
  const auto a = table.allocate(64, 256, "a");
  EXPECT_THROW(table.free(a + 4), base::InputError);
  EXPECT_THROW(table.free(0), base::InputError);
  table.free(a);
  EXPECT_THROW(table.free(a), base::InputError);
}

TEST(AllocationTable, RandomUseAgreesWithAByteMap) {
  AllocationTable table;
  std::mt19937_64 random(7);
  std::vector<AllocationTable::Allocation> live;
  for (int step = 0; step < 2000; ++step) {
    if (live.empty() || random() % 3 != 0) {
      const std::uint64_t bytes = 1 + random() % 700;
      const auto address = table.allocate(bytes, 1u << (random() % 10), "x");
      for (const auto& other : live) {
        const bool apart =
            address >= other.address + other.bytes + 256 || other.address >= address + bytes + 256;
        ASSERT_TRUE(apart);
      }
      live.push_back({address, bytes, "x"});
    } else {
      const std::size_t victim = random() % live.size();
      table.free(live[victim].address);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
    }
    const std::uint64_t probe = isa::kGlobalBase + random() % 40'000, size = 1 + random() % 16;
    bool expected = false;
    for (const auto& a : live) expected |= probe >= a.address && probe + size <= a.address + a.bytes;
    ASSERT_EQ(table.allows(Access::kHost, probe, size), expected) << probe << " " << size;
  }
}

/// First fit as it is defined: every gap is looked at.
std::uint64_t first_fit(const AllocationTable& table, std::uint64_t bytes, std::uint64_t align,
                        std::uint64_t tolerance) {
  const std::uint64_t gap = 256 + 2 * tolerance;
  const auto up = [align](std::uint64_t value) { return (value + align - 1) / align * align; };
  std::uint64_t candidate = up(isa::kGlobalBase + tolerance);
  for (const auto& [address, other] : table.all()) {
    if (candidate + bytes + gap <= address) break;
    candidate = std::max(candidate, up(address + other.bytes + gap));
  }
  return candidate;
}

TEST(AllocationTable, TakesTheFirstGapThatIsLargeEnough) {
  AllocationTable table;
  std::mt19937_64 random(11);
  std::vector<std::uint64_t> live;
  table.note(isa::kGlobalBase + 300, 5000, "noted");
  table.note(isa::kGlobalBase + 9000, 100, "noted");
  std::uint64_t tolerance = 0;
  for (int step = 0; step < 3000; ++step) {
    if (step == 1000 || step == 2000) table.set_tolerance(tolerance = step == 1000 ? 300 : 0);
    if (live.empty() || random() % 5 < 3) {
      const std::uint64_t bytes = 1 + random() % (step % 2 == 0 ? 200 : 3000);
      const auto align = std::uint32_t{4} << random() % 11;  // of words, at least
      const std::uint64_t expected = first_fit(table, bytes, align, tolerance);
      ASSERT_EQ(table.allocate(bytes, align, "x"), expected) << step;
      live.push_back(expected);
    } else {
      const std::size_t victim = random() % live.size();
      table.free(live[victim]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
    }
  }
}

}  // namespace
}  // namespace heddle::host::allocation_test
