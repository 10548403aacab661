// Order of the passes, and the handling of kernels that are too large for one.
#include "compiler/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "analysis/liveness.h"
#include "base/error.h"
#include "compiler/reconvergence.h"
#include "frontend/ptx/decode.h"
#include "unit/ptx/support.h"

namespace heddle::compiler::pipeline_test {
namespace {

using ::testing::ElementsAre;

class Named : public Pass {
 public:
  explicit Named(const char* name, bool too_large = false) : name_(name), too_large_(too_large) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  void run(isa::Kernel& kernel) const override {
    if (too_large_ && kernel.name == "big") throw std::length_error("too many of something");
    kernel.likely_convergence.push_back(base::Pc(0));
  }

 private:
  const char* name_;
  bool too_large_;
};

TEST(Pipeline, RunsStageByStageInTheOrderOfAddition) {
  Pipeline pipeline = Pipeline::standard();
  pipeline.add(Stage::kAnalyse, std::make_shared<const Named>("last"))
      .add(Stage::kTransform, std::make_shared<const Named>("first"))
      .add(Stage::kTransform, std::make_shared<const Named>("second"))
      .add(Stage::kReconverge, std::make_shared<const DelayedReconvergence>(
                                   analysis::DelayedPaths{}, [](const std::string&, bool) { return false; }));
  EXPECT_THAT(pipeline.names(),
              ElementsAre("save_recursion", "first", "second", "reconvergence_points",
                          "delayed_reconvergence", "live_registers", "transactions", "last"));
}

isa::Module decoded(const std::string& text) {
  return ptx::decode(ptx::testing::parse(text),
                     [](const std::string&, std::uint64_t, std::uint32_t) { return isa::kGlobalBase; });
}

TEST(Pipeline, AKernelThatIsTooLargeIsRefusedAtItsPlaceAndTheOthersRun) {
  isa::Module module =
      decoded(std::string(ptx::testing::kHeader) + ".entry small() { ret; }\n.entry big() { ret; }");
  Pipeline pipeline;
  pipeline.add(Stage::kTransform, std::make_shared<const Named>("pass", true));
  pipeline.run(module);
  ASSERT_EQ(module.kernels.size(), 1u);
  EXPECT_EQ(module.kernels[0]->name, "small");
  EXPECT_EQ(module.kernels[0]->likely_convergence.size(), 1u);
  try {
    (void)module.find_or_refuse("big");
    FAIL() << "not refused";
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.message(), "kernel 'big' is too large to analyse: too many of something");
    EXPECT_THAT(error.where(), ::testing::MatchesRegex("test.ptx:[0-9]+:[0-9]+"));
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(Pipeline, FrontEndsLeaveReconvergenceAndLivenessToIt) {
  const std::string text =
      ptx::testing::kernel_text("@%p1 bra L; mov.u32 %r1, 1; L: mov.u32 %r2, 1; ret;", "", "");
  isa::Module module = decoded(text);
  EXPECT_EQ(module.kernels[0]->code[0].rpc, base::kNoPc);
  EXPECT_EQ(module.kernels[0]->registers_per_thread, 0u);
  Pipeline::standard().run(module);
  EXPECT_EQ(module.kernels[0]->code[0].rpc, base::Pc(2));
  EXPECT_GE(module.kernels[0]->registers_per_thread, 1u);
}

}  // namespace
}  // namespace heddle::compiler::pipeline_test
