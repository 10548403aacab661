// Logs without time or hardware: entries in memory, searches, replay; and who gets which CTA.
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <set>

#include "determinism/livelock_watch.h"
#include "determinism/log_replay.h"
#include "determinism/log_search.h"
#include "determinism/slot_dealer.h"

namespace heddle::determinism::log_test {
namespace {

struct Entry {
  EntryMeta meta;
  ChunkData data{};
};

/// What the words of some entries' meta look like in memory.
std::vector<std::uint32_t> words_of(const std::vector<Entry>& log, std::uint32_t first, std::uint32_t end) {
  std::vector<std::uint32_t> words;
  for (std::uint32_t i = first; i < end; ++i) {
    const MetaWords of = meta_words(i < log.size() ? log[i].meta : EntryMeta{});
    words.insert(words.end(), of.begin(), of.end());
  }
  return words;
}

/// Searches to the end; `reads`: accesses that it took.
PartialChunk search(const std::vector<Entry>& log, LogSearch of, std::uint32_t step, unsigned& reads) {
  while (!of.finished()) {
    std::vector<LogSearch::Wish> data;
    const LogSearch::Wish wish = of.meta_wish();
    ++reads;
    of.take_meta(words_of(log, wish.first, wish.first + step), data);
    for (const LogSearch::Wish& each : data) {
      ++reads;
      of.take_data(each.first, log[each.first].data);
    }
  }
  return of.bytes();
}

std::vector<Entry> g13_log() {
  std::vector<Entry> log;
  const auto add = [&](std::uint64_t chunk, unsigned words, std::uint32_t value) {
    Entry& entry = log.emplace_back();
    entry.meta.chunk = chunk;
    DataWords data{};
    for (unsigned w = 0; w < words; ++w) {
      entry.meta.mask.set_word(w);
      data[w] = value + w;
    }
    entry.data = chunk_data(data);
  };
  add(0x2000'0000, 32, 0x100);
  add(0x2000'0000, 4, 0x200);
  for (std::uint32_t lane = 0; lane < 4; ++lane) add(0x2000'0080 + 128 * lane, 1, 0x300 + lane);
  return log;
}

TEST(LogSearch, G13_StoreBufferForwarding) {
  const std::vector<Entry> log = g13_log();
  unsigned reads = 0;
  const PartialChunk all = search(log, {0x2000'0000, bytes_of(~0u), 6, 4}, 4, reads);
  EXPECT_EQ(all.known, bytes_of(~0u));
  const DataWords words = data_words(all.data);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(words[lane], (lane < 4 ? 0x200u : 0x100u) + lane);
  EXPECT_EQ(reads, 4u) << "two lines of meta, two entries";
  const PartialChunk first = search(log, {0x2000'0080, bytes_of(~0u), 6, 4}, 4, reads);
  EXPECT_EQ(first.known, bytes_of(1));
  EXPECT_EQ(data_words(first.data)[0], 0x300u);
  // What the Bloom filter wrongly lets through.
  EXPECT_TRUE(search(log, {0x1c3a'd000, bytes_of(~0u), 6, 4}, 4, reads).known.empty());
}

TEST(LogSearch, SeesOnlyEntriesThatWereThereAtItsBeginning) {
  const std::vector<Entry> log = g13_log();
  unsigned reads = 0;
  const PartialChunk old = search(log, {0x2000'0000, bytes_of(1), 1, 4}, 4, reads);
  EXPECT_EQ(data_words(old.data)[0], 0x100u);
}

TEST(LogSearch, EqualsOldestFirstWithOverwriting) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<Entry> log(random() % 40);
    for (Entry& entry : log) {
      entry.meta.chunk = 128 * (random() % 3);
      entry.meta.mask.half = {random() & random(), std::uint64_t{random()} << 32};
      for (std::byte& byte : entry.data) byte = static_cast<std::byte>(random());
    }
    ByteMask need;
    need.half = {std::uint64_t{random()} << 16 | random(), random()};
    const auto entries = static_cast<std::uint32_t>(log.empty() ? 0 : random() % (log.size() + 1));
    PartialChunk expected;
    for (std::uint32_t i = 0; i < entries; ++i)
      if (log[i].meta.chunk == 128) expected.add(log[i].data, log[i].meta.mask & need);
    for (const std::uint32_t step : {1u, 4u}) {
      unsigned reads = 0;
      const PartialChunk got = search(log, {128, need, entries, step}, step, reads);
      EXPECT_EQ(got.known, expected.known);
      for (unsigned i = 0; i < kChunkBytes; ++i)
        if (expected.known.test(i)) {
          EXPECT_EQ(got.data[i], expected.data[i]);
        }
    }
  }
}

TEST(LogReplay, GivesEntriesInOrderHoweverReadsComeBack) {
  std::mt19937 random(5);
  for (std::uint32_t entries = 1; entries < 23; ++entries) {
    std::vector<Entry> log(entries);
    for (std::uint32_t i = 0; i < entries; ++i) log[i].meta.chunk = 128 * std::uint64_t{i};
    LogReplay replay;
    replay.begin(entries);
    std::vector<LogReplay::Wish> under_way;
    std::uint32_t given = 0;
    while (!replay.finished()) {
      LogReplay::Wish wish;
      while (replay.wants(wish)) {
        replay.asked();
        under_way.push_back(wish);
      }
      if (!under_way.empty()) {
        const std::size_t i = random() % under_way.size();
        const LogReplay::Wish done = under_way[i];
        under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(i));
        if (done.meta)
          replay.take_meta(words_of(log, done.entry, done.entry + done.count));
        else
          replay.take_data(done.entry, data_words(log[done.entry].data));
      }
      LogReplay::Entry entry;
      while (replay.ready(entry)) {
        EXPECT_EQ(entry.meta->chunk, 128 * std::uint64_t{given});
        ++given;
        replay.gave(entry.index);
      }
    }
    EXPECT_EQ(given, entries);
  }
}

/// The shares as [GPUDet] §4.2.2 has them: all pending CTAs, one after the other, to the slots in turns.
TEST(SlotDealer, SharesAreThoseOfTheSpecification) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    DeterminismConfig config;
    config.slot_order = round % 2 == 0 ? SlotOrder::kInterleaved : SlotOrder::kCoreMajor;
    const std::uint32_t cores = 1 + random() % 3, slots = 1 + random() % 3, all = cores * slots;
    const std::uint64_t ctas = random() % 40;
    SlotDealer dealer(config, cores, slots, ctas);
    std::set<std::uint64_t> pending;
    for (std::uint64_t cta = 0; cta < ctas; ++cta) pending.insert(cta);
    std::vector<bool> occupied(all, false);
    while (!pending.empty()) {
      std::vector<std::deque<std::uint64_t>> shares(all);
      std::vector<std::pair<std::uint32_t, std::uint64_t>> expected, got;
      for (std::uint32_t at = 0; at < all && !pending.empty(); ++at)
        if (!occupied[at]) {
          expected.emplace_back(at, *pending.begin());
          pending.erase(pending.begin());
        }
      std::size_t k = 0;
      for (const std::uint64_t cta : pending) shares[k++ % all].push_back(cta);
      for (const auto& given : dealer.distribute(occupied)) got.emplace_back(given.ordinal, given.cta);
      ASSERT_EQ(got, expected);
      for (int i = 0; i < 6; ++i) {
        const std::uint32_t at = random() % all;
        const auto cta = dealer.refill(at);
        ASSERT_EQ(cta.has_value(), !shares[at].empty());
        if (!cta) continue;
        ASSERT_EQ(*cta, shares[at].front());
        shares[at].pop_front();
        pending.erase(*cta);
      }
      ASSERT_EQ(dealer.pending(), pending.size());
      for (std::uint32_t at = 0; at < all; ++at) occupied[at] = random() % 3 == 0;
      occupied[random() % all] = false;
    }
  }
}

TEST(SlotDealer, StaticSharesAreFixed) {
  DeterminismConfig config;
  config.dwp_repartition = Repartition::kStatic;
  SlotDealer dealer(config, 2, 1, 7);
  const auto given = dealer.distribute({false, false});
  ASSERT_EQ(given.size(), 2u);
  EXPECT_EQ(given[0].cta, 0u);
  EXPECT_EQ(given[1].cta, 1u);
  EXPECT_EQ(dealer.refill(0), 2u);
  EXPECT_EQ(dealer.refill(0), 4u);
  EXPECT_EQ(dealer.distribute({true, false})[0].cta, 3u);
  EXPECT_EQ(dealer.refill(0), 6u);
  EXPECT_EQ(dealer.refill(0), std::nullopt);
}

TEST(LivelockWatch, FindsAPeriodOnlyIfThreeAreEqual) {
  LivelockWatch watch(10);
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(watch.looks());
    EXPECT_EQ(watch.quantum(false, 0), 0u);
  }
  ASSERT_TRUE(watch.looks());
  const std::vector<std::uint64_t> digests{9, 1, 2, 3, 1, 2, 3, 1, 2};
  for (const std::uint64_t digest : digests) EXPECT_EQ(watch.quantum(true, digest), 0u);
  EXPECT_EQ(watch.quantum(true, 3), 3u);
  watch.advanced();
  EXPECT_FALSE(watch.looks());
}

}  // namespace
}  // namespace heddle::determinism::log_test
