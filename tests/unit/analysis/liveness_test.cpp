#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "analysis/liveness.h"
#include "unit/analysis/code.h"

namespace heddle::analysis::testing::liveness_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr isa::RegisterLayout kLayout{4, 2, 2};  // 32-bit: 0-3, 64-bit: 4-5, predicates: 6-7

TEST(Liveness, a_value_lives_from_its_definition_to_its_last_use) {
  const Code code{plain({0}), plain({1}), plain({2}, {0}), plain({}, {1, 2}), exit()};
  const ControlFlowGraph cfg(code);
  const Liveness live(cfg, kLayout);
  EXPECT_THAT(live.live_before(0), IsEmpty());
  EXPECT_THAT(live.live_before(1), ElementsAre(0));
  EXPECT_THAT(live.live_before(2), ElementsAre(0, 1));
  EXPECT_THAT(live.live_before(3), ElementsAre(1, 2));
  EXPECT_THAT(live.live_before(4), IsEmpty());
}

TEST(Liveness, peak_counts_wide_registers_twice_and_predicates_not_at_all) {
  const Code code{plain({0}), plain({4}), plain({6}), plain({}, {0, 4, 6}), exit()};
  const ControlFlowGraph cfg(code);
  EXPECT_EQ(Liveness(cfg, kLayout).peak_registers(), 3u);
}

TEST(Liveness, a_result_nobody_reads_counts_while_it_is_written) {
  const Code code{plain({0}), plain({1}), plain({}, {0}), exit()};
  const ControlFlowGraph cfg(code);
  EXPECT_EQ(Liveness(cfg, kLayout).peak_registers(), 2u);
}

TEST(Liveness, operands_that_die_make_room_for_the_result) {
  const Code code{plain({0}), plain({1}), plain({2}, {0, 1}), plain({}, {2}), exit()};
  const ControlFlowGraph cfg(code);
  EXPECT_EQ(Liveness(cfg, kLayout).peak_registers(), 2u);
}

TEST(Liveness, a_guarded_write_keeps_the_old_value_alive) {
  const Code code{plain({0}), guarded(plain({0}, {6})), plain({}, {0}), exit()};
  const ControlFlowGraph cfg(code);
  const Liveness live(cfg, kLayout);
  EXPECT_THAT(live.live_before(1), ElementsAre(0, 6));
}

TEST(Liveness, goes_around_loops) {
  // 0: r0 =   1: r1 =   2: head: r2 = r0   3: @p6 bra 2   4: use r1   5: exit
  isa::Instruction back = branch(2);
  back.reads[0] = 6;
  back.read_count = 1;
  const Code code{plain({0}), plain({1}), plain({2}, {0}), back, plain({}, {1}), exit()};
  const ControlFlowGraph cfg(code);
  const Liveness live(cfg, kLayout);
  EXPECT_THAT(live.live_in(cfg.block_of(2)), ElementsAre(0, 1, 6));
  EXPECT_THAT(live.live_before(4), ElementsAre(1));
}

TEST(Liveness, joins_the_sides_of_a_branch) {
  // 0: @p6 bra 3   1: use r0   2: bra 4   3: use r1   4: exit
  isa::Instruction split = branch(3);
  split.reads[0] = 6;
  split.read_count = 1;
  const Code code{split, plain({}, {0}), jump(4), plain({}, {1}), exit()};
  const ControlFlowGraph cfg(code);
  EXPECT_THAT(Liveness(cfg, kLayout).live_in(0), ElementsAre(0, 1, 6));
}

/// The textbook fixed point over instructions.
std::vector<std::set<isa::RegId>> by_iteration(const ControlFlowGraph& cfg) {
  const auto code = cfg.code();
  std::vector<std::set<isa::RegId>> before(code.size() + 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = code.size(); i-- > 0;) {
      std::set<isa::RegId> live;
      const bool jumps = code[i].op == isa::Opcode::kBranch;
      const bool ends = code[i].op == isa::Opcode::kExit || jumps;
      if (!ends || code[i].guard.present) live = before[i + 1];
      if (jumps) live.insert(before[code[i].target.value()].begin(), before[code[i].target.value()].end());
      if (!code[i].guard.present)
        for (unsigned w = 0; w < code[i].write_count; ++w) live.erase(code[i].writes[w]);
      for (unsigned r = 0; r < code[i].read_count; ++r) live.insert(code[i].reads[r]);
      if (live != before[i]) {
        before[i] = live;
        changed = true;
      }
    }
  }
  return before;
}

TEST(Liveness, agrees_with_the_textbook_iteration_on_random_code) {
  std::mt19937 random(3);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto reg = [&] { return static_cast<isa::RegId>(below(8)); };
  for (int round = 0; round < 300; ++round) {
    Code code;
    const std::uint32_t size = 4 + below(24);
    for (std::uint32_t i = 0; i < size; ++i) {
      switch (below(8)) {
        case 0:
          code.push_back(jump(below(size)));
          break;
        case 1:
          code.push_back(branch(below(size)));
          break;
        case 2:
          code.push_back(guarded(exit()));
          break;
        case 3:
          code.push_back(guarded(plain({reg()}, {reg()})));
          break;
        default:
          code.push_back(plain({reg()}, {reg(), reg()}));
      }
    }
    code.push_back(exit());
    const ControlFlowGraph cfg(code);
    const Liveness live(cfg, kLayout);
    const auto expected = by_iteration(cfg);
    std::uint32_t peak = 0;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
      const auto regs = live.live_before(i);
      ASSERT_EQ(std::set<isa::RegId>(regs.begin(), regs.end()), expected[i]) << round << ": " << i;
      std::uint32_t weight = 0;
      for (const isa::RegId r : regs) weight += register_weight(kLayout, r);
      peak = std::max(peak, weight);
    }
    EXPECT_GE(live.peak_registers(), peak);
  }
}

}  // namespace
}  // namespace heddle::analysis::testing::liveness_test
