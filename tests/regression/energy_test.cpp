// Dynamic energy of whole runs: every event is counted, once, whatever the platform and the mechanism.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "blocks/isolated.h"
#include "cli/report_model.h"
#include "gpu/energy_events.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "workload_scenario.h"

namespace heddle::energy_test {
namespace {

using testing::run;
using testing::Scenario;
using testing::test_name;
using Json = nlohmann::ordered_json;

constexpr std::uint32_t kThreads = 20;  // a warp that is not full

// Six memory instructions: two of parameters, one load and one store each of global and shared memory.
const std::string kKernel = R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry micro(.param .u64 in, .param .u64 out)
{
  .reg .f32 %f<6>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<6>;
  .shared .align 4 .b8 tile[128];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, tile;
  add.u32 %r4, %r3, %r2;
  st.shared.f32 [%r4], %f1;
  ld.shared.f32 %f2, [%r4];
  fma.rn.f32 %f3, %f1, %f2, %f2;
  fma.rn.f32 %f4, %f3, %f1, %f2;
  fma.rn.f32 %f5, %f4, %f3, %f2;
  st.global.f32 [%rd5], %f5;
  ret;
}
)";

// Lanes below 8 go one way, the others another one; every lane adds to the same word.
const std::string kDivergent = R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry split(.param .u64 out)
{
  .reg .pred %p;
  .reg .b32 %r;
  .reg .b64 %rd;
  ld.param.u64 %rd, [out];
  mov.u32 %r, %tid.x;
  setp.lt.u32 %p, %r, 8;
  @%p bra LOW;
  red.global.add.u32 [%rd], 1;
  bra.uni END;
LOW:
  red.global.add.u32 [%rd], 2;
END:
  ret;
}
)";

// The same with a region, in which the lanes of the side that runs first give their turn to the others.
const std::string kRegion = R"(.listing
.kernel split(out: 64)
  LDC.64 RD0, out;
  S2R R0, SR_TID.X;
  ISETP.LT P0, R0, 8;
  BSSY B0, END;
  @P0 BRA LOW;
  YIELD;
  ATOMG.ADD R1, [RD0], 1;
  BRA END;
LOW:
  ATOMG.ADD R1, [RD0], 2;
END:
  BSYNC B0;
  BMOV.32 R2, B0;
  EXIT;
)";

/// Statistics of one launch of the kernel by one CTA.
Json run_kernel(const std::vector<std::string>& assignments) {
  return tb::isolated([&]() -> Json {
    gpu::GpuDevice device(gpu::load_platform("gtx480", assignments), {});
    const auto module = device.load_ptx_text(kKernel, "micro");
    const std::uint64_t in = device.upload(std::vector<float>(kThreads, 2.0f), "in");
    const std::uint64_t out = device.allocate(4 * kThreads, "out");
    device.launch(module, "micro", {.grid = {1}, .block = {kThreads}}, host::Args().add(in).add(out));
    if (device.download<float>(out, kThreads) != std::vector<float>(kThreads, 86.0f))
      return {{"errors", "wrong result"}};
    return device.stats().to_json();
  });
}

/// Events of a run in which each takes 1 pJ.
class Events {
 public:
  explicit Events(const Json& statistics) : energy_(statistics.at("energy")) {}
  /// `event`: "l1d.fill".
  [[nodiscard]] std::uint64_t operator()(const std::string& event) const {
    const auto dot = event.find('.');
    return energy_.at(event.substr(0, dot)).at(event.substr(dot + 1)).get<std::uint64_t>() / 1000;
  }

 private:
  Json energy_;
};

/// Assignments of 1 pJ to every event.
std::vector<std::string> one_picojoule_each() {
  std::vector<std::string> assignments;
  for (const energy::EnergyClass& of : gpu::energy_events().entries())
    for (const energy::EnergyEvent& event : of.events)
      assignments.push_back("energy." + of.name + "." + event.name + "=1");
  return assignments;
}

