// The checker of the litmus tests against verdicts of the literature: the PTX ISA 9.0, chapter Memory Consistency Model ("ISA"),
// and Lustig, Sahasrabuddhe and Giroux, ASPLOS 2019 ("L19").
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "litmus/axioms.h"
#include "litmus/shapes.h"

namespace heddle::litmus_axioms_test {
namespace {

using litmus::Between;
using litmus::Order;
using litmus::Outcome;
using litmus::Scope;
using litmus::Style;

const litmus::Shape& shape(const std::string& name) {
  return *std::ranges::find(litmus::shapes(), name, &litmus::Shape::name);
}

struct Verdict {
  std::string why;
  std::string shape;
  Style style;
  std::vector<unsigned> placement;
  Outcome registers;  ///< what they hold in the outcome
  bool allowed = false;
};

constexpr Style kRelaxed{Order::kRelaxed, Order::kRelaxed, Scope::kGpu, Between::kNothing, Scope::kGpu};
constexpr Style flagged(Between between, Scope scope, Order flag = Order::kRelaxed) {
  return {Order::kWeak, flag, Scope::kGpu, between, scope};
}

const std::vector<unsigned> kTwo{0, 1}, kThree{0, 1, 2}, kFour{0, 1, 2, 3};

const std::vector<Verdict> kVerdicts{
    {"L19 figure 5", "MP", flagged(Between::kReleaseAcquire, Scope::kGpu), kTwo, {1, 0}, false},
    {"ISA, Message Passing",
     "MP",
     {Order::kWeak, Order::kRelaxed, Scope::kSystem, Between::kFenceAcqRel, Scope::kSystem},
     kTwo,
     {1, 0},
     false},
    {"membar is fence.sc", "MP", flagged(Between::kMembar, Scope::kGpu), kTwo, {1, 0}, false},
    {"nothing synchronises", "MP", kRelaxed, kTwo, {1, 0}, true},
    {"a weak flag synchronises nothing",
     "MP",
     flagged(Between::kFenceAcqRel, Scope::kGpu, Order::kWeak),
     kTwo,
     {1, 0},
     true},
    {"but fence.sc are ordered without it",
     "MP",
     flagged(Between::kFenceSc, Scope::kGpu, Order::kWeak),
     kTwo,
     {1, 0},
     false},
    {"volatile is relaxed at the system's scope",
     "MP",
     flagged(Between::kFenceSc, Scope::kGpu, Order::kVolatile),
     kTwo,
     {1, 0},
     false},
    {"the scope leaves the other CTA out",
     "MP",
     flagged(Between::kReleaseAcquire, Scope::kCta),
     kTwo,
     {1, 0},
     true},
    {"the scope has the other thread",
     "MP",
     flagged(Between::kReleaseAcquire, Scope::kCta),
     {0, 0},
     {1, 0},
     false},
    {"atomics", "MP", flagged(Between::kAtomics, Scope::kGpu), kTwo, {1, 0}, false},
    {"fence.release and fence.acquire",
     "MP",
     flagged(Between::kFenceHalves, Scope::kGpu),
     kTwo,
     {1, 0},
     false},
    {"ISA, Store Buffering; L19 figure 6",
     "SB",
     flagged(Between::kFenceSc, Scope::kGpu),
     kTwo,
     {0, 0},
     false},
    {"ISA: \"If each fence.sc were replaced by a fence.acq_rel\"",
     "SB",
     flagged(Between::kFenceAcqRel, Scope::kGpu),
     kTwo,
     {0, 0},
     true},
    {"fences that are not morally strong", "SB", flagged(Between::kFenceSc, Scope::kCta), kTwo, {0, 0}, true},
    {"ISA, Load Buffering without dependencies", "LB", Style{}, kTwo, {1, 1}, true},
    {"release and acquire", "LB", flagged(Between::kReleaseAcquire, Scope::kGpu), kTwo, {1, 1}, false},
    {"ISA, Load Buffering with true dependencies", "LB+data", {}, kTwo, {0, 1}, true},
    {"L19 figure 8, no thin air", "LB+data", {}, kTwo, {2, 1}, false},
    {"the same", "LB+data", {}, kTwo, {1, 2}, false},
    {"ISA, CoRR", "CoRR", kRelaxed, kTwo, {1, 0}, false},
    {"weak reads in a data race", "CoRR", {}, kTwo, {1, 0}, true},
    {"cumulativity: L19, obs; cause_base",
     "WRC",
     {Order::kRelaxed, Order::kRelaxed, Scope::kGpu, Between::kReleaseAcquire, Scope::kGpu},
     kThree,
     {1, 1, 0},
     false},
    {"the same through the CTA's scope",
     "WRC",
     {Order::kRelaxed, Order::kRelaxed, Scope::kGpu, Between::kReleaseAcquire, Scope::kCta},
     {0, 1, 1},
     {1, 1, 0},
     true},
    {"what is not observed is not passed on",
     "WRC",
     flagged(Between::kReleaseAcquire, Scope::kGpu),
     kThree,
     {1, 1, 0},
     true},
    {"ISA footnote: transitivity accounts for cumulativity",
     "ISA2",
     flagged(Between::kReleaseAcquire, Scope::kGpu),
     kThree,
     {1, 1, 0},
     false},
    {"PTX is not multi-copy atomic (L19 3.4)",
     "IRIW",
     {Order::kRelaxed, Order::kRelaxed, Scope::kGpu, Between::kReleaseAcquire, Scope::kGpu},
     kFour,
     {1, 0, 1, 0},
     true},
    {"but fence.sc forbids it",
     "IRIW",
     {Order::kRelaxed, Order::kRelaxed, Scope::kGpu, Between::kFenceSc, Scope::kGpu},
     kFour,
     {1, 0, 1, 0},
     false},
    {"release sequence through an atomic",
     "MP+rmw",
     flagged(Between::kReleaseAcquire, Scope::kGpu),
     kThree,
     {1, 2, 0},
     false},
    {"barriers", "MP+bar", {}, {0, 0}, {0}, false},
    {"a strong read, then a barrier", "WRC+bar", kRelaxed, {0, 1, 1}, {1, 0}, false},
    {"a weak read observes nothing", "WRC+bar", {}, {0, 1, 1}, {1, 0}, true},
    {"a barrier, then a release",
     "ISA2+bar",
     flagged(Between::kReleaseAcquire, Scope::kGpu),
     {0, 0, 1},
     {1, 0},
     false},
    {"an acquire, then a barrier",
     "MP+acq+bar",
     flagged(Between::kReleaseAcquire, Scope::kGpu),
     {0, 1, 1},
     {1, 0},
     false},
};

/// Some outcome has these registers.
bool contains(const std::set<Outcome>& outcomes, const Outcome& registers) {
  return std::ranges::any_of(outcomes, [&](const Outcome& each) {
    return std::equal(registers.begin(), registers.end(), each.begin());
  });
}

TEST(LitmusAxioms, VerdictsOfTheLiterature) {
  for (const Verdict& verdict : kVerdicts) {
    const litmus::Program program = program_of(shape(verdict.shape), verdict.style, verdict.placement);
    EXPECT_EQ(contains(allowed(program), verdict.registers), verdict.allowed) << verdict.why << "\n"
                                                                              << program.text();
  }
}

/// ISA, Reductions do not form Acquire Patterns: %r1 == 0 and flag == 2.
TEST(LitmusAxioms, ReductionsDoNotAcquire) {
  for (const auto& [text, expected] :
       {std::pair{"Wx1 - Wy1 | Dy1 - Rx", true}, {"Wx1 - Wy1 | Ay1 - Rx", false}}) {
    const litmus::Shape shape{"MP", text};
    litmus::Program program = program_of(shape, flagged(Between::kReleaseAcquire, Scope::kGpu), kTwo);
    auto& second = program.threads[1].operations;
    litmus::Operation fence;
    fence.what = litmus::What::kFence;
    fence.order = Order::kAcquire;
    second.insert(second.begin() + 1, fence);
    const auto outcomes = allowed(program);
    EXPECT_EQ(std::ranges::any_of(outcomes,
                                  [&](const Outcome& each) {
                                    // x as read, y at the end; the atomic's own result comes first.
                                    const bool red = program.registers == 1;
                                    return each[red ? 0 : 1] == 0 && each.back() == 2 &&
                                           (red || each[0] == 1);
                                  }),
              expected)
        << program.text();
  }
}

TEST(LitmusAxioms, AllowWhateverIsSequential) {
  std::uint64_t seed = 1;
  for (const litmus::Shape& shape : litmus::shapes())
    for (unsigned i = 0; i < 20; ++i) {
      const litmus::Program program = litmus::random_program(shape, seed++);
      const auto weak = allowed(program);
      for (const Outcome& outcome : sequential(program))
        EXPECT_TRUE(weak.contains(outcome)) << program.text();
    }
}

/// Stronger operations allow nothing more.
TEST(LitmusAxioms, AllowNoMoreWhenEverythingIsOrdered) {
  const Style strongest{Order::kRelaxed, Order::kRelaxed, Scope::kSystem, Between::kFenceSc, Scope::kSystem};
  for (const litmus::Shape& shape : litmus::shapes())
    for (const auto& placement : placements(shape)) {
      const litmus::Program program = program_of(shape, strongest, placement);
      const auto sc = sequential(program);
      for (const Outcome& outcome : allowed(program)) EXPECT_TRUE(sc.contains(outcome)) << program.text();
    }
}

}  // namespace
}  // namespace heddle::litmus_axioms_test
