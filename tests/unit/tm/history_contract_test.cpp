// The timing contract of the last writer history as a block (models/tm/README.md, storage and ports): what a commit unit asks of
// it in a clock and in which order, and what an event sees of those before it.
#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "unit/tm/commit_rig.h"
#include "unit/tm/explorer.h"

namespace heddle::tm::testing::history_contract_test {
namespace {

using Op = HistoryEvent::Op;

/// A commit unit's blocks, with a probe in front of its history.
class ProbedBlocks {
 public:
  explicit ProbedBlocks(const CommitUnitConfig& config)
      : ring_(config), buffers_(config), history_(config), hazards_(probe_) {}
  [[nodiscard]] CommitBlocks ports() { return {ring_, buffers_, hazards_}; }
  std::function<void(const HistoryEvent&)> seen;

 private:
  struct Probe final : EventPort<HistoryEvent> {
    explicit Probe(ProbedBlocks& blocks) : of(blocks) {}
    void serve(HistoryEvent& event) override {
      of.history_.serve(event);
      of.seen(event);
    }
    ProbedBlocks& of;
  };
  Probe probe_{*this};
  CommitRing ring_;
  SetBuffers buffers_;
  LastWriterHistory history_;
  HazardDetection hazards_;
};

struct PortVariant {
  const char* name;
  std::uint32_t hazard_words;
  bool by_warp, overflows;
  unsigned lanes = 1;
};

class HistoryPort : public ::testing::TestWithParam<PortVariant> {};

TEST_P(HistoryPort, TakesSoManyEventsAClockInTheOrderOfIds) {
  ExplorerOptions options;
  options.unit.ring_entries = 512;
  options.unit.set_buffers = GetParam().overflows ? 2 : 0;
  options.unit.set_words = 1;
  options.unit.history = {2, 2, 2, 2, false};
  options.unit.hazard_words = GetParam().hazard_words;
  options.unit.by_warp = GetParam().by_warp;
  options.unit.gathered_words = GetParam().by_warp ? 8 : 1;
  options.lanes = GetParam().lanes;
  options.words = 12;
  struct Port {
    std::unique_ptr<ProbedBlocks> blocks;
    unsigned events = 0;
    HistoryEvent last;
  };
  std::vector<Port> ports(options.units);
  unsigned most = 0;
  std::uint64_t look_ups = 0, insertions = 0, resends = 0;
  options.blocks = [&](unsigned unit) {
    Port& port = ports[unit];
    port = {std::make_unique<ProbedBlocks>(options.unit), 0, {}};
    port.blocks->seen = [&port, &look_ups, &insertions](const HistoryEvent& event) {
      if (event.op == Op::kExplain) return;
      ++port.events;
      ++(event.op == Op::kLookUp ? look_ups : insertions);
      EXPECT_LE(event.base, event.end);
      EXPECT_LE(event.end - event.base,
                std::uint64_t{1} << 15);  // ids of 16 bits tell them apart ([KiloTM:E2])
      EXPECT_GE(event.base, port.last.base);
      // Rows come in the order of ids, and all look-ups of one before its insertions ([KiloTM:E1]): those end at the row, these
      // behind it. So an end never falls.
      EXPECT_GE(event.end, port.last.end);
      if (event.op == Op::kInsert) {
        EXPECT_LT(event.cid, event.end);
      }
      if (event.op == Op::kLookUp && event.writer) {
        EXPECT_GE(*event.writer, event.base);
        EXPECT_LT(*event.writer, event.end);
      }
      port.last = event;
    };
    return port.blocks->ports();
  };
  options.clocked = [&](unsigned unit) { most = std::max(most, std::exchange(ports[unit].events, 0)); };
  for (unsigned seed = 1; seed <= 150; ++seed) {
    Explorer explorer(options, seed);
    EXPECT_EQ(explorer.run(), "") << seed;
    for (unsigned unit = 0; unit < options.units; ++unit) resends += explorer.counters(unit).resends;
  }
  EXPECT_EQ(most, GetParam().hazard_words);  // as many as there may be, and no more
  EXPECT_GT(look_ups, 1000u);
  EXPECT_GT(insertions, 1000u);
  EXPECT_EQ(resends != 0, GetParam().overflows);
}

INSTANTIATE_TEST_SUITE_P(Of, HistoryPort,
                         ::testing::Values(PortVariant{"kilo", 1, false, false},
                                           PortVariant{"kilo_overflows", 1, false, true},
                                           PortVariant{"kilo_lanes_overflow", 1, false, true, 4},
                                           PortVariant{"warp", 1, true, false, 4},
                                           PortVariant{"warp_double_clock", 2, true, false, 4},
                                           PortVariant{"warp_overflows", 1, true, true, 4},
                                           PortVariant{"warp_double_clock_overflows", 2, true, true, 4}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(HistoryContract, RowsFollowEachOtherWithoutAClockBetweenThem) {
  for (const std::uint32_t words : {1u, 2u}) {
    CommitUnitConfig config = small_config();
    config.hazard_words = words;
    ProbedBlocks blocks(config);
    std::vector<unsigned> clocks;  // of the events
    unsigned now = 0;
    blocks.seen = [&](const HistoryEvent& event) {
      if (event.op != Op::kExplain) clocks.push_back(now);
    };
    const CommitBlocks ports = blocks.ports();
    CommitRig rig(config, &ports);
    // Logs of 10 rows are there, the oldest one's end comes last: then they are looked at one after another.
    const auto log = [](Cid cid) {
      Log of;
      for (std::uint64_t i = 0; i < 2; ++i) of.reads.emplace_back(0x1000 + 64 * cid + 4 * i, 0);
      of.writes.emplace_back(0x8000 + 64 * cid, 1);
      of.writes.emplace_back(0x8004 + 64 * cid, 1);
      return of;
    };
    for (Cid cid = kFirstCid; cid < kFirstCid + 10; ++cid) {
      rig.reads(cid, log(cid));
      rig.writes(cid, log(cid));
      if (cid != kFirstCid) rig.done_fill(cid, log(cid));
    }
    EXPECT_TRUE(clocks.empty());
    rig.queues = true;
    rig.done_fill(kFirstCid, log(kFirstCid));
    for (; now < 100; ++now) rig.clock();
    ASSERT_EQ(clocks.size(), 40u);
    for (std::size_t i = 0; i < clocks.size(); ++i) EXPECT_EQ(clocks[i], clocks.front() + i / words) << i;
  }
}

TEST(HistoryContract, AFailedRowAsksNothing) {  // [KiloTM:E5]: its words are not looked up or inserted
  ProbedBlocks blocks(small_config());
  unsigned events = 0;
  blocks.seen = [&](const HistoryEvent& event) { events += event.op == Op::kExplain ? 0 : 1; };
  const CommitBlocks ports = blocks.ports();
  CommitRig rig(small_config(), &ports);
  rig.memory[0x1000] = 5;
  rig.transfer(kFirstCid, {{{0x1000, 6}}, {{0x2000, 1}}});
  EXPECT_EQ(rig.outcome, (std::map<Cid, bool>{{kFirstCid, false}}));
  EXPECT_EQ(events, 0u);
}

/// A history of one set of two entries: what comes third evicts somebody into the filter.
struct SmallHistory {
  SmallHistory() {
    CommitUnitConfig config;
    config.history = {2, 2, 2, 4, false};
    history.emplace(config);
  }
  void insert(std::uint64_t word, Cid cid) {
    HistoryEvent event{Op::kInsert, word, cid, kFirstCid, cid + 1, {}};
    history->serve(event);
  }
  std::optional<Cid> ask(Op op, std::uint64_t word) {
    HistoryEvent event{op, word, 0, kFirstCid, 1000, {}};
    history->serve(event);
    return event.writer;
  }
  std::optional<LastWriterHistory> history;
};

TEST(HistoryContract, AnEventSeesTheOneBefore) {
  SmallHistory small;
  EXPECT_EQ(small.ask(Op::kLookUp, 1), std::nullopt);
  small.insert(1, 10);
  EXPECT_EQ(small.ask(Op::kLookUp, 1), Cid{10});  // in the table
  small.insert(2, 11);
  small.insert(3, 12);  // evicts word 1, in the same clock
  const auto evicted = small.ask(Op::kLookUp, 1);
  ASSERT_TRUE(evicted);
  EXPECT_GE(*evicted, Cid{10});
  small.insert(1, 13);
  EXPECT_EQ(small.ask(Op::kLookUp, 1), Cid{13});
}

TEST(HistoryContract, LookUpsAndExplanationsChangeNothing) {
  SmallHistory asked, silent;
  for (Cid cid = 10; cid < 60; ++cid) {
    asked.insert(cid * 7 % 11, cid);
    silent.insert(cid * 7 % 11, cid);
    for (std::uint64_t word = 0; word < 12; ++word) {
      const auto answer = asked.ask(Op::kLookUp, word);
      EXPECT_EQ(asked.ask(Op::kExplain, word), answer);
      EXPECT_EQ(silent.ask(Op::kExplain, word), answer);
    }
  }
}

}  // namespace
}  // namespace heddle::tm::testing::history_contract_test
