// The clocked scoreboard through its socket, as model, as RTL and as both, which compares pins and sets in every clock: the
// contract, request by request, and random traffic of a small core with random stalls.
#include "cosim/lockstep_bench.h"
// verilated headers first: pin_driver.h
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/issue/clocked_scoreboard.h"
#include "cosim/coverage.h"
#include "cosim/twins.h"

namespace heddle::clocked_scoreboard_bench {
namespace {

using base::Cycle;
using base::GroupId;
using base::LaneMask;
using base::WarpId;
using core::Hazard;
using core::ScoreboardConfig;
using core::ScoreboardKind;
using core::ScoreboardRequest;
using isa::Opcode;
using isa::RegId;
using sim::Implementation;
using ::testing::HasSubstr;
using Op = ScoreboardRequest::Op;

constexpr std::uint32_t kSchedulers = 2;

isa::Instruction instruction(const std::vector<RegId>& reads, const std::vector<RegId>& writes,
                             Opcode op = Opcode::kLane) {
  isa::Instruction i;
  i.op = op;
  for (const RegId r : reads) i.reads.at(i.read_count++) = r;
  for (const RegId w : writes) i.writes.at(i.write_count++) = w;
  return i;
}

ScoreboardConfig configured(ScoreboardKind kind, Implementation impl, std::uint8_t stall_seed = 0) {
  ScoreboardConfig config;
  config.kind = kind;
  config.impl = impl;
  config.timing = sim::Timing::kContract;
  config.stall_seed = stall_seed;
  return config;
}

/// The scoreboard and its user. Cycles begin with step().
struct Rig : sc_core::sc_module {
  Rig(const sc_core::sc_module_name& name, const ScoreboardConfig& config, std::uint32_t warps = 16,
      std::uint32_t per_warp = 1)
      : sc_module(name), groups(per_warp) {
    cosim::provide_twins(twins);
    scoreboard = std::make_unique<core::ClockedScoreboard>("scoreboard", config, kSchedulers, warps, groups,
                                                           stats, &twins);
    isock.bind(scoreboard->scoreboard_tsock);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  ScoreboardRequest call(ScoreboardRequest request) {
    request.cycle = now;
    isock.call(request);
    return request;
  }
  [[nodiscard]] WarpId warp_of(std::uint32_t group) const { return WarpId{group / groups}; }
  /// The next cycle; groups of which the block knows something new.
  std::vector<GroupId> step(Cycle cycles = 1) {
    now += cycles;
    std::vector<GroupId> changed;
    busy = call({.op = Op::kStep, .changed = &changed}).busy;
    return changed;
  }
  Hazard head(std::uint32_t group, const isa::Instruction& i, LaneMask lanes = LaneMask::all()) {
    return call({.op = Op::kHead,
                 .warp = warp_of(group),
                 .group = GroupId{group},
                 .mask = lanes,
                 .instruction = &i})
        .hazard;
  }
  void issue(std::uint32_t group, const isa::Instruction& i, LaneMask lanes = LaneMask::all()) {
    call({.op = Op::kIssue, .warp = warp_of(group), .group = GroupId{group}, .instruction = &i});
    if (i.write_count != 0) write(Op::kReserve, group, i, lanes);
  }
  void write(Op op, std::uint32_t group, const isa::Instruction& i, LaneMask lanes = LaneMask::all()) {
    call({.op = op, .warp = warp_of(group), .mask = lanes, .instruction = &i});
  }
  void gone(std::uint32_t group) { call({.op = Op::kGone, .warp = warp_of(group), .group = GroupId{group}}); }
  [[nodiscard]] bool sleeps() { return call({.op = Op::kNext}).due == base::kNever; }
  std::string pending(std::uint32_t warp) {
    std::vector<core::PendingRegister> registers;
    ScoreboardRequest request{.warp = WarpId{warp}, .pending = &registers};
    isock.inspect(request);
    std::string text;
    for (const auto& each : registers) text += (text.empty() ? "R" : " R") + std::to_string(each.reg);
    return text;
  }
  std::uint32_t groups;
  Cycle now = 10;
  std::uint32_t busy = 0;
  base::StatGroup stats{"scoreboard"};
  sim::Twins twins;
  std::unique_ptr<core::ClockedScoreboard> scoreboard;
  sim::BlockInitiator<core::ScoreboardProtocol> isock{"isock"};
};

class ClockedScoreboardBench : public ::testing::TestWithParam<Implementation> {
 protected:
  static ScoreboardConfig of(ScoreboardKind kind) { return configured(kind, GetParam()); }
  static constexpr auto kPerWarp = ScoreboardKind::kPerWarp;
  static constexpr auto kMasks = ScoreboardKind::kPerThreadMask;
};

TEST_P(ClockedScoreboardBench, LooksOneHeadUpInACycle) {
  Rig rig("rig", of(kPerWarp));
  const auto i = instruction({1}, {2});
  for (const std::uint32_t group : {4u, 0u, 2u, 1u}) EXPECT_EQ(rig.head(group, i), Hazard::kLooking);
  EXPECT_FALSE(rig.sleeps());
  EXPECT_THAT(rig.step(), ::testing::ElementsAre(GroupId{0}, GroupId{1})) << "one of each scheduler";
  EXPECT_EQ(rig.head(0, i), Hazard::kNone);
  EXPECT_EQ(rig.head(2, i), Hazard::kLooking);
  EXPECT_THAT(rig.step(), ::testing::ElementsAre(GroupId{2}));
  EXPECT_THAT(rig.step(), ::testing::ElementsAre(GroupId{4}));
  rig.step(2);  // in which a late block would have shown itself
  EXPECT_TRUE(rig.sleeps());
}

TEST_P(ClockedScoreboardBench, TheHeadBehindAnInstructionThatIssuesIsLookedUpWithIt) {
  Rig rig("rig", of(kPerWarp));
  const auto first = instruction({1}, {2}), needs = instruction({2}, {3}), other = instruction({1}, {4});
  rig.head(0, first);
  rig.step();
  rig.issue(0, first);
  EXPECT_EQ(rig.head(0, needs), Hazard::kLooking);
  rig.step();
  EXPECT_EQ(rig.head(0, needs), Hazard::kAlu) << "it sees what is reserved in the same cycle";
  rig.head(2, first);
  rig.step();
  rig.issue(2, first);
  rig.head(2, other);
  rig.step();
  EXPECT_EQ(rig.head(2, other), Hazard::kNone) << "back to back";
}

TEST_P(ClockedScoreboardBench, AWriteBackWakesInTheCycleBehindIt) {
  Rig rig("rig", of(kPerWarp));
  const auto load = instruction({1}, {2}, Opcode::kLoad), needs = instruction({2}, {3});
  rig.head(0, load);
  rig.step();
  rig.issue(0, load);
  rig.head(0, needs);
  rig.step();
  EXPECT_EQ(rig.head(0, needs), Hazard::kMemory);
  rig.step(100);
  rig.write(Op::kRelease, 0, load);
  EXPECT_EQ(rig.head(0, needs), Hazard::kMemory) << "in its own cycle";
  EXPECT_THAT(rig.step(), ::testing::ElementsAre(GroupId{0}));
  EXPECT_EQ(rig.head(0, needs), Hazard::kNone);
  EXPECT_EQ(rig.pending(0), "");
}

TEST_P(ClockedScoreboardBench, ReleasesTakeTurnsAndABacklogKeepsTheSchedulerFromIssuing) {
  Rig rig("rig", of(kPerWarp));
  const auto lane = instruction({}, {1}), load = instruction({}, {2}, Opcode::kLoad);
  const std::vector<std::uint32_t> warps{0, 2, 4, 6};
  for (const std::uint32_t warp : warps) {
    rig.issue(warp, lane), rig.step();
    rig.issue(warp, load), rig.step();
  }
  for (const std::uint32_t warp : warps)
    rig.write(Op::kRelease, warp, lane), rig.write(Op::kRelease, warp, load);
  EXPECT_EQ(rig.pending(0), "R1 R2");
  std::vector<std::string> left;
  for (unsigned i = 0; i < 8; ++i) {
    rig.step();
    left.push_back(rig.pending(0) + "/" + rig.pending(2));
    EXPECT_EQ(rig.busy, i == 0 ? 1u : 0u) << "while four write-backs of a kind wait; cycle " << i;
  }
  EXPECT_THAT(left, ::testing::ElementsAre("R2/R1 R2", "/R1 R2", "/R2", "/", "/", "/", "/", "/"));
  rig.step(2);  // in which a late block would have shown itself
  EXPECT_TRUE(rig.sleeps());
}

TEST_P(ClockedScoreboardBench, MoreRegistersThanPortsTakeMoreCycles) {
  Rig rig("rig", of(kPerWarp));
  const auto wide = instruction({21, 22, 23, 24, 25, 26, 27, 28}, {1, 2, 3, 4}, Opcode::kLoad);
  const auto next = instruction({4}, {});
  rig.head(0, wide);
  rig.step();
  EXPECT_EQ(rig.head(0, wide), Hazard::kLooking) << "two parts";
  rig.step();
  EXPECT_EQ(rig.head(0, wide), Hazard::kNone);
  rig.issue(0, wide);
  EXPECT_EQ(rig.head(0, next), Hazard::kLooking);
  rig.step();
  EXPECT_EQ(rig.busy, 1u) << "the fourth destination";
  EXPECT_EQ(rig.head(0, next), Hazard::kLooking);
  EXPECT_EQ(rig.pending(0), "R1 R2 R3 R4");
  rig.step();
  EXPECT_EQ(rig.busy, 0u);
  rig.step();
  EXPECT_EQ(rig.head(0, next), Hazard::kMemory) << "looked up behind the last part";
  rig.write(Op::kRelease, 0, wide);
  rig.step();
  EXPECT_EQ(rig.pending(0), "R4");
  rig.step();
  EXPECT_EQ(rig.head(0, next), Hazard::kNone);
}

TEST_P(ClockedScoreboardBench, AHeadWaitsForRoom) {
  Rig rig("rig", of(kPerWarp));
  const auto fill = instruction({}, {1, 2, 3}), more = instruction({}, {4, 5, 6}),
             last = instruction({}, {7, 8, 9});
  rig.issue(0, fill), rig.step();
  rig.issue(0, more);
  rig.head(0, last);
  rig.step();
  EXPECT_EQ(rig.head(0, last), Hazard::kFull);
  rig.write(Op::kRelease, 0, fill);
  rig.step();
  EXPECT_EQ(rig.head(0, last), Hazard::kNone);
}

TEST_P(ClockedScoreboardBench, AnotherHeadIsLookedUpAnew) {
  Rig rig("rig", of(kPerWarp));
  const auto a = instruction({1}, {}), b = instruction({2}, {});
  rig.issue(0, instruction({}, {2})), rig.step();
  rig.head(0, a), rig.step();
  EXPECT_EQ(rig.head(0, a), Hazard::kNone);
  EXPECT_EQ(rig.head(0, b), Hazard::kLooking);
  rig.step(), rig.step();
  EXPECT_EQ(rig.head(0, b), Hazard::kAlu);
  rig.gone(0);
  EXPECT_EQ(rig.head(0, a), Hazard::kLooking);
  rig.call({.op = Op::kClear, .warp = WarpId{0}});
  rig.step(), rig.step();
  EXPECT_EQ(rig.head(0, a), Hazard::kNone);
  EXPECT_EQ(rig.pending(0), "");
}

TEST_P(ClockedScoreboardBench, WhatAWarpLeavesInLatchesDoesNotReachTheNextInItsSlot) {
  Rig rig("rig", of(kPerWarp));
  const auto wide = instruction({}, {1, 2, 3, 4}), next = instruction({}, {4}), other = instruction({}, {9});
  rig.issue(0, wide), rig.step(), rig.step();
  rig.issue(2, other), rig.step();
  // Both in latches, that of warp 0 in two parts behind the other.
  rig.write(Op::kRelease, 2, other);
  rig.write(Op::kRelease, 0, wide);
  rig.call({.op = Op::kClear, .warp = WarpId{0}});
  rig.step();
  EXPECT_EQ(rig.pending(0), "");
  EXPECT_EQ(rig.pending(2), "") << "the other warp's is released";
  rig.issue(0, next);
  for (unsigned i = 0; i < 4; ++i) {
    rig.step();
    EXPECT_EQ(rig.pending(0), "R4") << i;
  }
  rig.write(Op::kRelease, 0, next);
  rig.step();
  EXPECT_EQ(rig.pending(0), "") << "its own release is served at once";
}

TEST_P(ClockedScoreboardBench, ReservationsThatWaitGoWithTheirWarp) {
  Rig rig("rig", of(kPerWarp));
  rig.issue(0, instruction({}, {1, 2, 3, 4}));
  rig.call({.op = Op::kClear, .warp = WarpId{0}});
  rig.step();
  EXPECT_EQ(rig.busy, 0u);
  rig.step();
  EXPECT_EQ(rig.pending(0), "");
}

TEST_P(ClockedScoreboardBench, AHeadOfSeveralPartsBeginsAgainWhenItsWarpIsNew) {
  Rig rig("rig", of(kPerWarp));
  const auto wide = instruction({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, {});
  rig.issue(0, instruction({}, {1})), rig.step();
  rig.head(0, wide), rig.step();
  rig.call({.op = Op::kClear, .warp = WarpId{0}});
  for (unsigned i = 0; i < 3; ++i) {
    rig.step();
    EXPECT_EQ(rig.head(0, wide), Hazard::kLooking) << i;
  }
  rig.step();
  EXPECT_EQ(rig.head(0, wide), Hazard::kNone);
}

// Instructions of the launch before are gone then, as their module may be.
TEST_P(ClockedScoreboardBench, ALaunchBeginsWithNothingThatWaits) {
  Rig rig("rig", of(kPerWarp));
  const auto again = instruction({}, {8});
  {
    const auto wide = std::make_unique<isa::Instruction>(instruction({5, 6, 7}, {1, 2, 3, 4}));
    rig.issue(0, *wide), rig.step(), rig.step();
    for (const std::uint32_t group : {0u, 2u, 4u}) rig.head(group, *wide);
    for (unsigned i = 0; i < 4; ++i) rig.write(Op::kRelease, 0, *wide);
  }
  rig.call({.op = Op::kBegin});
  rig.step();
  EXPECT_EQ(rig.busy, 0u);
  for (const std::uint32_t group : {0u, 2u, 4u}) EXPECT_EQ(rig.head(group, again), Hazard::kLooking);
  rig.step(3);
  rig.step();
  EXPECT_EQ(rig.head(4, again), Hazard::kNone);
  EXPECT_TRUE(rig.sleeps());
}

// One of several parts that is replaced while it is looked up: the lockstep of pins fails if its look-up begins too early.
TEST_P(ClockedScoreboardBench, AHeadIsLookedUpFromTheCycleBehindItsArrivalOn) {
  Rig rig("rig", of(kPerWarp));
  const auto wide = instruction({21, 22, 23, 24, 25, 26, 27}, {}),
             other = instruction({1, 2, 3, 4, 5, 6, 7}, {});
  rig.issue(0, instruction({}, {1})), rig.step();
  rig.head(0, wide);
  rig.step();
  EXPECT_EQ(rig.head(0, other), Hazard::kLooking);
  rig.step(), rig.step();
  EXPECT_EQ(rig.head(0, other), Hazard::kLooking) << "one of its parts";
  rig.step();
  EXPECT_EQ(rig.head(0, other), Hazard::kAlu) << "register 1, of the first part";
}

// Groups of a warp: one waits for its own lanes only, and a release that leaves lanes has the heads looked up again.
TEST_P(ClockedScoreboardBench, WithMasksASplitWaitsForItsOwnLanes) {
  Rig rig("rig", of(kMasks), 16, 4);
  const LaneMask low(0xffff), high(0xffff0000);
  const auto write = instruction({}, {1}), read = instruction({1}, {});
  rig.issue(0, write, low), rig.step();
  rig.issue(1, write, high);
  rig.head(0, read, low);
  rig.step(), rig.step();
  EXPECT_EQ(rig.head(0, read, low), Hazard::kAlu);
  rig.write(Op::kRelease, 0, write, low);
  rig.step();
  EXPECT_EQ(rig.head(0, read, low), Hazard::kLooking) << "the entry stays, for other lanes";
  rig.step();
  EXPECT_EQ(rig.head(0, read, low), Hazard::kNone);
}

TEST_P(ClockedScoreboardBench, WithoutMasksASplitThatReservesHasTheOthersLookedUpAgain) {
  Rig rig("rig", of(kPerWarp), 16, 4);
  const auto write = instruction({}, {1}), read = instruction({1}, {});
  rig.head(1, read), rig.step();
  EXPECT_EQ(rig.head(1, read), Hazard::kNone);
  rig.issue(0, write);
  rig.step();
  EXPECT_EQ(rig.head(1, read), Hazard::kLooking);
  rig.step();
  EXPECT_EQ(rig.head(1, read), Hazard::kAlu);
}

INSTANTIATE_TEST_SUITE_P(As, ClockedScoreboardBench, cosim::every_implementation(),
                         cosim::name_implementation);

// ---- Random

/// What `later` reads or writes, `earlier` writes.
bool share_registers(const isa::Instruction& earlier, const isa::Instruction& later) {
  const auto writes = [&](RegId reg) {
    const auto end = earlier.writes.begin() + earlier.write_count;
    return std::find(earlier.writes.begin(), end, reg) != end;
  };
  return std::any_of(later.reads.begin(), later.reads.begin() + later.read_count, writes) ||
         std::any_of(later.writes.begin(), later.writes.begin() + later.write_count, writes);
}

/// A small core: heads come and go, issue when they may, and are written back in any order.
void run_random(ScoreboardKind kind, std::uint32_t groups, std::uint8_t stall_seed) {
  constexpr std::uint32_t kWarps = 16;
  Rig rig("rig", configured(kind, Implementation::kBoth, stall_seed), kWarps, groups);
  const bool masks = kind == ScoreboardKind::kPerThreadMask;
  cosim::Coverage coverage({"looking", "ready", "memory", "alu", "full", "several parts", "two reservations",
                            "backlog", "gone while looking", "a new warp", "woken",
                            "its slot had write-backs in latches", "several releases at once",
                            "reserved for no lanes"});
  std::mt19937 random(7);
  const auto number = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  const auto any = [&] {
    std::vector<RegId> reads, writes;
    const auto fill = [&](std::vector<RegId>& list, unsigned count) {
      while (list.size() < count) {
        const auto reg = static_cast<RegId>(number(16) * 37);
        if (std::ranges::find(list, reg) == list.end()) list.push_back(reg);
      }
    };
    fill(reads, number(8) == 0 ? number(10) : number(4));
    fill(writes, number(6) == 0 ? number(6) : number(2));
    return std::make_shared<isa::Instruction>(
        instruction(reads, writes, number(3) == 0 ? Opcode::kLoad : Opcode::kLane));
  };
  using Made = std::shared_ptr<isa::Instruction>;
  struct Flight {
    std::uint32_t group;
    Made instruction;
    LaneMask lanes;
  };
  std::vector<Made> heads(kWarps * groups), all;
  std::vector<Flight> flights;
  const auto lanes_of = [&](std::uint32_t group) {
    return groups == 1 ? LaneMask::all() : LaneMask(0xffu << (8 * (group % groups)));
  };
  const auto bring = [&](std::uint32_t group) {
    heads[group] = any();
    all.push_back(heads[group]);  // the block knows instructions by their place
    coverage.hit("several parts", heads[group]->read_count + heads[group]->write_count > 6);
    rig.head(group, *heads[group], lanes_of(group));
  };
  for (unsigned cycle = 0; cycle < 6000; ++cycle) {
    const std::vector<GroupId> changed = rig.step(number(64) == 0 && rig.sleeps() ? 1 + number(20) : 1);
    coverage.hit("woken", !changed.empty() && cycle > 10);
    coverage.hit("backlog", rig.busy != 0);
    const bool drain = cycle / 256 % 2 != 0;
    unsigned released = 0;
    while (!flights.empty() && number(drain ? 2 : 4) == 0) {
      const auto which = flights.begin() + number(static_cast<unsigned>(flights.size()));
      rig.write(Op::kRelease, which->group, *which->instruction, which->lanes);
      flights.erase(which);
      ++released;
    }
    coverage.hit("several releases at once", released > 1);
    for (std::uint32_t s = 0; s < kSchedulers; ++s) {
      if ((rig.busy >> s & 1u) != 0) continue;
      const std::uint32_t start = number(kWarps * groups);
      for (std::uint32_t n = 0; n < heads.size(); ++n) {
        const std::uint32_t group = (start + n) % static_cast<std::uint32_t>(heads.size());
        if (heads[group] == nullptr || rig.warp_of(group).value() % kSchedulers != s) continue;
        const Hazard hazard = rig.head(group, *heads[group], lanes_of(group));
        coverage.hit("looking", hazard == Hazard::kLooking);
        coverage.hit("memory", hazard == Hazard::kMemory);
        coverage.hit("alu", hazard == Hazard::kAlu);
        coverage.hit("full", hazard == Hazard::kFull);
        coverage.hit("ready", hazard == Hazard::kNone);
        if (hazard != Hazard::kNone) continue;
        // Nothing that issues has a hazard.
        ScoreboardRequest check{.op = Op::kCheck,
                                .warp = rig.warp_of(group),
                                .mask = lanes_of(group),
                                .instruction = heads[group].get()};
        rig.isock.call(check);
        ASSERT_EQ(check.hazard, Hazard::kNone) << "cycle " << cycle;
        // Nor, by the bench's own list, a register that is still to be written: the block may have released it too early.
        const bool early = std::ranges::any_of(flights, [&](const Flight& flight) {
          return rig.warp_of(flight.group) == rig.warp_of(group) &&
                 (!masks || (flight.lanes & lanes_of(group)).any()) &&
                 share_registers(*flight.instruction, *heads[group]);
        });
        ASSERT_FALSE(early) << "cycle " << cycle;
        LaneMask exec = lanes_of(group);
        if (masks && number(8) == 0) exec = LaneMask{};
        coverage.hit("reserved for no lanes", exec.none() && heads[group]->write_count != 0);
        coverage.hit("two reservations", heads[group]->write_count > 3);
        const Made issued = std::exchange(heads[group], nullptr);
        rig.issue(group, *issued, exec);
        if (issued->write_count != 0) flights.push_back({group, issued, exec});
        if (number(4) != 0) bring(group);
        break;
      }
    }
    for (std::uint32_t group = 0; group < heads.size(); ++group) {
      if (heads[group] == nullptr) {
        if (number(6) == 0) bring(group);
      } else if (number(128) == 0) {
        coverage.hit("gone while looking",
                     rig.head(group, *heads[group], lanes_of(group)) == Hazard::kLooking);
        heads[group].reset();
        rig.gone(group);
        if (number(2) == 0) bring(group);
      }
    }
    if (number(40) == 0) {  // a warp's last write-backs, and a new one in its slot
      const std::uint32_t warp = number(kWarps);
      std::erase_if(flights, [&](const Flight& flight) {
        if (flight.group / groups != warp) return false;
        rig.write(Op::kRelease, flight.group, *flight.instruction, flight.lanes);
        return true;
      });
      coverage.hit("a new warp");
      coverage.hit("its slot had write-backs in latches", !rig.pending(warp).empty());
      for (std::uint32_t g = 0; g < groups; ++g)
        heads[warp * groups + g].reset(), rig.gone(warp * groups + g);
      rig.call({.op = Op::kClear, .warp = WarpId{warp}});
      for (std::uint32_t g = 0; g < groups; ++g) bring(warp * groups + g);
    }
  }
  EXPECT_TRUE(coverage.missing().empty() ||
              (coverage.missing() == std::vector<std::string>{"reserved for no lanes"} && !masks))
      << ::testing::PrintToString(coverage.missing()) << " of\n"
      << coverage.table();
  for (const auto& use : rig.twins.uses()) EXPECT_EQ(use.beyond_ports, 0u);
}

struct Traffic {
  ScoreboardKind kind;
  std::uint32_t groups;
  std::uint8_t stall_seed;
};
class ClockedScoreboardLockstep : public ::testing::TestWithParam<Traffic> {};
TEST_P(ClockedScoreboardLockstep, ModelAndRtlAgreeInEveryClock) {
  run_random(GetParam().kind, GetParam().groups, GetParam().stall_seed);
}
INSTANTIATE_TEST_SUITE_P(Of, ClockedScoreboardLockstep,
                         ::testing::Values(Traffic{ScoreboardKind::kPerWarp, 1, 0},
                                           Traffic{ScoreboardKind::kPerThreadMask, 1, 3},
                                           Traffic{ScoreboardKind::kPerWarp, 4, 5},
                                           Traffic{ScoreboardKind::kPerThreadMask, 4, 0}));

// ---- Shapes

template <class Fn>
std::string input_error_of(Fn&& fn) {
  try {
    fn();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ClockedScoreboard, WhatWasNotBuiltIsRefused) {
  ScoreboardConfig config = configured(ScoreboardKind::kPerWarp, Implementation::kRtl);
  EXPECT_THAT(input_error_of([&] { Rig rig("rig", config, 80); }),
              HasSubstr("built for 32 warps of a scheduler, this core has 40"));
  EXPECT_THAT(input_error_of([&] { Rig rig("rig", config, 80, 2); }),
              HasSubstr("has 64 slots, a scheduler of this core 40 warps with 2 issue groups"));
  EXPECT_THAT(input_error_of([&] { Rig rig("rig", config, 16, 2); }),
              HasSubstr("built for 1 and 4 issue groups of a warp"));
  config.entries_per_warp = 16;
  EXPECT_THAT(input_error_of([&] { Rig rig("rig", config); }),
              HasSubstr("built for 8 entries of a warp, this core has 16"));
  config.entries_per_warp = 8;
  config.read_ports = 4;
  EXPECT_THAT(input_error_of([&] { Rig rig("rig", config); }),
              HasSubstr("built with 6 read ports, this core has 4"));
}

}  // namespace
}  // namespace heddle::clocked_scoreboard_bench
