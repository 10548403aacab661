// User-registered mechanisms: core features that Heddle's own mechanisms do not use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "examples/own_mechanisms/min_pc.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "gpu/registries.h"
#include "simt/simt_stack.h"
#include "workloads/workload.h"

namespace heddle::own_mechanisms_test {
namespace {

using ::testing::HasSubstr;

/// The SIMT stack with its one watch PC as the second one.
class SecondWatch final : public simt::ControlFlow {
 public:
  explicit SecondWatch(std::uint32_t warps) : stack_(warps, simt::FirstSide::kTaken) {}
  [[nodiscard]] const char* name() const override { return "second_watch"; }
  void inspect(simt::ControlFlowRequest& request) const override { stack_.inspect(request); }
  void register_stats(base::StatGroup& stats) override {
    stack_.register_stats(stats);
    stats.counter("kernels", "launches", "kernels that have begun", &kernels_);
  }

 private:
  void handle(simt::ControlFlowRequest& request) override {
    if (request.event == simt::ControlFlowEvent::kBeginLaunch) ++kernels_;
    stack_.serve(request);
    for (simt::GroupUpdate update : request.updates) {
      std::swap(update.watch, update.also_watch);
      answer(update);
    }
  }
  simt::SimtStack stack_;
  std::uint64_t kernels_ = 0;
};

simt::Mechanism second_watch() {
  return {"second_watch", "a test's", {}, {}, [](const simt::MechanismSite& site) {
            return std::make_unique<SecondWatch>(site.warps);
          }};
}

const std::string kKernel = R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry sides(.param .u64 out)
{
  .reg .b32 %t, %v, %odd;
  .reg .b64 %o, %at;
  .reg .pred %p;
  ld.param.u64 %o, [out];
  mov.u32 %t, %tid.x;
  and.b32 %odd, %t, 1;
  setp.eq.u32 %p, %odd, 1;
  @%p bra ODD;
  mov.u32 %v, 3;
  bra JOIN;
ODD:
  mov.u32 %v, 5;
JOIN:
  add.u32 %v, %v, %t;
  mul.wide.u32 %at, %t, 4;
  add.u64 %at, %at, %o;
  st.global.u32 [%at], %v;
  ret;
}
)";

TEST(OwnMechanisms, AreToldOfBothWatchesAndOfTheKernel) {
  gpu::control_flow_mechanisms().add(second_watch());
  gpu::GpuDevice device(gpu::load_platform("tiny", {"core.control_flow.mechanism=second_watch", "cores=1"}),
                        {});
  const auto module = device.load_ptx_text(kKernel, "sides.ptx");
  const std::uint64_t out = device.upload(std::vector<std::uint32_t>(32, 0), "out");
  device.launch(module, "sides", {.grid = {1}, .block = {32}}, host::Args().add(out));
  device.synchronize();
  const auto result = device.download<std::uint32_t>(out, 32);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(result[t], t + (t % 2 == 1 ? 5 : 3));
  const auto stats = device.statistics(device.kernels().front().values);
  const auto& branch_unit = stats["core0"]["branch_unit"];
  EXPECT_EQ(branch_unit["divergences"], 1u);
  EXPECT_EQ(branch_unit["reconvergences"], 2u) << "the odd lanes come to the join by falling through";
  EXPECT_EQ(branch_unit["kernels"], 1u);
}

// Lanes with a higher PC never run while others spin at a lower one: the watchdog must not count on their turn.
TEST(OwnMechanisms, MinPcHangsAtASpinLockAndIsDiagnosed) {
  gpu::control_flow_mechanisms().add(own::min_pc_mechanism());
  gpu::GpuDevice device(gpu::load_platform("tiny", {"core.control_flow.mechanism=min_pc"}),
                        {.max_cycles = 1'000'000});
  const workloads::Workload* spinlock = workloads::find("spinlock");
  ASSERT_NE(spinlock, nullptr);
  try {
    (void)spinlock->run(device, {.size = workloads::Size::kTiny});
    FAIL() << "no hang";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::kHang) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("SIMT-induced deadlock"));
    EXPECT_THAT(error.what(), HasSubstr("lanes 0x00000001 may run only after them, and go on at"));
  }
}

TEST(OwnMechanisms, NeedANameOfTheirOwn) {
  const std::size_t before = gpu::control_flow_mechanisms().entries().size();
  try {
    gpu::control_flow_mechanisms().add(simt::simt_stack_mechanism());
    FAIL() << "no error";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("control-flow mechanism: there is one of the name 'simt_stack' already"));
  }
  EXPECT_EQ(gpu::control_flow_mechanisms().entries().size(), before) << "nothing half-done";
}

}  // namespace
}  // namespace heddle::own_mechanisms_test
