// Host threads (host.threads) and cores that run ahead of each other (host.run_ahead) change no result: statistics and memory are
// the same byte for byte for any number of threads, however late they are.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "depth.h"
#include "workload_scenario.h"

namespace heddle::threads_test {
namespace {

using testing::run;
using testing::Scenario;

struct Machine {
  std::string name;
  std::string platform;
  std::vector<std::string> assignments{};
};

/// Those in which cores may run ahead of each other, a network of each kind, every mechanism within a core.
const std::vector<Machine> kMachines{
    {"stack", "gtx480"},
    {"hanoi", "gtx480", {"core.control_flow.mechanism=hanoi", "core.spin.source=ddos"}},
    {"aware", "gtx480", {"core.control_flow.mechanism=aware", "core.compiler=delayed_reconvergence"}},
    {"multi_path",
     "gtx480",
     {"core.control_flow.mechanism=multi_path", "core.scoreboard.kind=per_thread_mask",
      "core.compiler=delayed_reconvergence"}},
    {"resync", "gtx480", {"core.control_flow.mechanism=resync"}},
    {"tbc", "gtx480", {"core.control_flow.mechanism=tbc"}},
    {"dwf", "gtx480", {"core.control_flow.mechanism=dwf"}},
    {"fx5800", "quadro_fx5800"},
    {"c2050", "tesla_c2050"},
    {"rtx2060", "rtx2060"},
    {"h100", "h100"},
    {"narrow",
     "gtx480",
     {"memory.crossbar.input_queue_packets=1", "core.memory_port.response_queue_packets=1"}},
    {"refusing",  // cores that take responses more slowly than they come
     "gtx480",
     {"clocks.core_mhz=200", "clocks.interconnect_mhz=2000", "clocks.l2_mhz=2000",
      "memory.crossbar.flit_bytes=128", "core.memory_port.response_queue_packets=1"}},
    {"perturbed",
     "gtx480",
     {"test.memory.crossbar.perturb_seed=3", "test.memory.crossbar.perturb_cycles=12"}},
    {"perturbed_joins",
     "h100",
     {"test.memory.crossbar.perturb_seed=5", "test.memory.crossbar.perturb_cycles=9"}},
    {"without_latency", "gtx480", {"memory.l2.latency_cycles=0", "memory.crossbar.latency_cycles=0"}},
    {"slow_network",
     "gtx480",
     {"memory.l2.latency_cycles=1", "clocks.l2_mhz=1777", "clocks.interconnect_mhz=331"}},
    {"fast_network",
     "gtx480",
     {"memory.l2.latency_cycles=7", "clocks.l2_mhz=331", "clocks.interconnect_mhz=1777"}},
};

Scenario scenario(const std::string& workload, const Machine& machine, std::vector<std::string> more) {
  Scenario what{workload, machine.platform};
  what.assignments = machine.assignments;
  what.assignments.insert(what.assignments.end(), more.begin(), more.end());
  what.max_cycles = 3'000'000;
  return what;
}

class Threads : public ::testing::TestWithParam<std::size_t> {};

/// Some counter of that name is not 0. `statistics` holds text within text.
bool counts(const std::string& statistics, const std::string& counter) {
  const std::string text = "\\\"" + counter + "\\\":";
  for (auto at = statistics.find(text); at != std::string::npos; at = statistics.find(text, at + 1))
    if (statistics[at + text.size()] != '0') return true;
  return false;
}

TEST_P(Threads, ChangeNoStatistic) {
  static const std::vector<std::string> kWorkloads{"bfs",           "sgemm",     "hashtable",
                                                   "bench-diverge", "reduction", "histogram"};
  const Machine& machine = kMachines[GetParam()];
  for (const std::size_t w : depth::turns(GetParam(), kWorkloads.size(), 2)) {
    const std::string& workload = kWorkloads[w];
    const std::string alone = run(scenario(workload, machine, {"host.run_ahead=never"})).dump();
    ASSERT_EQ(alone.find("\"errors\""), std::string::npos) << workload << ": " << alone;
    if (machine.name == "refusing") {
      EXPECT_TRUE(counts(alone, "responses_held")) << workload << ": cores take every response at once";
    }
    EXPECT_EQ(run(scenario(workload, machine, {"host.run_ahead=always"})).dump(), alone)
        << workload << ", all windows on one thread";
    for (const char* threads : {"2", "3", "16"})
      EXPECT_EQ(run(scenario(workload, machine,
                             {std::string("host.threads=") + threads,
                              std::string("test.host.delay_seed=") + threads}))
                    .dump(),
                alone)
          << workload << " on " << threads << " threads";
  }
}

// On h100 a core that waits for nothing runs ahead for some 270 cycles, but not behind a read that may join another core's: in this
// kernel some do.
TEST(ThreadsOfManyCores, RunAheadNoFartherThanAnAnswerMayCome) {
  const auto lps = [](const std::string& run_ahead) {
    Scenario what = scenario("lps", {"h100", "h100"}, {"host.run_ahead=" + run_ahead});
    what.size = workloads::Size::kSmall;
    return run(what).dump();
  };
  const std::string never = lps("never");
  ASSERT_EQ(never.find("\"errors\""), std::string::npos) << never;
  EXPECT_TRUE(counts(never, "joined"));
  EXPECT_EQ(lps("always"), never);
  EXPECT_EQ(lps("where_it_pays"), never);
}

INSTANTIATE_TEST_SUITE_P(Machines, Threads, ::testing::Range(std::size_t{0}, kMachines.size()),
                         [](const auto& test) { return kMachines[test.param].name; });

}  // namespace
}  // namespace heddle::threads_test
