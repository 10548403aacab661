// Properties of all policies on random traces ([Resync:W2]).
#include <gtest/gtest.h>

#include <algorithm>

#include "block_program.h"
#include "random_traces.h"
#include "resync/policy_names.h"
#include "resync/replay.h"
#include "resync/supersequence.h"

namespace heddle::resync::test::properties_test {
namespace {

/// All published ones, and what they leave out.
std::vector<std::string> all_policies() {
  std::vector<std::string> names;
  for (const auto& row : published_configurations()) names.push_back(row.name);
  for (const char* more :
       {"RoundRobin", "PDomSerial", "Lee+function_stack", "PDomMinPC+top_only", "PDomMinSP+no_match",
        "PDomMinSP+push_always", "PDomMinPC+entries=1", "LongestPathP+instructions", "MinPC+block",
        "MinSP_MinPC+block", "MaxFunMinPC2+block", "RoundRobinEq+block", "PDomMinPC+block", "MinPC+aging=8",
        "PDomMinSP+aging=8", "MinSP_MinPC+block+aging=5", "LongestPath1+aging=8", "PDomLong(4)+aging=3"})
    names.emplace_back(more);
  return names;
}

std::vector<std::vector<std::uint64_t>> pcs_of(const std::vector<std::vector<TraceRecord>>& traces) {
  std::vector<std::vector<std::uint64_t>> pcs;
  for (const auto& trace : traces) {
    pcs.emplace_back();
    for (const TraceRecord& record : trace) pcs.back().push_back(record.pc);
  }
  return pcs;
}

/// 1 to 4 and 12.
void check_schedule(const std::vector<std::vector<TraceRecord>>& records, const std::string& policy) {
  MemoryTraces traces(records);
  const auto made = make_policy(policy);
  Replay run(traces, *made);
  std::vector<std::size_t> next(records.size(), 0);
  while (run.step()) {
    ASSERT_NE(run.mask(), 0u);
    for_each_thread(run.mask(), [&](unsigned t) {
      ASSERT_LT(next[t], records[t].size());
      ASSERT_EQ(records[t][next[t]++].pc, run.pc());
    });
  }
  std::uint64_t instructions = 0, longest = 0;
  for (std::size_t t = 0; t < records.size(); ++t) {
    ASSERT_EQ(next[t], records[t].size()) << "thread " << t;
    instructions += records[t].size();
    longest = std::max<std::uint64_t>(longest, records[t].size());
  }
  const ReplayStatistics& statistics = run.statistics();
  statistics.check();
  EXPECT_EQ(statistics.instructions, instructions);
  EXPECT_LE(statistics.fetches, instructions);
  EXPECT_GE(statistics.fetches, longest);
  EXPECT_LE(statistics.cycles, statistics.fetches);
  EXPECT_GE(statistics.cycles, longest);
  EXPECT_LE(statistics.throughput(), static_cast<double>(records.size()));
}

TEST(ResyncProperties, SchedulesAreThoseOfTheTraces) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomShape shape;
    shape.threads = 1 + seed % 16;
    shape.functions = 1 + seed % 4;
    shape.equal_frames = seed % 3 != 0;
    shape.barriers = seed % 5 == 0;
    const RandomTraces random(seed, shape);
    for (const std::string& policy : all_policies()) {
      SCOPED_TRACE(policy + ", seed " + std::to_string(seed));
      check_schedule(random.traces(), policy);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(ResyncProperties, NobodyNeedsFewerFetchesThanTheOptimum) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    const RandomTraces random(seed, {.threads = 3, .functions = 3, .instructions = 20});
    const auto pcs = pcs_of(random.traces());
    std::uint64_t states = 1;
    for (const auto& trace : pcs) states *= trace.size() + 1;
    if (states > 200'000) continue;
    const std::uint64_t optimum = shortest_supersequence(pcs).length;
    for (const std::string& policy : all_policies()) {
      MemoryTraces traces(random.traces());
      EXPECT_GE(replay(traces, policy).fetches, optimum) << policy << ", seed " << seed;
    }
  }
}

TEST(ResyncProperties, OneThreadAndEqualThreads) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomTraces random(seed, {.threads = 1});
    const std::size_t length = random.traces()[0].size();
    for (const std::string& policy : all_policies()) {
      MemoryTraces one(random.traces());
      EXPECT_EQ(replay(one, policy).fetches, length) << policy;
      MemoryTraces same(std::vector<std::vector<TraceRecord>>(7, random.traces()[0]));
      EXPECT_EQ(replay(same, policy).fetches, policy == "RoundRobin" ? 7 * length : length) << policy;
    }
  }
}

