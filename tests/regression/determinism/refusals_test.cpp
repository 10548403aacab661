// What deterministic execution cannot make deterministic is refused, with its place (gpudet §1.14).
#include <gtest/gtest.h>

#include "regression/determinism/rig.h"

namespace heddle::testing {
namespace {

void expect_refused(const std::vector<std::string>& settings, const std::string& body,
                    std::initializer_list<const char*> words) {
  const std::string ptx = kernel_text(body);
  const Json result =
      run(settings, [&](gpu::GpuDevice& device, Json& out) { launch(device, out, ptx, 1, 32); });
  ASSERT_TRUE(result.contains("errors")) << result.dump();
  for (const char* word : words)
    EXPECT_NE(result["errors"].dump().find(word), std::string::npos)
        << word << ": " << result["errors"].dump();
}

TEST(DeterminismRefuses, ClocksInKernels) {
  expect_refused({}, "  mov.u32 %r0, %clock;\n  ret;", {"test.ptx:", "clock"});
}

TEST(DeterminismRefuses, MechanismsWhoseOrderDependsOnTime) {
  expect_refused({"core.control_flow.mechanism=aware", "core.control_flow.aware.st_entries=4"}, "  ret;",
                 {"determinism.enabled", "aware", "st_entries"});
  expect_refused({"core.control_flow.mechanism=multi_path", "core.control_flow.timeout.cycles=100"}, "  ret;",
                 {"determinism.enabled", "multi_path", "timeout.cycles"});
  for (const std::string mechanism : {"hanoi", "resync", "tbc", "dwf"})
    expect_refused({"core.control_flow.mechanism=" + mechanism}, "  ret;",
                   {"determinism.enabled", mechanism.c_str(), "choose a mechanism"});
}

TEST(DeterminismRefuses, TooFewBits) {
  expect_refused({"determinism.wavefront_bits=3"}, "  ret;", {"determinism.wavefront_bits", "64 wavefronts"});
  expect_refused({"determinism.zbuffer.depth_bits=6"}, "  ret;", {"determinism.zbuffer.depth_bits"});
}

}  // namespace
}  // namespace heddle::testing
