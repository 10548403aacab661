// What a diagnosis says of warps, from what the machine knows of them.
#include "hang/diagnosis.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support.h"

namespace heddle::hang::diagnosis_test {
namespace {

using testing::Scene;

constexpr const char* kBody =
    "LOOP:\n"
    "ld.volatile.global.u32 %r1, [%rd1];\n"
    "setp.eq.u32 %p1, %r1, 0;\n"
    "@%p1 bra LOOP;\n"
    "ret;\n";

/// The lines of what is said of groups, without file names; the first one, empty, is left out.
class Words : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> lines(const std::vector<GroupActivity>& groups) const {
    const std::string text = describe(groups, *scene_.snapshot.kernel);
    std::vector<std::string> found;
    for (std::size_t begin = text.find('\n'); begin != std::string::npos;) {
      const std::size_t end = text.find('\n', begin + 1);
      found.push_back(text.substr(begin + 1, end == std::string::npos ? end : end - begin - 1));
      begin = end;
    }
    return found;
  }
  /// The words between lanes and place of a group's first line.
  [[nodiscard]] std::string words(const GroupActivity& group) const {
    const std::string line = lines({group}).at(0);
    const std::string before = "lanes 0x0000000f ";
    const std::size_t begin = line.find(before) + before.size();
    return line.substr(begin, line.rfind(" at ") - begin);
  }
  static GroupActivity group(Doing doing, std::uint32_t warp = 0) {
    GroupActivity activity;
    activity.warp = {2, {3, 0, 1}, warp};
    activity.lanes = LaneMask(0xf);
    activity.doing = doing;
    return activity;
  }
  static GroupActivity::Held held(Suspension why) {
    GroupActivity::Held lanes;
    lanes.mask = LaneMask(0xf0);
    lanes.why = why;
    return lanes;
  }
  /// What is said of lanes that are held back.
  [[nodiscard]] std::string words(const GroupActivity::Held& lanes) const {
    GroupActivity of = group(Doing::kSpin);
    of.held = {lanes};
    const std::string line = lines({of}).at(2);
    const std::string before = "    lanes 0x000000f0 ";
    EXPECT_EQ(line.substr(0, before.size()), before);
    return line.substr(before.size(), line.rfind(" at ") - before.size());
  }
  Scene scene_{kBody};
};

TEST_F(Words, a_group_is_named_with_its_place_and_its_source) {
  const std::vector<std::string> said = lines({group(Doing::kSpin, 5)});
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[0], "  core 2, CTA (3,0,1), warp 5: lanes 0x0000000f spin in the loop that starts at " +
                         scene_.snapshot.kernel->location(Pc{0}));
  EXPECT_EQ(said[1], "      " + scene_.snapshot.kernel->source_line(Pc{0}));
}

TEST_F(Words, each_activity_has_its_words) {
  EXPECT_EQ(words(group(Doing::kRun)), "run");
  EXPECT_EQ(words(group(Doing::kReady)), "are ready to issue");
  EXPECT_EQ(words(group(Doing::kNextInstruction)), "wait for their next instruction");
  EXPECT_EQ(words(group(Doing::kMemory)), "wait for a load or atomic");
  EXPECT_EQ(words(group(Doing::kFence)), "wait at a fence");
}

TEST_F(Words, a_barrier_counts_threads_or_warps) {
  GroupActivity waits = group(Doing::kBarrier);
  waits.arrivals = {.barrier = 3, .arrived = 33, .expected = 64};
  EXPECT_EQ(words(waits), "wait at barrier 3 (33 of 64 threads have arrived)");
  waits.arrivals = {.barrier = 0, .arrived = 32, .expected = 65, .counts_warps = true};
  EXPECT_EQ(words(waits), "wait at barrier 0 (1 of 3 warps have arrived)");
}

TEST_F(Words, lanes_at_a_sync_instruction_name_who_is_missing_and_their_member_masks) {
  GroupActivity waits = group(Doing::kMeet);
  waits.meeting = {LaneMask(0x30), {0x3f, 0x31}};
  EXPECT_EQ(words(waits), "wait for lanes 0x00000030 of their member mask 0x0000003f or 0x00000031");
  GroupActivity::Held lanes = held(Suspension::kBarrier);
  lanes.meets = true;
  lanes.meeting = {LaneMask(0x1), {0xf1}};
  EXPECT_EQ(words(lanes), "wait for lanes 0x00000001 of their member mask 0x000000f1, to go on");
}

