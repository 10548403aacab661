// Litmus tests on whole GPUs under random delays. Where core.memory_model=scoped, no outcome comes that the PTX memory
// consistency model forbids, and weak ones that it allows do come. Where it is legacy, the model does not apply: L1 may keep stale
// lines, and message passing finds them.
//
// HEDDLE_TEST_DEPTH multiplies the number of programs; a depth of 1000 takes all styles of most shapes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "litmus/axioms.h"
#include "litmus/kernel.h"
#include "litmus/reordering_unit.h"
#include "litmus/shapes.h"
#include "regression/depth.h"
#include "regression/generator/random_source.h"

namespace heddle::litmus_test {
namespace {

using Json = nlohmann::ordered_json;
using litmus::Outcome;

struct Machine {
  std::string name;
  std::string platform;
  std::vector<std::string> keys;
  bool reorders = true;  ///< litmus/reordering_unit.h
};

std::vector<std::string> perturbed(std::uint64_t seed) {
  const std::string number = std::to_string(seed);
  return {"test.memory.crossbar.perturb_seed=" + number, "test.memory.crossbar.perturb_cycles=12",
          "test.memory.dram.perturb_seed=" + number, "test.core.scheduler.perturb_seed=" + number,
          "test.core.start_jitter.perturb_seed=" + number};
}

const std::vector<Machine> kScoped{
    {"whole_lines", "tiny", {"core.memory_model=scoped", "core.l1d.size_kib=16"}},
    {"sectors",
     "tiny",
     {"core.memory_model=scoped", "core.l1d.size_kib=16", "cores=3", "memory.partitions=3",
      "core.l1d.sector_bytes=32", "core.l1d.global_write=write_through", "memory.l2.write_miss=byte_mask",
      "memory.crossbar.coalesced_reads=4"}},
    {"multi_path",
     "tiny",
     {"core.memory_model=scoped", "core.l1d.size_kib=16", "cores=4", "core.control_flow.mechanism=multi_path",
      "core.scoreboard.kind=per_thread_mask"}},
    {"hanoi",
     "tiny",
     {"core.memory_model=scoped", "core.l1d.size_kib=16", "cores=4", "core.control_flow.mechanism=hanoi"}},
    {"rtx2060", "rtx2060", {"cores=6", "memory.crossbar.coalesced_reads=4"}},
    {"rtx2060_alone", "rtx2060", {"cores=6"}, false},
};
const Machine kLegacy{"gtx480", "gtx480", {"cores=6"}};

gpu::GpuConfig config(const Machine& machine, std::uint64_t seed) {
  std::vector<std::string> keys = machine.keys;
  for (const std::string& key : perturbed(seed)) keys.push_back(key);
  return gpu::load_platform(machine.platform, keys);
}

gpu::RunOptions options(const Machine& machine, std::uint64_t seed) {
  gpu::RunOptions run;
  if (machine.reorders) run.units = litmus::reordering_units(seed);
  run.max_cycles = 5'000'000;
  run.on_print = [](const std::string&) {};
  return run;
}

std::string shape_name(const litmus::Program& program) {
  return program.name.substr(0, program.name.find_first_of("/#"));
}
const litmus::Shape& shape_of(const std::string& name) {
  return *std::ranges::find(litmus::shapes(), name, &litmus::Shape::name);
}

/// What stale lines, early releases and late acquires show at first.
std::vector<litmus::Program> canonical() {
  using litmus::Between;
  using litmus::Order;
  using litmus::Scope;
  struct Case {
    std::string shape;
    Order data;
    Between between;
    std::vector<unsigned> placement;
  };
  std::vector<litmus::Program> all;
  for (const Case& each : {Case{"MP", Order::kWeak, Between::kReleaseAcquire, {0, 1}},
                           {"MP", Order::kWeak, Between::kAtomics, {0, 1}},
                           {"MP", Order::kWeak, Between::kFenceAcqRel, {0, 1}},
                           {"MP", Order::kWeak, Between::kFenceHalves, {0, 1}},
                           {"MP", Order::kWeak, Between::kMembar, {0, 1}},
                           {"SB", Order::kWeak, Between::kFenceSc, {0, 1}},
                           {"LB", Order::kWeak, Between::kReleaseAcquire, {0, 1}},
                           {"ISA2", Order::kWeak, Between::kReleaseAcquire, {0, 1, 2}},
                           {"WRC", Order::kRelaxed, Between::kReleaseAcquire, {0, 1, 2}},
                           {"IRIW", Order::kRelaxed, Between::kFenceSc, {0, 1, 2, 3}},
                           {"WRC+bar", Order::kRelaxed, Between::kNothing, {0, 1, 1}},
                           {"ISA2+bar", Order::kWeak, Between::kReleaseAcquire, {0, 0, 1}},
                           {"MP+acq+bar", Order::kWeak, Between::kReleaseAcquire, {0, 1, 1}}}) {
    const litmus::Style style{each.data, Order::kRelaxed, Scope::kGpu, each.between, Scope::kGpu};
    all.push_back(program_of(shape_of(each.shape), style, each.placement));
  }
  // A weak load behind a strong one.
  litmus::Program mixed = litmus::parse("CoRR", shape_of("CoRR").text);
  mixed.name = "CoRR/strong-weak";
  mixed.threads[0].operations[0].order = mixed.threads[1].operations[0].order = Order::kRelaxed;
  all.push_back(mixed);
  // Through the scope of a CTA, after a strong load: in L1 there may be an older copy.
  for (const std::string name : {"WRC", "ISA2"}) {
    litmus::Program through =
        program_of(shape_of(name),
                   {Order::kRelaxed, Order::kRelaxed, Scope::kGpu, Between::kReleaseAcquire, Scope::kCta},
                   name == "WRC" ? std::vector<unsigned>{0, 1, 1} : std::vector<unsigned>{0, 0, 1});
    for (litmus::Thread& thread : through.threads)
      for (litmus::Operation& each : thread.operations) {
        const bool first = &each == &thread.operations.front(),
                   last_thread = &thread == &through.threads.back();
        if (name == "WRC" && (&thread == &through.threads.front() || (first && !last_thread))) {
          each.order = Order::kRelaxed;  // x is written and seen by all of the GPU, y is the CTA's
          each.scope = Scope::kGpu;
        }
        if (name == "WRC" && last_thread && !first) each.order = Order::kWeak;
        // x is weak, y the CTA's, z the GPU's.
        if (name == "ISA2" && each.location == 0) each.order = Order::kWeak;
        if (name == "ISA2" && each.location == 2) each.scope = Scope::kGpu;
      }
    through.name = name + "/through-cta";
    all.push_back(through);
  }
  return all;
}

/// A program, and how many launches.
struct Job {
  litmus::Program program;
  unsigned trials = 1;
};

/// Nothing synchronises: what may come shows at first here.
std::vector<litmus::Program> unordered() {
  using litmus::Order;
  std::vector<litmus::Program> all;
  for (const litmus::Shape& shape : litmus::shapes()) {
    const auto placements = litmus::placements(shape);
    for (const Order data : {Order::kWeak, Order::kRelaxed}) {
      litmus::Style style;
      style.data = data;
      style.flag = Order::kRelaxed;
      all.push_back(program_of(shape, style, placements.back()));  // as many CTAs as there may be
    }
  }
  return all;
}

/// Of all shapes: a few styles in some placement, which follow those of the turn before, and random programs.
std::vector<Job> jobs(std::uint64_t turn) {
  constexpr unsigned kTrials = 3;
  std::vector<Job> chosen;
  for (auto* const some : {&canonical, &unordered})
    for (const litmus::Program& program : some()) chosen.push_back({program, kTrials});
  const auto all = litmus::styles();
  const std::uint64_t of_styles = depth::times(2), random = depth::times(2);
  for (std::size_t s = 0; s < litmus::shapes().size(); ++s) {
    const litmus::Shape& shape = litmus::shapes()[s];
    auto placements = litmus::placements(shape);
    if (!has_barriers(shape)) placements.emplace_back();
    const std::uint64_t ways = all.size() * placements.size();
    for (std::uint64_t i = 0; i < std::min(of_styles, ways); ++i) {
      constexpr std::uint64_t kStride = 7919;  // without a common divisor: it visits all
      const std::uint64_t way = (turn * of_styles + i + s * 131) * kStride % ways;
      chosen.push_back(
          {program_of(shape, all[way / placements.size()], placements[way % placements.size()])});
    }
    for (std::uint64_t i = 0; i < random; ++i)
      chosen.push_back({random_program(shape, (turn * 1000 + s) * 1'000'000 + i)});
  }
  return chosen;
}

bool allows(const litmus::Program& program, const Outcome& registers) {
  const auto all = litmus::allowed(program);
  return std::ranges::any_of(
      all, [&](const Outcome& each) { return std::equal(registers.begin(), registers.end(), each.begin()); });
}
TEST(LitmusPrograms, CanonicalOnesForbid) {
  const std::map<std::string, Outcome> forbidden{
      {"MP", {1, 0}},         {"SB", {0, 0}},         {"LB", {1, 1}},      {"ISA2", {1, 1, 0}},
      {"WRC", {1, 1, 0}},     {"IRIW", {1, 0, 1, 0}}, {"WRC+bar", {1, 0}}, {"ISA2+bar", {1, 0}},
      {"MP+acq+bar", {1, 0}}, {"CoRR", {1, 0}}};
  for (const litmus::Program& program : canonical())
    EXPECT_FALSE(allows(program, forbidden.at(shape_name(program)))) << program.text();
}

std::string text_of(const litmus::Program& program, const Outcome& outcome) {
  std::string text = program.text() + " ->";
  for (std::size_t i = 0; i < outcome.size(); ++i)
    text += i < program.registers
                ? fmt::format(" r{}={}", i, outcome[i])
                : fmt::format(" {}={}", static_cast<char>('x' + i - program.registers), outcome[i]);
  return text;
}

/// {"forbidden": [text], "shapes": {name: [programs that allow weak outcomes, that showed some, weak outcomes]}}.
Json outcomes(const Machine& machine, std::uint64_t seed, const std::vector<Job>& all) {
  return tb::isolated([&] {
    gpu::GpuDevice device(config(machine, seed), options(machine, seed));
    Json result{{"forbidden", Json::array()}, {"shapes", Json::object()}};
    generator::RandomSource random(seed);
    for (const Job& job : all) {
      const auto weak = litmus::allowed(job.program);
      const auto strict = litmus::sequential(job.program);
      std::uint64_t seen = 0;
      for (unsigned trial = 0; trial < job.trials; ++trial)
        for (const auto& [outcome, count] :
             litmus::run(device, job.program, {.seed = random.next(), .one_line = random.chance(25)})) {
          if (!weak.contains(outcome))
            result["forbidden"].push_back(fmt::format("{} ({} times)", text_of(job.program, outcome), count));
          else if (!strict.contains(outcome))
            seen += count;
        }
      Json& row = result["shapes"][shape_name(job.program)];
      if (row.is_null()) row = Json::array({0, 0, 0});
      row[0] = row[0].get<std::uint64_t>() + (weak != strict ? 1 : 0);
      row[1] = row[1].get<std::uint64_t>() + (seen != 0 ? 1 : 0);
      row[2] = row[2].get<std::uint64_t>() + seen;
      device.forget_launches();
    }
    return result;
  });
}

void print(const Machine& machine, const Json& shapes) {
  std::printf(
      "%s: programs that allow outcomes beyond sequential consistency, that showed some, such outcomes\n",
      machine.name.c_str());
  for (const auto& [shape, row] : shapes.items())
    std::printf("  %-12s %4d %4d %6d\n", shape.c_str(), row[0].get<int>(), row[1].get<int>(),
                row[2].get<int>());
}

class Litmus : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Litmus, NothingForbiddenComesAndWeakOutcomesDo) {
  const Machine& machine = kScoped[GetParam()];
  const Json result = outcomes(machine, GetParam() + 1, jobs(GetParam()));
  ASSERT_FALSE(result.contains("errors")) << result["errors"].dump();
  for (const Json& each : result["forbidden"]) ADD_FAILURE() << each.get<std::string>();
  print(machine, result["shapes"]);
  // What L2 serves is in order without the reordering units: there weak outcomes come from L1 alone.
  std::vector<std::string> expected{"MP", "SB", "R"};
  if (machine.reorders && machine.platform == "tiny") expected.insert(expected.end(), {"LB", "S", "2+2W"});
  for (const std::string& shape : expected) EXPECT_GT(result["shapes"][shape][2].get<int>(), 0) << shape;
}

INSTANTIATE_TEST_SUITE_P(All, Litmus, ::testing::Range(std::size_t{0}, kScoped.size()),
                         [](const auto& test) { return kScoped[test.param].name; });

litmus::Program message_passing(litmus::Between between, litmus::Order data) {
  return program_of(shape_of("MP"),
                    {data, litmus::Order::kRelaxed, litmus::Scope::kGpu, between, litmus::Scope::kGpu},
                    {0, 1});
}

/// Alglave et al., "GPU Concurrency", ASPLOS 2015, mp-L1: on a Tesla C2075 no fence helps.
TEST(LitmusOnOldGpus, MessagePassingFindsStaleLines) {
  const std::vector<Job> all{{message_passing(litmus::Between::kMembar, litmus::Order::kWeak), 5}};
  for (const bool scoped : {false, true}) {
    Machine machine = kLegacy;
    if (scoped) machine.keys.push_back("core.memory_model=scoped");
    const Json result = outcomes(machine, 1, all);
    ASSERT_FALSE(result.contains("errors")) << result["errors"].dump();
    EXPECT_EQ(result["forbidden"].empty(), scoped) << result["forbidden"].dump();
  }
}

/// Strong accesses are served by L2, and fences of the GPU's scope order them there.
TEST(LitmusOnOldGpus, NothingForbiddenComesOfStrongAccessesInDifferentCtas) {
  using litmus::Between;
  using litmus::Order;
  using litmus::Scope;
  std::vector<Job> all;
  for (const litmus::Shape& shape : litmus::shapes()) {
    if (has_barriers(shape)) continue;
    for (const Order order : {Order::kRelaxed, Order::kVolatile})
      for (const Between between :
           {Between::kNothing, Between::kReleaseAcquire, Between::kFenceAcqRel, Between::kMembar})
        all.push_back({program_of(shape, {order, order, Scope::kGpu, between, Scope::kGpu},
                                  litmus::placements(shape).back())});
  }
  const Json result = outcomes(kLegacy, 1, all);
  ASSERT_FALSE(result.contains("errors")) << result["errors"].dump();
  for (const Json& each : result["forbidden"]) ADD_FAILURE() << each.get<std::string>();
  print(kLegacy, result["shapes"]);
}

/// CTA 0 hands a word over in each round: one of its warps writes it, the other releases a flag behind a barrier. CTA 1 has a copy in L1,
/// waits for the flag, and reads the word.
const std::string kHandOver = R"(.version 8.6
.target sm_75
.address_size 64
.visible .entry hand_over(.param .u64 memory, .param .u64 results, .param .u64 ready)
{
  .reg .b32 %r<12>; .reg .b64 %w<8>; .reg .pred %p<4>;
  ld.param.u64 %w0, [memory];
  ld.param.u64 %w1, [results];
  ld.param.u64 %w2, [ready];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, 0;
  setp.ne.u32 %p0, %r1, 0;
  setp.eq.u32 %p1, %r0, 0;
  setp.eq.u32 %p2, %r0, 32;
ROUND:
  mul.wide.u32 %w3, %r2, 768;
  add.u64 %w3, %w3, %w0;
  add.u32 %r2, %r2, 1;
  @%p0 bra READER;
WAIT:
  ld.relaxed.gpu.global.u32 %r3, [%w2];
  setp.lt.u32 %p3, %r3, %r2;
  @%p3 bra WAIT;
  @%p1 st.weak.global.u32 [%w3], 1;
  bar.sync 0;
  @%p2 st.release.gpu.global.u32 [%w3+384], 1;
  bra NEXT;
READER:
  ld.weak.global.u32 %r4, [%w3];
  add.u32 %r5, %r4, %r2;
  @%p1 st.relaxed.gpu.global.u32 [%w2], %r5;
POLL:
  ld.acquire.gpu.global.u32 %r6, [%w3+384];
  setp.eq.u32 %p3, %r6, 0;
  @%p3 bra POLL;
  ld.weak.global.u32 %r7, [%w3];
  mul.wide.u32 %w4, %r2, 4;
  add.u64 %w4, %w4, %w1;
  @%p1 st.weak.global.u32 [%w4+-4], %r7;
NEXT:
  setp.lt.u32 %p3, %r2, 64;
  @%p3 bra ROUND;
  ret;
}
)";

