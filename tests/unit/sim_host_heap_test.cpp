// The heap of a program that simulates. systemc_main.cpp has asked for huge pages by the time a test runs.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace heddle::sim {
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
  std::uintptr_t place = 0;
  {
    const std::vector<char> large(8 << 20);
    place = reinterpret_cast<std::uintptr_t>(large.data()) + large.size() / 2;
    EXPECT_NE(mapping_flags(place).find(" hg"), std::string::npos) << mapping_flags(place);
  }
  EXPECT_NE(mapping_flags(place), "") << "given back to the host";
}

}  // namespace
}  // namespace heddle::sim
