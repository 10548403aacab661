// Plain models of the core's blocks: scoreboard, register file, barriers, CTA slots, issue table; timing wheel.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "base/timing_wheel.h"
#include "core/cta/barrier_unit.h"
#include "core/cta/cta_slots.h"
#include "core/execute/register_file.h"
#include "core/issue/scoreboard.h"
#include "core/state/issue_table.h"
#include "unit/core/instruction.h"

namespace heddle::core::blocks_test {
namespace {

TEST(Scoreboard, BlocksRawAndWawUntilTheWriteIsBack) {
  ScoreboardModel board({.entries_per_warp = 4}, 2);
  const WarpId w0{0};
  const auto producer = instruction({1}, {2});
  EXPECT_EQ(board.check(w0, producer), Hazard::kNone);
  board.reserve(w0, producer);
  EXPECT_EQ(board.check(w0, instruction({2}, {})), Hazard::kAlu) << "read after write";
  EXPECT_EQ(board.check(w0, instruction({}, {2})), Hazard::kAlu) << "write after write";
  EXPECT_EQ(board.check(w0, instruction({1}, {3})), Hazard::kNone)
      << "write after read is no hazard: operands are read at issue";
  EXPECT_EQ(board.check(WarpId{1}, instruction({2}, {})), Hazard::kNone) << "other warps have their own set";
  board.release(w0, producer);
  EXPECT_EQ(board.check(w0, instruction({2}, {2})), Hazard::kNone);
}

TEST(Scoreboard, TellsMemoryFromArithmetic) {
  ScoreboardModel board({.entries_per_warp = 4}, 1);
  board.reserve(WarpId{0}, instruction({}, {5}, isa::Opcode::kLoad));
  board.reserve(WarpId{0}, instruction({}, {6}));
  EXPECT_EQ(board.check(WarpId{0}, instruction({6}, {})), Hazard::kAlu);
  EXPECT_EQ(board.check(WarpId{0}, instruction({6, 5}, {})), Hazard::kMemory);
}

TEST(Scoreboard, ARegisterThatLanesWaitForFromMemoryStaysSoWhenOthersWriteIt) {
  ScoreboardModel board({.kind = ScoreboardKind::kPerThreadMask, .entries_per_warp = 4}, 1);
  const WarpId warp{0};
  const LaneMask loading(0x0f), adding(0xf0);
  board.reserve(warp, instruction({}, {5}, isa::Opcode::kLoad), loading);
  EXPECT_EQ(board.check(warp, instruction({}, {5}), adding), Hazard::kNone);
  board.reserve(warp, instruction({}, {5}), adding);
  EXPECT_EQ(board.pending(warp), 1u) << "one entry for both";
  EXPECT_EQ(board.check(warp, instruction({5}, {}), loading), Hazard::kMemory);
  board.release(warp, instruction({}, {5}), adding);
  EXPECT_EQ(board.check(warp, instruction({5}, {}), loading), Hazard::kMemory);
  EXPECT_EQ(board.check(warp, instruction({5}, {}), adding), Hazard::kNone);
}

TEST(Scoreboard, RefusesDestinationsWithoutAFreeEntry) {
  ScoreboardModel board({.entries_per_warp = 4}, 1);
  const auto vector_load = instruction({}, {1, 2, 3, 4}, isa::Opcode::kLoad);
  board.reserve(WarpId{0}, vector_load);
  EXPECT_EQ(board.check(WarpId{0}, instruction({9}, {8})), Hazard::kFull);
  EXPECT_EQ(board.check(WarpId{0}, instruction({9}, {})), Hazard::kNone) << "no destination, no entry";
  board.release(WarpId{0}, vector_load);
  EXPECT_EQ(board.pending(WarpId{0}), 0u);
}

TEST(RegisterFile, OperandsInOneBankAreReadOneAfterTheOther) {
  RegisterFileModel file({.banks = 4, .ports_per_bank = 1}, 1);
  const auto reads = [](const std::vector<std::uint32_t>& rows) { return register_access(rows, {}, 4); };
  EXPECT_EQ(file.read(0, WarpId{0}, reads({0, 1, 2}), 10), 0u) << "three banks";
  EXPECT_EQ(file.read(0, WarpId{0}, reads({0, 4, 8}), 20), 2u) << "all in bank 0";
  EXPECT_EQ(file.read(0, WarpId{1}, reads({3}), 20), 3u) << "warp 1's register 3 is in bank 0 as well";
  EXPECT_EQ(file.read(0, WarpId{0}, reads({3}), 20), 0u) << "bank 3 is free";
  EXPECT_EQ(file.read(0, WarpId{0}, reads({0}), 30), 0u) << "long over";
  EXPECT_EQ(file.read(0, WarpId{0}, reads({0}), 30), 1u);
  EXPECT_EQ(file.read(0, WarpId{0}, reads({0, 1}), 30), 2u);
  EXPECT_EQ(file.read(0, WarpId{0}, reads({0}), 94), 0u) << "a whole window later";
}

TEST(RegisterFile, SecondPortsAndOtherSubCoresDoNotWait) {
  RegisterFileModel file({.banks = 2, .ports_per_bank = 2}, 2);
  EXPECT_EQ(file.read(0, WarpId{0}, register_access({0, 2, 4}, {}, 2), 5), 1u);
  EXPECT_EQ(file.read(0, WarpId{0}, register_access({0}, {}, 2), 5), 1u) << "the second port of cycle 7";
  EXPECT_EQ(file.read(0, WarpId{0}, register_access({0}, {}, 2), 5), 2u);
  EXPECT_EQ(file.read(1, WarpId{0}, register_access({0, 2}, {}, 2), 5), 0u);
}

TEST(RegisterFile, ResultsShareWriteBackPortsAndBanks) {
  const auto writes = [](const std::vector<std::uint32_t>& rows) { return register_access({}, rows, 4); };
  RegisterFileModel file({.banks = 4, .ports_per_bank = 1, .writeback_ports = 1}, 1);
  EXPECT_EQ(file.write(0, WarpId{0}, writes({0}), 10), 10u);
  EXPECT_EQ(file.write(0, WarpId{0}, writes({1}), 10), 11u) << "one port";
  RegisterFileModel two({.banks = 4, .ports_per_bank = 1, .writeback_ports = 2}, 1);
  EXPECT_EQ(two.write(0, WarpId{0}, writes({0}), 10), 10u);
  EXPECT_EQ(two.write(0, WarpId{0}, writes({1}), 10), 10u);
  EXPECT_EQ(two.write(0, WarpId{0}, writes({2}), 10), 11u) << "two ports";
  EXPECT_EQ(two.write(0, WarpId{0}, writes({6}), 10), 12u) << "bank 2 is written in cycle 11";
  EXPECT_EQ(two.read(0, WarpId{0}, register_access({2}, {}, 4), 11), 1u)
      << "and in cycle 12: the operand waits";
  RegisterFileModel ideal({.banks = 0, .writeback_ports = 0}, 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ideal.write(0, WarpId{0}, register_access({}, {0}, 0), 3), 3u);
  EXPECT_EQ(ideal.read(0, WarpId{0}, register_access({0, 4, 8}, {}, 0), 3), 0u);
}

TEST(RegisterFile, WritesMayHavePortsOfTheirOwn) {
  for (const std::uint32_t own : {0u, 1u}) {
    RegisterFileModel file({.banks = 2, .ports_per_bank = 1, .write_ports_per_bank = own}, 1);
    const RegisterAccess even = register_access({0}, {2}, 2);
    EXPECT_EQ(file.read(0, WarpId{0}, even, 10), 0u) << "in cycle 11";
    EXPECT_EQ(file.write(0, WarpId{0}, even, 11), own != 0 ? 11u : 12u);
    EXPECT_EQ(file.write(0, WarpId{0}, even, 11), own != 0 ? 12u : 13u) << "one port";
  }
}

TEST(RegisterFile, MachineCodeHasItsRegistersAndWhatItKeeps) {
  constexpr std::uint16_t kNone = isa::Kernel::kNoRegister;
  isa::Kernel kernel;
  kernel.registers.rows32 = 4;
  kernel.row_registers = {2, 4, 7, kNone};  // R2, R4, R7 and a uniform register
  kernel.code = {instruction({0, 1, 3}, {2}), instruction({0, 1, 2}, {2})};
  kernel.kept_registers = {{4, kNone, kNone}, {kNone, kNone, kNone}};
  const std::vector<RegisterAccess> reads = register_accesses(kernel, 2);
  EXPECT_EQ(reads[0].reads, 2u) << "a uniform register is elsewhere";
  EXPECT_FALSE(reads[0].reads_apart) << "R2 and R4";
  EXPECT_EQ(reads[0].written_banks, 2u) << "R7";
  EXPECT_EQ(reads[1].reads, 3u);
  const std::vector<RegisterAccess> behind = register_accesses(kernel, 2, true);
  EXPECT_EQ(behind[1].reads, 2u) << "R4 has been kept";
  EXPECT_TRUE(behind[1].reads_apart);
  EXPECT_EQ(behind[0].reads, 2u) << "nothing is in front of it";
}

class Barriers : public testing::Test {
 protected:
  std::vector<WarpId> arrive(std::uint32_t warp, std::uint32_t threads, std::uint32_t id = 0,
                             std::uint32_t expected = 0, bool waits = true) {
    std::vector<BarrierRelease> released;
    BarrierRequest r;
    r.id = id;
    r.threads = threads;
    r.expected = expected;
    r.warp = WarpId{warp};
    r.waits = waits;
    r.released = &released;
    barriers_.arrive(r);
    return warps(released);
  }
  static std::vector<WarpId> warps(const std::vector<BarrierRelease>& released) {
    std::vector<WarpId> list;
    for (const BarrierRelease& release : released) list.push_back(release.warp);
    return list;
  }
  std::vector<WarpId> exit(std::uint32_t threads) {
    std::vector<BarrierRelease> released;
    BarrierRequest r;
    r.threads = threads;
    r.released = &released;
    barriers_.exit(r);
    return warps(released);
  }
  BarrierModel barriers_{2};
};

TEST_F(Barriers, ReleasesWhenAllThreadsHaveArrived) {
  barriers_.launch(CtaSlot{0}, 96);
  EXPECT_TRUE(arrive(0, 32).empty());
  EXPECT_TRUE(arrive(2, 32).empty());
  EXPECT_EQ(arrive(1, 32), (std::vector<WarpId>{WarpId{0}, WarpId{2}, WarpId{1}}));
  EXPECT_TRUE(arrive(0, 32).empty()) << "the barrier is reusable";
}

TEST_F(Barriers, ExitedThreadsCount) {
  barriers_.launch(CtaSlot{0}, 64);
  EXPECT_TRUE(arrive(0, 32).empty());
  EXPECT_TRUE(exit(16).empty());
  EXPECT_EQ(exit(16), (std::vector<WarpId>{WarpId{0}}));
}

TEST_F(Barriers, ExplicitCountAndArriveWithoutWaiting) {
  barriers_.launch(CtaSlot{0}, 128);
  EXPECT_TRUE(arrive(0, 32, 3, 64, false).empty());
  EXPECT_EQ(arrive(1, 32, 3, 64), (std::vector<WarpId>{WarpId{1}}));
  EXPECT_TRUE(arrive(2, 32, 4, 64).empty()) << "another barrier";
}

TEST(CtaSlots, LimitedByEachResource) {
  CoreConfig config;
  config.occupancy = {.max_warps = 8, .max_ctas = 3, .registers = 4096, .register_unit = 64};
  config.shared_memory.size_kib = 1;
  std::string why;
  EXPECT_EQ(max_resident({2, 64, 0}, config, why), 3u) << "CTA slots";
  EXPECT_EQ(max_resident({4, 64, 0}, config, why), 2u) << "warps";
  EXPECT_EQ(max_resident({1, 2048, 0}, config, why), 2u) << "registers";
  EXPECT_EQ(max_resident({1, 64, 512}, config, why), 2u) << "shared memory";
  EXPECT_EQ(max_resident({9, 64, 0}, config, why), 0u);
  EXPECT_EQ(why, "a CTA needs 9 warp slots, a core has 8");

  CtaSlots slots(config);
  const CtaNeeds needs{2, 64, 384};
  std::vector<WarpId> warps;
  std::uint32_t base = 99;
  ASSERT_EQ(slots.room(needs), 2u) << "1024 bytes of shared memory";
  EXPECT_EQ(slots.room({4, 64, 0}), 2u) << "8 warps";
  EXPECT_EQ(slots.room({1, 4096, 0}), 1u);
  const CtaSlot first = slots.take(needs, warps, base);
  EXPECT_EQ(base, 0u);
  EXPECT_EQ(warps, (std::vector<WarpId>{WarpId{0}, WarpId{1}}));
  slots.take(needs, warps, base);
  EXPECT_EQ(base, 384u);
  EXPECT_EQ(slots.room({1, 64, 256}), 1u) << "a slot is left, and 256 bytes";
  EXPECT_EQ(slots.room({1, 64, 0}), 1u) << "of three CTA slots";
  EXPECT_EQ(slots.room(needs), 0u) << "256 bytes of shared memory left";
  slots.give_back(first);
  ASSERT_NE(slots.room(needs), 0u);
  slots.take(needs, warps, base);
  EXPECT_EQ(base, 0u) << "the gap is used again";
  EXPECT_EQ(warps[0], WarpId{0});
}

TEST(TimingWheel, GivesEveryEventAtItsCycleInOrder) {
  base::TimingWheel<int> wheel;
  std::map<Cycle, std::vector<int>> expected;
  std::mt19937 random(7);
  Cycle now = 0;
  int serial = 0;
  for (int round = 0; round < 20000; ++round) {
    const unsigned additions = random() % 3;
    for (unsigned i = 0; i < additions; ++i) {
      const Cycle at = now + 1 + (random() % 50 == 0 ? random() % 5000 : random() % 300);
      wheel.add(at, serial);
      expected[at].push_back(serial++);
    }
    const Cycle due = expected.empty() ? ~Cycle{0} : expected.begin()->first;
    ASSERT_EQ(wheel.next_due(), due);
    now += random() % 40 == 0 ? 400 : 1 + random() % 3;  // sometimes far beyond what is due
    // Events may add others, to later cycles.
    wheel.take(now, [&](int event) {
      ASSERT_FALSE(expected.empty());
      auto& [at, events] = *expected.begin();
      ASSERT_LE(at, now);
      ASSERT_EQ(event, events.front());
      const Cycle cycle = at;
      events.erase(events.begin());
      if (events.empty()) expected.erase(expected.begin());
      constexpr std::array<Cycle, 6> kLater{1, 2, 63, 64, 65, 128};
      if (random() % 4 != 0) return;
      const Cycle later = cycle + kLater[random() % kLater.size()];
      wheel.add(later, serial);
      expected[later].push_back(serial++);
    });
    ASSERT_TRUE(expected.empty() || expected.begin()->first > now);
  }
}

TEST(IssueTable, CountsStatesAndNamesTheCauseClosestToIssue) {
  IssueTable table(4, 2);
  for (std::uint32_t g = 0; g < 4; ++g) table[GroupId{g}].scheduler = g % 2;
  PipeReadiness pipes;
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kNoWarp);
  table.set_status(GroupId{0}, GroupStatus::kBarrier);
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kBarrier);
  table.set_status(GroupId{2}, GroupStatus::kScoreboardMemory);
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kScoreboardMemory);
  table.set_status(GroupId{0}, GroupStatus::kReady, Pipe::kMemory);
  EXPECT_TRUE(table.candidates(0, pipes, 5)->contains(0));
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kHeldBack) << "nothing but the policy keeps it";
  pipes.memory_full = true;
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kMemoryBackPressure);
  EXPECT_EQ(table.next_due(0, pipes, 5), kNever);
  EXPECT_EQ(table.candidates(0, pipes, 5), nullptr);
  EXPECT_FALSE(table.any_ready(1));
  table.set_status(GroupId{2}, GroupStatus::kReady, Pipe::kSfu);
  pipes.accepts_from[static_cast<unsigned>(Pipe::kSfu)] = 9;
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kOperandCollector);
  EXPECT_EQ(table.next_due(0, pipes, 5), 9u);
  pipes.busy_until[static_cast<unsigned>(Pipe::kSfu)] = 7;
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kPipeBusy);
  EXPECT_EQ(table.next_due(0, pipes, 5), 7u) << "the cause changes there";
  table.set_status(GroupId{0}, GroupStatus::kAbsent);
  table.set_status(GroupId{2}, GroupStatus::kAbsent);
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kNoWarp);
}

