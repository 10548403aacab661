// Cache of depth lines.
#include "determinism/z_cache.h"

#include <gtest/gtest.h>

namespace heddle::determinism::z_cache_test {
namespace {

using State = ZCache::State;

DepthLine filled(Depth depth) {
  DepthLine line;
  line.fill(depth);
  return line;
}

/// Brings the depths of a chunk into the cache.
std::uint32_t bring(ZCache& cache, std::uint64_t chunk, Depth depth, bool changed) {
  const std::uint32_t line = cache.victim(chunk);
  cache.allocate(line, chunk);
  cache.unlock(line, filled(depth), changed);
  return line;
}

TEST(ZCache, TakesInvalidLinesThenTheLeastRecentlyUsed) {
  ZCache cache(4, 2);
  constexpr std::uint64_t kSet = 128 * 4;  // from one chunk of a set to the next
  const std::uint32_t first = bring(cache, 0, 1, true), second = bring(cache, kSet, 2, false);
  EXPECT_NE(first, second);
  EXPECT_EQ(cache.find(128), ZCache::kNone);
  EXPECT_EQ(cache.victim(128), 2u);  // another set
  EXPECT_EQ(cache.victim(2 * kSet), first);
  cache.lock(first);  // a hit
  EXPECT_EQ(cache.victim(2 * kSet), second);
  cache.unlock(first, filled(0), false);
  EXPECT_EQ(cache.victim(2 * kSet), second);
  EXPECT_TRUE(cache.dirty(first)) << "was so before";
  EXPECT_FALSE(cache.dirty(second));
  EXPECT_EQ(cache.depths(first), filled(0));
  EXPECT_EQ(cache.chunk(second), kSet);
}

TEST(ZCache, LockedLinesAreNoVictims) {
  ZCache cache(1, 3);
  for (std::uint64_t i = 0; i < 3; ++i) bring(cache, 128 * i, 0, false);
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(cache.set_locked(1024));
    EXPECT_EQ(cache.victim(1024), i);
    cache.lock(static_cast<std::uint32_t>(i));
  }
  EXPECT_EQ(cache.victim(1024), ZCache::kNone);
  EXPECT_TRUE(cache.set_locked(1024));
  cache.unlock(1, filled(7), true);
  EXPECT_EQ(cache.victim(1024), 1u);
  EXPECT_FALSE(cache.set_locked(1024));
  EXPECT_TRUE(cache.dirty(1));
  cache.cleaned(1);
  EXPECT_FALSE(cache.dirty(1));
}

TEST(ZCache, InvalidLinesHoldNothing) {
  ZCache cache(1, 2);
  bring(cache, 0, 5, true);
  cache.invalidate();
  EXPECT_EQ(cache.find(0), ZCache::kNone);
  EXPECT_EQ(cache.state(0), State::kInvalid);
  EXPECT_FALSE(cache.dirty(0));
}

}  // namespace
}  // namespace heddle::determinism::z_cache_test
