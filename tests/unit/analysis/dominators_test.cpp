#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "analysis/dominators.h"
#include "analysis/post_dominators.h"
#include "unit/analysis/code.h"

namespace heddle::analysis::testing::dominators_test {
namespace {

/// Reconvergence PC of the branch at `pc`, with the exit as -1.
int rpc(const Code& code, std::uint32_t pc) {
  const ControlFlowGraph cfg(code);
  const base::Pc meet = reconvergence_pc(cfg, DominatorTree::post_dominators(cfg), pc);
  return meet == base::kNoPc ? -1 : static_cast<int>(meet.value());
}

TEST(PostDominators, if_then_meets_behind_the_then_part) {
  EXPECT_EQ(rpc({branch(2), plain(), exit()}, 0), 2);
}

TEST(PostDominators, if_then_else_meets_behind_both_parts) {
  // 0: @p bra 3   1: then   2: bra 4   3: else   4: exit
  EXPECT_EQ(rpc({branch(3), plain(), jump(4), plain(), exit()}, 0), 4);
}

TEST(PostDominators, places_meet_at_the_later_one_or_strictly_behind_both) {
  // 0: @p bra 3   1: then   2: bra 4   3: else   4: plain   5: exit
  const Code code = {branch(3), plain(), jump(4), plain(), plain(), exit()};
  const ControlFlowGraph cfg(code);
  const PostDominators places(cfg, cfg);
  const auto at = [](std::uint32_t pc) { return base::Pc(pc); };
  EXPECT_EQ(places.common(at(1), at(3)), at(4));
  EXPECT_EQ(places.strictly_common(at(1), at(3)), at(4)) << "behind both already";
  for (const auto& [a, b] : {std::pair{1u, 4u}, std::pair{4u, 1u}, std::pair{4u, 4u}}) {
    EXPECT_EQ(places.common(at(a), at(b)), at(4)) << a << " and " << b;
    EXPECT_EQ(places.strictly_common(at(a), at(b)), at(5)) << a << " and " << b;
  }
}

TEST(PostDominators, loop_branch_meets_at_the_loop_exit) {
  // 0: body   1: @p bra 0   2: exit
  EXPECT_EQ(rpc({plain(), branch(0), exit()}, 1), 2);
}

TEST(PostDominators, nested_loops_meet_at_their_own_exits) {
  // 0: outer head   1: inner body   2: @p bra 1   3: @q bra 0   4: exit
  const Code code{plain(), plain(), branch(1), branch(0), exit()};
  EXPECT_EQ(rpc(code, 2), 3);
  EXPECT_EQ(rpc(code, 3), 4);
}

TEST(PostDominators, break_out_of_a_loop_meets_behind_the_loop) {
  // 0: @p bra 3 (break)   1: body   2: @q bra 0   3: exit
  const Code code{branch(3), plain(), branch(0), exit()};
  EXPECT_EQ(rpc(code, 0), 3);
  EXPECT_EQ(rpc(code, 2), 3);
}

TEST(PostDominators, unstructured_code_meets_where_all_paths_do) {
  // 0: @p bra 3   1: @q bra 4   2: bra 5   3: @r bra 5   4: (both come here)   5: exit
  const Code code{branch(3), branch(4), jump(5), branch(5), plain(), exit()};
  EXPECT_EQ(rpc(code, 0), 5);
  EXPECT_EQ(rpc(code, 1), 5);
  EXPECT_EQ(rpc(code, 3), 5);
}

TEST(PostDominators, sides_that_end_in_different_exits_meet_at_the_exit) {
  EXPECT_EQ(rpc({branch(2), exit(), exit()}, 0), -1);
}

TEST(PostDominators, a_guarded_exit_in_one_side_moves_the_meeting_to_the_exit) {
  // 0: @p bra 3   1: @q exit   2: plain   3: exit. Threads that leave at 1 never come to 3.
  EXPECT_EQ(rpc({branch(3), guarded(exit()), plain(), exit()}, 0), -1);
}

TEST(PostDominators, branches_in_an_endless_loop_meet_inside_it) {
  // 0: @p bra 2   1: then   2: bra 0   3: exit (unreachable)
  EXPECT_EQ(rpc({branch(2), plain(), jump(0), exit()}, 0), 2);
}

TEST(PostDominators, a_branch_past_an_endless_loop_does_not_meet) {
  // 0: @p bra 2   1: bra 1   2: exit
  EXPECT_EQ(rpc({branch(2), jump(1), exit()}, 0), -1);
}

TEST(PostDominators, an_endless_loop_of_one_branch_is_accepted) {
  const Code code{jump(0)};
  const ControlFlowGraph cfg(code);
  EXPECT_EQ(DominatorTree::post_dominators(cfg).parent(0), cfg.exit());
}

TEST(PostDominators, code_that_leads_into_an_endless_loop_meets_at_its_head) {
  // 0: @p bra 2   1: then   2: head of an endless loop   3: bra 2
  EXPECT_EQ(rpc({branch(2), plain(), plain(), jump(2)}, 0), 2);
}

TEST(Dominators, of_a_diamond) {
  const Code code{branch(3), plain(), jump(4), plain(), exit()};
  const ControlFlowGraph cfg(code);
  const auto tree = DominatorTree::dominators(cfg);
  const BlockId join = cfg.block_of(4);
  EXPECT_EQ(tree.root(), 0u);
  EXPECT_EQ(tree.parent(join), 0u);
  EXPECT_TRUE(tree.dominates(0, join));
  EXPECT_TRUE(tree.dominates(join, join));
  EXPECT_FALSE(tree.dominates(cfg.block_of(3), join));
  EXPECT_EQ(tree.parent(0), kNoBlock);
}

TEST(Dominators, unreachable_code_is_outside_the_tree) {
  const Code code{jump(2), plain(), exit()};
  const ControlFlowGraph cfg(code);
  const auto tree = DominatorTree::dominators(cfg);
  EXPECT_EQ(tree.parent(1), kNoBlock);
  EXPECT_FALSE(tree.dominates(0, 1));
  EXPECT_FALSE(tree.dominates(1, 2));
}

TEST(Dominators, too_many_blocks_are_refused) {
  Code code;
  for (std::uint32_t i = 0; i <= DominatorTree::kMostBlocks; ++i) code.push_back(branch(0));
  code.push_back(exit());
  const ControlFlowGraph cfg(code);
  EXPECT_THROW(static_cast<void>(DominatorTree::post_dominators(cfg)), std::length_error);
}

TEST(Dominators, the_longest_chain_that_is_accepted_fits_the_stack) {
  Code code;
  for (std::uint32_t i = 1; i < DominatorTree::kMostBlocks - 1; ++i) code.push_back(branch(i));
  code.push_back(branch(0));
  code.push_back(exit());
  const ControlFlowGraph cfg(code);
  ASSERT_EQ(cfg.block_count(), DominatorTree::kMostBlocks);
  EXPECT_EQ(DominatorTree::post_dominators(cfg).parent(0), 1u);
}

/// Blocks reachable from `from` without passing `without`.
std::vector<bool> reach(const ControlFlowGraph& cfg, BlockId from, BlockId without) {
  std::vector<bool> seen(cfg.block_count() + 1, false);
  std::vector<BlockId> work;
  if (from != without) work.push_back(from);
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    if (seen[b]) continue;
    seen[b] = true;
    for (const BlockId to : cfg.block(b).successors)
      if (to != without) work.push_back(to);
  }
  return seen;
}

Code random_code(std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Code code;
  const std::uint32_t size = 3 + below(20);
  for (std::uint32_t i = 0; i < size; ++i) {
    switch (below(6)) {
      case 0:
        code.push_back(jump(below(size)));
        break;
      case 1:
      case 2:
        code.push_back(branch(below(size)));
        break;
      case 3:
        code.push_back(below(2) == 0 ? guarded(exit()) : exit());
        break;
      default:
        code.push_back(plain());
    }
  }
  return code;
}

TEST(Dominators, agree_with_their_definition_on_random_code) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    const Code code = random_code(random);
    const ControlFlowGraph cfg(code);
    const auto tree = DominatorTree::dominators(cfg);
    const auto live = reach(cfg, 0, kNoBlock);
    for (BlockId a = 0; a <= cfg.exit(); ++a) {
      const auto around = reach(cfg, 0, a);
      for (BlockId b = 0; b <= cfg.exit(); ++b)
        ASSERT_EQ(tree.dominates(a, b), live[a] && live[b] && (a == b || !around[b]))
            << round << ": " << a << " " << b;
    }
  }
}

