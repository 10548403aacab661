// Calls, returns and indirect branches on the splits and reconvergence tables ([AWARE:A25] and
// [AWARE:H3]). Which lanes run what is as in stack_calls_test.cpp.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "blocks/simt/rig.h"

namespace heddle::simt::aware_calls_test {
namespace {

class AwareCalls : public ::testing::Test {
 protected:
  AwareCalls() { rig.launch('A', mask("1111")); }
  [[nodiscard]] std::uint32_t frame_of_front() {
    const nlohmann::ordered_json json = rig.table();
    for (const auto& row : json.at("st"))
      if (row.at("id") == json.at("fifo").at(0)) return row.value("frame", 0u);
    ADD_FAILURE() << "no split";
    return 0;
  }
  SimtRig rig{aware()};
};

TEST_F(AwareCalls, a_call_of_one_function_needs_no_entry) {
  EXPECT_EQ(rig.call(kGroup, pc('F'), mask("1111"), pc('A', 1)).call_depth, 1u);
  EXPECT_EQ(rig.st(), "F - 1111");
  EXPECT_EQ(rig.rt(), "");
  EXPECT_EQ(frame_of_front(), 1u);
  rig.leave(kGroup, pc('A', 1), mask("1111"), pc('F', 5));
  EXPECT_EQ(rig.st(), "A+1 - 1111");
  EXPECT_EQ(frame_of_front(), 0u);
}

TEST_F(AwareCalls, lanes_that_return_early_wait_for_the_others_behind_the_call) {
  rig.call(kGroup, pc('F'), mask("1111"), pc('A', 1));
  rig.leave(kGroup, pc('A', 1), mask("0110"), pc('F', 3));
  EXPECT_EQ(rig.st(), "F+3 A+1 1001");
  EXPECT_EQ(rig.rt(), "A+1 - 1111/1001");
  EXPECT_EQ(rig.groups[kGroup].watch, kNoPc) << "the point is in the caller";
  const auto waiting = rig.suspended();
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].mask, mask("0110"));
  EXPECT_EQ(waiting[0].at, pc('A', 1));
  EXPECT_TRUE(waiting[0].why == Suspension::kReconverging);
  rig.leave(kGroup, pc('A', 1), mask("1001"), pc('F', 9));
  EXPECT_EQ(rig.st(), "A+1 - 1111");
  EXPECT_EQ(rig.rt(), "");
}

TEST_F(AwareCalls, sides_that_both_return_meet_behind_the_call) {
  rig.call(kGroup, pc('F'), mask("1111"), pc('A', 1));
  rig.branch(kGroup, pc('G'), mask("0011"), pc('F', 1), kNoPc);
  EXPECT_EQ(rig.st(), "F+1 - 1100 | G - 0011");
  EXPECT_EQ(rig.rt(), "- - 1111/1111") << "where they meet is known when the first one returns";
  rig.leave(kGroup, pc('A', 1), mask("1100"), pc('F', 9));
  EXPECT_EQ(rig.rt(), "A+1 - 1111/0011");
  rig.leave(kGroup, pc('A', 1), mask("0011"), pc('G', 9));
  EXPECT_EQ(rig.st(), "A+1 - 1111");
  EXPECT_EQ(frame_of_front(), 0u);
}

TEST_F(AwareCalls, a_loop_of_such_branches_uses_one_entry) {
  rig.call(kGroup, pc('F'), mask("1111"), pc('A', 1));
  rig.branch(kGroup, pc('G'), mask("0001"), pc('F', 1), kNoPc);
  rig.branch(kGroup, pc('G'), mask("0010"), pc('F', 1), kNoPc);
  EXPECT_EQ(rig.rt(), "- - 1111/1111");
  EXPECT_EQ(rig.st(), "F+1 - 1100 | G - 0001 | G - 0010");
}

