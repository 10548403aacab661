// What deterministic execution cannot make deterministic is refused, with its place ([GPUDet:D1] to [GPUDet:D13]).
#include <gtest/gtest.h>

#include <memory>

#include "gpu/registries.h"
#include "regression/determinism/rig.h"

namespace heddle::testing::refusals_test {
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

/// The other policy would not be asked, and the user would not hear of it.
TEST(DeterminismRefuses, AnotherDistributionOfCtas) {
  gpu::dispatch_policies().add({"another", "of the test", {}, [](const core::DispatchConfig& /*config*/) {
                                  return std::unique_ptr<core::CtaDispatchPolicy>();
                                }});
  expect_refused({"dispatch.policy=another"}, "  ret;",
                 {"dispatch.policy", "'another'", "round_robin", "determinism.enabled=false"});
}

/// Without an instruction that says so: lanes come to the point at which they wait for those at the barrier, which wait for
/// them.
TEST(DeterminismHangs, SplitsThatWaitForEachOtherAreFound) {
  const std::string body = R"(
  and.b32 %r0, %t, 1;
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra OTHERS;
  bar.sync 0;
  st.global.u32 [%b], %t;
  bra.uni END;
OTHERS:
  st.global.u32 [%a], %t;
END:
  st.global.u32 [%c], %t;
  bar.sync 0;
  ret;)";
  for (const std::string mechanism : {"aware", "multi_path"}) {
    const Json result = run_body({"core.control_flow.mechanism=" + mechanism}, body, 2, 64);
    ASSERT_TRUE(result.contains("errors")) << mechanism;
    EXPECT_NE(result["errors"].dump().find("hangs"), std::string::npos) << result["errors"].dump();
  }
}

}  // namespace
}  // namespace heddle::testing::refusals_test
