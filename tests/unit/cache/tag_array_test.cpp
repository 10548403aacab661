#include "cache/tag_array.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace heddle::cache::tag_array_test {
namespace {

const std::vector<Replacement>& all() {
  static const std::vector<Replacement> policies{lru_replacement(), tree_plru_replacement(),
                                                 srrip_replacement()};
  return policies;
}

TEST(TagArray, HoldsWhatWasPlacedAndReplacesOnlyWhatMayBe) {
  std::mt19937_64 random(5);
  for (const Replacement& policy : all()) {
    unsigned refused = 0;
    for (const auto& [sets, ways] : {std::pair{1u, 1u}, {1u, 6u}, {3u, 2u}, {8u, 4u}, {5u, 16u}, {2u, 33u}}) {
      TagArray tags(sets, ways, policy.make({sets, ways}));
      ASSERT_EQ(tags.frames(), sets * ways);
      std::map<std::uint64_t, std::uint32_t> held;  // tag -> frame
      std::set<std::uint32_t> pinned;
      unsigned replaced = 0;
      for (int step = 0; step < 3000; ++step) {
        const std::uint64_t number = random() % (sets * ways * 2);
        const std::uint64_t tag = number * 128;
        const std::uint32_t frame = tags.find(number, tag);
        const auto there = held.find(tag);
        ASSERT_EQ(frame, there == held.end() ? TagArray::kNone : there->second) << policy.name;
        if (frame != TagArray::kNone) {
          ASSERT_EQ(tags.tag(frame), tag);
          const auto what = random() % 8;
          if (what == 0) {
            tags.remove(frame);
            held.erase(tag);
            pinned.erase(frame);
          } else if (what == 1) {
            pinned.insert(frame);
          } else if (what == 2) {
            pinned.erase(frame);
          } else {
            tags.use(frame);
          }
          continue;
        }
        const std::uint32_t victim =
            tags.victim(number, [&](std::uint32_t f) { return !pinned.contains(f); });
        const std::uint32_t first = static_cast<std::uint32_t>(number % sets) * ways;
        ASSERT_EQ(tags.set_of(number), first);
        std::uint32_t empty = TagArray::kNone;
        unsigned free = 0;
        for (std::uint32_t f = first + ways; f-- > first;) {
          if (tags.empty(f)) empty = f;
          free += pinned.contains(f) ? 0 : 1;
        }
        if (victim == TagArray::kNone) {
          ASSERT_EQ(free, 0u);
          ++refused;
          pinned.clear();
          continue;
        }
        ASSERT_GE(victim, first);
        ASSERT_LT(victim, first + ways);
        ASSERT_FALSE(pinned.contains(victim));
        if (empty != TagArray::kNone) {
          ASSERT_EQ(victim, empty) << "an empty frame goes first";
        } else {
          held.erase(tags.tag(victim));
          ++replaced;
        }
        tags.place(victim, tag);
        held[tag] = victim;
      }
      EXPECT_GT(replaced, 20u);
      tags.clear();
      for (std::uint32_t frame = 0; frame < tags.frames(); ++frame) EXPECT_TRUE(tags.empty(frame));
    }
    EXPECT_GT(refused, 20u) << policy.name;
  }
}

// A cache may bring a line and serve the access that wanted it later: that is one access, not two.
TEST(TagArray, TheAccessThatBroughtALineIsNoFurtherUse) {
  TagArray tags(1, 2, srrip_replacement().make({1, 2}));
  tags.place(0, 0);
  tags.serve_miss(0);
  tags.place(1, 128);
  tags.serve_miss(1);
  tags.use(1);
  EXPECT_EQ(tags.victim(0), 0u);
  TagArray lru(1, 2, lru_replacement().make({1, 2}));
  lru.place(0, 0);
  lru.place(1, 128);
  lru.serve_miss(0);
  EXPECT_EQ(lru.victim(0), 1u);
}

}  // namespace
}  // namespace heddle::cache::tag_array_test
