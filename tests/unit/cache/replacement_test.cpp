// Each policy against a model of it that is written as the literature describes it, on random accesses.
#include "cache/replacement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <list>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "cache/tag_array.h"

namespace heddle::cache::replacement_test {
namespace {

/// One set whose ways all hold lines.
class Reference {
 public:
  virtual ~Reference() = default;
  virtual void placed(std::uint32_t way) = 0;
  virtual void used(std::uint32_t way) = 0;
  /// The way to replace among those that may be.
  virtual std::uint32_t evict(const std::vector<std::uint8_t>& replaceable) = 0;
};

/// A list of ways, the most recently used one in front.
class ListOfUses final : public Reference {
 public:
  explicit ListOfUses(std::uint32_t) {}
  void placed(std::uint32_t way) override { used(way); }
  void used(std::uint32_t way) override {
    order_.remove(way);
    order_.push_front(way);
  }
  std::uint32_t evict(const std::vector<std::uint8_t>& replaceable) override {
    return *std::find_if(order_.rbegin(), order_.rend(),
                         [&](std::uint32_t way) { return replaceable[way] != 0; });
  }

 private:
  std::list<std::uint32_t> order_;
};

/// Halves of ways, recursively: which of them was used last.
class Halves final : public Reference {
 public:
  explicit Halves(std::uint32_t ways) : ways_(ways), size_(std::bit_ceil(ways)) {}
  void placed(std::uint32_t way) override { used(way); }
  void used(std::uint32_t way) override { mark(0, size_, way); }
  std::uint32_t evict(const std::vector<std::uint8_t>& replaceable) override {
    return look(0, size_, replaceable);
  }

 private:
  using Range = std::pair<std::uint32_t, std::uint32_t>;
  void mark(std::uint32_t first, std::uint32_t size, std::uint32_t way) {
    if (size == 1) return;
    const bool right = way >= first + size / 2;
    right_was_last_[Range(first, size)] = right;
    mark(right ? first + size / 2 : first, size / 2, way);
  }
  [[nodiscard]] std::uint32_t look(std::uint32_t first, std::uint32_t size,
                                   const std::vector<std::uint8_t>& replaceable) {
    if (size == 1) return first;
    const auto possible = [&](std::uint32_t from) {
      for (std::uint32_t way = from; way < from + size / 2; ++way)
        if (way < ways_ && replaceable[way] != 0) return true;
      return false;
    };
    // A tree that nobody has touched points to the left.
    const bool known = right_was_last_.contains(Range(first, size));
    std::uint32_t half = known && !right_was_last_[Range(first, size)] ? first + size / 2 : first;
    if (!possible(half)) half = half == first ? first + size / 2 : first;
    return look(half, size / 2, replaceable);
  }

  std::uint32_t ways_;
  std::uint32_t size_;
  std::map<Range, bool> right_was_last_;
};

/// RRIP as its paper has it: the set ages in steps of one until a line is distant.
class Rrip final : public Reference {
 public:
  explicit Rrip(std::uint32_t ways) : value_(ways, 3) {}
  void placed(std::uint32_t way) override { value_[way] = 2; }
  void used(std::uint32_t way) override { value_[way] = 0; }
  std::uint32_t evict(const std::vector<std::uint8_t>& replaceable) override {
    while (true) {
      for (std::uint32_t way = 0; way < value_.size(); ++way)
        if (replaceable[way] != 0 && value_[way] == 3) return way;
      for (int& value : value_) value = std::min(value + 1, 3);
    }
  }

