// The heap of a program that simulates. systemc_main.cpp has requested huge pages before a test runs.
#include "base/host_heap.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace heddle::base::host_heap_test {
namespace {

/// Flags of the mapping that has the address, as the kernel names them.
std::string mapping_flags(std::uintptr_t wanted) {
  std::ifstream maps("/proc/self/smaps");
  bool found = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) found = begin <= wanted && wanted < end;
    if (found && line.starts_with("VmFlags:")) return line;
  }
  return "";
}

TEST(HostHeap, GrowsInHugePagesAndKeepsWhatWasFreed) {
#ifdef HEDDLE_SANITIZE
  GTEST_SKIP() << "the sanitizer has an allocator of its own";
#endif
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"))
    GTEST_SKIP() << "this kernel has no transparent huge pages";
  // Nothing may be allocated after the block while it exists: only the end of the heap is returned.
  auto* const large = static_cast<char*>(std::malloc(std::size_t{16} << 20));
  ASSERT_NE(large, nullptr);
  const std::uintptr_t place = reinterpret_cast<std::uintptr_t>(large) + (std::size_t{8} << 20);
  std::free(large);
  const std::string flags = mapping_flags(place);
  EXPECT_NE(flags, "") << "given back to the host";
  EXPECT_NE(flags.find(" hg"), std::string::npos) << flags;
}

TEST(HostHeap, ABlockReadsAsZeroToItsLastByteAlsoWhereAWrittenOneWas) {
  constexpr std::size_t kBytes = 3 * 4096 + 5;
  for (int round = 0; round < 2; ++round) {
    ZeroedBlock block = zeroed_block(kBytes);
    for (std::size_t i = 0; i < kBytes; ++i) {
      ASSERT_EQ(block[i], 0) << i;
      block[i] = 0xa5;
    }
  }
  EXPECT_EQ(zeroed_block(0), nullptr);
}

TEST(HostHeap, TheSanitizerSeesAnAccessBehindABlockAndToAFreedOne) {
#ifndef HEDDLE_SANITIZE
  GTEST_SKIP() << "not a build with the sanitizers";
#else
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // Shared memory, the data of caches and the regions of device memory are such blocks.
  EXPECT_DEATH(
      {
        const ZeroedBlock block = zeroed_block(96);
        *static_cast<volatile unsigned char*>(block.get() + 96) = 1;
      },
      "heap-buffer-overflow");
  EXPECT_DEATH(
      {
        ZeroedBlock block = zeroed_block(96);
        volatile unsigned char* const freed = block.get();
        block.reset();
        *freed = 1;
      },
      "heap-use-after-free");
#endif
}

}  // namespace
}  // namespace heddle::base::host_heap_test
