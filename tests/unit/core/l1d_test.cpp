// The L1 data cache: misses and merges, write policies, sectors, and random traffic against a flat memory.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "core/memory/l1_data_cache.h"
#include "unit/core/l1_rig.h"

namespace heddle::core::l1d_test {
namespace {

TEST_F(L1, MissFillHit) {
  bring(0x1000, 7);
  EXPECT_EQ(load(0x1000), Result::kHit);
  EXPECT_EQ(request_.line_data[127], 7);
}

TEST_F(L1, MergesIntoAnOutstandingFillUntilTargetsRunOut) {
  EXPECT_EQ(load(0x1000), Result::kMissSend);
  const std::uint32_t mshr = request_.mshr;
  EXPECT_EQ(load(0x1000), Result::kMissMerged);
  EXPECT_EQ(load(0x1000), Result::kMshrs);
  EXPECT_EQ(load(0x2000), Result::kMissSend);
  EXPECT_EQ(load(0x3000), Result::kMshrs) << "both MSHRs busy";
  EXPECT_EQ(fill(mshr, filled(1)), 2u);
  EXPECT_EQ(load(0x3000, 1, false), Result::kPort) << "no room towards L2";
}

TEST_F(L1, WhatIsKnownToBeAbsentIsNotWhenItIsFetched) {
  ASSERT_EQ(load(0x1000), Result::kMissSend);
  const std::uint32_t first = request_.mshr;
  ASSERT_EQ(load(0x1080), Result::kMissSend);
  EXPECT_TRUE(no_mshr_for(0x1100));
  EXPECT_EQ(load(0x1100), Result::kMshrs);
  fill(first, filled(1));
  EXPECT_FALSE(no_mshr_for(0x1180)) << "one is free";
  EXPECT_FALSE(no_mshr_for(0x1100));
  ASSERT_EQ(load(0x1200), Result::kMissSend);
  const std::uint32_t second = request_.mshr;
  EXPECT_TRUE(no_mshr_for(0x1100));
  fill(second, filled(2));
  ASSERT_EQ(load(0x1100), Result::kMissSend);
  EXPECT_FALSE(no_mshr_for(0x1100)) << "it is on its way";
  EXPECT_EQ(load(0x1100), Result::kMissMerged);
}

TEST_F(L1, WhatIsKnownToBeAbsentIsNotWhenAStoreBringsIt) {
  ASSERT_EQ(load(0x1000), Result::kMissSend);
  ASSERT_EQ(load(0x1080), Result::kMissSend);
  EXPECT_TRUE(no_mshr_for(0x1100));
  EXPECT_EQ(store(0x1100, filled(7), enabling(0, 128)), Result::kHit);
  EXPECT_FALSE(no_mshr_for(0x1100));
  EXPECT_EQ(load(0x1100), Result::kHit);
}

TEST_F(L1, AStrongLoadPastItLeavesNoOlderCopy) {
  const auto strong_load = [this](std::uint64_t line) {
    request_ = {};
    request_.op = L1dRequest::Op::kStrongLoad;
    request_.line = line;
    cache_->serve(request_);
    EXPECT_FALSE(request_.writes_back);
  };
  bring(0x1000, 7);
  strong_load(0x1000);
  EXPECT_EQ(load(0x1000), Result::kMissSend);
  const std::uint32_t under_way = request_.mshr;
  strong_load(0x1000);
  EXPECT_EQ(load(0x1000), Result::kBypass) << "the fill was requested before the strong load";
  EXPECT_EQ(fill(under_way, filled(8)), 1u);
  EXPECT_EQ(load(0x1000), Result::kMissSend) << "and is not installed";
  EXPECT_EQ(cache_->load_evictions, 1u);
  EXPECT_EQ(cache_->write_evictions, 0u);
}

TEST_F(L1, EvictsTheLeastRecentlyUsedWay) {
  bring(0x0000, 1);
  bring(0x0200, 2);
  EXPECT_EQ(load(0x0000), Result::kHit);
  bring(0x0400, 3);
  EXPECT_EQ(load(0x0000), Result::kHit);
  EXPECT_EQ(load(0x0200), Result::kMissSend);
}

TEST_F(L1, InvalidatingGlobalLinesLeavesLocalOnesAndUnwrittenData) {
  bring(0x0000, 1);  // global
  bring(0x8000, 2);  // local, clean
  EXPECT_EQ(store(0x8080, filled(3), enabling(0, 8)), Result::kHit);
  EXPECT_EQ(store(0x9100, filled(4), enabling(0, 8)), Result::kHit);  // in no named range, but nobody else's
  invalidate_global({{0x8000, 0x8100}, {0xa000, 0xb000}});
  EXPECT_FALSE(request_.writes_back);
  EXPECT_EQ(load(0x8000), Result::kHit);
  EXPECT_EQ(request_.line_data[0], 2);
  EXPECT_EQ(unwritten(0x8087), 3);
  EXPECT_EQ(unwritten(0x9100), 4);
  EXPECT_EQ(cache_->invalidated_lines, 1u);
  EXPECT_EQ(load(0x0000), Result::kMissSend) << "fetched anew";
  fill(request_.mshr, filled(9));
  EXPECT_EQ(load(0x0000), Result::kHit);
  EXPECT_EQ(request_.line_data[0], 9);
}

TEST_F(L1, InvalidatingGlobalLinesLetsFillsUnderWayServeWhoWaitsAndNobodyElse) {
  ASSERT_EQ(load(0x0000), Result::kMissSend);
  const std::uint32_t global = request_.mshr;
  ASSERT_EQ(load(0x8000), Result::kMissSend);
  const std::uint32_t local = request_.mshr;
  invalidate_global({{0x8000, 0x8100}});
  EXPECT_EQ(load(0x0000), Result::kBypass) << "later loads do not get the old value";
  EXPECT_EQ(load(0x8000), Result::kMissMerged);
  EXPECT_EQ(fill(global, filled(1)), 1u);
  EXPECT_EQ(fill(local, filled(2)), 2u);
  EXPECT_EQ(load(0x0000), Result::kMissSend) << "was not installed";
  fill(request_.mshr, filled(5));
  EXPECT_EQ(load(0x0000), Result::kHit) << "the next fill of the same entry is an ordinary one";
  EXPECT_EQ(load(0x8000), Result::kHit);
}

TEST_F(L1, WriteEvictRemovesTheLine) {
  bring(0x1000, 1);
  evicting_write(0x1000);
  EXPECT_FALSE(request_.writes_back);
  EXPECT_EQ(load(0x1000), Result::kMissSend);
}

TEST_F(L1, WriteThroughUpdatesTheCopy) {
  bring(0x1000, 1);
  write(L1dRequest::Op::kPass, 0x1000, filled(9), enabling(4, 8), true);
  EXPECT_EQ(load(0x1000), Result::kHit);
  EXPECT_EQ(request_.line_data[3], 1);
  EXPECT_EQ(request_.line_data[4], 9);
  EXPECT_EQ(request_.line_data[11], 9);
  EXPECT_EQ(request_.line_data[12], 1);
  write(L1dRequest::Op::kPass, 0x2000, filled(9), enabling(4, 8), true);
  EXPECT_EQ(load(0x2000), Result::kMissSend) << "no allocation on a write";
}

TEST_F(L1, AStoreToL2PoisonsAnOutstandingFill) {
  for (const bool update : {false, true}) {
    EXPECT_EQ(load(0x1000), Result::kMissSend);
    const std::uint32_t mshr = request_.mshr;
    write(L1dRequest::Op::kPass, 0x1000, filled(9), enabling(0, 4), update);
    EXPECT_EQ(load(0x1000), Result::kBypass) << "must see the store, so may not join the old fill";
    EXPECT_EQ(fill(mshr, filled(1)), 1u) << "the older load is served";
    EXPECT_EQ(load(0x1000), Result::kMissSend) << "and the stale line was not installed";
    fill(request_.mshr, filled(2));
    evicting_write(0x1000);
  }
}

TEST_F(L1, WriteBackKeepsTheStoreAndHandsItOverWhenTheLineIsReplaced) {
  EXPECT_EQ(store(0x0000, filled(5), enabling(0, 128)), Result::kHit);
  EXPECT_FALSE(request_.writes_back);
  EXPECT_EQ(load(0x0000), Result::kHit) << "completely written: nothing to fetch";
  EXPECT_EQ(request_.line_data[64], 5);
  bring(0x0200, 2);
  EXPECT_EQ(load(0x0400), Result::kMissSend);
  fill(request_.mshr, filled(3));
  ASSERT_TRUE(request_.writes_back) << "0x0000 was the older";
  EXPECT_EQ(request_.dirty.line, 0x0000u);
  EXPECT_EQ(request_.dirty.data[127], 5);
  EXPECT_EQ(request_.dirty.enables[127], 0xff);
  EXPECT_EQ(load(0x0000), Result::kMissSend);
}

TEST_F(L1, AStoreThatNeedsADirtyFrameWaitsForRoom) {
  store(0x0000, filled(1), enabling(0, 4));
  store(0x0200, filled(2), enabling(0, 4));
  EXPECT_EQ(store(0x0400, filled(3), enabling(0, 4), false), Result::kPort);
  EXPECT_EQ(load(0x0000, 1, true, enabling(0, 4).data()), Result::kHit) << "nothing happened";
  EXPECT_EQ(store(0x0400, filled(3), enabling(0, 4)), Result::kHit);
  EXPECT_TRUE(request_.writes_back);
  EXPECT_EQ(request_.dirty.line, 0x0200u);
  EXPECT_EQ(request_.dirty.enables[3], 0xff);
  EXPECT_EQ(request_.dirty.enables[4], 0x00);
}

TEST_F(L1, BytesNeitherWrittenNorFetchedAreFetchedAfterTheWrittenOnesWentToL2) {
  store(0x1000, filled(5), enabling(8, 4));
  EXPECT_EQ(load(0x1000), Result::kPartial);
  EXPECT_EQ(load(0x1000, 1, true, enabling(8, 4).data()), Result::kHit) << "just those bytes";
  EXPECT_EQ(request_.line_data[8], 5);
  EXPECT_EQ(load(0x1000, 1, false, enabling(8, 8).data()), Result::kPort);
  EXPECT_FALSE(request_.writes_back) << "no room";
  EXPECT_EQ(load(0x1000, 1, true, enabling(8, 8).data()), Result::kPort);
  ASSERT_TRUE(request_.writes_back);
  EXPECT_EQ(request_.dirty.enables[8], 0xff);
  EXPECT_EQ(load(0x1000), Result::kMissSend) << "clean now";
  EXPECT_EQ(store(0x1000, filled(6), enabling(0, 4)), Result::kMshrs) << "lines being filled are never dirty";
}

TEST_F(L1, LaunchForgetsEverything) {
  store(0x1000, filled(5), enabling(0, 128));
  bring(0x2000, 1);
  request_ = {};
  request_.op = L1dRequest::Op::kInvalidate;
  cache_->serve(request_);
  EXPECT_FALSE(request_.writes_back);
  EXPECT_EQ(load(0x1000), Result::kMissSend);
  EXPECT_EQ(load(0x2000), Result::kMissSend);
}

TEST_F(L1, SectorsAreFetchedAndValidByThemselves) {
  create(32);
  EXPECT_EQ(load(0x1000, 0b0010), Result::kMissSend);
  EXPECT_EQ(request_.fetch, 0b0010);
  const std::uint32_t first = request_.mshr;
  EXPECT_EQ(load(0x1000, 0b0010), Result::kMissMerged);
  EXPECT_EQ(load(0x1000, 0b0100), Result::kMissSend) << "another sector of the same line";
  EXPECT_EQ(request_.fetch, 0b0100);
  const std::uint32_t second = request_.mshr;
  EXPECT_EQ(fill(first, filled(1)), 2u);
  EXPECT_EQ(load(0x1000, 0b0010), Result::kHit);
  EXPECT_EQ(fill(second, filled(2)), 1u);
  EXPECT_EQ(load(0x1000, 0b0110), Result::kHit);
  EXPECT_EQ(load(0x1000, 0b1110), Result::kMissSend);
  EXPECT_EQ(request_.found, 0b0110) << "these can be delivered at once";
  EXPECT_EQ(request_.fetch, 0b1000);
  fill(request_.mshr, filled(3));
  EXPECT_EQ(request_.targets[0].sectors, 0b1000);
}

TEST_F(L1, SectorsUnderWayAreNotFetchedAgain) {
  create(32);
  EXPECT_EQ(load(0x1000, 0b0001), Result::kMissSend);
  const std::uint32_t first = request_.mshr;
  EXPECT_EQ(load(0x1000, 0b0111, false), Result::kPort);
  request_.may_send = true;
  cache_->serve(request_);
  EXPECT_EQ(request_.result, Result::kMissSend);
  EXPECT_EQ(request_.fetch, 0b0110);
  EXPECT_EQ(request_.fills, 2u) << "its own, and the one under way";
  const std::uint32_t second = request_.mshr;
  EXPECT_EQ(load(0x1000, 0b0011), Result::kMshrs) << "the first has two targets, which are all it can have";
  EXPECT_EQ(fill(first, filled(1)), 2u);
  EXPECT_EQ(request_.targets[1].sectors, 0b0001);
  EXPECT_EQ(load(0x1000, 0b1001), Result::kMissSend);
  EXPECT_EQ(request_.found, 0b0001);
  EXPECT_EQ(request_.fetch, 0b1000);
  EXPECT_EQ(request_.fills, 1u);
  const std::uint32_t third = request_.mshr;
  EXPECT_EQ(load(0x1000, 0b1100), Result::kMissMerged) << "all under way, in two fills";
  EXPECT_EQ(request_.fills, 2u);
  EXPECT_EQ(fill(second, filled(2)), 2u);
  EXPECT_EQ(request_.targets[0].sectors, 0b0110);
  EXPECT_EQ(request_.targets[1].sectors, 0b0100);
  EXPECT_EQ(fill(third, filled(3)), 2u);
  EXPECT_EQ(request_.targets[1].sectors, 0b1000);
  EXPECT_EQ(load(0x1000, 0b1111), Result::kHit);
}

TEST_F(L1, AWrittenSectorIsValidWithoutAFetch) {
  create(32);
  store(0x1000, filled(5), enabling(32, 36));
  EXPECT_EQ(load(0x1000, 0b0010), Result::kHit);
  EXPECT_EQ(load(0x1000, 0b0110), Result::kPartial);
}

/// Random loads, stores of every policy, atomics and delayed fills on few lines, compared with a flat memory.
/// A load returns the newest value of every byte of its thread, and at the end cache and memory together hold
/// all stores.
class L1Traffic : public testing::TestWithParam<std::tuple<std::uint32_t, unsigned>> {};

TEST_P(L1Traffic, AThreadSeesItsOwnStores) {
  const auto [sector_bytes, seed] = GetParam();
  const std::uint32_t sector = sector_bytes == 0 ? 128 : sector_bytes;
  const L1dConfig config{.size_kib = 1,
                         .line_bytes = 128,
                         .sector_bytes = sector_bytes,
                         .ways = 2,
                         .mshr_entries = 3,
                         .mshr_targets = 2};
  sim::ProgressMonitor progress;
  L1DataCacheModel cache(config, progress);
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  constexpr unsigned kLines = 14;  // of these, every second is written back, the others go to L2
  std::vector<Line> newest(kLines, Line{});
  std::vector<Line> memory(kLines, Line{});
  struct Packet {  // to memory, in order
    unsigned line = 0;
    bool read = false;
    std::uint32_t mshr = 0;
    Line data{};
    Line enables{};
  };
  std::deque<Packet> packets;
  std::deque<std::pair<std::uint32_t, Line>> responses;
  struct Waiting {
    unsigned line = 0;
    Line wanted{};
    Line expected{};
    std::uint32_t fills = 0;
  };
  std::map<std::uint32_t, Waiting> waiting;
  std::uint32_t next_load = 0;
  unsigned hits = 0;
  unsigned filled_loads = 0;
  unsigned split_loads = 0;

  const auto merge = [](Line& to, const unsigned char* data, const unsigned char* enables) {
    for (unsigned i = 0; i < 128; ++i)
      if (enables[i] != 0) to[i] = data[i];
  };
  const auto write_back = [&](const L1dRequest& request) {
    if (!request.writes_back) return;
    Packet packet{static_cast<unsigned>(request.dirty.line / 128), false, 0, {}, {}};
    std::memcpy(packet.data.data(), request.dirty.data, 128);
    std::memcpy(packet.enables.data(), request.dirty.enables, 128);
    packets.push_back(packet);
  };
  const auto expect_bytes = [&](const unsigned char* data, const Waiting& load, unsigned sectors) {
    for (unsigned i = 0; i < 128; ++i) {
      if (load.wanted[i] != 0 && (sectors >> i / sector & 1u) != 0) {
        ASSERT_EQ(data[i], load.expected[i]) << "line " << load.line << " byte " << i;
      }
    }
  };
  const auto range = [&] {
    const unsigned first = below(32) * 4;
    return below(3) == 0 ? enabling(0, 128) : enabling(first, std::min(4 * (1 + below(8)), 128 - first));
  };

  for (unsigned step = 0; step < 30000; ++step) {
    const unsigned what = below(10);
    const unsigned line = below(kLines);
    const bool kept = line % 2 == 0;
    L1dRequest request;
    request.line = std::uint64_t{line} * 128;
    if (what < 3) {  // memory takes a packet
      if (packets.empty()) continue;
      const Packet packet = packets.front();
      packets.pop_front();
      if (packet.read)
        responses.emplace_back(packet.mshr, memory[packet.line]);
      else
        merge(memory[packet.line], packet.data.data(), packet.enables.data());
    } else if (what < 5) {  // a fill arrives
      if (responses.empty()) continue;
      request.op = L1dRequest::Op::kFill;
      request.mshr = responses.front().first;
      request.data = responses.front().second.data();
      cache.serve(request);
      write_back(request);
      for (std::uint32_t t = 0; t < request.target_count; ++t) {
        Waiting& load = waiting.at(request.targets[t].op);
        expect_bytes(request.data, load, request.targets[t].sectors);
        if (--load.fills != 0) continue;
        waiting.erase(request.targets[t].op);
        ++filled_loads;
      }
      responses.pop_front();
    } else if (what < 7) {  // store
      Line data;
      for (unsigned char& byte : data) byte = static_cast<unsigned char>(below(256));
      const Line enables = range();
      request.data = data.data();
      request.enables = enables.data();
      request.op = kept ? L1dRequest::Op::kStore : L1dRequest::Op::kPass;
      request.update = line % 4 == 1;
      request.may_send = below(4) != 0;
      cache.serve(request);
      write_back(request);
      if (kept && request.result != Result::kHit) continue;
      if (!kept) packets.push_back({line, false, 0, data, enables});
      merge(newest[line], data.data(), enables.data());
    } else {  // load
      Waiting load{line, range(), newest[line]};
      unsigned sectors = 0;
      for (unsigned i = 0; i < 128; ++i)
        if (load.wanted[i] != 0) sectors |= 1u << i / sector;
      request.target = {next_load, 0, static_cast<sim::SectorMask>(sectors)};
      request.may_send = below(4) != 0;
      cache.serve(request);
      if (request.result == Result::kPartial) {
        request.enables = load.wanted.data();
        cache.serve(request);
        write_back(request);
      }
      switch (request.result) {
        case Result::kHit:
          ++hits;
          expect_bytes(request.line_data, load, sectors);
          break;
        case Result::kMissSend:
          packets.push_back({line, true, request.mshr, {}, {}});
          if (request.fills == 1) {
            ASSERT_EQ(request.fetch | request.found, sectors);
          } else {
            ASSERT_NE(request.fetch | request.found, sectors);
            ++split_loads;
          }
          [[fallthrough]];
        case Result::kMissMerged:
          if (request.found != 0) expect_bytes(request.line_data, load, request.found);
          load.fills = request.fills;
          waiting[next_load++] = load;
          break;
        default:
          break;
      }
    }
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(hits, 1000u);
  EXPECT_GT(filled_loads, 500u);
  EXPECT_EQ(split_loads > 10, sector_bytes != 0);
  EXPECT_GT(cache.write_backs, 200u);
  // Everything still in flight, then evict everything.
  for (const Packet& packet : packets)
    if (!packet.read) merge(memory[packet.line], packet.data.data(), packet.enables.data());
  for (unsigned line = 0; line < kLines; ++line) {
    L1dRequest evict;
    evict.op = L1dRequest::Op::kAtomic;
    evict.line = std::uint64_t{line} * 128;
    cache.serve(evict);
    if (evict.writes_back) merge(memory[line], evict.dirty.data, evict.dirty.enables);
    EXPECT_EQ(memory[line], newest[line]) << "line " << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Sectors, L1Traffic,
                         testing::Combine(testing::Values(0u, 32u, 64u), testing::Values(1u, 2u, 3u)));

}  // namespace
}  // namespace heddle::core::l1d_test