TEST(PostDominators, agree_with_their_definition_on_random_code_that_can_always_end) {
  std::mt19937 random(11);
  int checked = 0;
  for (int round = 0; round < 800; ++round) {
    const Code code = random_code(random);
    const ControlFlowGraph cfg(code);
    bool ends = true;
    for (BlockId b = 0; b < cfg.block_count(); ++b) ends = ends && reach(cfg, b, kNoBlock)[cfg.exit()];
    if (!ends) continue;
    ++checked;
    const auto tree = DominatorTree::post_dominators(cfg);
    for (BlockId a = 0; a <= cfg.exit(); ++a)
      for (BlockId b = 0; b <= cfg.exit(); ++b) {
        const bool passes = a == b || (b != cfg.exit() && !reach(cfg, b, a)[cfg.exit()]);
        ASSERT_EQ(tree.dominates(a, b), passes) << round << ": " << a << " " << b;
      }
  }
  EXPECT_GT(checked, 100);
}

TEST(PostDominators, give_every_block_of_any_code_a_parent) {
  std::mt19937 random(13);
  for (int round = 0; round < 400; ++round) {
    const Code code = random_code(random);
    const ControlFlowGraph cfg(code);
    const auto tree = DominatorTree::post_dominators(cfg);
    for (BlockId b = 0; b < cfg.block_count(); ++b) ASSERT_NE(tree.parent(b), kNoBlock) << round << ": " << b;
  }
}

}  // namespace
}  // namespace heddle::analysis::testing::dominators_test
