// Random transactional kernels leave what their transactions leave one by one, in the order that the hardware claims.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "regression/depth.h"
#include "regression/tm/random_tx.h"
#include "regression/tm/rig.h"

namespace heddle::testing::random_tx_test {
namespace {

struct Variant {
  const char* name;
  std::vector<std::string> settings;
  RandomTxShape shape{};
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}

class RandomTransactions : public ::testing::TestWithParam<Variant> {};

TEST_P(RandomTransactions, AreSerialisable) {
  const std::uint64_t first = setting("HEDDLE_RANDOM_SEED", 1),
                      count = setting("HEDDLE_RANDOM_KERNELS", depth::times(4));
  std::uint64_t aborted = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    TxRun run;
    run.settings = GetParam().settings;
    run.ptx = tx_kernel_text(random_tx_body(seed, GetParam().shape));
    run.ctas = 2 + seed % 2;
    run.threads = seed % 2 == 0 ? 32 : 40;
    run.words_a = GetParam().shape.words;
    for (std::uint32_t i = 0; i < run.words_a; ++i) run.initial.push_back(i * 2654435761u);
    const Json result = run_tx(run);
    const std::string difference = replay_difference(run, result);
    if (difference.empty()) {
      for (const char* core : {"core0", "core1"})
        aborted += result["statistics"][core]["transactions"]["aborted"].get<std::uint64_t>();
      continue;
    }
    const std::string path = ::testing::TempDir() + "tx-kernel-" + std::to_string(seed) + ".ptx";
    std::ofstream(path) << run.ptx;
    FAIL() << "seed " << seed << ": " << difference << "\nkernel: " << path;
  }
  EXPECT_GT(aborted, 0u) << "nothing has conflicted: the test tests nothing";
}

INSTANTIATE_TEST_SUITE_P(
    On, RandomTransactions,
    ::testing::Values(
        Variant{"tiny", {}}, Variant{"unlimited", {"tm.concurrent_warps=0", "tm.commit_unit.ring_entries=0"}},
        Variant{"one_warp", {"tm.concurrent_warps=1"}},
        Variant{"few_words", {"tm.concurrent_warps=0"}, {.words = 16}},
        Variant{"many_words", {"tm.concurrent_warps=4"}, {.words = 1024, .transactions = 2, .operations = 9}},
        Variant{"small_history", {"tm.commit_unit.history_entries=4", "tm.commit_unit.filter_buckets=4"}},
        Variant{"perfect_history", {"tm.commit_unit.perfect_history=true"}},
        Variant{"bf_array",
                {"tm.commit_unit.hazard_detection=bf_array", "tm.commit_unit.signature_bits=64",
                 "tm.concurrent_warps=0"}},
        Variant{"ideal_signatures",
                {"tm.protocol=ideal", "tm.ideal.conflicts=signatures", "tm.ideal.signature_bits=64"}},
        Variant{"ideal_ring",
                {"tm.protocol=ideal", "tm.ideal.conflicts=ring", "tm.ideal.signature_bits=64",
                 "tm.concurrent_warps=0"}},
        Variant{"ideal_ring_words",
                {"tm.protocol=ideal", "tm.ideal.conflicts=ring_words", "tm.ideal.signature_bits=64"}},
        Variant{"ideal_stores",
                {"tm.protocol=ideal", "tm.ideal.writes=stores", "tm.concurrent_warps=0",
                 "memory.crossbar.latency_cycles=200"}},
        Variant{"ideal_stores_few_words", {"tm.protocol=ideal", "tm.ideal.writes=stores"}, {.words = 16}},
        Variant{"ideal_stores_multi_path",
                {"tm.protocol=ideal", "tm.ideal.writes=stores", "core.control_flow.mechanism=multi_path"}},
        Variant{"narrow_ids", {"tm.commit_unit.cid_bits=8", "tm.commit_unit.ring_entries=64"}},
        Variant{"small_buffers", {"tm.commit_unit.set_words=2", "tm.commit_unit.set_buffers=24"}},
        Variant{"needed", {"tm.commit_unit.buffer_scheme=needed", "tm.commit_unit.set_buffers=40"}},
        Variant{"backoff", {"tm.backoff_cycles=100", "tm.concurrent_warps=0"}},
        Variant{"bloom", {"tm.log.filter_bits=128"}}, Variant{"warp", {"tm.protocol=warp"}},
        Variant{"warp_sequential", {"tm.protocol=warp", "tm.intra_warp.resolution=sequential"}},
        Variant{"warp_fast_hazards",
                {"tm.protocol=warp", "tm.commit_unit.hazard_words=2", "tm.commit_unit.coalesced_bytes=128",
                 "tm.intra_warp.table_entries=64"}},
        Variant{"warp_small_buffers",
                {"tm.protocol=warp", "tm.commit_unit.set_words=2", "tm.commit_unit.set_buffers=24"}},
        Variant{"temporal", {"tm.temporal.mode=strict"}},
        Variant{"temporal_unlimited",
                {"tm.temporal.mode=strict", "tm.concurrent_warps=0", "tm.temporal.buckets=4",
                 "tm.temporal.arrays=2"}},
        Variant{"warp_temporal", {"tm.protocol=warp", "tm.temporal.mode=strict", "tm.concurrent_warps=0"}},
        Variant{"aware", {"core.control_flow.mechanism=aware"}},
        Variant{"aware_unlimited", {"core.control_flow.mechanism=aware", "tm.concurrent_warps=0"}},
        Variant{"aware_virtual",
                {"core.control_flow.mechanism=aware", "core.control_flow.aware.st_entries=4",
                 "core.control_flow.aware.rt_entries=4"}},
        Variant{"aware_timeout",
                {"core.control_flow.mechanism=aware", "core.control_flow.timeout.cycles=40",
                 "tm.concurrent_warps=0"}},
        Variant{"aware_warp",
                {"core.control_flow.mechanism=aware", "tm.protocol=warp", "tm.temporal.mode=strict"}},
        Variant{"multi_path", {"core.control_flow.mechanism=multi_path"}},
        Variant{"multi_path_two",
                {"core.control_flow.mechanism=multi_path", "core.control_flow.multi_path.paths=2",
                 "tm.concurrent_warps=1"}},
        Variant{"multi_path_apart",
                {"core.control_flow.mechanism=multi_path",
                 "core.control_flow.multi_path.opportunistic_reconvergence=true",
                 "core.control_flow.timeout.cycles=25", "tm.concurrent_warps=0"}},
        Variant{"multi_path_warp",
                {"core.control_flow.mechanism=multi_path", "tm.protocol=warp", "tm.concurrent_warps=0"}},
        Variant{"validated", {"tm.validate_cycles=150", "tm.concurrent_warps=0"}},
        Variant{"validated_warp",
                {"tm.validate_cycles=150", "tm.protocol=warp", "tm.temporal.mode=strict",
                 "tm.commit_unit.set_words=1"}},
        Variant{"validated_aware",
                {"tm.validate_cycles=150", "core.control_flow.mechanism=aware", "tm.concurrent_warps=0"}},
        Variant{
            "validated_multi_path",
            {"tm.validate_cycles=150", "core.control_flow.mechanism=multi_path", "tm.concurrent_warps=0"}},
        Variant{"fences", {"tm.fence_waits=true"}},
        Variant{"ideal", {"tm.protocol=ideal", "tm.concurrent_warps=0"}},
        Variant{"ideal_few_words", {"tm.protocol=ideal"}, {.words = 16}},
        Variant{"slow_units", {"tm.commit_unit.clock_mhz=90", "tm.commit_unit.vendor_cycles=40"}}),
    [](const auto& test) { return std::string(test.param.name); });

// What a history with four entries has forgotten its filter says; by the replay, and with the assertions of [KiloTM] §5.3.
// tests/mutants/tm.json leaves rules of the protocol out, which this must see.
TEST(TransactionsOfAFewEntries, AreSerialisable) {
  for (const char* protocol : {"kilo", "warp"})
    for (std::uint64_t seed = 1; seed <= depth::times(12); ++seed) {
      TxRun run;
      run.settings = {std::string("tm.protocol=") + protocol,
                      "tm.concurrent_warps=0",
                      std::string("test.tm.checks=") + (seed % 2 == 0 ? "true" : "false"),
                      "tm.hang_cycles=1000000",
                      "tm.commit_unit.history_entries=4",
                      "tm.commit_unit.filter_buckets=2"};
      run.ptx = tx_kernel_text(random_tx_body(seed));
      run.threads = 32;
      for (std::uint32_t i = 0; i < run.words_a; ++i) run.initial.push_back(i * 2654435761u);
      ASSERT_EQ(replay_difference(run, run_tx(run)), "") << protocol << ", seed " << seed;
    }
}

}  // namespace
}  // namespace heddle::testing::random_tx_test