TEST(IssueTable, AGateThatTimeOpensIsTheNearestOfAllThatIsNotReady) {
  constexpr std::uint32_t kStall = kOwnGates + 1, kOther = kOwnGates;
  IssueTable table(3, 1);
  const PipeReadiness pipes;
  table.set_nearest_gate(kStall);
  table.set_status(GroupId{0}, gate_status(kStall));
  for (const GroupStatus other :
       {GroupStatus::kScoreboardAlu, GroupStatus::kScoreboardMemory, GroupStatus::kFetch,
        GroupStatus::kControlFlow, GroupStatus::kTables, GroupStatus::kFence, gate_status(kOther),
        GroupStatus::kBarrier, GroupStatus::kAbsent}) {
    table.set_status(GroupId{1}, other);
    EXPECT_EQ(table.idle_cause(0, pipes, 5), gate_slot_use(kStall)) << static_cast<unsigned>(other);
  }
  table.set_status(GroupId{2}, GroupStatus::kReady, Pipe::kSp);
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kHeldBack);
  table.set_status(GroupId{2}, GroupStatus::kAbsent);
  table.set_status(GroupId{0}, GroupStatus::kScoreboardMemory);
  EXPECT_EQ(table.idle_cause(0, pipes, 5), SlotUse::kScoreboardMemory);
}

}  // namespace
}  // namespace heddle::core::blocks_test
