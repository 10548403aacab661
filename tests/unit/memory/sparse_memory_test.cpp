// A memory image that stores only what has been written.
#include "memory/sparse_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <span>
#include <vector>

namespace heddle::memory::sparse_memory_test {
namespace {

TEST(SparseMemory, AgreesWithAByteMap) {
  std::mt19937_64 random(2);
  SparseMemory memory;
  std::map<std::uint64_t, unsigned char> reference;
  // Ranges around page borders and at the very end of the address space.
  const std::uint64_t bases[] = {0, 4096 - 40, 1ull << 33, ~std::uint64_t{0} - 60};
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t address = bases[random() % 4] + random() % 100;
    unsigned char data[300], enables[7];
    const std::uint64_t bytes = 1 + random() % sizeof data;
    if (random() % 2 == 0) {
      for (unsigned char& b : data) b = static_cast<unsigned char>(random());
      if (random() % 2 == 0) {
        memory.write(address, data, bytes);
        for (std::uint64_t k = 0; k < bytes; ++k) reference[address + k] = data[k];
      } else {
        for (unsigned char& e : enables) e = random() % 2 == 0 ? 0xff : 0;
        memory.write_enabled(address, data, bytes, enables, sizeof enables);
        for (std::uint64_t k = 0; k < bytes; ++k)
          if (enables[k % sizeof enables] != 0) reference[address + k] = data[k];
      }
    } else {
      memory.read(address, data, bytes);
      for (std::uint64_t k = 0; k < bytes; ++k) {
        const auto it = reference.find(address + k);
        ASSERT_EQ(data[k], it == reference.end() ? 0 : it->second) << address + k;
      }
    }
  }
  EXPECT_LE(memory.pages(), 7u);
}

TEST(SparseMemory, ReadingDoesNotCreatePages) {
  SparseMemory memory;
  unsigned char data[64] = {1};
  memory.read(1ull << 40, data, sizeof data);
  EXPECT_EQ(data[0], 0);
  EXPECT_EQ(memory.pages(), 0u);
}

TEST(SparseMemory, WritingZerosDoesNotCreatePagesAndClearsThoseThatAre) {
  SparseMemory memory;
  constexpr std::uint64_t kBytes = 3 * SparseMemory::kPageBytes;
  std::vector<unsigned char> data(kBytes, 5);
  memory.write(SparseMemory::kPageBytes + 1, data.data(), 2);
  std::ranges::fill(data, 0);
  memory.write(0, data.data(), kBytes);
  EXPECT_EQ(memory.pages(), 1u);
  data[SparseMemory::kPageBytes + 2] = 9;
  memory.read(0, data.data(), kBytes);
  EXPECT_TRUE(std::ranges::all_of(data, [](unsigned char byte) { return byte == 0; }));
  data[kBytes - 1] = 1;
  memory.write(0, data.data(), kBytes);
  EXPECT_EQ(memory.pages(), 2u);
}

TEST(SparseMemory, FillsAgreeWithAByteMapAndMakeNoPages) {
  std::mt19937_64 random(3);
  constexpr std::uint64_t kSpan = 6 * SparseMemory::kPageBytes, kBase = (1ull << 33) - kSpan / 2;
  for (const bool aligned : {true, false}) {
    SparseMemory memory;
    std::vector<unsigned char> reference(kSpan, 0);
    for (int i = 0; i < 3000; ++i) {
      const unsigned unit = aligned && i < 2000 ? 256 : 1;
      const std::uint64_t at = random() % (kSpan / unit) * unit;
      const std::uint64_t bytes = std::min(kSpan - at, (1 + random() % (i % 4 == 0 ? 40 : 4)) * unit);
      // Chunks that are filled are kept as that; a part of one makes the page.
      const std::uint64_t element = i % 3 == 0 ? 0 : random();
      std::vector<unsigned char> data(bytes);
      for (std::uint64_t k = 0; k < bytes; ++k)
        data[k] = static_cast<unsigned char>(element >> ((at + k) % 8 * 8));
      memory.write(kBase + at, data.data(), bytes);
      std::ranges::copy(data, reference.begin() + static_cast<std::ptrdiff_t>(at));
      if (aligned && i == 1999) {
        EXPECT_EQ(memory.pages(), 0u);
      }
      const std::uint64_t from = random() % kSpan;
      std::vector<unsigned char> read(std::min<std::uint64_t>(kSpan - from, 1 + random() % 9000), 1);
      memory.read(kBase + from, read.data(), read.size());
      ASSERT_TRUE(std::ranges::equal(read, std::span(reference).subspan(from, read.size()))) << i;
    }
    EXPECT_GT(memory.pages(), 0u);
  }
  SparseMemory memory;
  const std::vector<unsigned char> data(SparseMemory::kPageBytes, 7);
  memory.write(0, data.data(), data.size());
  EXPECT_EQ(memory.storage(5, 1), nullptr);
  EXPECT_EQ(memory.page(5)[4095], 7);
}

TEST(SparseMemory, PagesOfAFullRegionKeepTheirPlacesAndReadAsZeroFirst) {
  SparseMemory memory;
  const unsigned char value = 7;
  constexpr std::uint64_t kPages = 1024, kBase = std::uint64_t{3} << 32;
  const auto number = [](std::uint64_t i) {
    return i * 389 % kPages;
  };  // every page of two regions, scattered
  std::map<std::uint64_t, unsigned char*> places;
  for (std::uint64_t i = 0; i < kPages; ++i) {
    const std::uint64_t at = kBase + number(i) * SparseMemory::kPageBytes + i % SparseMemory::kPageBytes;
    memory.write(at, &value, 1);
    places[at] = memory.storage(at, 1);
    EXPECT_EQ(*memory.storage(at ^ 1, 1), 0) << i;
  }
  EXPECT_EQ(memory.pages(), kPages);
  for (const auto& [at, place] : places) {
    ASSERT_EQ(memory.storage(at, 1), place) << at;
    EXPECT_EQ(*place, 7);
  }
}

}  // namespace
}  // namespace heddle::memory::sparse_memory_test
