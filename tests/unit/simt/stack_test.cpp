// The SIMT stack against the worked examples of the publications, table-exact: [SSDE:G1], [SSDE:G2],
// [MultiPath:G3], [TBC:G1], [TBC:G3], [GPUDet:G2]. Masks are written as in the source: ElTantawy's MSB..LSB
// (rightmost = thread 0), Fung's and Jooybar's with thread 1 (0) leftmost.
#include <gtest/gtest.h>

#include <string>

#include "blocks/simt/stack_port.h"
#include "core/issue/scoreboard.h"

namespace heddle::simt::stack_test {
namespace {

/// Leftmost character = lane 0.
LaneMask left_to_right(const std::string& text) { return mask({text.rbegin(), text.rend()}); }

/// A stack driven by block names: block X is PC 100*(X-'A').
class Example {
 public:
  Example(const StackKind& kind, FirstSide first) : stack_(kind.make(first)) {}

  static Pc pc(char block) {
    return block == '-' ? base::kNoPc : Pc{100u * static_cast<unsigned>(block - 'A')};
  }
  void launch(char block, LaneMask lanes) {
    ControlFlowRequest r;
    r.event = ControlFlowEvent::kLaunch;
    r.mask = lanes;
    r.next = pc(block);
    stack_.serve(r);
  }
  /// The running group branches: `taken` lanes go to `target`, the others to `other`.
  void branch(char target, LaneMask taken, char other, char rpc) {
    ControlFlowRequest r;
    r.set(Transfer::kJump);
    r.taken = taken;
    r.target = pc(target);
    r.next = pc(other);
    r.rpc = pc(rpc);
    stack_.serve(r);
  }
  void go(char block) {
    ControlFlowRequest r;
    r.event = ControlFlowEvent::kAdvance;
    r.next = pc(block);
    stack_.serve(r);
  }
  void exit(LaneMask lanes, char next) {
    ControlFlowRequest r;
    r.event = ControlFlowEvent::kExit;
    r.mask = lanes;
    r.next = pc(next);
    stack_.serve(r);
  }
  using Row = StackEntry;
  static Row row(char block, char rpc, LaneMask lanes) { return {pc(block), pc(rpc), lanes}; }
  void expect(const std::vector<Row>& rows) const { EXPECT_EQ(stack_.rows(), rows); }
  StackPort& stack() { return stack_; }