TEST(EnergyOfAKernel, CountsEveryEventOnce) {
  for (const char* const banks : {"16", "0"}) {  // banks have nothing to do with what is read
    std::vector<std::string> assignments = one_picojoule_each();
    assignments.push_back(std::string("core.register_file.banks=") + banks);
    const Json statistics = run_kernel(assignments);
    ASSERT_FALSE(statistics.contains("errors")) << statistics.dump().substr(0, 2000);
    const Events events(statistics);
    EXPECT_EQ(events("fetch.decode"), cli::sum_at(statistics, "core*.fetch.instructions"));
    EXPECT_EQ(events("issue.schedule"), 17u);
    EXPECT_EQ(events("operations.memory"), 6u * kThreads);
    EXPECT_EQ(events("operations.fp_mad"), 3u * kThreads);
    EXPECT_EQ(events("operations.int_mul"), 1u * kThreads);
    EXPECT_EQ(events("operations.int_simple"), 6u * kThreads) << "mov, add, add, shl, mov, add";
    EXPECT_EQ(events("operations.fp_mul"), 0u);
    // mul 1, add 4, add 4, ld.global 2, shl 1, add 2, st.shared 2, ld.shared 1, fma 2, 3, 3, st.global 3.
    EXPECT_EQ(events("register_file.read"), 28u * kThreads);
    // ld.param 2, 2, mov 1, mul 2, add 2, 2, ld 1, shl 1, mov 1, add 1, ld 1, fma 1, 1, 1.
    EXPECT_EQ(events("register_file.write"), 19u * kThreads);
    EXPECT_EQ(events("issue.scoreboard_update"), 2u * 14) << "reserved and released: 14 results";
    EXPECT_EQ(events("lsu.coalesce"), 6u);
    EXPECT_EQ(events("shared_memory.word"), 2u * kThreads);
    EXPECT_EQ(events("shared_memory.pass"), 2u) << "no conflicts";
    EXPECT_EQ(events("constant_cache.read"), 2u);
    EXPECT_EQ(events("constant_cache.fill"), 1u) << "parameters are in one line";
    EXPECT_EQ(events("l1d.look_up"), 1u);
    EXPECT_EQ(events("l1d.read"), 0u) << "a miss reads no data";
    EXPECT_EQ(events("l1d.fill"), 1u);
    EXPECT_EQ(events("l1d.write"), 0u) << "the store goes to L2";
    EXPECT_EQ(events("l2.write"), 1u);
    EXPECT_EQ(events("l2.read"), 2u + cli::sum_at(statistics, "core*.l1i.misses"));
    EXPECT_EQ(events("l2.look_up"), events("l2.read") + events("l2.write"));
    EXPECT_EQ(events("atomics.operation"), 0u);
    EXPECT_EQ(events("dram.read_byte"), 128u * events("l2.fill"));
    EXPECT_EQ(events("dram.write_byte"), 0u);
    EXPECT_EQ(events("simt_stack.update"), 0u) << "no branch";
    EXPECT_EQ(events("ddos.history") + events("ddos.sib_table") + events("bows.queue"), 0u);
  }
}

TEST(EnergyOfAKernel, CountsTablesAndAtomics) {
  for (const std::string mechanism : {"simt_stack", "aware", "multi_path", "hanoi", "tbc", "dwf"}) {
    const Json statistics = tb::isolated([&]() -> Json {
      std::vector<std::string> assignments = one_picojoule_each();
      assignments.push_back("core.control_flow.mechanism=" + mechanism);
      gpu::GpuDevice device(gpu::load_platform("gtx480", assignments), {});
      const auto module = device.load_ptx_text(mechanism == "hanoi" ? kRegion : kDivergent, "split");
      const std::uint64_t out = device.allocate(4, "out");
      device.launch(module, "split", {.grid = {1}, .block = {kThreads}}, host::Args().add(out));
      if (device.download<std::uint32_t>(out, 1) != std::vector<std::uint32_t>{8 * 2 + 12})
        return {{"errors", "wrong result"}};
      return device.stats().to_json();
    });
    ASSERT_FALSE(statistics.contains("errors")) << statistics.dump().substr(0, 2000);
    const Events events(statistics);
    EXPECT_EQ(events("atomics.operation"), kThreads) << mechanism;
    EXPECT_EQ(events("l2.look_up"), events("l2.read") + 2) << "an atomic reads no line: " << mechanism;
    if (mechanism == "simt_stack") {
      EXPECT_EQ(events("simt_stack.update"), 2u) << "both branches";
      EXPECT_EQ(events("simt_stack.push"), 2u);
      EXPECT_EQ(events("simt_stack.pop"), 2u);
    } else if (mechanism == "hanoi") {
      EXPECT_EQ(events("hanoi.path"), 2u + 1 + 1 + 2) << "branches, a divergence, a reconvergence, a turn";
      EXPECT_EQ(events("hanoi.entry"), 2u) << "pushed and popped";
      EXPECT_EQ(events("hanoi.barrier_register"), 1u + 2 + 1) << "BSSY, BSYNC of two paths, BMOV";
      EXPECT_EQ(events("hanoi.masks"), 2u + 1);
    } else if (mechanism == "tbc") {
      EXPECT_EQ(events("tbc.entry"), 1u + 2 + 2 + 4)
          << "a branch at which the CTA meets, its two sides, which are left, and what runs";
      EXPECT_EQ(events("tbc.arrival"), 1u + 2) << "the warp at the branch, and at the end of both sides";
      EXPECT_EQ(events("tbc.mask"), 4u) << "all, one side, the other, all";
      EXPECT_EQ(events("tbc.compact"), 4u);
      EXPECT_EQ(events("tbc.buffer"), 4u + 8) << "written, and read for each issue";
    } else if (mechanism == "dwf") {
      EXPECT_EQ(events("dwf.look_up"), 3u + 2 + 2 + 1)
          << "behind what all execute, behind the branch, behind both sides";
      const Json& unit = statistics["core0"]["branch_unit"];
      EXPECT_EQ(events("dwf.pool"), 2 * unit["warps_made"].get<std::uint64_t>())
          << "into the pool and out of it";
      EXPECT_EQ(events("dwf.join"), unit["joined"].get<std::uint64_t>());
    } else {
      EXPECT_EQ(events("split_tables.split"), 2u + 1 + 1) << "branches, a divergence, a reconvergence";
      EXPECT_EQ(events("split_tables.reconvergence"), 2u);
      EXPECT_EQ(events("split_tables.spill"), 0u);
    }
  }
}

