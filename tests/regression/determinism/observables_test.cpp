// What quanta consist of must not depend on timing ([GPUDet:D1] to [GPUDet:D13]). tests/mutants/determinism.json leaves out
// the rules that each of them rests on.
#include <gtest/gtest.h>

#include <algorithm>

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

class Observables : public ::testing::TestWithParam<const char*> {};
TEST_P(Observables, ChangeInNothingByTiming) {
  const std::string machine = GetParam();
  const bool refills = machine == "refilled_slots";
  const Settings more =
      refills ? Settings{"core.occupancy.max_ctas=1", "determinism.quantum_size=5000"} : Settings{};
  for (std::uint64_t kernel = 1; kernel <= 5; ++kernel) {
    Json expected;
    for (unsigned seed = 0; seed <= 4; ++seed) {
      const Json all =
          observables(perturbed(seed, mechanism_settings(refills ? "simt_stack" : machine, more)), kernel);
      ASSERT_FALSE(all.is_null());
      ASSERT_GT(all[0].size(), refills ? 0u : 2u);
      if (expected.is_null()) expected = all;
      ASSERT_EQ(all, expected) << "kernel " << kernel << ", seed " << seed << ": "
                               << Json::diff(expected, all);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(On, Observables,
                         ::testing::Values("simt_stack", "aware", "multi_path", "refilled_slots"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace heddle::testing::observables_test
