// What quanta consist of must not depend on timing ([GPUDet:D1] to [GPUDet:D13]), and does without the rule that it rests
// on.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "regression/determinism/rig.h"
#include "regression/racy/racy_kernel.h"

namespace heddle::testing::observables_test {
namespace {

/// All that quanta consist of: for each the set of (wavefront, instructions, reason), CTAs and their slots, registers, PCs
/// and control flow of all wavefronts, the instructions of each in order, what executed in serial mode and in which order,
/// logs, memory behind the commit and behind serial mode; and how many there are.
Json observables(const Settings& settings, std::uint64_t kernel) {
  Json result = run(
      settings,
      [&](gpu::GpuDevice& device, Json& out) { out["memory"] = digest_after(device, racy_kernel(kernel)); },
      {.watch_memory = true});
  EXPECT_FALSE(result.contains("errors")) << result["errors"].dump();
  if (result.contains("errors")) return {};
  for (Json& quantum : result["quanta"]) {  // CTAs start in order of their slots, whenever that is
    std::vector<Json> started = quantum["started"];
    std::sort(started.begin(), started.end());
    quantum["started"] = started;
    // When the writes before a fence are performed decides whether its lanes have gone past it when the quantum ends.
    // "path" says where they were when they went on.
    quantum.erase("digest");
  }
  return {result["quanta"], result["memory"]};
}

Settings mechanism_settings(const std::string& mechanism, const Settings& more) {
  Settings settings{"core.control_flow.mechanism=" + mechanism, "determinism.quantum_size=40"};
  if (mechanism == "multi_path") settings.push_back("core.scoreboard.kind=per_thread_mask");
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

TEST(Observables, ChangeInNothingByTiming) {
  for (const char* mechanism : {"simt_stack", "aware", "multi_path"})
    for (std::uint64_t kernel = 1; kernel <= 5; ++kernel) {
      Json expected;
      for (unsigned seed = 0; seed <= 4; ++seed) {
        const Json all = observables(perturbed(seed, mechanism_settings(mechanism, {})), kernel);
        ASSERT_FALSE(all.is_null());
        ASSERT_GT(all[0].size(), 2u);
        if (expected.is_null()) expected = all;
        EXPECT_EQ(all, expected) << mechanism << ", kernel " << kernel << ", seed " << seed << ": "
                                 << Json::diff(expected, all);
      }
    }
}

/// Each of them can differ: without the rule that it depends on it does.
TEST(Observables, ChangeWithoutTheirRules) {
  struct Case {
    const char* observable;
    const char* rule;
    const char* mechanism = "simt_stack";
    Settings more{};
  };
  for (const Case& of : {Case{"waves", "cycle_quota"}, Case{"path", "split_order", "multi_path"},
                         Case{"started",
                              "slot_mapping",
                              "simt_stack",
                              {"core.occupancy.max_ctas=1", "determinism.quantum_size=5000"}},
                         Case{"serial", "serial_order"}, Case{"logs", "coalescer_winner"},
                         Case{"committed", "coalescer_winner"}, Case{"serial_done", "serial_overlap"}}) {
    bool differs = false;
    for (std::uint64_t kernel = 1; kernel <= 20 && !differs; ++kernel) {
      std::set<std::string> seen;
      for (unsigned seed = 1; seed <= 3; ++seed) {
        Settings settings{std::string("determinism.broken_rule=") + of.rule, "determinism.assertions=false"};
        settings.insert(settings.end(), of.more.begin(), of.more.end());
        const Json all = observables(perturbed(seed, mechanism_settings(of.mechanism, settings)), kernel);
        ASSERT_FALSE(all.is_null());
        std::string text;
        for (const Json& quantum : all[0]) text += quantum.at(of.observable).dump() + "\n";
        seen.insert(text);
      }
      differs = seen.size() > 1;
    }
    EXPECT_TRUE(differs) << of.observable << " without " << of.rule;
  }
}

}  // namespace
}  // namespace heddle::testing::observables_test
