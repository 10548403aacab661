// Calls, returns and indirect branches on the SIMT stack, table-exact. Masks are MSB..LSB (rightmost = lane
// 0).
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "blocks/simt/stack_port.h"

namespace heddle::simt::stack_calls_test {
namespace {

using Row = StackEntry;
using Rows = std::vector<Row>;

/// A warp of four lanes that starts at PC 0.
class Warp {
 public:
  explicit Warp(const StackKind& kind, FirstSide first = FirstSide::kTaken) : stack_(kind.make(first)) {
    ControlFlowRequest r;
    r.event = ControlFlowEvent::kLaunch;
    r.mask = mask("1111");
    r.next = Pc{0};
    stack_.serve(r);
  }
  [[nodiscard]] Rows rows() const { return stack_.rows(); }
  void branch(std::uint32_t target, const char* taken, std::uint32_t next, Pc rpc) {
    serve(Transfer::kJump, mask(taken), next, Pc{target}, rpc);
  }
  bool indirect(std::array<std::uint32_t, 4> lane_target, const char* taken, std::uint32_t next, Pc rpc) {
    set(lane_target);
    return serve(Transfer::kJump, mask(taken), next, kNoPc, rpc, true);
  }
  void call(std::uint32_t target, const char* taken, std::uint32_t next) {
    serve(Transfer::kCall, mask(taken), next, Pc{target}, kNoPc);
  }
  bool indirect_call(std::array<std::uint32_t, 4> lane_target, const char* taken, std::uint32_t next) {
    set(lane_target);
    return serve(Transfer::kCall, mask(taken), next, kNoPc, kNoPc, true);
  }
  void leave(std::uint32_t to, const char* taken, std::uint32_t next) {
    set({to, to, to, to});
    serve(Transfer::kReturn, mask(taken), next, kNoPc, kNoPc, true);
  }
  void go(std::uint32_t pc) { serve(ControlFlowEvent::kAdvance, {}, pc, kNoPc, kNoPc); }
  void exit(const char* lanes, std::uint32_t next) {
    ControlFlowRequest r;
    r.event = ControlFlowEvent::kExit;
    r.mask = mask(lanes);
    r.next = Pc{next};
    stack_.serve(r);
  }
  [[nodiscard]] std::vector<SuspendedLanes> suspended() const {
    std::vector<SuspendedLanes> list;
    ControlFlowRequest r;
    r.suspended = &list;
    stack_.inspect(r);
    return list;
  }
  [[nodiscard]] std::uint64_t digest() const {
    ControlFlowRequest r;
    stack_.inspect(r);
    return r.digest;
  }
  /// The answer to the last event.
  [[nodiscard]] const GroupUpdate& answer() const { return answer_; }

 private:
  void set(std::array<std::uint32_t, 4> lane_target) {
    for (unsigned i = 0; i < 4; ++i) targets_[i] = Pc{lane_target[i]};
  }
  template <class Kind>
  bool serve(Kind kind, LaneMask taken, std::uint32_t next, Pc target, Pc rpc, bool by_lane = false) {
    ControlFlowRequest r;
    r.set(kind);
    r.taken = taken;
    r.next = Pc{next};
    r.target = target;
    r.rpc = rpc;
    if (by_lane) r.lane_target = targets_.data();
    stack_.serve(r);
    EXPECT_EQ(r.updates.size(), 1u);
    answer_ = r.updates[0];
    return r.diverged;
  }

  StackPort stack_;
  std::array<Pc, 32> targets_{};
  GroupUpdate answer_;
};

Row row(std::uint32_t pc, Pc rpc, const char* lanes, std::uint32_t frame) {
  return {Pc{pc}, rpc, mask(lanes), frame};
}

class SimtStackCalls : public ::testing::TestWithParam<StackKind> {};
INSTANTIATE_TEST_SUITE_P(On, SimtStackCalls, ::testing::ValuesIn(stack_kinds()), name_stack_kind);

TEST_P(SimtStackCalls, a_call_waits_behind_it_and_a_return_goes_on_there) {
  Warp w(GetParam());
  w.call(100, "1111", 11);
  EXPECT_EQ(w.rows(), (Rows{row(11, kNoPc, "1111", 0), row(100, kNoPc, "1111", 1)}));
  EXPECT_EQ(w.answer().pc, Pc{100});
  EXPECT_EQ(w.answer().watch, kNoPc);
  w.leave(11, "1111", 105);
  EXPECT_EQ(w.rows(), (Rows{row(11, kNoPc, "1111", 0)}));
  EXPECT_EQ(w.answer().pc, Pc{11});
}

TEST_P(SimtStackCalls, lanes_that_return_early_wait_for_the_others_behind_the_call) {
  Warp w(GetParam());
  w.call(100, "1111", 11);
  w.leave(11, "0110", 103);
  EXPECT_EQ(w.rows(), (Rows{row(11, kNoPc, "1111", 0), row(103, kNoPc, "1001", 1)}));
  const auto waiting = w.suspended();
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].mask, mask("0110"));
  EXPECT_EQ(waiting[0].at, Pc{11});
  EXPECT_TRUE(waiting[0].why == Suspension::kReconverging);
  w.leave(11, "1001", 110);
  EXPECT_EQ(w.rows(), (Rows{row(11, kNoPc, "1111", 0)}));
}

