// Which warp each scheduling policy picks.
#include <gtest/gtest.h>

#include <memory>

#include "core/schedule/cawa.h"
#include "core/schedule/glrr.h"
#include "core/schedule/gto.h"
#include "core/schedule/gty.h"
#include "core/schedule/lrr.h"
#include "core/schedule/two_level.h"
#include "core/schedule/warp_scheduler.h"
#include "core/schedule/youngest_cta.h"
#include "unit/core/instruction.h"

namespace heddle::core::scheduler_test {
namespace {

base::IndexSet set_of(std::initializer_list<std::uint32_t> members) {
  base::IndexSet set(64);
  for (const std::uint32_t m : members) set.insert(m);
  return set;
}

std::unique_ptr<WarpSchedulingPolicy> policy(const SchedulingPolicy& kind, std::uint32_t active_warps = 8) {
  SchedulerConfig config({two_level_policy(), kind.name == "two_level" ? lrr_policy() : kind}, kind.name);
  config.get<TwoLevelConfig>().active_warps = active_warps;
  return config.make(64);
}

TEST(Scheduler, LrrTakesTurns) {
  const auto lrr = policy(lrr_policy());
  const auto ready = set_of({1, 4, 9});
  std::vector<std::uint32_t> order;
  for (Cycle now = 0; now < 5; ++now) {
    const WarpId pick = *lrr->pick(ready, now);
    order.push_back(pick.value());
    lrr->issued(pick, now);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 4, 9, 1, 4}));
}

TEST(Scheduler, GtoIsGreedyThenTakesTheOldest) {
  const auto gto = policy(gto_policy());
  for (const std::uint32_t g : {7u, 3u, 5u}) gto->assign(WarpId{g}, 0);
  EXPECT_EQ(gto->pick(set_of({3, 5}), 1)->value(), 3u) << "older than 5";
  gto->issued(WarpId{3}, 1);
  EXPECT_EQ(gto->pick(set_of({3, 5, 7}), 2)->value(), 3u) << "greedy although 7 is older";
  EXPECT_EQ(gto->pick(set_of({5, 7}), 3)->value(), 7u) << "3 stalled: the oldest";
  gto->issued(WarpId{7}, 3);
  gto->assign(WarpId{7}, 4);  // the slot was given to a new warp
  EXPECT_EQ(gto->pick(set_of({5, 7}), 5)->value(), 5u) << "a new warp inherits neither greed nor age";
}

TEST(Scheduler, GtyIsGreedyThenTakesTheYoungest) {
  const auto gty = policy(gty_policy());
  for (const std::uint32_t g : {7u, 3u, 5u}) gty->assign(WarpId{g}, 0);
  EXPECT_EQ(gty->pick(set_of({3, 7}), 1)->value(), 3u) << "younger than 7";
  gty->issued(WarpId{3}, 1);
  EXPECT_EQ(gty->pick(set_of({3, 5, 7}), 2)->value(), 3u) << "greedy although 5 is younger";
  EXPECT_EQ(gty->pick(set_of({5, 7}), 3)->value(), 5u) << "3 stalled: the youngest";
  gty->issued(WarpId{5}, 3);
  gty->assign(WarpId{3}, 4);
  gty->stalled();
  EXPECT_EQ(gty->pick(set_of({3, 5, 7}), 5)->value(), 3u) << "a new warp is the youngest";
  EXPECT_FALSE(gty->may_starve()) << "ages rotate";
}

// Slots 2 and 6 belong to CTA 0, 1 and 4 to CTA 1, 3 to CTA 2.
std::unique_ptr<WarpSchedulingPolicy> with_three_ctas(std::unique_ptr<WarpSchedulingPolicy> of) {
  for (const auto& [warp, cta] : {std::pair{2u, 0u}, {6u, 0u}, {1u, 1u}, {4u, 1u}, {3u, 2u}}) {
    of->belongs_to(WarpId{warp}, cta);
    of->assign(WarpId{warp}, cta);
  }
  return of;
}

TEST(Scheduler, YoungestCtaIsGreedyThenTakesItsWarpsInTurn) {
  const auto ctas = with_three_ctas(policy(youngest_cta_policy()));
  const auto all = set_of({1, 2, 3, 4, 6});
  EXPECT_EQ(ctas->pick(all, 1)->value(), 3u) << "of CTA 2";
  ctas->issued(WarpId{3}, 1);
  EXPECT_EQ(ctas->pick(all, 2)->value(), 3u) << "greedy";
  const auto without = set_of({1, 2, 4, 6});
  EXPECT_EQ(ctas->pick(without, 3)->value(), 4u) << "3 stalled: of CTA 1 the one behind it";
  ctas->issued(WarpId{4}, 3);
  ctas->stalled();
  EXPECT_EQ(ctas->pick(without, 4)->value(), 1u) << "the other one's turn, though 4 is ready";
  ctas->issued(WarpId{1}, 4);
  ctas->stalled();
  EXPECT_EQ(ctas->pick(without, 5)->value(), 4u);
  EXPECT_EQ(ctas->pick(set_of({2, 6}), 6)->value(), 2u) << "CTA 0 when nobody else is ready";
  ctas->issued(WarpId{2}, 6);
  EXPECT_EQ(ctas->pick(set_of({2, 6}), 7)->value(), 2u) << "greedy";
  ctas->memory_room();
  EXPECT_EQ(ctas->pick(set_of({2, 6}), 8)->value(), 6u) << "both may have waited for the memory queue";
  EXPECT_TRUE(ctas->hears_of_memory_room());
  ctas->leave(WarpId{3});
  ctas->belongs_to(WarpId{3}, 0);
  ctas->assign(WarpId{3}, 7);
  EXPECT_EQ(ctas->pick(set_of({3, 4}), 7)->value(), 4u) << "slot 3 has an older CTA now";
  EXPECT_FALSE(ctas->may_starve()) << "CTAs rotate";
}

