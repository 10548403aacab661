// Parts of the store buffer, each by itself: loads that look for their bytes in the log, logs on their way out, what must hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "determinism/forwarded_load.h"
#include "determinism/log_committer.h"
#include "determinism/log_watch.h"

namespace heddle::determinism::store_buffer_parts_test {
namespace {

using base::LaneMask;
using base::WarpId;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kChunk = 0x2000'0000;

/// A log entry: `words` of the chunk from `first` on, with values from `value` on.
struct Entry {
  EntryMeta meta{kChunk, {}};
  ChunkData data{};
};
Entry entry_of(unsigned first, unsigned words, std::uint32_t value) {
  Entry entry;
  DataWords data{};
  for (unsigned w = first; w < first + words; ++w) {
    entry.meta.mask.set_word(w);
    data[w] = value + w - first;
  }
  entry.data = chunk_data(data);
  return entry;
}

// ---- Forwarded loads

isa::Instruction load_of_a_word() {
  isa::Instruction load;
  load.op = isa::Opcode::kLoad;
  load.type = isa::Type::kU32;
  load.write_count = 1;
  load.dst[0].present = true;
  return load;
}
/// Lanes 0 to 3 load words 8 to 11 of the chunk.
struct Load {
  isa::Instruction instruction = load_of_a_word();
  core::MemoryInstruction op;
  std::array<std::uint32_t, core::kLanes> registers{};
  ForwardedLoad load;
  ForwardedLoad::Counters counters;
  explicit Load(const std::vector<Entry>& log) {
    op.instruction = &instruction;
    op.bytes = 4;
    op.access_count = 1;
    op.accesses[0] = {
        .line = kChunk, .lanes = LaneMask::first_lanes(4), .shape = core::Shape::kUnitStride, .offset = 32};
    load.search_for(op, op.accesses[0], static_cast<std::uint32_t>(log.size()), LogReplay::kWindow);
    load.take_addresses(op);
    while (LogSearch* const search = load.search(counters)) {
      std::vector<std::uint32_t> words;
      for (std::uint32_t i = 0; i < LogReplay::kWindow; ++i) {
        const std::uint32_t entry = search->meta_wish().first + i;
        const MetaWords of = meta_words(entry < log.size() ? log[entry].meta : EntryMeta{});
        words.insert(words.end(), of.begin(), of.end());
      }
      std::vector<LogSearch::Wish> data;
      search->take_meta(words, data);
      for (const LogSearch::Wish& each : data) search->take_data(each.first, log[each.first].data);
    }
  }
  void merge(LaneMask lanes, bool partly) {
    load.merge(instruction, reinterpret_cast<std::byte*>(registers.data()), lanes, partly);
  }
};

TEST(ForwardedLoad, OfWhichAllBytesAreInTheLogNeedsNoMemory) {
  Load of({entry_of(8, 4, 0x100), entry_of(9, 1, 0x200)});
  EXPECT_EQ(of.load.satisfy(of.instruction), LaneMask::first_lanes(4));
  EXPECT_TRUE(of.load.searched().none());
  of.merge(LaneMask::first_lanes(4), false);
  EXPECT_THAT(std::vector(of.registers.begin(), of.registers.begin() + 5),
              ElementsAre(0x100u, 0x200u, 0x102u, 0x103u, 0u));
  EXPECT_EQ(of.counters.forwards, 1u);
  EXPECT_EQ(of.counters.compared, 2u);
}

TEST(ForwardedLoad, HasTheOtherLanesLeft) {
  Load of({entry_of(9, 2, 0x300)});
  EXPECT_EQ(of.load.satisfy(of.instruction).bits(), 0b0110u);
  EXPECT_EQ(of.load.searched().bits(), 0b1001u);
  of.merge(LaneMask(0b0110u), false);
  EXPECT_THAT(std::vector(of.registers.begin(), of.registers.begin() + 4),
              ElementsAre(0u, 0x300u, 0x301u, 0u));
  EXPECT_EQ(of.counters.partial_forwards, 1u);
}

TEST(ForwardedLoad, PutsTheLogsBytesOverThoseOfMemory) {
  Entry half;  // the two lower bytes of word 8
  half.meta.mask.set(32);
  half.meta.mask.set(33);
  DataWords data{};
  data[8] = 0xffff'1122;
  half.data = chunk_data(data);
  Load of({half});
  EXPECT_TRUE(of.load.satisfy(of.instruction).none());
  EXPECT_EQ(of.load.searched(), LaneMask::first_lanes(4));
  of.registers[0] = 0xaabb'ccdd;  // what memory has
  of.registers[1] = 5;
  of.merge(LaneMask::first_lanes(2), true);
  EXPECT_THAT(std::vector(of.registers.begin(), of.registers.begin() + 2), ElementsAre(0xaabb'1122u, 5u));
}

TEST(ForwardedLoad, CountsASearchForNothing) {
  Load of({entry_of(0, 1, 1)});
  EXPECT_TRUE(of.load.satisfy(of.instruction).none());
  EXPECT_EQ(of.counters.false_positives, 1u);
}

// ---- The committer

/// Two wavefronts' logs in memory without a cost, a commit engine that takes what it may, and its acknowledgements.
class CommitRig : public sc_core::sc_module {
 public:
  explicit CommitRig(const sc_core::sc_module_name& name = "rig") : sc_module(name) {
    for (std::uint32_t w = 0; w < 2; ++w)
      for (std::uint32_t i = 0; i < entries[w]; ++i) append(w, i, entry_of(0, 1, 100 * w + i));
    accesses.offer(0);
  }
  void append(std::uint32_t w, std::uint32_t i, const Entry& entry) {
    LogAccess line{.warp = WarpId{w}, .entry = i, .address = layout.data(w, i), .words = kChunkWords};
    std::ranges::copy(data_words(entry.data), line.data.begin());
    accesses.queue(line);
    const MetaWords words = meta_words(entry.meta);
    watch.appended(WarpId{w}, {seal_of(words), seal_of(data_words(entry.data))});
    line.address = layout.meta(w, i);
    line.words = kMetaWords;
    std::ranges::copy(words, line.data.begin());
    accesses.queue(line);
  }
  void cycle() {
    committer.cycle(++now);
    accesses.offer(now);
  }

  const std::array<std::uint32_t, 2> entries{6, 2};
  sim::ClockManager clocks{"clocks"};
  sim::FaultLatch faults{clocks};
  Preconditions preconditions{true, faults};
  std::vector<core::AddressRange> own{{0, 1u << 20}};
  base::StatGroup stats{"stats"};
  warp_log::LogLayout layout{0, 32, kMetaBytes, 0};
  LogWatch watch{preconditions, base::CoreId{1}, 2, own};
  LogAccesses accesses{LogCost::kNone, stats,
                       [this](const LogAccess& access, std::span<const std::uint32_t> words) {
                         watch.check_access(access, words, nullptr);
                         if (access.purpose != LogAccess::Purpose::kAppend) committer.read(access, words);
                       },
                       [] {}};
  DepthFormat depths{4, 32};
  std::vector<std::string> sent;  ///< "engine 1:100"
  bool takes = true;
  unsigned over = 0;
  base::Cycle now = 0;
  LogCommitter committer{
      {base::CoreId{1}, 2, depths, layout, accesses, watch, engine("engine"), engine("writer")},
      [this] { ++over; }};

 private:
  LogCommitter::Engine engine(const char* name) {
    return [this, name](CommitRequest& request) {
      if (request.op != CommitRequest::Op::kSend) return;
      request.accepted = takes;
      request.until_ack = !takes;
      if (!takes) return;
      EXPECT_EQ(request.depth, depths.depth(2 + request.wave_slot, 7));
      sent.push_back(std::string(name) + ' ' + std::to_string(request.wave_slot) + ':' +
                     std::to_string(data_words(*request.data)[0]));
    };
  }
};

TEST(LogCommitter, GivesLogsInTurnsAndEachInItsOrder) {
  CommitRig rig;
  rig.committer.begin(7, {{0, 6}, {1, 2}});
  for (unsigned i = 0; i < 12; ++i) rig.cycle();
  EXPECT_THAT(rig.sent, ElementsAre("engine 0:0", "engine 1:100", "engine 0:1", "engine 1:101", "engine 0:2",
                                    "engine 0:3", "engine 0:4", "engine 0:5"));
  EXPECT_EQ(rig.committer.counters().updates, 8u);
  EXPECT_EQ(rig.over, 0u) << "nothing is acknowledged";
  for (unsigned i = 0; i < 8; ++i) {
    EXPECT_TRUE(rig.committer.under_way());
    rig.committer.acknowledged(i < 6 ? 0 : 1);
  }
  EXPECT_EQ(rig.over, 1u);
  EXPECT_FALSE(rig.committer.under_way());
  EXPECT_FALSE(rig.faults.raised());
}

TEST(LogCommitter, WaitsForAnAcknowledgementWhereTheEngineAsksForIt) {
  CommitRig rig;
  rig.committer.begin(7, {{1, 2}});
  for (unsigned i = 0; i < 3; ++i) rig.cycle();
  EXPECT_THAT(rig.sent, ElementsAre("engine 1:100", "engine 1:101"));
  CommitRig full;
  full.committer.begin(7, {{1, 2}});
  full.cycle();  // reads
  full.takes = false;
  full.cycle();
  full.takes = true;
  full.cycle();
  EXPECT_THAT(full.sent, ElementsAre()) << "it was told to wait";
}

TEST(LogCommitter, WritesALogSerially) {
  CommitRig rig;
  rig.committer.begin(7, {});
  rig.cycle();
  EXPECT_EQ(rig.over, 1u);
  rig.committer.begin_serial({1, 2});
  for (unsigned i = 0; i < 4; ++i) rig.cycle();
  EXPECT_THAT(rig.sent, ElementsAre("writer 1:100", "writer 1:101"));
  EXPECT_EQ(rig.committer.counters().serial_writes, 2u);
  rig.committer.acknowledged(1);
  rig.committer.acknowledged(1);
  EXPECT_EQ(rig.over, 2u);
}

// ---- What must hold

/// What ends the run.
std::string named(CommitRig& rig) {
  try {
    rig.faults.rethrow();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST(LogWatch, NamesAnEntryThatIsReadOtherwiseThanItWasAppended) {
  CommitRig rig;
  LogAccess access{.purpose = LogAccess::Purpose::kReplayData, .warp = WarpId{1}, .entry = 1};
  std::vector<std::uint32_t> words(kChunkWords);
  words[0] = 101;
  rig.watch.check_access(access, words, nullptr);
  EXPECT_FALSE(rig.faults.raised());
  words[0] = 102;
  rig.watch.check_access(access, words, nullptr);
  EXPECT_THAT(
      named(rig),
      HasSubstr("core 1, warp slot 1: rule [GPUDet:D2] of deterministic execution does not hold: entry 1 of "
                "the log of core 1, warp slot 1 is not read as it was appended"));
}

TEST(LogWatch, NamesAnAppendOutsideOfTheLogs) {
  CommitRig rig;
  rig.watch.check_access({.warp = WarpId{0}, .address = 1u << 20}, {}, nullptr);
  EXPECT_THAT(
      named(rig),
      HasSubstr(
          "rule [GPUDet:D7] of deterministic execution does not hold: a log access stores to 0x100000"));
}

TEST(LogWatch, NamesAnEntryThatLeavesTooEarly) {
  CommitRig rig;
  rig.watch.check_order(WarpId{0}, 2, 2);
  EXPECT_FALSE(rig.faults.raised());
  rig.watch.check_order(WarpId{0}, 3, 2);
  EXPECT_THAT(
      named(rig),
      HasSubstr("rule [GPUDet:D5] of deterministic execution does not hold: entry 3 of its log is committed "
                "in front of entry 2"));
}

}  // namespace
}  // namespace heddle::determinism::store_buffer_parts_test