TEST(EnergyOfAKernel, IsTwiceAsMuchWithTwiceTheEnergyOfAnEvent) {
  const Json once = run_kernel({}), twice = run_kernel({"energy.shared_memory.word=8.8"});
  ASSERT_FALSE(once.contains("errors") || twice.contains("errors"));
  const std::uint64_t word = once["energy"]["shared_memory"]["word"].get<std::uint64_t>();
  EXPECT_EQ(word, 2u * kThreads * 4400);
  EXPECT_EQ(twice["energy"]["shared_memory"]["word"], 2 * word);
  EXPECT_EQ(twice["energy"]["dynamic"], once["energy"]["dynamic"].get<std::uint64_t>() + word);
}

TEST(EnergyOfAKernel, HasTheEventsThatAProgramAdds) {
  const Json result = tb::isolated([]() -> Json {
    gpu::energy_events().add(
        {"mine", "table of mine", {{"look_up", 2.5, "one look-up", {{"core*.issue.ctas", 3}}}}});
    gpu::GpuDevice device(gpu::load_platform("tiny", {"energy.mine.look_up=4"}), {});
    const auto module = device.load_ptx_text(kKernel, "micro");
    const std::uint64_t data = device.allocate(4 * kThreads, "data");
    device.launch(module, "micro", {.grid = {5}, .block = {kThreads}}, host::Args().add(data).add(data));
    return device.stats().to_json()["energy"]["mine"];
  });
  EXPECT_EQ(result["look_up"], 3 * 5 * 4000) << result.dump();
  EXPECT_EQ(result["dynamic"], 3 * 5 * 4000);
}

struct Machine {
  std::string name;
  std::string platform;
  std::vector<std::string> assignments;
};

std::vector<Machine> machines() {
  const std::string mechanism = "core.control_flow.mechanism=";
  return {
      {"gtx480", "gtx480", {"core.spin.source=ddos"}},
      {"aware", "tiny", {mechanism + "aware", "core.spin.source=ddos"}},
      {"aware_virtual",
       "gtx480",
       {mechanism + "aware", "core.control_flow.aware.st_entries=2", "core.control_flow.aware.rt_entries=1"}},
      {"multi_path", "tiny", {mechanism + "multi_path", "core.scoreboard.kind=per_thread_mask"}},
      {"hanoi", "tiny", {mechanism + "hanoi"}},
      {"resync", "tiny", {mechanism + "resync", "core.control_flow.resync.policy=LongMinSP(4)"}},
      {"tbc", "tiny", {mechanism + "tbc"}},
      {"dwf", "tiny", {mechanism + "dwf"}},
      {"determinism", "tiny", {"determinism.enabled=true"}},
      {"tm", "tiny", {"tm.enabled=true", "tm.protocol=warp", "tm.temporal.mode=published"}},
      {"quadro_fx5800", "quadro_fx5800", {}},
      {"tesla_c2050", "tesla_c2050", {}},
      {"rtx2060", "rtx2060", {}}};
}

std::uint64_t sum_of_events(const Json& of_class) {
  std::uint64_t sum = 0;
  for (const auto& [name, value] : of_class.items())
    if (name != "dynamic") sum += value.get<std::uint64_t>();
  return sum;
}

class EnergyOfAMachine : public ::testing::TestWithParam<Machine> {
 protected:
  [[nodiscard]] static Json result() {
    Scenario what{"bfs", GetParam().platform};
    what.assignments = GetParam().assignments;
    what.statistics = testing::all_of;
    return run(what);
  }
};