/// Rounds in which the reader missed what was written.
Json missed(const Machine& machine, std::uint64_t seed) {
  return tb::isolated([&] {
    constexpr std::uint64_t kRounds = 64;
    gpu::GpuDevice device(config(machine, seed), options(machine, seed));
    const auto module = device.load_ptx_text(kHandOver, "hand_over");
    const std::uint64_t memory = device.allocate(kRounds * 768, "memory");
    const std::uint64_t results = device.allocate(kRounds * 4, "results");
    const std::uint64_t ready = device.allocate(4, "ready");
    device.launch(module, "hand_over", {{2, 1, 1}, {64, 1, 1}, 0},
                  host::Args().add(memory).add(results).add(ready));
    const auto words = device.download<std::uint32_t>(results, kRounds);
    return Json{{"missed", std::ranges::count(words, 0u)}};
  });
}

TEST(LitmusHandOver, AReleaseIsCumulativeAndAnAcquireLeavesNoStaleLine) {
  for (const Machine& machine : kScoped) EXPECT_EQ(missed(machine, 5), (Json{{"missed", 0}})) << machine.name;
  Machine legacy = kLegacy;
  EXPECT_GT(missed(legacy, 5).value("missed", 0), 0) << "L1 keeps its copy";
  legacy.keys.push_back("core.memory_model=scoped");
  EXPECT_EQ(missed(legacy, 5), (Json{{"missed", 0}}));
}