TEST(Scheduler, YoungestCtaBecomesTheOldest) {
  SchedulerConfig config({youngest_cta_policy()}, "youngest_cta");
  config.get<YoungestCtaConfig>().rotation_cycles = 100;
  const auto ctas = with_three_ctas(config.make(64));
  const auto all = set_of({1, 2, 3, 4, 6});
  EXPECT_EQ(ctas->pick(all, 99)->value(), 3u);
  ctas->issued(WarpId{3}, 99);
  EXPECT_EQ(ctas->pick(all, 100)->value(), 4u) << "CTA 2 is the oldest now, and not favoured";
  EXPECT_EQ(ctas->pick(set_of({2, 3}), 101)->value(), 2u) << "of CTA 0, younger than CTA 2 now";
  EXPECT_EQ(ctas->pick(all, 200)->value(), 6u) << "of CTA 0, behind 3";
  EXPECT_EQ(ctas->pick(all, 300)->value(), 3u) << "each has had its turn";
  config.get<YoungestCtaConfig>().rotation_cycles = 0;
  EXPECT_TRUE(config.make(64)->may_starve());
}

TEST(Scheduler, GtysYoungestBecomesTheOldest) {
  SchedulerConfig config({gty_policy()}, "gty");
  config.get<GtyConfig>().rotation_cycles = 100;
  const auto gty = config.make(64);
  for (const std::uint32_t g : {1u, 2u, 3u}) gty->assign(WarpId{g}, 0);
  const auto ready = set_of({1, 2, 3});
  EXPECT_EQ(gty->pick(ready, 99)->value(), 3u);
  gty->issued(WarpId{3}, 99);
  EXPECT_EQ(gty->pick(ready, 100)->value(), 2u) << "3 is the oldest now, and not favoured";
  EXPECT_EQ(gty->pick(ready, 200)->value(), 1u);
  EXPECT_EQ(gty->pick(ready, 300)->value(), 3u) << "each has had its turn";
  config.get<GtyConfig>().rotation_cycles = 0;
  EXPECT_TRUE(config.make(64)->may_starve());
}

TEST(Scheduler, GlrrIsGreedyThenTakesTurns) {
  const auto glrr = policy(glrr_policy());
  for (std::uint32_t g = 0; g < 4; ++g) glrr->assign(WarpId{g}, 0);
  const auto pick = [&](std::initializer_list<std::uint32_t> ready) {
    base::IndexSet set(64);
    for (const std::uint32_t g : ready) set.insert(g);
    const WarpId group = *glrr->pick(set, 0);
    glrr->issued(group, 0);
    return group.value();
  };
  EXPECT_EQ(pick({0, 2, 3}), 2u) << "behind the first slot, which has no claim yet";
  EXPECT_EQ(pick({0, 2, 3}), 2u) << "greedy";
  EXPECT_EQ(pick({0, 1, 3}), 3u) << "the next in turn, not the oldest";
  EXPECT_EQ(pick({0, 1}), 0u);
  glrr->assign(WarpId{0}, 5);
  EXPECT_EQ(pick({0, 1}), 1u) << "a new warp in the slot has no claim";
}

TEST(Scheduler, TwoLevelKeepsToItsActiveSetUntilAMemberWaitsForMemory) {
  const auto two_level = policy(two_level_policy(), 2);
  for (const std::uint32_t g : {1u, 2u, 3u, 4u}) two_level->assign(WarpId{g}, 0);
  const auto everybody = set_of({1, 2, 3, 4});
  std::vector<std::uint32_t> order;
  const auto issue = [&](const base::IndexSet& ready) {
    const auto pick = two_level->pick(ready, 0);
    order.push_back(pick ? pick->value() : 0);
    if (pick) two_level->issued(*pick, 0);
  };
  for (int i = 0; i < 4; ++i) issue(everybody);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 2, 1, 2})) << "3 and 4 are ready but not active";
  order.clear();
  issue(set_of({3, 4}));
  EXPECT_EQ(order.back(), 0u) << "members keep their places over short latencies: the others are held back";
  two_level->long_latency(WarpId{1});
  issue(everybody);
  issue(everybody);
  issue(everybody);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 3, 2, 3})) << "3 took the place of 1";
  two_level->leave(WarpId{2});
  two_level->leave(WarpId{3});
  order.clear();
  for (int i = 0; i < 3; ++i) issue(set_of({1, 4}));
  EXPECT_EQ(order, (std::vector<std::uint32_t>{4, 1, 4})) << "4 waited longer than 1";
}

