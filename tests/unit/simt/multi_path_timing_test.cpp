// Multi-Path with the scoreboard with thread masks and the scheduler that alternates between splits:
// [MultiPath:G5] and [MultiPath:G10]. Masks are written MSB..LSB (rightmost = lane 0).
#include <gtest/gtest.h>

#include "blocks/simt/rig.h"
#include "core/issue/scoreboard.h"
#include "core/schedule/gto.h"
#include "core/schedule/warp_scheduler.h"

namespace heddle::simt::multi_path_timing_test {
namespace {

constexpr WarpId kWarp{0};

isa::Instruction instruction(std::initializer_list<isa::RegId> reads,
                             std::initializer_list<isa::RegId> writes, isa::Opcode op = isa::Opcode::kLane) {
  isa::Instruction i;
  i.op = op;
  for (const isa::RegId r : reads) i.reads[i.read_count++] = r;
  for (const isa::RegId w : writes) i.writes[i.write_count++] = w;
  return i;
}

class SchedulerRig : public sc_core::sc_module {
 public:
  SchedulerRig(const sc_core::sc_module_name& rig_name, std::uint32_t groups_per_warp)
      : sc_module(rig_name), scheduler("scheduler", config(), 1, groups_per_warp) {
    isock.bind(scheduler.scheduler_tsock);
    tap_isock.bind(scheduler.issue_tap_tsock);
  }
  static core::SchedulerConfig config() { return {{core::gto_policy()}, "gto"}; }
  core::WarpScheduler scheduler;
  sim::BlockInitiator<core::SchedulerProtocol> isock{"isock"};
  sim::BlockInitiator<core::IssueTapProtocol> tap_isock{"tap_isock"};
};

// Fig 7.4: two instructions per block, the second of B and of C depends on the first with 2 cycles latency.
// An ideal front end: whatever split the scheduler picks issues its next instruction.
TEST(MultiPathGolden, MimdG5Timing) {
  SimtRig rig(multi_path());
  SchedulerRig scheduler("scheduler_rig", rig.unit.traits().groups_per_warp);
  core::ScoreboardModel scoreboard({.kind = core::ScoreboardKind::kPerThreadMask, .entries_per_warp = 8}, 1);
  const isa::Instruction plain = instruction({}, {});
  const isa::Instruction producer = instruction({}, {7});
  const isa::Instruction consumer = instruction({7}, {});

  rig.launch('A', mask("1111"));
  struct Write {
    int cycle;
    LaneMask lanes;
  };
  std::vector<Write> writes;
  std::string timeline;
  for (int cycle = 1; !rig.groups.empty() && cycle < 40; ++cycle) {
    for (const Write& write : writes)
      if (write.cycle == cycle) scoreboard.release(kWarp, producer, write.lanes);
    const auto head = [&](const SimtRig::Group& group) -> const isa::Instruction& {
      const std::uint32_t block = group.pc.value() / 100;
      if (block != 1 && block != 2) return plain;
      return group.pc.value() % 100 == 0 ? producer : consumer;
    };
    base::IndexSet ready(rig.unit.groups());
    for (const auto& [id, group] : rig.groups)
      if (scoreboard.check(kWarp, head(group), group.mask) == core::Hazard::kNone) ready.insert(id.value());
    if (ready.empty()) {
      timeline += ".";
      continue;
    }
    core::SchedulerRequest pick;
    pick.candidates = &ready;
    pick.cycle = static_cast<base::Cycle>(cycle);
    scheduler.isock.call(pick);
    ASSERT_TRUE(pick.found);
    const SimtRig::Group group = rig.groups[pick.group];
    const isa::Instruction& issued = head(group);
    timeline += static_cast<char>('A' + group.pc.value() / 100);
    if (&issued == &producer) {
      scoreboard.reserve(kWarp, producer, group.mask);
      writes.push_back({cycle + 2, group.mask});
    }
    const bool last = group.pc.value() % 100 == 1;
    if (!last)
      rig.go(pick.group, Pc{group.pc.value() + 1});
    else if (group.pc == pc('A', 1)) {
      rig.branch(pick.group, pc('C'), mask("1010"), pc('B'), pc('D'));
      core::SchedulerRequest join;
      join.op = core::SchedulerRequest::Op::kJoin;
      join.group = rig.at('C');
      scheduler.isock.call(join);
    } else if (group.pc == pc('D', 1))
      rig.exit(pick.group, group.mask, pc('E'));
    else
      rig.go(pick.group, pc('D'));
  }
  EXPECT_EQ(timeline, "AABCBCDD");  // 8 cycles, none idle
}

/// The scoreboard's registers and an I-buffer entry's dependence bits, as Fig 7.6 shows them.
class Fig76 {
 public:
  [[nodiscard]] std::string scoreboard() const {
    std::string text;
    for (const isa::RegId reg : {0, 1, 4}) {
      const LaneMask lanes = board.pending_lanes(kWarp, reg);
      if (lanes.any()) text += fmt::format("{}R{}={}", text.empty() ? "" : " ", reg, lanes.to_string(4));
    }
    return text;
  }
  /// {R1, R0}
  [[nodiscard]] std::string dependences(const isa::Instruction& i, const char* lanes) const {
    std::string bits;
    for (const isa::RegId reg : {1, 0}) {
      const auto names = [reg](const auto& list, unsigned count) {
        return std::find(list.begin(), list.begin() + count, reg) != list.begin() + count;
      };
      const bool named = names(i.reads, i.read_count) || names(i.writes, i.write_count);
      bits += named && (board.pending_lanes(kWarp, reg) & mask(lanes)).any() ? '1' : '0';
    }
    EXPECT_EQ(bits != "00", board.check(kWarp, i, mask(lanes)) != core::Hazard::kNone);
    return bits;
  }
  core::ScoreboardModel board{{.kind = core::ScoreboardKind::kPerThreadMask, .entries_per_warp = 8}, 1};
};

TEST(MultiPathGolden, MimdG10Scoreboard) {
  const isa::Instruction i0 = instruction({5}, {0}, isa::Opcode::kLoad);
  const isa::Instruction i1 = instruction({0}, {1}, isa::Opcode::kLoad);
  const isa::Instruction i2 = instruction({4}, {1}, isa::Opcode::kLoad);
  const isa::Instruction i3 = instruction({0, 1}, {4});
  Fig76 f;
  EXPECT_EQ(f.scoreboard(), "");  // 0
  EXPECT_EQ(f.dependences(i0, "1111"), "00");
  f.board.reserve(kWarp, i0, mask("1111"));  // 1: I0 issues; I1, I2 decoded
  EXPECT_EQ(f.scoreboard(), "R0=1111");
  EXPECT_EQ(f.dependences(i1, "0101"), "01");
  EXPECT_EQ(f.dependences(i2, "1010"), "00");
  f.board.reserve(kWarp, i2, mask("1010"));  // 2: I2 issues
  EXPECT_EQ(f.scoreboard(), "R0=1111 R1=1010");
  EXPECT_EQ(f.dependences(i1, "0101"), "01");
  EXPECT_EQ(f.dependences(i3, "1010"), "11");  // 3: I3 decoded
  f.board.release(kWarp, i0, mask("1111"));    // 4: I0 writes back
  EXPECT_EQ(f.scoreboard(), "R1=1010");
  EXPECT_EQ(f.dependences(i1, "0101"), "00");
  EXPECT_EQ(f.dependences(i3, "1010"), "10");
  f.board.reserve(kWarp, i1, mask("0101"));  // 5: I1 issues
  EXPECT_EQ(f.scoreboard(), "R1=1111");
  EXPECT_EQ(f.dependences(i3, "1010"), "10");
  f.board.release(kWarp, i2, mask("1010"));  // 6: I2 writes back
  EXPECT_EQ(f.scoreboard(), "R1=0101");
  EXPECT_EQ(f.dependences(i3, "1010"), "00") << "ready";
}

// The baseline has one bit per register: I1's lanes wait for I2's, and I3 for I1.
TEST(MultiPathScoreboard, WithoutMasksSplitsWaitForEachOther) {
  const isa::Instruction i1 = instruction({0}, {1}, isa::Opcode::kLoad);
  const isa::Instruction i2 = instruction({4}, {1}, isa::Opcode::kLoad);
  core::ScoreboardModel board({.kind = core::ScoreboardKind::kPerWarp, .entries_per_warp = 8}, 1);
  board.reserve(kWarp, i2, mask("1010"));
  EXPECT_EQ(board.check(kWarp, i1, mask("0101")), core::Hazard::kMemory);
}

TEST(MultiPathScoreboard, ARegisterTakesOneEntryForAllItsLanes) {
  const isa::Instruction load = instruction({4}, {1}, isa::Opcode::kLoad);
  const isa::Instruction other = instruction({}, {2});
  core::ScoreboardModel board({.kind = core::ScoreboardKind::kPerThreadMask, .entries_per_warp = 1}, 1);
  board.reserve(kWarp, load, mask("1010"));
  EXPECT_EQ(board.check(kWarp, load, mask("0101")), core::Hazard::kNone) << "its entry is there";
  EXPECT_EQ(board.check(kWarp, other, mask("0101")), core::Hazard::kFull);
  board.reserve(kWarp, load, mask("0101"));
  board.release(kWarp, load, mask("1010"));
  EXPECT_EQ(board.pending_lanes(kWarp, 1), mask("0101"));
  EXPECT_EQ(board.pending(kWarp), 1u);
  board.release(kWarp, load, mask("0101"));
  EXPECT_EQ(board.pending(kWarp), 0u);
}

}  // namespace
}  // namespace heddle::simt::multi_path_timing_test
