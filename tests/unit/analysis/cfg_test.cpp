#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/cfg.h"
#include "isa/kernel.h"
#include "unit/analysis/code.h"

namespace heddle::analysis::testing::cfg_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ControlFlowGraph, straight_code_is_one_block) {
  const Code code{plain(), plain(), exit()};
  const ControlFlowGraph cfg(code);
  ASSERT_EQ(cfg.block_count(), 1u);
  EXPECT_EQ(cfg.block(0).first, 0u);
  EXPECT_EQ(cfg.block(0).end, 3u);
  EXPECT_THAT(cfg.block(0).successors, ElementsAre(cfg.exit()));
  EXPECT_THAT(cfg.block(cfg.exit()).predecessors, ElementsAre(0));
}

TEST(ControlFlowGraph, a_guarded_branch_falls_through_first) {
  // 0: @p bra 2   1: (then)   2: exit
  const Code code{branch(2), plain(), exit()};
  const ControlFlowGraph cfg(code);
  ASSERT_EQ(cfg.block_count(), 3u);
  EXPECT_THAT(cfg.block(0).successors, ElementsAre(1, 2));
  EXPECT_THAT(cfg.block(1).successors, ElementsAre(2));
  EXPECT_THAT(cfg.block(2).predecessors, ElementsAre(0, 1));
  EXPECT_EQ(cfg.block_of(1), 1u);
}

TEST(ControlFlowGraph, an_unguarded_branch_has_one_successor_and_what_follows_is_unreachable) {
  const Code code{jump(2), plain(), exit()};
  const ControlFlowGraph cfg(code);
  EXPECT_THAT(cfg.block(0).successors, ElementsAre(2));
  EXPECT_THAT(cfg.block(1).predecessors, IsEmpty());
}

TEST(ControlFlowGraph, a_branch_to_the_next_instruction_is_one_edge) {
  const Code code{branch(1), exit()};
  const ControlFlowGraph cfg(code);
  EXPECT_THAT(cfg.block(0).successors, ElementsAre(1));
  EXPECT_THAT(cfg.block(1).predecessors, ElementsAre(0));
}

TEST(ControlFlowGraph, a_guarded_exit_in_mid_code_branches_to_the_exit) {
  const Code code{plain(), guarded(exit()), plain(), exit()};
  const ControlFlowGraph cfg(code);
  ASSERT_EQ(cfg.block_count(), 2u);
  EXPECT_EQ(cfg.block(0).end, 2u);
  EXPECT_THAT(cfg.block(0).successors, ElementsAre(1, cfg.exit()));
}

// Machine code has them: RET through registers that a call in the kernel has not set.
TEST(ControlFlowGraph, a_return_in_front_of_all_functions_ends) {
  isa::Instruction back;
  back.op = isa::Opcode::kReturn;
  const Code code{plain(), back, plain(), back};
  isa::FunctionCode function;
  function.first = 2;
  function.end = 4;
  for (const std::vector<isa::FunctionCode>& functions : {std::vector<isa::FunctionCode>{}, {function}}) {
    const ControlFlowGraph cfg = ControlFlowGraph::following_calls(code, {}, functions);
    ASSERT_EQ(cfg.block_count(), 2u);
    EXPECT_THAT(cfg.block(0).successors, ElementsAre(cfg.exit()));
    EXPECT_THAT(cfg.block(1).successors, ElementsAre(cfg.exit()));
  }
}

TEST(ControlFlowGraph, early_exits_do_not_count_for_reconvergence) {
  // 0: @p bra 3   1: work   2: work   3: exit    if (p) return; ...
  const Code guard_at_the_top{branch(3), plain(), plain(), exit()};
  const ControlFlowGraph cfg = ControlFlowGraph(guard_at_the_top).without_early_exits();
  EXPECT_THAT(cfg.block(0).successors, ElementsAre(1));
  EXPECT_THAT(cfg.block(1).successors, ElementsAre(2)) << "falling into the exit is not early";
  // A guarded exit in mid-code
  const Code guarded_exit{plain(), guarded(exit()), plain(), exit()};
  EXPECT_THAT(ControlFlowGraph(guarded_exit).without_early_exits().block(0).successors, ElementsAre(1));
}

TEST(ControlFlowGraph, a_loop_keeps_its_only_way_out) {
  // 0: work   1: @p bra 0   2: exit
  const Code loop{plain(), branch(0), exit()};
  EXPECT_THAT(ControlFlowGraph(loop).without_early_exits().block(0).successors, ElementsAre(1, 0));
}

TEST(ControlFlowGraph, a_loop_keeps_the_last_of_its_ways_out_and_what_leads_there_none) {
  // 0: @p bra 5   1: work   2: @p bra 6   3: work   4: @p bra 1   5: exit   6: exit
  // if (p) return; do { if (p) return; } while (p);
  const Code code{branch(5), plain(), branch(6), plain(), branch(1), exit(), exit()};
  const ControlFlowGraph cfg = ControlFlowGraph(code).without_early_exits();
  EXPECT_THAT(cfg.block(0).successors, ElementsAre(1)) << "leaves early, whatever the loop does";
  EXPECT_THAT(cfg.block(1).successors, ElementsAre(2)) << "leaves the loop early";
  EXPECT_THAT(cfg.block(2).successors, ElementsAre(3, 1)) << "the way out of the loop";
}

TEST(ControlFlowGraph, trap_ends_a_thread) {
  const Code code{trap(), plain(), guarded(trap()), exit()};
  const ControlFlowGraph cfg(code);
  ASSERT_EQ(cfg.block_count(), 3u);
  EXPECT_THAT(cfg.block(0).successors, ElementsAre(cfg.exit()));
  EXPECT_THAT(cfg.block(1).successors, ElementsAre(2, cfg.exit()));
}

TEST(ControlFlowGraph, falling_off_the_end_leads_to_the_exit) {
  const Code code{plain()};
  const ControlFlowGraph cfg(code);
  EXPECT_THAT(cfg.block(0).successors, ElementsAre(cfg.exit()));
}

TEST(ControlFlowGraph, empty_code_has_only_the_exit) {
  const ControlFlowGraph cfg({});
  EXPECT_EQ(cfg.block_count(), 0u);
  EXPECT_EQ(cfg.exit(), 0u);
}

}  // namespace
}  // namespace heddle::analysis::testing::cfg_test
