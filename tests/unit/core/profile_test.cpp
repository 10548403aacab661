// The profile's bookkeeping: every cycle of every group is charged once, to the right instruction and cause.
#include <gtest/gtest.h>

#include <random>

#include "core/state/group_profiler.h"
#include "core/state/issue_table.h"
#include "core/state/profile.h"

namespace heddle::core::profile_test {
namespace {

constexpr GroupId kA{0};
constexpr GroupId kB{1};

/// One scheduler, two groups, eight instructions.
class Profile : public testing::Test {
 protected:
  Profile() {
    table_.set_profile(&profile_);
    table_[kA].pc = Pc{1};
    table_[kB].pc = Pc{2};
  }
  void pass(SlotUse use, Cycle now, Cycle cycles = 1, GroupId issuing = {}) {
    table_.profile_slot(0, pipes_, now, cycles, use, issuing);
  }
  std::uint64_t waited(std::uint32_t pc, WaitCause cause) {
    return profile_.at(Pc{pc}).waiting[static_cast<unsigned>(cause)];
  }
  PipeReadiness pipes_;
  IssueTable table_{2, 1};
  KernelProfile profile_{8};
};

TEST_F(Profile, NamesAreThoseOfIssueSlots) {
  const std::vector<std::string> names = wait_cause_names();
  const std::vector<std::string> slots = slot_use_names();
  ASSERT_EQ(names.size(), kOwnWaitCauses);
  EXPECT_EQ(names[static_cast<unsigned>(WaitCause::kNotSelected)], "not_selected");
  EXPECT_EQ(names[static_cast<unsigned>(WaitCause::kReplay)], slots[static_cast<unsigned>(SlotUse::kReplay)]);
  EXPECT_EQ(names[static_cast<unsigned>(WaitCause::kMemoryBackPressure)], "memory_back_pressure");
  EXPECT_EQ(names[static_cast<unsigned>(WaitCause::kIBufferEmpty)], "ibuffer_empty");
  EXPECT_EQ(names.back(), "barrier");
}

TEST_F(Profile, WaitingGoesToTheInstructionAndItsCause) {
  table_.set_status(kA, GroupStatus::kFetch);
  pass(SlotUse::kIBufferEmpty, 10, 4);
  table_[kA].pc = Pc{3};
  table_.set_status(kA, GroupStatus::kScoreboardMemory);
  pass(SlotUse::kScoreboardMemory, 35, 25);
  table_.set_status(kA, GroupStatus::kAbsent);
  pass(SlotUse::kNoWarp, 45, 10);
  EXPECT_EQ(waited(1, WaitCause::kIBufferEmpty), 4u);
  EXPECT_EQ(waited(3, WaitCause::kScoreboardMemory), 25u);
  EXPECT_EQ(profile_.at(Pc{1}).waited() + profile_.at(Pc{3}).waited(), 29u) << "and nothing else";
}

// A unit in front of the schedulers holds all back: ready groups wait for it, whatever pipe they need.
TEST_F(Profile, UnitsThatHoldAllBackAreNamed) {
  table_.set_status(kA, GroupStatus::kReady, Pipe::kSp);
  pass(gate_slot_use(kOwnGates + 1), 10, 7);
  pass(SlotUse::kHeldBack, 12, 2);
  table_.set_status(kA, GroupStatus::kAbsent);
  EXPECT_EQ(waited(1, gate_wait_cause(kOwnGates + 1)), 7u);
  EXPECT_EQ(waited(1, WaitCause::kHeldBack), 2u);
  EXPECT_EQ(profile_.at(Pc{1}).waited(), 9u) << "and nothing else";
}

TEST_F(Profile, WaitsThatLastAtTheEndAreCharged) {
  table_.set_status(kA, GroupStatus::kScoreboardMemory);
  pass(SlotUse::kScoreboardMemory, 25, 25);
  EXPECT_EQ(waited(1, WaitCause::kScoreboardMemory), 0u) << "it is not over";
  table_.end_profile();
  EXPECT_EQ(waited(1, WaitCause::kScoreboardMemory), 25u);
  table_.end_profile();
  EXPECT_EQ(waited(1, WaitCause::kScoreboardMemory), 25u) << "once";
}

TEST_F(Profile, ChangesWithinOneCycleCostNothing) {
  table_.set_status(kA, GroupStatus::kFetch);
  table_.set_status(kA, GroupStatus::kScoreboardAlu);
  table_.set_status(kA, GroupStatus::kReady, Pipe::kSp);
  pass(SlotUse::kIssued, 1, 1, kA);
  EXPECT_EQ(profile_.at(Pc{1}).waited(), 0u) << "the cycle it issues in is an issue";
}

TEST_F(Profile, TheOneThatIsNotSelectedWaits) {
  table_.set_status(kA, GroupStatus::kReady, Pipe::kSp);
  table_.set_status(kB, GroupStatus::kReady, Pipe::kSp);
  pass(SlotUse::kIssued, 1, 1, kA);
  table_[kA].pc = Pc{4};
  table_.set_status(kA, GroupStatus::kReady, Pipe::kSp);
  pass(SlotUse::kIssued, 2, 1, kA);
  table_.set_status(kA, GroupStatus::kAbsent);
  pass(SlotUse::kIssued, 3, 1, kB);
  EXPECT_EQ(waited(2, WaitCause::kNotSelected), 2u);
  EXPECT_EQ(profile_.at(Pc{2}).waited(), 2u);
  EXPECT_EQ(profile_.at(Pc{1}).waited() + profile_.at(Pc{4}).waited(), 0u);
}

TEST_F(Profile, EveryReadyGroupHasTheCauseOfItsOwnPipe) {
  table_.set_status(kA, GroupStatus::kReady, Pipe::kMemory);
  table_.set_status(kB, GroupStatus::kReady, Pipe::kSfu);
  pipes_.memory_full = true;
  pipes_.accepts_from[static_cast<unsigned>(Pipe::kSfu)] = 12;
  pipes_.busy_until[static_cast<unsigned>(Pipe::kSfu)] = 8;
  pass(table_.idle_cause(0, pipes_, 7), 7, 5);
  pass(table_.idle_cause(0, pipes_, 11), 11, 4);
  pass(SlotUse::kReplay, 12);
  pass(table_.idle_cause(0, pipes_, 13), 13, 1);  // held back by the policy
  pass(SlotUse::kIssued, 14, 1, kB);
  table_.set_status(kB, GroupStatus::kAbsent);
  table_.set_status(kA, GroupStatus::kAbsent);
  EXPECT_EQ(waited(2, WaitCause::kPipeBusy), 5u);
  EXPECT_EQ(waited(2, WaitCause::kOperandCollector), 4u);
  EXPECT_EQ(waited(2, WaitCause::kReplay), 1u);
  EXPECT_EQ(waited(2, WaitCause::kHeldBack), 1u);
  EXPECT_EQ(waited(2, WaitCause::kNotSelected), 0u);
  EXPECT_EQ(waited(1, WaitCause::kMemoryBackPressure), 11u) << "also while the other one issues";
  EXPECT_EQ(waited(1, WaitCause::kReplay), 1u);
  EXPECT_EQ(profile_.at(Pc{1}).waited(), 12u);
}

// Random histories compared with a count that visits every group in every cycle.
TEST(ProfileRandom, EqualsACountOfEveryGroupInEveryCycle) {
  constexpr std::uint32_t kGroups = 12;
  constexpr std::uint32_t kSchedulers = 3;
  constexpr std::uint32_t kPcs = 20;
  std::mt19937 random(5);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  IssueTable table(kGroups, kSchedulers);
  KernelProfile profile(kPcs);
  table.set_profile(&profile);
  std::vector<PcProfile> expected(kPcs);
  for (std::uint32_t g = 0; g < kGroups; ++g) table[GroupId{g}].scheduler = g % kSchedulers;
  const auto change = [&](std::uint32_t g) {
    const auto status = static_cast<GroupStatus>(below(kGroupStatuses));
    table[GroupId{g}].pc = Pc{below(kPcs)};
    table.set_status(GroupId{g}, status, static_cast<Pipe>(below(kPipes)));
  };
  Cycle now = 0;
  for (int step = 0; step < 20'000; ++step) {
    for (std::uint32_t n = below(4); n != 0; --n) change(below(kGroups));
    PipeReadiness pipes;
    for (unsigned pipe = 0; pipe < kPipes; ++pipe) {
      pipes.busy_until[pipe] = now + below(6);
      pipes.accepts_from[pipe] = now + below(6);
    }
    pipes.memory_full = below(3) == 0;
    const Cycle cycles = 1 + below(5);
    now += cycles;
    for (std::uint32_t s = 0; s < kSchedulers; ++s) {
      // A random group among those that may issue, or none, or a replay.
      SlotUse use = table.idle_cause(s, pipes, now);
      std::uint32_t issuing = kGroups;
      if (below(8) == 0) {
        use = SlotUse::kReplay;
      } else if (cycles == 1 && use == SlotUse::kHeldBack && below(4) != 0) {
        use = SlotUse::kIssued;
        issuing = *table.candidates(s, pipes, now)->next(0);
      }
      for (std::uint32_t g = s; g < kGroups; g += kSchedulers) {
        const IssueTable::Group& group = table[GroupId{g}];
        if (group.status == GroupStatus::kAbsent || g == issuing) continue;
        SlotUse cause = SlotUse::kNoWarp;
        const auto pipe = static_cast<unsigned>(group.pipe);
        switch (group.status) {
          case GroupStatus::kAbsent:
            break;
          case GroupStatus::kReady:
            if (use == SlotUse::kReplay)
              cause = SlotUse::kReplay;
            else if (pipes.accepts(pipe, now))
              cause = use == SlotUse::kIssued ? SlotUse::kIssued : SlotUse::kHeldBack;
            else if (pipes.busy_until[pipe] > now)
              cause = SlotUse::kPipeBusy;
            else
              cause =
                  pipes.accepts_from[pipe] > now ? SlotUse::kOperandCollector : SlotUse::kMemoryBackPressure;
            break;
          case GroupStatus::kScoreboardAlu:
            cause = SlotUse::kScoreboardAlu;
            break;
          case GroupStatus::kScoreboardMemory:
            cause = SlotUse::kScoreboardMemory;
            break;
          case GroupStatus::kFetch:
            cause = SlotUse::kIBufferEmpty;
            break;
          case GroupStatus::kControlFlow:
            cause = SlotUse::kControlFlow;
            break;
          case GroupStatus::kTables:
            cause = SlotUse::kTables;
            break;
          case GroupStatus::kFence:
            cause = SlotUse::kFence;
            break;
          case GroupStatus::kBarrier:
            cause = SlotUse::kBarrier;
            break;
          default:  // blocked by an extension's gate: these causes follow the common ones
            expected[group.pc.value()].waiting[kOwnWaitCauses + static_cast<unsigned>(group.status) -
                                               static_cast<unsigned>(gate_status(kOwnGates))] += cycles;
            continue;
        }
        expected[group.pc.value()].waiting[static_cast<unsigned>(cause)] += cycles;
      }
      table.profile_slot(s, pipes, now, cycles, use, GroupId{issuing});
      if (use == SlotUse::kIssued) change(issuing);
    }
  }
  for (std::uint32_t g = 0; g < kGroups; ++g) table.set_status(GroupId{g}, GroupStatus::kAbsent);
  std::uint64_t all = 0;
  for (std::uint32_t pc = 0; pc < kPcs; ++pc) {
    EXPECT_EQ(profile.at(Pc{pc}).waiting, expected[pc].waiting) << "pc " << pc;
    all += expected[pc].waited();
  }
  EXPECT_GT(all, 100'000u);
}

}  // namespace
}  // namespace heddle::core::profile_test