TEST_F(AwareCalls, a_return_within_a_branch_leaves_the_points_of_its_frame_only) {
  rig.branch('B', "0111", 'C', 'K');
  rig.go('K');  // C, lane 3
  EXPECT_EQ(rig.st(), "B K 0111");
  rig.call(kGroup, pc('F'), mask("0111"), pc('B', 1));
  rig.branch(kGroup, pc('G'), mask("0011"), pc('F', 1), pc('H'));
  EXPECT_EQ(rig.st(), "F+1 H 0100 | G H 0011");
  EXPECT_EQ(rig.rt(), "K - 1111/0111 | H K 0111/0111");
  rig.go('H');
  rig.leave(kGroup, pc('B', 1), mask("0001"), pc('G', 1));
  // The other lanes of the function reconverge at H; after that, with the one that has returned, after the
  // call.
  EXPECT_EQ(rig.st(), "G+1 H 0010");
  EXPECT_EQ(rig.rt(), "K - 1111/0111 | H B+1 0110/0010 | B+1 K 0111/0110");
  rig.go('H');
  EXPECT_EQ(rig.st(), "H B+1 0110");
  rig.leave(kGroup, pc('B', 1), mask("0110"), pc('H', 1));
  EXPECT_EQ(rig.st(), "B+1 K 0111");
  EXPECT_EQ(rig.rt(), "K - 1111/0111");
  EXPECT_EQ(rig.groups[kGroup].watch, pc('K'));
}

// The inner call returns to the same PC as the outer one: only the frames distinguish them.
TEST_F(AwareCalls, recursion_through_one_call_site_comes_back_level_by_level) {
  rig.call(kGroup, pc('F'), mask("1111"), pc('A', 1));
  rig.leave(kGroup, pc('A', 1), mask("0001"), pc('F', 1));
  for (std::uint32_t depth = 2; depth <= 4; ++depth)
    EXPECT_EQ(rig.call(kGroup, pc('F'), mask("1110"), pc('F', 4)).call_depth, depth);
  rig.leave(kGroup, pc('F', 4), mask("0110"), pc('F', 1));
  EXPECT_EQ(rig.st(), "F+1 F+4 1000");
  EXPECT_EQ(rig.rt(), "A+1 - 1111/1110 | F+4 A+1 1110/1000");
  rig.leave(kGroup, pc('F', 4), mask("1000"), pc('F', 9));
  EXPECT_EQ(rig.st(), "F+4 A+1 1110");
  EXPECT_EQ(frame_of_front(), 3u);
  rig.leave(kGroup, pc('F', 4), mask("1110"), pc('F', 9));
  EXPECT_EQ(frame_of_front(), 2u);
  rig.leave(kGroup, pc('F', 4), mask("1110"), pc('F', 9));
  EXPECT_EQ(frame_of_front(), 1u);
  rig.leave(kGroup, pc('A', 1), mask("1110"), pc('F', 9));
  EXPECT_EQ(rig.st(), "A+1 - 1111");
}

// Within the recursion, the RPC belongs to the frame in which its branch was executed.
TEST_F(AwareCalls, a_meeting_point_is_passed_in_a_deeper_frame) {
  rig.call(kGroup, pc('F'), mask("1111"), pc('A', 1));
  rig.branch(kGroup, pc('G'), mask("0011"), pc('F', 1), pc('H'));
  rig.go('H');  // F+1
  rig.call(kGroup, pc('F'), mask("0011"), pc('G', 1));
  EXPECT_EQ(rig.groups[kGroup].watch, kNoPc);
  rig.branch(kGroup, pc('H'), mask("0011"), pc('F', 1), pc('H'));
  EXPECT_EQ(rig.st(), "H H 0011") << "H of the frame below";
  rig.leave(kGroup, pc('G', 1), mask("0011"), pc('H', 1));
  EXPECT_EQ(rig.groups[kGroup].watch, pc('H'));
  rig.go('H');
  EXPECT_EQ(rig.st(), "H - 1111");
  EXPECT_EQ(frame_of_front(), 1u);
}