TEST_F(Words, lanes_that_are_held_back_say_why) {
  EXPECT_EQ(words(held(Suspension::kReconverging)), "wait to reconverge with them");
  EXPECT_EQ(words(held(Suspension::kNotStarted)), "have not run their side of a branch, which starts");
  EXPECT_EQ(words(held(Suspension::kTurn)), "take turns with them and go on");
  EXPECT_EQ(words(held(Suspension::kNoTurn)), "have no turn until these meet others or end, and go on");
  EXPECT_EQ(words(held(Suspension::kPriority)), "may run only after them, and go on");
  EXPECT_EQ(words(held(Suspension::kBarrier)), "wait at a barrier, to go on");
  GroupActivity::Held yields = held(Suspension::kTurn);
  yields.until = {Pc{1}};
  EXPECT_EQ(words(yields), "have their turn when these come to a YIELD, and go on");
}

TEST_F(Words, lanes_at_a_barrier_register_name_it) {
  GroupActivity::Held lanes = held(Suspension::kReconverging);
  lanes.barrier = 4;
  EXPECT_EQ(words(lanes), "wait at the convergence barrier B4 below another one");
  lanes.missing = LaneMask(0xf);
  EXPECT_EQ(words(lanes), "wait for lanes 0x0000000f of the convergence barrier B4");
  lanes.spilled = true;
  EXPECT_EQ(words(lanes), "wait at the convergence barrier B4, whose lanes are in a register,");
}

TEST_F(Words, where_nothing_of_a_warp_runs_the_first_lanes_held_back_stand_for_it) {
  GroupActivity nothing = group(Doing::kNothing);
  GroupActivity::Held lanes = held(Suspension::kReconverging);
  lanes.barrier = 1;
  lanes.missing = LaneMask(0x2);
  nothing.held = {lanes};
  const std::vector<std::string> said = lines({nothing});
  ASSERT_EQ(said.size(), 2u);
  EXPECT_TRUE(
      said[0].starts_with("  core 2, CTA (3,0,1), warp 0: lanes 0x000000f0 wait for lanes 0x00000002 of"))
      << said[0];
}

TEST_F(Words, lanes_that_wait_for_the_end_have_no_line_of_source) {
  GroupActivity spins = group(Doing::kSpin);
  spins.held = {held(Suspension::kReconverging)};
  spins.held[0].at = kNoPc;
  const std::vector<std::string> said = lines({spins});
  ASSERT_EQ(said.size(), 4u);
  EXPECT_EQ(said[2], "    lanes 0x000000f0 wait to reconverge with them at the kernel's exit");
  EXPECT_EQ(said[3], "      ");
}

TEST_F(Words, warps_whose_own_lanes_block_each_other_come_first_and_six_are_shown) {
  std::vector<GroupActivity> groups;
  for (std::uint32_t w = 0; w < 8; ++w) groups.push_back(group(Doing::kSpin, w));
  groups[6].held = {held(Suspension::kReconverging)};
  const std::vector<std::string> said = lines(groups);
  EXPECT_TRUE(said.at(0).starts_with("  core 2, CTA (3,0,1), warp 6:")) << said[0];
  EXPECT_TRUE(said.at(4).starts_with("  core 2, CTA (3,0,1), warp 0:")) << said[4];
  EXPECT_EQ(said.back(), "  and 2 more warps");
  EXPECT_EQ(said.size(), 4u + 5 * 2 + 1);
}

TEST(Diagnosis, SaysKindCausesWarpsAndRemedyInThisOrder) {
  const HangReport report =
      reported(HangKind::kTransactionLoops, "timed", "thread 3 has been at it for 9 cycles", "end it");
  EXPECT_EQ(diagnosis({"f", 77, 0}, report, "\n  warps"),
            "kernel f hangs: transaction that does not come to its end (timed; diagnosed at cycle 77)\n"
            "  thread 3 has been at it for 9 cycles\n"
            "  warps\n"
            "  end it");
  EXPECT_NE(diagnosis({"f", 77, 4}, report, "").find("\n  4 CTAs have not been started\n  thread 3"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle::hang::diagnosis_test
