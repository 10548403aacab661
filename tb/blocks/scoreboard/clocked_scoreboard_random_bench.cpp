// The clocked scoreboard under random traffic of a small core with random stalls: model and RTL compared in every clock, and with
// the bench's own list of what is under way.
#include "VScoreboard.h"
#include "VScoreboardMasks.h"
#include "VScoreboardMasksNoDebug.h"
#include "VScoreboardNoDebug.h"
// verilated headers first: pin_driver.h
#include "clocked_scoreboard_rig.h"
// verilated headers first
#include <map>
#include <random>

#include "cosim/coverage.h"
#include "cosim/scoreboard_pins.h"

namespace heddle::clocked_scoreboard_bench {
namespace {

/// What `later` reads or writes, `earlier` writes.
bool share_registers(const isa::Instruction& earlier, const isa::Instruction& later) {
  const auto writes = [&](RegId reg) {
    const auto end = earlier.writes.begin() + earlier.write_count;
    return std::find(earlier.writes.begin(), end, reg) != end;
  };
  return std::any_of(later.reads.begin(), later.reads.begin() + later.read_count, writes) ||
         std::any_of(later.writes.begin(), later.writes.begin() + later.write_count, writes);
}

/// The RTL, and beside it the same block as it is synthesised: without read-out it does the same in every clock.
template <class V, class Unread>
class BesideUnread final : public core::ScoreboardUnit {
 public:
  explicit BesideUnread(sim::TwinUse& use) : rtl_(use), unread_(unread_use_) {}
  [[nodiscard]] core::ScoreboardHeads heads() const override {
    EXPECT_TRUE(rtl_.heads() == unread_.heads());
    return rtl_.heads();
  }
  [[nodiscard]] core::ScoreboardGrants grants(const core::ScoreboardPins& pins, Cycle cycle) override {
    const core::ScoreboardGrants grants = rtl_.grants(pins, cycle);
    EXPECT_TRUE(grants == unread_.grants(pins, cycle)) << "cycle " << cycle;
    return grants;
  }
  void edge(const core::ScoreboardPins& pins, Cycle cycle) override {
    rtl_.edge(pins, cycle);
    unread_.edge(pins, cycle);
  }
  [[nodiscard]] std::vector<core::PendingEntry> entries(std::uint32_t warp) const override {
    for (const core::PendingEntry& entry : unread_.entries(warp)) EXPECT_EQ(entry.reg, isa::kNoReg);
    return rtl_.entries(warp);
  }

 private:
  sim::TwinUse unread_use_;
  cosim::ScoreboardRtl<V, 1> rtl_;
  cosim::ScoreboardRtl<Unread, 1> unread_;
};

void provide_beside_unread(sim::Twins& twins) {
  twins.provide<core::ClockedScoreboardBlock>(
      [](const core::ScoreboardShape& shape, sim::TwinUse& use) -> std::unique_ptr<core::ScoreboardUnit> {
        use.timing = sim::Timing::kContract;
        if (shape.config.kind == ScoreboardKind::kPerWarp)
          return std::make_unique<BesideUnread<VScoreboard, VScoreboardNoDebug>>(use);
        return std::make_unique<BesideUnread<VScoreboardMasks, VScoreboardMasksNoDebug>>(use);
      });
}

/// A small core: heads come and go, issue when they may, and are written back in any order.
void run_random(ScoreboardKind kind, std::uint32_t groups, std::uint8_t stall_seed) {
  constexpr std::uint32_t kWarps = 16;
  Rig rig("rig", configured(kind, Implementation::kBoth, stall_seed), kWarps, groups,
          groups == 1 ? provide_beside_unread : std::function<void(sim::Twins&)>{});
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

}  // namespace
}  // namespace heddle::clocked_scoreboard_bench