TEST_P(SimtStackCalls, sides_that_both_return_meet_behind_the_call) {
  Warp w(GetParam());
  w.call(100, "1111", 11);
  w.branch(110, "0011", 101, kNoPc);
  EXPECT_EQ(w.rows(),
            (Rows{row(11, kNoPc, "1111", 0), row(101, kNoPc, "1100", 1), row(110, kNoPc, "0011", 1)}));
  w.leave(11, "0011", 112);
  EXPECT_EQ(w.rows(), (Rows{row(11, kNoPc, "1111", 0), row(101, kNoPc, "1100", 1)}));
  w.leave(11, "1100", 105);
  EXPECT_EQ(w.rows(), (Rows{row(11, kNoPc, "1111", 0)}));
}

TEST_P(SimtStackCalls, smaller_first_orders_all_sides_of_an_indirect_branch) {
  // Lane 3 is the leftmost: two lanes go to 40, one to 50, one to 60. Equals as they come.
  Warp w(GetParam(), FirstSide::kSmaller);
  EXPECT_TRUE(w.indirect({40, 40, 50, 60}, "1111", 11, Pc{99}));
  EXPECT_EQ(w.rows(), (Rows{row(99, kNoPc, "1111", 0), row(40, Pc{99}, "0011", 0), row(60, Pc{99}, "1000", 0),
                            row(50, Pc{99}, "0100", 0)}));
}

TEST_P(SimtStackCalls, a_return_within_a_branch_leaves_the_entries_of_its_frame_only) {
  Warp w(GetParam());
  w.branch(5, "0111", 1, Pc{20});
  w.call(100, "0111", 6);
  w.branch(110, "0011", 101, Pc{120});
  w.leave(6, "0001", 111);
  EXPECT_EQ(w.rows(),
            (Rows{row(20, kNoPc, "1111", 0), row(1, Pc{20}, "1000", 0), row(6, Pc{20}, "0111", 0),
                  row(120, kNoPc, "0110", 1), row(101, Pc{120}, "0100", 1), row(111, Pc{120}, "0010", 1)}));
  w.go(120);
  w.go(120);
  w.leave(6, "0110", 121);
  EXPECT_EQ(w.rows(),
            (Rows{row(20, kNoPc, "1111", 0), row(1, Pc{20}, "1000", 0), row(6, Pc{20}, "0111", 0)}));
  EXPECT_EQ(w.answer().watch, Pc{20});
}

// The inner call returns to the same PC as the outer one: only the frames distinguish them.
TEST_P(SimtStackCalls, recursion_through_one_call_site_comes_back_level_by_level) {
  Warp w(GetParam());
  w.call(100, "1111", 11);
  w.branch(110, "0001", 101, kNoPc);  // one lane has reached the end
  w.leave(11, "0001", 112);
  w.call(100, "1110", 104);
  w.call(100, "1110", 104);
  EXPECT_EQ(w.rows(), (Rows{row(11, kNoPc, "1111", 0), row(104, kNoPc, "1110", 1), row(104, kNoPc, "1110", 2),
                            row(100, kNoPc, "1110", 3)}));
  w.leave(104, "1110", 112);
  EXPECT_EQ(w.rows().size(), 3u);
  w.leave(104, "1110", 112);
  EXPECT_EQ(w.rows(), (Rows{row(11, kNoPc, "1111", 0), row(104, kNoPc, "1110", 1)}));
  w.leave(11, "1110", 112);
  EXPECT_EQ(w.rows(), (Rows{row(11, kNoPc, "1111", 0)}));
}

TEST_P(SimtStackCalls, a_call_whose_return_point_is_where_its_branch_meets_pops_when_all_are_back) {
  Warp w(GetParam());
  w.branch(5, "0011", 1, Pc{6});
  w.call(100, "0011", 6);
  EXPECT_EQ(w.rows().back(), row(100, kNoPc, "0011", 1));
  w.leave(6, "0011", 105);
  EXPECT_EQ(w.rows(), (Rows{row(6, kNoPc, "1111", 0), row(1, Pc{6}, "1100", 0)}));
}