 private:
  std::vector<int> value_;
};

template <class Model>
void agrees(const Replacement& replacement) {
  std::mt19937 random(11);
  for (const std::uint32_t ways : {1u, 2u, 3u, 4u, 6u, 8u, 9u, 16u, 24u, 64u}) {
    constexpr std::uint32_t kSets = 3;
    const auto policy = replacement.make({kSets, ways});
    std::vector<Model> models(kSets, Model(ways));
    for (std::uint32_t frame = 0; frame < kSets * ways; ++frame) {
      policy->placed(frame);
      models[frame / ways].placed(frame % ways);
    }
    std::vector<std::uint32_t> evictions(ways);
    for (int step = 0; step < 4000; ++step) {
      const std::uint32_t set = random() % kSets;
      if (random() % 3 != 0) {
        const std::uint32_t way = random() % 2 == 0 ? random() % ways : 0;
        policy->used(set * ways + way);
        models[set].used(way);
        continue;
      }
      std::vector<std::uint8_t> replaceable(ways, 1);
      if (random() % 2 == 0)
        for (std::uint8_t& may : replaceable) may = random() % 2 == 0 ? 1 : 0;
      if (std::ranges::find(replaceable, 1) == replaceable.end()) replaceable[random() % ways] = 1;
      const std::uint32_t way = policy->victim(set, replaceable);
      ASSERT_EQ(policy->victim(set, replaceable), way) << "asking changes the answer";
      ASSERT_EQ(models[set].evict(replaceable), way) << ways << " ways, step " << step;
      policy->placed(set * ways + way);
      models[set].placed(way);
      ++evictions[way];
    }
    EXPECT_GE(std::ranges::count_if(evictions, [](std::uint32_t n) { return n > 0; }), (ways + 1) / 2)
        << "of " << ways << " ways";
  }
}

TEST(Replacement, LruIsAListOfUses) { agrees<ListOfUses>(lru_replacement()); }
TEST(Replacement, TreePlruGoesToTheHalfThatWasNotUsedLast) { agrees<Halves>(tree_plru_replacement()); }
TEST(Replacement, SrripAgesTheSetUntilALineIsDistant) { agrees<Rrip>(srrip_replacement()); }

/// Hits of lines that are used in turns, each line twice, while others pass by once.
unsigned hits_beside_a_stream(const Replacement& replacement) {
  constexpr std::uint32_t kWays = 4;
  TagArray tags(1, kWays, replacement.make({1, kWays}));
  unsigned hits = 0;
  const auto access = [&](std::uint64_t tag, bool counts) {
    if (const std::uint32_t frame = tags.find(0, tag); frame != TagArray::kNone) {
      tags.use(frame);
      hits += counts ? 1 : 0;
    } else {
      tags.place(tags.victim(0), tag);
    }
  };
  std::uint64_t stream = 100;
  for (int turn = 0; turn < 100; ++turn) {
    for (const std::uint64_t tag : {1, 2, 1, 2}) access(tag, true);
    for (int i = 0; i < 4; ++i) access(stream++, false);
  }
  return hits;
}

// What the two are for: LRU keeps nothing over a stream as long as the set, SRRIP keeps what has been used again.
TEST(Replacement, SrripKeepsWhatIsUsedAgainBesideAStream) {
  EXPECT_EQ(hits_beside_a_stream(lru_replacement()), 200u);
  EXPECT_GT(hits_beside_a_stream(srrip_replacement()), 390u);
}

TEST(Replacement, SrripDoesNotTakeTheAccessThatBringsALineForAUse) {
  TagArray tags(1, 2, srrip_replacement().make({1, 2}));
  tags.place(0, 1);
  tags.use(0);
  tags.place(1, 2);
  tags.serve_miss(1);
  EXPECT_EQ(tags.victim(0), 1u) << "the line that has been used stays";
}

TEST(Replacement, SrripDoesNotAgeASetForALineThatTakesAnEmptyFrame) {
  TagArray tags(1, 2, srrip_replacement().make({1, 2}));
  tags.place(0, 1);
  tags.use(0);
  tags.place(1, 2);
  tags.use(1);
  tags.remove(1);
  tags.place(1, 3);
  EXPECT_EQ(tags.victim(0), 1u) << "nobody had to leave, so the line that has been used is not older";
}

}  // namespace
}  // namespace heddle::cache::replacement_test