TEST_F(AwareCalls, a_call_whose_return_point_is_where_its_branch_meets_arrives_there) {
  rig.branch('B', "0011", 'C', 'D');
  rig.go('D');  // C
  rig.call(kGroup, pc('F'), mask("0011"), pc('D'));
  EXPECT_EQ(rig.st(), "F D 0011");
  rig.leave(kGroup, pc('D'), mask("0001"), pc('F', 1));
  EXPECT_EQ(rig.rt(), "D - 1111/0010");
  rig.leave(kGroup, pc('D'), mask("0010"), pc('F', 2));
  EXPECT_EQ(rig.st(), "D - 1111");
}

// [AWARE] §5.3: release of an entry whose PC is its own RPC.
TEST_F(AwareCalls, a_point_that_is_the_same_as_its_parents_collapses) {
  rig.branch('B', "0011", 'C', 'D');
  rig.go('D');  // C
  rig.call(kGroup, pc('F'), mask("0011"), pc('D'));
  rig.branch(kGroup, pc('G'), mask("0001"), pc('F', 1), kNoPc);
  EXPECT_EQ(rig.rt(), "D - 1111/0011 | - D 0011/0011");
  rig.leave(kGroup, pc('D'), mask("0010"), pc('F', 9));
  EXPECT_EQ(rig.rt(), "D - 1111/0011 | D D 0011/0001");
  rig.leave(kGroup, pc('D'), mask("0001"), pc('G', 9));
  EXPECT_EQ(rig.st(), "D - 1111");
  EXPECT_EQ(rig.rt(), "");
}

TEST_F(AwareCalls, lanes_that_do_not_call_wait_behind_the_call) {
  rig.call(kGroup, pc('F'), mask("0101"), pc('A', 1));
  EXPECT_EQ(rig.st(), "F A+1 0101");
  EXPECT_EQ(rig.rt(), "A+1 - 1111/0101");
  rig.leave(kGroup, pc('A', 1), mask("0101"), pc('F', 1));
  EXPECT_EQ(rig.st(), "A+1 - 1111");
}

TEST_F(AwareCalls, an_indirect_call_is_a_split_per_function) {
  const std::vector<Pc> functions{pc('G'), pc('F'), pc('G'), pc('H')};
  EXPECT_TRUE(rig.indirect(Transfer::kCall, kGroup, functions, mask("1111"), pc('A', 1)).diverged);
  EXPECT_EQ(rig.fifo(), "G0101 F0010 H1000");
  EXPECT_EQ(rig.rt(), "A+1 - 1111/1111");
  rig.leave(kGroup, pc('A', 1), mask("0101"), pc('G', 1));
  rig.leave(kGroup, pc('A', 1), mask("0010"), pc('F', 1));
  EXPECT_EQ(rig.rt(), "A+1 - 1111/1000");
  rig.leave(kGroup, pc('A', 1), mask("1000"), pc('H', 1));
  EXPECT_EQ(rig.st(), "A+1 - 1111");
  const std::vector<Pc> same(4, pc('G'));
  EXPECT_FALSE(rig.indirect(Transfer::kCall, kGroup, same, mask("1111"), pc('A', 2)).diverged);
}

TEST_F(AwareCalls, threads_that_end_in_a_function_are_expected_nowhere) {
  rig.call(kGroup, pc('F'), mask("1111"), pc('A', 1));
  rig.branch(kGroup, pc('G'), mask("0011"), pc('F', 1), kNoPc);
  rig.exit(kGroup, mask("1100"), pc('F', 2));
  EXPECT_EQ(rig.rt(), "- - 0011/0011");
  rig.leave(kGroup, pc('A', 1), mask("0011"), pc('G', 1));
  EXPECT_EQ(rig.st(), "A+1 - 0011");
}

