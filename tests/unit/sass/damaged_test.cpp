// Cubins that are cut off, or with bytes changed: an InputError or a result, never anything else.
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "frontend/sass/disassembly.h"
#include "frontend/sass/fat_binary.h"
#include "unit/sass/data.h"

namespace heddle::sass {
namespace {

enum class Outcome { kListed, kRefused };

Outcome read_and_list(const std::vector<std::byte>& bytes) {
  try {
    for (const Image& image : images_of(bytes, "damaged"))
      (void)disassemble(read_cubin(image.bytes, "damaged"), {});
    return Outcome::kListed;
  } catch (const base::InputError& error) {
    EXPECT_NE(error.where().find("damaged"), std::string::npos);
    EXPECT_FALSE(error.message().empty());
    EXPECT_FALSE(error.remedy().empty());
    return Outcome::kRefused;
  }
}

TEST(Damaged, CutOffCubinsAreRefused) {
  const std::vector<std::byte> whole = cubin_bytes("dispatch");
  ASSERT_EQ(read_and_list(whole), Outcome::kListed);
  for (std::size_t size = 0; size < whole.size(); size += size < 1024 ? 1 : 17)
    EXPECT_EQ(read_and_list({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}),
              Outcome::kRefused)
        << size;
}

TEST(Damaged, BitsOfHeadersAndTables) {
  const std::vector<std::byte> whole = cubin_bytes("vecadd");
  std::size_t refused = 0;
  const auto flip = [&](std::size_t at) {
    for (const unsigned bit : {0, 4, 7}) {
      std::vector<std::byte> bytes = whole;
      bytes[at] ^= static_cast<std::byte>(1u << bit);
      refused += read_and_list(bytes) == Outcome::kRefused ? 1 : 0;
    }
  };
  for (std::size_t at = 0; at < 64; ++at) flip(at);
  for (std::size_t at = 0x3b0; at < 0x880; ++at) flip(at);                 // symbols, attributes
  for (std::size_t at = 0x1158; at < 0x1158 + 18 * 64; at += 3) flip(at);  // section headers
  EXPECT_GT(refused, 100u);
}

TEST(Damaged, RandomBytes) {
  std::mt19937_64 random(11);
  std::size_t refused = 0;
  for (const char* const name : {"dispatch", "reduction", "nqueens", "histogram256"}) {
    const std::vector<std::byte> whole = cubin_bytes(name);
    for (int repeat = 0; repeat < 250; ++repeat) {
      std::vector<std::byte> bytes = whole;
      for (std::uint64_t i = 0, n = 1 + random() % 8; i < n; ++i)
        bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      refused += read_and_list(bytes) == Outcome::kRefused ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 50u);
}

}  // namespace
}  // namespace heddle::sass
