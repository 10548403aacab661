// The mechanism resync: every lane takes the path it takes alone, under every policy; and the core's schedule is that of
// the replay of the same threads.
#include "core_walk.h"

#include "base/error.h"
#include "block_program.h"
#include "resync/policy_names.h"
#include "resync/replay.h"

namespace heddle::resync::test {
namespace {

constexpr std::size_t kMostSteps = 1500;

std::vector<std::vector<std::uint32_t>> alone(const WalkProgram& program) {
  std::vector<std::vector<std::uint32_t>> paths;
  for (unsigned lane = 0; lane < base::kLanes; ++lane) {
    WalkThread thread(program, lane);
    if (!thread.run(kMostSteps)) return {};
    paths.push_back(thread.trace());
  }
  return paths;
}

struct Variant {
  const char* label;
  ResyncConfig keys;
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> list;
    for (const char* policy : {"MinPC",
                               "MinSP_MinPC",
                               "MaxFunMinPC1",
                               "MaxFunMinPC2",
                               "MaxFunMinPC3",
                               "Long(2)",
                               "Long(8)",
                               "LongMinPC(4)",
                               "LongMinSP(4)",
                               "LongIRB(8)",
                               "Lee",
                               "Lee+function_stack",
                               "PDomMinPC",
                               "PDomMinSP",
                               "PDomMaxSP",
                               "PDomMinFun",
                               "PDomMaxFun",
                               "PDomRB",
                               "PDomLong(4)",
                               "PDomSerial",
                               "PDomMinPC+top_only",
                               "PDomMinSP+no_match",
                               "PDomMinPC+push_always+top_only",
                               "PDomMinPC+entries=2",
                               "LongestPath1",
                               "LongestPathP",
                               "LongestPathP+instructions",
                               "RoundRobin",
                               "RoundRobinEq"})
      for (const Decisions decisions : {Decisions::kBlock, Decisions::kInstruction}) {
        ResyncConfig keys;
        keys.policy = policy;
        keys.decisions = decisions;
        list.push_back({policy, keys});
        keys.aging_selections = 7;
        keys.block_starts = BlockStarts::kCompiler;
        keys.selection_latency_cycles = 3;
        keys.selection_interval_cycles = 2;
        list.push_back({policy, keys});
      }
    return list;
  }();
  return all;
}

TEST(ResyncCore, EveryLaneTakesItsOwnPath) {
  unsigned walks = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const WalkProgram program(seed, {.barriers = seed % 2 == 0, .any_rpc = seed % 3 == 0});
    const auto paths = alone(program);
    if (paths.empty()) continue;
    ++walks;
    for (const Variant& variant : variants()) {
      SCOPED_TRACE(std::string(variant.label) + ", program " + std::to_string(seed));
      CoreWalk core(variant.keys, program);
      core.run(kMostSteps * base::kLanes * 8);
      ASSERT_TRUE(core.ended());
      for (unsigned lane = 0; lane < base::kLanes; ++lane) ASSERT_EQ(core.threads[lane].trace(), paths[lane]);
    }
  }
  EXPECT_GT(walks, 6u);
}

/// Without barriers. The control flow of each record as the core reports it.
std::vector<std::vector<TraceRecord>> traces_of(const WalkProgram& program) {
  using Kind = WalkInstruction::Kind;
  std::vector<std::vector<TraceRecord>> traces;
  for (unsigned lane = 0; lane < base::kLanes; ++lane) {
    WalkThread path(program, lane), thread(program, lane);
    if (!path.run(kMostSteps)) return {};
    traces.emplace_back();
    std::uint64_t level = 1;
    for (const std::uint32_t pc : path.trace()) {
      TraceRecord record;
      record.pc = pc;
      record.depth = 8 * level;
      std::uint32_t target = 0;
      const bool taken = thread.takes(pc, target);
      thread.follow(pc, taken);
      const Kind kind = program.code[pc].kind;
      if (kind == Kind::kBranch || kind == Kind::kIndirect) record.control |= TraceRecord::kBranch;
      if (kind == Kind::kCall && taken) {
        record.control = TraceRecord::kCall;
        ++level;
      }
      if (kind == Kind::kReturn && taken) {
        record.control = TraceRecord::kReturn;
        --level;
      }
      traces.back().push_back(record);
    }
  }
  return traces;
}

TEST(ResyncCore, SchedulesAreThoseOfTheReplay) {
  unsigned walks = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const WalkProgram program(seed, {.barriers = false, .any_rpc = false});
    const auto records = traces_of(program);
    if (records.empty()) continue;
    ++walks;
    // Not RoundRobinEq: its turn passes on with every selection, and while all lanes are at one PC the core makes none.
    for (const char* policy : {"MinPC", "MinSP_MinPC", "MaxFunMinPC1", "Lee"}) {
      SCOPED_TRACE(std::string(policy) + ", program " + std::to_string(seed));
      ResyncConfig keys;
      keys.policy = policy;
      keys.decisions = Decisions::kInstruction;
      CoreWalk core(keys, program);
      core.run(kMostSteps * base::kLanes);
      MemoryTraces traces(records);
      const Outcome replayed = replay(traces, policy);
      ASSERT_EQ(core.schedule.size(), replayed.schedule.size());
      ASSERT_EQ(core.schedule, replayed.schedule);
    }
    // At block ends only: the same number of fetches where the order is by PC and calls (§5.13, 11).
    for (const char* policy : {"MinPC", "MinSP_MinPC", "MaxFunMinPC1"}) {
      ResyncConfig keys;
      keys.policy = policy;
      CoreWalk core(keys, program);
      core.run(kMostSteps * base::kLanes);
      MemoryTraces traces(records);
      EXPECT_EQ(core.schedule.size(), replay(traces, policy).fetches) << policy << ", program " << seed;
    }
  }
  EXPECT_GT(walks, 20u);
}

TEST(ResyncCore, PoliciesThatACoreCannotHave) {
  for (const char* policy :
       {"Oracle(1k 0)", "Dist(1 1 1k)", "RDMinSP(4 1 n)", "Structured", "MinPC+block", "Nothing", "Long"}) {
    ResyncConfig keys;
    keys.policy = policy;
    EXPECT_THROW((void)traits_of(keys), base::InputError) << policy;
  }
}

}  // namespace
}  // namespace heddle::resync::test