TEST_P(SimtStackCalls, lanes_that_do_not_call_wait_behind_the_call) {
  Warp w(GetParam());
  w.call(100, "0101", 11);
  EXPECT_EQ(w.rows(), (Rows{row(11, kNoPc, "1111", 0), row(100, kNoPc, "0101", 1)}));
  w.leave(11, "0101", 105);
  w.call(100, "0000", 12);
  EXPECT_EQ(w.rows(), (Rows{row(12, kNoPc, "1111", 0)}));
}

TEST_P(SimtStackCalls, an_indirect_call_runs_its_functions_one_after_the_other) {
  Warp w(GetParam());
  EXPECT_TRUE(w.indirect_call({200, 100, 200, 300}, "1111", 11));
  EXPECT_EQ(w.rows(), (Rows{row(11, kNoPc, "1111", 0), row(300, kNoPc, "1000", 1), row(100, kNoPc, "0010", 1),
                            row(200, kNoPc, "0101", 1)}));
  w.leave(11, "0101", 205);
  EXPECT_EQ(w.answer().pc, Pc{100});
  w.leave(11, "0010", 105);
  w.leave(11, "1000", 305);
  EXPECT_EQ(w.rows(), (Rows{row(11, kNoPc, "1111", 0)}));
  EXPECT_FALSE(w.indirect_call({200, 200, 200, 200}, "1111", 12));
}

TEST_P(SimtStackCalls, an_indirect_branch_pushes_a_side_per_target_but_the_reconvergence_point) {
  Warp w(GetParam());
  EXPECT_TRUE(w.indirect({30, 20, 30, 50}, "1111", 1, Pc{50}));
  EXPECT_EQ(w.rows(),
            (Rows{row(50, kNoPc, "1111", 0), row(20, Pc{50}, "0010", 0), row(30, Pc{50}, "0101", 0)}));
  w.go(50);
  w.go(50);
  EXPECT_EQ(w.rows(), (Rows{row(50, kNoPc, "1111", 0)}));
  EXPECT_FALSE(w.indirect({70, 70, 70, 70}, "1111", 51, Pc{80}));
  EXPECT_EQ(w.rows(), (Rows{row(70, kNoPc, "1111", 0)}));
}

TEST_P(SimtStackCalls, an_indirect_branch_to_the_same_meeting_point_does_not_grow_the_stack) {
  Warp w(GetParam());
  w.indirect({30, 20, 30, 20}, "1111", 1, Pc{50});
  w.indirect({40, 0, 45, 0}, "0101", 31, Pc{50});
  EXPECT_EQ(w.rows(), (Rows{row(50, kNoPc, "1111", 0), row(20, Pc{50}, "1010", 0), row(45, Pc{50}, "0100", 0),
                            row(40, Pc{50}, "0001", 0)}));
}

TEST_P(SimtStackCalls, the_side_that_does_not_branch_runs_first_if_configured_so) {
  Warp taken(GetParam(), FirstSide::kTaken);
  taken.indirect({30, 20, 0, 0}, "0011", 1, Pc{50});
  EXPECT_EQ(taken.answer().pc, Pc{30});
  Warp not_taken(GetParam(), FirstSide::kNotTaken);
  not_taken.indirect({30, 20, 0, 0}, "0011", 1, Pc{50});
  EXPECT_EQ(not_taken.rows(), (Rows{row(50, kNoPc, "1111", 0), row(20, Pc{50}, "0010", 0),
                                    row(30, Pc{50}, "0001", 0), row(1, Pc{50}, "1100", 0)}));
}

TEST_P(SimtStackCalls, threads_that_exit_in_a_function_leave_every_frame) {
  Warp w(GetParam());
  w.call(100, "1111", 11);
  w.call(200, "1111", 101);
  w.exit("0011", 201);
  EXPECT_EQ(w.rows(),
            (Rows{row(11, kNoPc, "1100", 0), row(101, kNoPc, "1100", 1), row(201, kNoPc, "1100", 2)}));
  w.exit("1100", 202);
  EXPECT_TRUE(w.rows().empty());
}

TEST_P(SimtStackCalls, depth_is_part_of_the_state) {
  Warp a(GetParam());
  a.call(100, "1111", 104);
  Warp b(GetParam());
  b.call(100, "1111", 104);
  EXPECT_EQ(a.digest(), b.digest());
  b.call(100, "1111", 104);
  EXPECT_NE(a.digest(), b.digest());
}

}  // namespace
}  // namespace heddle::simt::stack_calls_test
