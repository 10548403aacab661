// The clocked SIMT stack in a whole GPU: its room, what is asked of it while a request waits, and its last requests.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "blocks/isolated.h"
#include "core/core_extension.h"
#include "core/schedule/scheduler_interposer.h"
#include "cosim/twins.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"

namespace heddle::stack_contract_test {
namespace {

using nlohmann::ordered_json;

const std::string kStack = "core.control_flow.simt_stack.";

/// Counts the choices of the schedulers.
class Choices final : public core::SchedulerInterposer, public core::CoreExtension {
 public:
  explicit Choices(const core::CoreExtensionSite& site)
      : SchedulerInterposer("choices", site.config.scheduler.count, "nothing") {
    site.stats.child("choices", "of a test").counter("found", "choices", "of the schedulers", &found_);
  }
  [[nodiscard]] core::SchedulerInterposer* scheduler_unit() override { return this; }

 private:
  void serve(std::uint32_t scheduler, core::SchedulerRequest& request) override {
    pass(scheduler, request);
    if (request.op == core::SchedulerRequest::Op::kPick && request.found) ++found_;
  }
  std::uint64_t found_ = 0;
};

/// `kernel(out, n)` of one CTA.
struct Kernel {
  std::string functions, body;
  std::uint32_t threads = 32, n = 0;
};

/// Statistics of the first core, and what the kernel wrote.
ordered_json run(const Kernel& kernel, std::vector<std::string> settings) {
  return tb::isolated([&]() -> ordered_json {
    settings.insert(settings.end(), {"cores=1", kStack + "timing=contract"});
    sim::Twins twins;
    cosim::provide_twins(twins);
    gpu::GpuDevice gpu(
        gpu::load_platform("tiny", settings),
        {.max_cycles = 1'000'000,
         .on_progress = {},
         .core_extensions = {[](const core::CoreExtensionSite& site) { return std::make_unique<Choices>(site); }},
         .twins = &twins});
    const std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n" + kernel.functions + R"(
.visible .entry kernel(.param .u64 out_ptr, .param .u32 n)
{
  .reg .pred %p, %q;
  .reg .b32 %r<16>, %thread, %n;
  .reg .b64 %out, %at;
  ld.param.u64 %out, [out_ptr];
  ld.param.u32 %n, [n];
  mov.u32 %thread, %tid.x;
  mad.wide.u32 %at, %thread, 4, %out;
  mov.u32 %r1, 0;
)" + kernel.body + "\n  ret;\n}\n";
    const std::uint64_t out = gpu.allocate(std::uint64_t{kernel.threads} * 4, "out");
    const auto module = gpu.load_ptx_text(text, "kernel.ptx");
    gpu.launch(module, "kernel", {{1, 1, 1}, {kernel.threads, 1, 1}, 0},
               host::Args{}.add(out).add(kernel.n));
    const ordered_json stats = gpu.stats().to_json()["core0"];
    return {{"out", gpu.download<std::uint32_t>(out, kernel.threads)}, {"stats", stats}};
  });
}

// ---- Its room

Kernel recursion(std::uint32_t depth) {
  return {R"(
.func (.reg .b32 %out) f(.reg .b32 %n)
{
  .reg .b32 %below, %m;
  .reg .pred %p;
  mov.u32 %out, 0;
  setp.eq.u32 %p, %n, 0;
  @%p ret;
  sub.u32 %m, %n, 1;
  call (%below), f, (%m);
  add.u32 %out, %below, 1;
  ret;
}
)",
          "  call (%r1), f, (%n);\n  st.global.u32 [%at], %r1;", 32, depth};
}

TEST(StackOfTheRtl, ThatIsTooSmallIsNoDifference) {
  for (const char* impl : {"rtl", "both"}) {
    SCOPED_TRACE(impl);
    const std::vector<std::string> settings{kStack + "impl=" + impl};
    const ordered_json fits = run(recursion(90), settings);
    ASSERT_FALSE(fits.contains("errors")) << fits.dump();
    EXPECT_EQ(fits["out"][31], 90);
    const ordered_json deeper = run(recursion(120), settings);
    ASSERT_TRUE(deeper.contains("errors"));
    EXPECT_NE(deeper["errors"][0].get<std::string>().find("calls functions deeper than the RTL of simt_stack goes, 96 deep"),
              std::string::npos)
        << deeper.dump();
  }
  // The model alone has any room.
  EXPECT_EQ(run(recursion(120), {})["out"][0], 120);
}

// ---- A choice that the branch unit refuses

/// All warps branch without end of work between, and lanes part.
const Kernel kBranches{"", R"(
  and.b32 %r1, %thread, 7;
  mov.u32 %r2, 0;
NEXT:
  and.b32 %r3, %r2, 1;
  setp.eq.u32 %p, %r3, 0;
  @%p bra EVEN;
  add.u32 %r4, %r4, 1;
EVEN:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %q, %r2, %r1;
  @%q bra NEXT;
  st.global.u32 [%at], %r2;)",
                       256};

TEST(BranchUnit, ThatIsBusyDoesNotMakeTheSchedulersChooseAgain) {
  for (const char* policy : {"lrr", "gto"}) {
    SCOPED_TRACE(policy);
    const ordered_json result =
        run(kBranches, {std::string("core.scheduler.policy=") + policy, "core.scheduler.count=4"});
    ASSERT_FALSE(result.contains("errors")) << result.dump();
    const ordered_json& stats = result["stats"];
    EXPECT_GT(stats["issue"]["slots"]["block_busy"].get<std::uint64_t>(), 0u) << "nothing was refused";
    EXPECT_EQ(stats["choices"]["found"], stats["issue"]["slots"]["issued"]) << "a warp's turn was lost";
  }
}

// ---- A latch of a scheduler

/// Lanes part and sleep; the instruction behind is where they meet.
const Kernel kSleepers{"", R"(
  shr.u32 %r5, %thread, 5;
  mov.u32 %r2, 0;
NEXT:
  and.b32 %r1, %thread, 1;
  setp.eq.u32 %p, %r1, 0;
  @%p bra MEET;
  nanosleep.u32 20;
MEET:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %q, %r2, 20;
  @%q bra NEXT;
  st.global.u32 [%at], %r2;)",
                       256};

TEST(BranchUnit, HearsOfSleepersOneByOne) {
  const ordered_json result = run(kSleepers, {"core.scheduler.count=1", kStack + "impl=both"});
  ASSERT_FALSE(result.contains("errors")) << result.dump();
  EXPECT_EQ(result["out"][255], 20);
}

// ---- What nobody waits for

TEST(BranchUnit, ServesTheLastRequestsOfALaunch) {
  for (const char* impl : {"model", "both"}) {
    const ordered_json result = run({"", "", 64}, {kStack + "impl=" + impl});
    ASSERT_FALSE(result.contains("errors")) << result.dump();
    EXPECT_EQ(result["stats"]["branch_unit"]["events"], 4) << "two warps' LAUNCH and EXIT";
  }
}

}  // namespace
}  // namespace heddle::stack_contract_test