TEST_P(EnergyOfAMachine, IsTheSumOfItsClassesAndRepeats) {
  const Json first = result();
  ASSERT_FALSE(first.contains("errors")) << first.dump().substr(0, 2000);
  EXPECT_TRUE(first["passed"].get<bool>());
  ASSERT_GT(first["launches"].size(), 1u);
  for (const Json& launch : first["launches"]) {
    const Json& energy = launch["stats"]["energy"];
    std::uint64_t sum = 0;
    for (const auto& [name, of_class] : energy.items()) {
      if (!of_class.is_object()) continue;
      EXPECT_EQ(of_class["dynamic"], sum_of_events(of_class)) << name;
      sum += of_class["dynamic"].get<std::uint64_t>();
    }
    EXPECT_EQ(energy["dynamic"], sum);
    for (const char* const busy : {"fetch", "issue", "register_file", "operations", "crossbar", "l2"})
      EXPECT_GT(energy[busy]["dynamic"].get<std::uint64_t>(), 0u) << busy;
  }
  EXPECT_EQ(result()["launches"].dump(), first["launches"].dump());
}

TEST_P(EnergyOfAMachine, HasTheTablesOfItsMechanismOnly) {
  const Json machine = result();
  ASSERT_FALSE(machine.contains("errors")) << machine.dump().substr(0, 2000);
  const Json& energy = machine["launches"].back()["stats"]["energy"];
  const std::set<std::string> named{"hanoi", "resync", "tbc", "dwf"}, stacks{"determinism", "tm"};
  const bool on_the_stack = GetParam().name == GetParam().platform || stacks.count(GetParam().name) != 0;
  const std::string own = named.count(GetParam().name) != 0 ? GetParam().name
                          : GetParam().name == "rtx2060"    ? "hanoi"
                          : on_the_stack                    ? "simt_stack"
                                                            : "split_tables";
  for (const char* const tables : {"simt_stack", "split_tables", "hanoi", "resync", "tbc", "dwf"})
    EXPECT_EQ(energy.contains(tables), tables == own) << tables;
  EXPECT_GT(energy[own]["dynamic"].get<std::uint64_t>(), 0u);
  EXPECT_EQ(energy.contains("determinism"), GetParam().name == "determinism");
  EXPECT_EQ(energy.contains("tm"), GetParam().name == "tm");
  if (!energy.contains("determinism")) return;
  for (const auto& [name, value] : machine["launches"][0]["stats"]["energy"]["determinism"].items())
    EXPECT_GT(value.get<std::uint64_t>(), 0u) << name;
}

INSTANTIATE_TEST_SUITE_P(All, EnergyOfAMachine, ::testing::ValuesIn(machines()),
                         [](const auto& test) { return test_name(test.param.name); });

TEST(EnergyOfTransactions, EveryEventHappens) {
  Scenario what{"bh-build-tx", "tiny"};
  what.assignments = {"tm.enabled=true", "tm.protocol=warp", "tm.temporal.mode=published"};
  what.statistics = testing::all_of;
  const Json result = run(what);
  ASSERT_FALSE(result.contains("errors")) << result.dump().substr(0, 2000);
  EXPECT_TRUE(result["passed"].get<bool>());
  for (const auto& [name, value] : result["launches"][0]["stats"]["energy"]["tm"].items())
    EXPECT_GT(value.get<std::uint64_t>(), 0u) << name;
}

/// A counter that is renamed would count nothing.
TEST(EnergyTable, NamesCountersThatThereAre) {
  std::vector<Json> trees;
  for (const Machine& machine : machines()) {
    Scenario what{"vecadd", machine.platform};
    what.assignments = machine.assignments;
    what.statistics = testing::all_of;
    const Json result = run(what);
    ASSERT_FALSE(result.contains("errors")) << result.dump().substr(0, 2000);
    trees.push_back(result["launches"][0]["stats"]);
  }
  const auto has = [](const Json& tree, const std::string& pattern) {
    try {
      (void)cli::sum_at(tree, pattern);
      return true;
    } catch (const std::out_of_range&) {
      return false;
    }
  };
  for (const energy::EnergyClass& of : gpu::energy_events().entries())
    for (const energy::EnergyEvent& event : of.events) {
      EXPECT_FALSE(event.counters.empty() || event.doc.empty()) << of.name << "." << event.name;
      for (const energy::EventCounter& counter : event.counters)
        EXPECT_TRUE(std::any_of(trees.begin(), trees.end(),
                                [&](const Json& tree) { return has(tree, counter.pattern); }))
            << of.name << "." << event.name << ": " << counter.pattern;
    }
}

}  // namespace
}  // namespace heddle::energy_test