/// The policy tells itself what it issues at `pc`.
void issue_at(WarpSchedulingPolicy& policy, std::uint32_t warp, std::uint32_t pc, Cycle cycle) {
  const isa::Instruction any;
  policy.issued(WarpId{warp}, cycle);
  IssueTapRequest issue;
  issue.instruction = &any;
  issue.pc = Pc{pc};
  issue.warp = WarpId{warp};
  issue.cycle = cycle;
  policy.tapped(issue);
}

TEST(Scheduler, CawaByDistanceCountsFromTheKernelsLengthAndJumpsBackAdd) {
  const auto cawa = policy(cawa_policy());
  isa::Kernel kernel;
  kernel.code.resize(10);
  cawa->begin(kernel);
  const auto all = set_of({1, 2, 3});
  for (const std::uint32_t warp : {1, 2, 3}) cawa->assign(WarpId{warp}, 0);
  EXPECT_TRUE(cawa->taps(isa::Instruction{})) << "every instruction moves the distance";
  EXPECT_EQ(cawa->pick(all, 1)->value(), 1u) << "a tie goes to the oldest";
  issue_at(*cawa, 1, 0, 4);  // nInst 10, CPIavg 4, nStall 4: 44
  EXPECT_EQ(cawa->pick(all, 5)->value(), 1u) << "greedy";
  EXPECT_EQ(cawa->pick(set_of({2, 3}), 5)->value(), 2u) << "both 0";
  issue_at(*cawa, 2, 0, 6);  // 10 * 6 + 6: 66
  cawa->stalled();
  EXPECT_EQ(cawa->pick(all, 7)->value(), 2u);
  issue_at(*cawa, 2, 7, 8);  // nInst 10 - 7, CPIavg 8 / 2, nStall 8: 20
  cawa->stalled();
  EXPECT_EQ(cawa->pick(all, 9)->value(), 1u) << "2 is nearer to the end";
  issue_at(*cawa, 2, 2, 10);  // 3 + 5 back, CPIavg 10 / 3 whole, nStall 10: 34
  cawa->stalled();
  EXPECT_EQ(cawa->pick(all, 11)->value(), 1u);
  issue_at(*cawa, 2, 2, 20);  // 8 * 5 + 20: 60
  cawa->stalled();
  EXPECT_EQ(cawa->pick(all, 21)->value(), 2u) << "it went back";
  issue_at(*cawa, 2, 30, 22);  // not below 0: 22
  cawa->stalled();
  EXPECT_EQ(cawa->pick(all, 23)->value(), 1u);
  // The rotation: all from 0, the oldest becomes the youngest.
  EXPECT_EQ(cawa->pick(all, 50000)->value(), 2u);
  EXPECT_EQ(cawa->pick(set_of({1, 3}), 50001)->value(), 3u);
}

TEST(Scheduler, CawaByOutcomesPicksTheMostCriticalWarp) {
  SchedulerConfig config{{cawa_policy()}, "cawa"};
  config.get<CawaConfig>().estimate = CawaEstimate::kOutcomes;
  const auto cawa = config.make(8);
  cawa->assign(WarpId{1}, 0);
  cawa->assign(WarpId{2}, 0);
  const auto both = set_of({1, 2});
  EXPECT_EQ(cawa->pick(both, 1)->value(), 1u) << "a tie goes to the older";
  // nInst 0 and nStall 10 - 1 against nStall 10.
  cawa->issued(WarpId{1}, 1);
  EXPECT_EQ(cawa->pick(both, 10)->value(), 2u) << "stalled longer";
  // At cycle 20 both have issued once (CPIavg 20, nStall 19); 1 has chosen a path of 30 instructions.
  cawa->issued(WarpId{2}, 10);
  cawa->issued(WarpId{1}, 15);
  isa::Instruction forward;
  forward.op = isa::Opcode::kBranch;
  forward.target = Pc{10};
  forward.rpc = Pc{40};
  ASSERT_TRUE(cawa->taps(forward)) << "branches, and nothing else";
  EXPECT_FALSE(cawa->taps(isa::Instruction{}));
  IssueTapRequest taken;
  taken.instruction = &forward;
  taken.pc = Pc{5};
  taken.warp = WarpId{1};
  taken.mask = taken.exec = LaneMask::all();
  cawa->tapped(taken);
  // 1: nInst 30, CPIavg 10, nStall 18: 318; 2: nInst 0, nStall 19.
  EXPECT_EQ(cawa->pick(both, 20)->value(), 1u) << "more to come";
  for (Cycle c = 0; c < 30; ++c) cawa->issued(WarpId{1}, 20 + c);
  EXPECT_EQ(cawa->pick(both, 60)->value(), 2u) << "the path is done";
}

}  // namespace
}  // namespace heddle::core::scheduler_test