 private:
  StackPort stack_;
};

class SimtStackGolden : public ::testing::TestWithParam<StackKind> {};
class SimtStackRules : public ::testing::TestWithParam<StackKind> {};
INSTANTIATE_TEST_SUITE_P(On, SimtStackGolden, ::testing::ValuesIn(stack_kinds()), name_stack_kind);
INSTANTIATE_TEST_SUITE_P(On, SimtStackRules, ::testing::ValuesIn(stack_kinds()), name_stack_kind);

Example::Row row(char block, char rpc, LaneMask lanes) { return Example::row(block, rpc, lanes); }

TEST_P(SimtStackGolden, MimdG1StackIfElse) {
  Example e(GetParam(), FirstSide::kTaken);
  e.launch('A', mask("1111"));
  e.expect({row('A', '-', mask("1111"))});
  e.branch('C', mask("1010"), 'B', 'D');
  e.expect({row('D', '-', mask("1111")), row('B', 'D', mask("0101")), row('C', 'D', mask("1010"))});
  e.go('D');  // C reaches D
  e.expect({row('D', '-', mask("1111")), row('B', 'D', mask("0101"))});
  e.go('D');  // B reaches D
  e.expect({row('D', '-', mask("1111"))});
}

TEST_P(SimtStackGolden, MimdG2StackLoop) {
  Example e(GetParam(), FirstSide::kTaken);
  e.launch('A', mask("1111"));
  e.go('B');
  e.branch('B', mask("0111"), 'C', 'C');  // thread 3 leaves the loop
  e.expect({row('C', '-', mask("1111")), row('B', 'C', mask("0111"))});
  e.branch('B', mask("0111"), 'C', 'C');  // no lane leaves
  e.expect({row('C', '-', mask("1111")), row('B', 'C', mask("0111"))});
  e.branch('B', mask("0001"), 'C', 'C');  // same RPC: the stack does not grow
  e.expect({row('C', '-', mask("1111")), row('B', 'C', mask("0001"))});
  e.branch('B', mask("0000"), 'C', 'C');
  e.expect({row('C', '-', mask("1111"))});
}

// The spin lock after SSDE (Fig 4.2): B tries, C releases, S is the switch, D what follows. The graph is that
// of ssde_transform_test.cpp, which also provides the stack's reconvergence points.
TEST_P(SimtStackGolden, MimdG19SpinLockAfterSsde) {
  Example e(GetParam(), FirstSide::kTaken);
  e.launch('A', mask("1111"));
  e.go('B');
  e.branch('S', mask("0111"), 'C', 'S');  // thread 3 has the lock, the others are at the switch
  e.expect({row('S', '-', mask("1111")), row('C', 'S', mask("1000"))});
  e.go('S');
  e.expect({row('S', '-', mask("1111"))});
  e.branch('B', mask("0111"), 'D', 'D');
  e.expect({row('D', '-', mask("1111")), row('B', 'D', mask("0111"))});
  e.branch('S', mask("0011"), 'C', 'S');
  e.expect({row('D', '-', mask("1111")), row('S', 'D', mask("0111")), row('C', 'S', mask("0100"))});
  e.go('S');
  e.branch('B', mask("0011"), 'D', 'D');
  e.expect({row('D', '-', mask("1111")), row('B', 'D', mask("0011"))});
  e.branch('S', mask("0001"), 'C', 'S');
  e.go('S');
  e.branch('B', mask("0001"), 'D', 'D');
  e.branch('S', mask("0000"), 'C', 'S');  // the last one has it at once
  e.expect({row('D', '-', mask("1111")), row('C', 'D', mask("0001"))});
  e.go('S');
  e.branch('B', mask("0000"), 'D', 'D');
  e.expect({row('D', '-', mask("1111"))});
}

// Fig 7.2: two instructions per block, the second of B and of C depends on the first with 2 cycles latency.
// An ideal front end issues the running group's next instruction whenever the baseline scoreboard allows.
TEST_P(SimtStackGolden, MimdG3StackTiming) {
  Example e(GetParam(), FirstSide::kTaken);
  const WarpId warp{0};
  core::ScoreboardModel scoreboard({.entries_per_warp = 8}, 1);
  const auto instruction = [](bool reads, bool writes) {
    isa::Instruction i;
    if (reads) i.reads[i.read_count++] = 7;
    if (writes) i.writes[i.write_count++] = 7;
    return i;
  };
  const isa::Instruction plain = instruction(false, false);
  const isa::Instruction producer = instruction(false, true);
  const isa::Instruction consumer = instruction(true, false);

  e.launch('A', mask("1111"));
  std::string timeline;
  unsigned step = 0;  // instruction within the block
  int pending_until = 0;
  for (int cycle = 1; !e.stack().rows().empty() && cycle < 40; ++cycle) {
    if (pending_until == cycle) scoreboard.release(warp, producer);
    const Pc block = e.stack().rows().back().pc;
    const bool in_side = block == Example::pc('B') || block == Example::pc('C');
    const isa::Instruction& next = !in_side ? plain : step == 0 ? producer : consumer;
    if (scoreboard.check(warp, next) != core::Hazard::kNone) {
      timeline += ".";
      continue;
    }
    timeline += static_cast<char>('A' + block.value() / 100);
    if (in_side && step == 0) {
      scoreboard.reserve(warp, next);
      pending_until = cycle + 2;
    }
    if (++step < 2) continue;
    step = 0;
    if (block == Example::pc('A'))
      e.branch('B', mask("0101"), 'C', 'D');
    else if (block == Example::pc('D'))
      e.exit(mask("1111"), 'E');
    else
      e.go('D');
  }
  EXPECT_EQ(timeline, "AAB.BC.CDD");  // 10 cycles, 2 idle
}

TEST_P(SimtStackGolden, TbcG1PerWarpStack) {
  Example e(GetParam(), FirstSide::kTaken);
  std::string order;
  const auto lanes = [](const char* text) { return left_to_right(text); };
  e.launch('A', lanes("1111"));
  e.branch('B', lanes("1110"), 'F', 'G');
  e.expect({row('G', '-', lanes("1111")), row('F', 'G', lanes("0001")), row('B', 'G', lanes("1110"))});
  e.branch('C', lanes("1000"), 'D', 'E');
  e.expect({row('G', '-', lanes("1111")), row('F', 'G', lanes("0001")), row('E', 'G', lanes("1110")),
            row('D', 'E', lanes("0110")), row('C', 'E', lanes("1000"))});
  e.go('E');  // C done
  e.go('E');  // D done
  e.expect({row('G', '-', lanes("1111")), row('F', 'G', lanes("0001")), row('E', 'G', lanes("1110"))});
  e.go('G');  // E done
  e.expect({row('G', '-', lanes("1111")), row('F', 'G', lanes("0001"))});
  e.go('G');  // F done
  e.expect({row('G', '-', lanes("1111"))});
}

// Example 5: two threads spin on a lock; the winner waits forever at the reconvergence point below the
// spinning side.
TEST_P(SimtStackGolden, TbcG3SimtDeadlock) {
  Example e(GetParam(), FirstSide::kTaken);
  e.launch('A', left_to_right("11"));
  e.branch('A', left_to_right("01"), 'B', 'B');  // thread 0 got the lock
  for (int spin = 0; spin < 3; ++spin) {
    e.expect({row('B', '-', left_to_right("11")), row('A', 'B', left_to_right("01"))});
    e.branch('A', left_to_right("01"), 'B', 'B');
  }
  ControlFlowRequest look;
  std::vector<SuspendedLanes> suspended;
  look.suspended = &suspended;
  e.stack().inspect(look);
  ASSERT_EQ(suspended.size(), 1u);
  EXPECT_EQ(suspended[0].mask, left_to_right("10"));
  EXPECT_EQ(suspended[0].at, Example::pc('B'));
  EXPECT_TRUE(suspended[0].why == Suspension::kReconverging);
}

// Example 6: lock and unlock inside the if; every lane gets the lock.
TEST_P(SimtStackGolden, TbcG3SafeFormTerminates) {
  Example e(GetParam(), FirstSide::kTaken);
  e.launch('A', left_to_right("11"));  // A: CAS; winner -> B (critical section, release), all -> C: loop test
  e.branch('B', left_to_right("10"), 'C', 'C');
  e.expect({row('C', '-', left_to_right("11")), row('B', 'C', left_to_right("10"))});
  e.go('C');
  e.branch('A', left_to_right("01"), 'D', 'D');  // thread 0 is done
  e.expect({row('D', '-', left_to_right("11")), row('A', 'D', left_to_right("01"))});
  e.branch('B', left_to_right("01"), 'C', 'C');  // uniform: thread 1 got the lock
  e.go('C');
  e.branch('A', left_to_right("00"), 'D', 'D');
  e.expect({row('D', '-', left_to_right("11"))});
}

TEST_P(SimtStackGolden, GpudetG2SimtStack) {
  Example e(GetParam(), FirstSide::kTaken);
  e.launch('A', left_to_right("11111111"));
  e.branch('B', left_to_right("11001100"), 'C', 'D');
  e.expect({row('D', '-', left_to_right("11111111")), row('C', 'D', left_to_right("00110011")),
            row('B', 'D', left_to_right("11001100"))});
  e.go('D');
  e.expect({row('D', '-', left_to_right("11111111")), row('C', 'D', left_to_right("00110011"))});
  e.go('D');
  e.expect({row('D', '-', left_to_right("11111111"))});
}

TEST_P(SimtStackRules, NotTakenFirstSwapsTheSides) {
  Example e(GetParam(), FirstSide::kNotTaken);
  e.launch('A', mask("1111"));
  e.branch('C', mask("1010"), 'B', 'D');
  e.expect({row('D', '-', mask("1111")), row('C', 'D', mask("1010")), row('B', 'D', mask("0101"))});
}

TEST_P(SimtStackRules, SmallerFirstPutsTheSideWithFewerLanesOnTop) {
  Example taken(GetParam(), FirstSide::kSmaller);
  taken.launch('A', mask("1111"));
  taken.branch('C', mask("1000"), 'B', 'D');
  taken.expect({row('D', '-', mask("1111")), row('B', 'D', mask("0111")), row('C', 'D', mask("1000"))});
  Example not_taken(GetParam(), FirstSide::kSmaller);
  not_taken.launch('A', mask("1111"));
  not_taken.branch('C', mask("1110"), 'B', 'D');
  not_taken.expect({row('D', '-', mask("1111")), row('C', 'D', mask("1110")), row('B', 'D', mask("0001"))});
}

TEST_P(SimtStackRules, ExitingLanesLeaveEveryEntry) {
  Example e(GetParam(), FirstSide::kTaken);
  e.launch('A', mask("1111"));
  e.branch('B', mask("0011"), 'C', 'D');
  e.exit(mask("0011"), 'C');  // the whole taken side exits
  e.expect({row('D', '-', mask("1100")), row('C', 'D', mask("1100"))});
  e.exit(mask("0100"), 'D');  // one of the others exits under a guard; the rest falls through to D
  e.expect({row('D', '-', mask("1000"))});
  e.exit(mask("1000"), 'E');
  EXPECT_TRUE(e.stack().rows().empty());
}

TEST_P(SimtStackRules, BranchThatReconvergesOnlyAtExit) {
  Example e(GetParam(), FirstSide::kTaken);
  e.launch('A', mask("1111"));
  e.branch('B', mask("0001"), 'C', '-');
  e.expect({row('C', '-', mask("1110")), row('B', '-', mask("0001"))});
  e.exit(mask("0001"), 'C');
  e.expect({row('C', '-', mask("1110"))});
}

TEST_P(SimtStackRules, BothSidesAtTheReconvergencePointDoNotDiverge) {
  Example e(GetParam(), FirstSide::kTaken);
  e.launch('A', mask("1111"));
  e.branch('D', mask("0001"), 'D', 'D');
  e.expect({row('D', '-', mask("1111"))});
}

TEST_P(SimtStackRules, AnswersNameTheGroupItsLanesAndWhatToWatch) {
  StackPort stack = GetParam().make(FirstSide::kTaken);
  ControlFlowRequest r;
  r.event = ControlFlowEvent::kLaunch;
  r.mask = mask("1111");
  r.next = Pc{0};
  stack.serve(r);
  ASSERT_EQ(r.updates.size(), 1u);
  EXPECT_EQ(r.updates[0].group, GroupId{stack.warp().value()});
  EXPECT_EQ(r.updates[0].watch, base::kNoPc);
  r.set(Transfer::kJump);
  r.taken = mask("0101");
  r.target = Pc{5};
  r.next = Pc{1};
  r.rpc = Pc{9};
  stack.serve(r);
  EXPECT_TRUE(r.diverged);
  ASSERT_EQ(r.updates.size(), 1u);
  EXPECT_EQ(r.updates[0].change, GroupChange::kMoved);
  EXPECT_EQ(r.updates[0].pc, Pc{5});
  EXPECT_EQ(r.updates[0].watch, Pc{9});
  EXPECT_EQ(r.updates[0].mask, mask("0101"));
}

TEST_P(SimtStackRules, BarrierBlocksAndReleasesAtTheReconvergencePoint) {
  StackPort stack = GetParam().make(FirstSide::kTaken);
  ControlFlowRequest r;
  r.event = ControlFlowEvent::kLaunch;
  r.mask = mask("1111");
  r.next = Pc{0};
  stack.serve(r);
  r.event = ControlFlowEvent::kBarrierArrive;
  r.next = Pc{1};
  stack.serve(r);
  ASSERT_EQ(r.updates.size(), 1u);
  EXPECT_EQ(r.updates[0].change, GroupChange::kBlocked);
  r.event = ControlFlowEvent::kBarrierRelease;
  stack.serve(r);
  ASSERT_EQ(r.updates.size(), 1u);
  EXPECT_EQ(r.updates[0].change, GroupChange::kSchedulable);
  EXPECT_EQ(r.updates[0].pc, Pc{1});
}

TEST_P(SimtStackRules, DigestFollowsTheState) {
  Example a(GetParam(), FirstSide::kTaken);
  Example b(GetParam(), FirstSide::kTaken);
  const auto digest = [](Example& e) {
    ControlFlowRequest look;
    e.stack().inspect(look);
    return look.digest;
  };
  a.launch('A', mask("1111"));
  b.launch('A', mask("1111"));
  EXPECT_EQ(digest(a), digest(b));
  a.branch('B', mask("0001"), 'C', 'D');
  EXPECT_NE(digest(a), digest(b));
  b.branch('B', mask("0001"), 'C', 'D');
  EXPECT_EQ(digest(a), digest(b));
}

}  // namespace
}  // namespace heddle::simt::stack_test