TEST_F(AwareCalls, all_lanes_of_an_activation_may_return_out_of_a_branch) {
  rig.call(kGroup, pc('F'), mask("1111"), pc('A', 1));
  rig.branch(kGroup, pc('G'), mask("0011"), pc('F', 1), pc('H'));
  rig.leave(kGroup, pc('A', 1), mask("1100"), pc('F', 2));
  EXPECT_EQ(rig.st(), "G H 0011");
  EXPECT_EQ(rig.rt(), "H A+1 0011/0011 | A+1 - 1111/0011");
  rig.leave(kGroup, pc('A', 1), mask("0011"), pc('G', 2));
  EXPECT_EQ(rig.st(), "A+1 - 1111");
  EXPECT_EQ(rig.rt(), "");
}

TEST_F(AwareCalls, depth_is_part_of_the_digest) {
  rig.call(kGroup, pc('F'), mask("1111"), pc('F', 4));
  const std::uint64_t before = rig.digest(mask("1111"));
  rig.call(kGroup, pc('F'), mask("1111"), pc('F', 4));
  EXPECT_NE(rig.digest(mask("1111")), before);
}

TEST_F(AwareCalls, a_return_outside_of_any_call_is_a_bug_of_the_model) {
  EXPECT_THROW(rig.leave(kGroup, pc('A', 1), mask("1111"), pc('A', 2)), std::logic_error);
}

// Two splits that called the same function from different call sites merge in it (OREC), and separate at its
// return.
TEST(MultiPathCalls, splits_that_met_in_a_function_return_each_to_its_own_place) {
  SimtRig rig(multi_path(32, true));
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('B'), mask("0011"), pc('C'), pc('D'));
  rig.call(rig.at('B'), pc('F'), mask("0011"), pc('B', 1));
  rig.go(rig.at('F'), pc('F', 3));
  rig.call(rig.at('C'), pc('F'), mask("1100"), pc('C', 1));
  EXPECT_EQ(rig.st(), "F F+3 1100");
  rig.go(rig.at('F'), pc('F', 3));
  EXPECT_EQ(rig.st(), "F+3 D 1111");
  rig.indirect(Transfer::kReturn, rig.at(pc('F', 3)), {pc('B', 1), pc('B', 1), pc('C', 1), pc('C', 1)},
               mask("1111"), pc('F', 4));
  EXPECT_EQ(rig.st(), "B+1 D 0011 | C+1 D 1100");
  rig.go(rig.at(pc('B', 1)), pc('D'));
  rig.go(rig.at(pc('C', 1)), pc('D'));
  EXPECT_EQ(rig.st(), "D - 1111");
}

TEST(MultiPathCalls, some_of_splits_that_met_may_return_early) {
  SimtRig rig(multi_path(32, true));
  rig.launch('A', mask("1111"));
  rig.branch(rig.at('A'), pc('B'), mask("0011"), pc('C'), pc('D'));
  rig.call(rig.at('B'), pc('F'), mask("0011"), pc('B', 1));
  rig.go(rig.at('F'), pc('F', 3));
  rig.call(rig.at('C'), pc('F'), mask("1100"), pc('C', 1));
  // On the path to F+3 one lane returns.
  rig.leave(rig.at('F'), pc('C', 1), mask("0100"), pc('F', 1));
  EXPECT_EQ(rig.st(), "F+1 F+3 1000");
  EXPECT_EQ(rig.rt(), "D - 1111/1111 | F+3 C+1 1011/1000 | C+1 D 1111/1011");
  rig.go(rig.at(pc('F', 1)), pc('F', 3));
  EXPECT_EQ(rig.st(), "F+3 C+1 1011");
  rig.indirect(Transfer::kReturn, rig.at(pc('F', 3)), {pc('B', 1), pc('B', 1), pc('C', 1), pc('C', 1)},
               mask("1011"), pc('F', 4));
  EXPECT_EQ(rig.st(), "B+1 D 0011 | C+1 D 1100");
  EXPECT_EQ(rig.rt(), "D - 1111/1111");
}

}  // namespace
}  // namespace heddle::simt::aware_calls_test
