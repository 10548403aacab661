// The mechanism resync: every lane takes the path it takes alone, under every policy; and the core's schedule is that of
// the replay of the same threads.
#include "core_walk.h"

#include "base/error.h"
#include "block_program.h"
#include "resync/longest_paths.h"
#include "resync/policy_names.h"
#include "resync/replay.h"

namespace heddle::resync::test::core_test {
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

/// Without barriers. The control flow of each record as the core reports it; with `priorities` of the compiler's blocks.
std::vector<std::vector<TraceRecord>> traces_of(const WalkProgram& program, bool priorities) {
  const isa::ProgramFacts facts = CoreWalk::facts_of(program);
  const std::vector<std::uint32_t> paths = function_paths(facts.successors);
  using Kind = WalkInstruction::Kind;
  std::vector<std::vector<TraceRecord>> traces;
  for (unsigned lane = 0; lane < base::kLanes; ++lane) {
    WalkThread path(program, lane), thread(program, lane);
    if (!path.run(kMostSteps)) return {};
    traces.emplace_back();
    std::vector<std::uint64_t> depths{8};
    bool begins = true;
    for (const std::uint32_t pc : path.trace()) {
      TraceRecord record;
      record.pc = pc;
      record.depth = depths.back();
      if (priorities) {
        record.priority = paths[facts.block[pc]];
        if (facts.has(base::Pc{pc}, isa::ProgramFacts::kBlockStart)) begins = true;
      }
      if (begins) record.flags |= TraceRecord::kBlockBegin;
      std::uint32_t target = 0;
      const bool taken = thread.takes(pc, target);
      thread.follow(pc, taken);
      const Kind kind = program.code[pc].kind;
      if (kind == Kind::kBranch || kind == Kind::kIndirect) record.control |= TraceRecord::kBranch;
      if (kind == Kind::kCall && taken) {
        record.control = TraceRecord::kCall;
        depths.push_back(depths.back() + 8 + facts.frame_bytes[target]);
      }
      if (kind == Kind::kReturn && taken) {
        record.control = TraceRecord::kReturn;
        depths.pop_back();
      }
      begins = record.ends_block() || kind == Kind::kExit;
      traces.back().push_back(record);
    }
  }
  return traces;
}

TEST(ResyncCore, SchedulesAreThoseOfTheReplay) {
  unsigned walks = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const WalkProgram program(seed, {.barriers = false, .any_rpc = false});
    const auto records = traces_of(program, false);
    if (records.empty()) continue;
    ++walks;
    // Not RoundRobinEq: its turn passes on with every selection, and while all lanes are at one PC the core makes none.
    for (const char* policy :
         {"MinPC", "MinSP_MinPC", "MaxFunMinPC1", "MaxFunMinPC2", "MaxFunMinPC3", "Lee", "LongestPath1"}) {
      SCOPED_TRACE(std::string(policy) + ", program " + std::to_string(seed));
      ResyncConfig keys;
      keys.policy = policy;
      keys.decisions = Decisions::kInstruction;
      CoreWalk core(keys, program);
      core.run(kMostSteps * base::kLanes);
      MemoryTraces traces(policy == std::string("LongestPath1") ? traces_of(program, true) : records);
      const Outcome replayed = replay(traces, policy);
      ASSERT_EQ(core.schedule.size(), replayed.schedule.size());
      ASSERT_EQ(core.schedule, replayed.schedule);
    }
    // At block ends only: the same number of fetches where the order is by PC and calls ([Resync:W2], 11).
    for (const char* policy : {"MinPC", "MinSP_MinPC", "MaxFunMinPC1", "MaxFunMinPC2", "MaxFunMinPC3"}) {
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

TEST(ResyncCore, VariantsOfMaxFunDifferByTheSizeOfFramesOnly) {
  unsigned differ = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const WalkProgram program(seed, {.barriers = false, .any_rpc = false});
    if (alone(program).empty()) continue;
    std::vector<std::vector<std::pair<std::uint64_t, ThreadMask>>> frames, level;
    for (const char* policy : {"MaxFunMinPC1", "MaxFunMinPC2", "MaxFunMinPC3"})
      for (const Depth depth : {Depth::kFrames, Depth::kLevel}) {
        ResyncConfig keys;
        keys.policy = policy;
        keys.depth = depth;
        CoreWalk core(keys, program);
        core.run(kMostSteps * base::kLanes);
        (depth == Depth::kFrames ? frames : level).push_back(core.schedule);
      }
    EXPECT_EQ(level[1], level[0]);
    EXPECT_EQ(level[2], level[0]);
    EXPECT_EQ(frames[0], level[0]);
    differ += frames[1] != frames[2] ? 1 : 0;
  }
  EXPECT_GT(differ, 2u);
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
}  // namespace heddle::resync::test::core_test