/// Each CTA has a word of its own in a line that all read: it writes it and reads it again, weakly, and behind an atomic. Counts
/// what it has missed.
const std::string kOwnWords = R"(.version 8.6
.target sm_75
.address_size 64
.visible .entry own_words(.param .u64 memory, .param .u64 results)
{
  .reg .b32 %r<12>; .reg .b64 %w<8>; .reg .pred %p<4>;
  ld.param.u64 %w0, [memory];
  ld.param.u64 %w1, [results];
  mov.u32 %r0, %ctaid.x;
  mul.wide.u32 %w2, %r0, 4;
  add.u64 %w3, %w0, %w2;
  add.u64 %w4, %w1, %w2;
  mov.u32 %r1, 0;
  mov.u32 %r2, 0;
ROUND:
  add.u32 %r1, %r1, 1;
  st.weak.global.u32 [%w3], %r1;
  ld.weak.global.u32 %r3, [%w3];
  setp.ne.u32 %p0, %r3, %r1;
  @%p0 add.u32 %r2, %r2, 1;
  add.u32 %r1, %r1, 1;
  red.relaxed.gpu.global.add.u32 [%w3], 1;
  ld.weak.global.u32 %r4, [%w3];
  setp.ne.u32 %p0, %r4, %r1;
  @%p0 add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r1, 200;
  @%p1 bra ROUND;
  st.weak.global.u32 [%w4], %r2;
  ret;
}
)";

TEST(LitmusOwnWords, NobodyMissesWhatItHasWrittenBesideOthers) {
  std::vector<Machine> machines = kScoped;
  machines.push_back({"h100", "h100", {"cores=16", "dispatch.gpc.tpcs=8", "dispatch.gpc.order=0"}});
  for (const Machine& machine : machines) {
    const Json result = tb::isolated([&] {
      gpu::GpuDevice device(config(machine, 3), options(machine, 3));
      const auto module = device.load_ptx_text(kOwnWords, "own_words");
      const std::uint64_t memory = device.allocate(128, "memory"), results = device.allocate(128, "results");
      device.launch(module, "own_words", {{16, 1, 1}, {1, 1, 1}, 0}, host::Args().add(memory).add(results));
      const auto words = device.download<std::uint32_t>(results, 16);
      return Json{{"missed", std::ranges::count_if(words, [](std::uint32_t word) { return word != 0; })}};
    });
    EXPECT_EQ(result, (Json{{"missed", 0}})) << machine.name;
  }
}

}  // namespace
}  // namespace heddle::litmus_test