TEST(ResyncProperties, RoundRobinSharesNothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomTraces random(seed, {.threads = 8});
    MemoryTraces traces(random.traces());
    const Outcome outcome = replay(traces, "RoundRobin");
    EXPECT_EQ(outcome.fetches, outcome.instructions);
    std::size_t longest = 0;
    for (const auto& trace : random.traces()) longest = std::max(longest, trace.size());
    EXPECT_EQ(outcome.cycles, longest);
  }
}

void expect_same(const std::vector<std::vector<TraceRecord>>& records, const std::string& one,
                 const std::string& other, bool schedule) {
  MemoryTraces traces(records);
  const Outcome left = replay(traces, one), right = replay(traces, other);
  EXPECT_EQ(left.fetches, right.fetches) << one << " and " << other;
  if (schedule) {
    EXPECT_EQ(left.schedule, right.schedule) << one << " and " << other;
  }
}

TEST(ResyncProperties, PoliciesThatAreTheSame) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const unsigned threads = 2 + seed % 15;
    const RandomTraces any(seed, {.threads = threads, .equal_frames = false});
    expect_same(any.traces(), "RDMinSP(4 0 n)", "MinSP_MinPC", true);
    const RandomTraces frames(seed, {.threads = threads, .functions = 4});
    expect_same(frames.traces(), "MaxFunMinPC1", "MinSP_MinPC", true);
    const RandomTraces flat(seed, {.threads = threads, .functions = 1, .reverse_priorities = true});
    expect_same(flat.traces(), "LongestPath1", "MinPC", true);
    for (const char* policy : {"MinPC", "MinSP_MinPC", "MaxFunMinPC1", "MaxFunMinPC2", "MaxFunMinPC3"})
      expect_same(frames.traces(), policy, std::string(policy) + "+block", false);
  }
}

/// L1: between two services of a thread there are no more selections than the limit, and the blocks of the others that
/// have waited as long.
TEST(ResyncProperties, AgingLetsEverybodyHaveATurn) {
  constexpr std::uint64_t kLimit = 10;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RandomTraces random(seed, {.threads = 6, .instructions = 200});
    for (const char* policy :
         {"MinPC", "MinSP_MinPC", "MaxFunMinPC1", "LongestPath1", "PDomMinPC", "Long(4)"}) {
      MemoryTraces traces(random.traces());
      const auto made = make_policy(std::string(policy) + "+aging=10");
      Replay run(traces, *made);
      std::vector<std::uint64_t> waited(6, 0);
      while (run.step())
        for (unsigned t = 0; t < 6; ++t) {
          waited[t] = (run.mask() & bit(t)) != 0 || (run.views().live & bit(t)) == 0 ? 0 : waited[t] + 1;
          // Blocks that hardware sees end at branches: up to all instructions of a function without one.
          ASSERT_LE(waited[t], kLimit + 1 + 5 * 28) << policy;
        }
    }
  }
}

/// [Resync] §3.2.2: then-threads go first, then else-threads, then both; the deepest nesting runs.
TEST(ResyncProperties, StructuredRunsTheHighestNesting) {
  const auto at = [](std::uint64_t pc, std::uint32_t nesting) {
    TraceRecord record;
    record.pc = pc;
    record.nesting = nesting;
    return record;
  };
  // if-then-else in a loop of which thread 1 does two iterations and thread 0 one: begin-while +1, then +2, else +1.
  MemoryTraces traces(
      {{at(0, 0), at(1, 1), at(2, 3), at(3, 3), at(6, 1), at(7, 0)},
       {at(0, 0), at(1, 1), at(4, 2), at(5, 2), at(6, 1), at(1, 1), at(2, 3), at(3, 3), at(6, 1), at(7, 0)}});
  const Outcome outcome = replay(traces, "Structured");
  const std::vector<std::pair<std::uint64_t, ThreadMask>> expected = {
      {0, 3}, {1, 3}, {2, 1}, {3, 1}, {4, 2}, {5, 2}, {6, 3}, {1, 2}, {2, 2}, {3, 2}, {6, 2}, {7, 3}};
  EXPECT_EQ(outcome.schedule, expected);
  MemoryTraces unstructured({{at(0, 1)}, {at(1, 1)}});
  EXPECT_THROW(replay(unstructured, "Structured"), std::logic_error);
}

TEST(ResyncProperties, NamesThatAreRefused) {
  for (const char* name : {"", "MinPD", "Long", "Long(0)", "Long(4", "Long(x)", "Long(4 4)", "MinPC(1)",
                           "RDMinSP(1 2 z)", "Oracle(1k 0)+block", "MinPC+agin=3", "MinPC+aging=0",
                           "MinPC+block=1", "Lee+top_only", "Dist(2 0 1)"})
    EXPECT_ANY_THROW(make_policy(name)) << name;
}

}  // namespace
}  // namespace heddle::resync::test::properties_test
