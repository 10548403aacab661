// Compiler passes in front of the whole GPU: code that they have taken apart leaves the memory that the oracle leaves
// with the text as it is.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <tuple>

#include "compiler/kernel_editor.h"
#include "depth.h"
#include "generator/generated_kernel.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"
#include "test_passes.h"
#include "workload_scenario.h"

namespace heddle::compiler_passes_test {
namespace {

using testing::Scenario;
using testing::test_passes;

const std::vector<std::vector<std::string>> kMechanisms{
    {},
    {"core.control_flow.mechanism=aware"},
    {"core.control_flow.mechanism=multi_path", "core.scoreboard.kind=per_thread_mask"}};

class RandomKernelsWith : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
 protected:
  [[nodiscard]] static std::size_t pass() { return std::get<0>(GetParam()); }
  [[nodiscard]] static const std::vector<std::string>& mechanism() {
    return kMechanisms[std::get<1>(GetParam())];
  }
};

TEST_P(RandomKernelsWith, LeaveTheMemoryTheOracleLeaves) {
  const std::uint64_t kernels = depth::times(6);
  constexpr std::uint64_t kMostInstructions = 150'000;
  gpu::RunOptions options;
  options.compiler = [](compiler::Pipeline& pipeline) {
    pipeline.add(compiler::Stage::kTransform, test_passes()[pass()].make());
  };
  gpu::GpuDevice gpu(gpu::load_platform("tiny", mechanism()), options);
  std::uint64_t done = 0;
  for (std::uint64_t seed = 9000 + 100 * pass(); done < kernels; ++seed) {
    generator::TreeOptions shape;
    shape.warp_operations = mechanism().empty();  // they show which lanes run together
    const generator::GeneratedKernel kernel = generator::generate(seed, shape);
    oracle::OracleDevice oracle;
    const std::vector<std::byte> expected = generator::run(oracle, kernel);
    if (oracle.thread_instructions() > kMostInstructions) continue;
    ++done;
    EXPECT_EQ(generator::difference(kernel, expected, generator::run(gpu, kernel)), "") << "seed " << seed;
  }
}

std::string pass_and_mechanism(
    const ::testing::TestParamInfo<std::tuple<std::size_t, std::size_t>>& instance) {
  constexpr std::array kMechanismNames{"stack", "aware", "multi_path"};
  return std::string(test_passes()[std::get<0>(instance.param)].name) + "_" +
         kMechanismNames[std::get<1>(instance.param)];
}

INSTANTIATE_TEST_SUITE_P(All, RandomKernelsWith,
                         ::testing::Combine(::testing::Range(std::size_t{0}, test_passes().size()),
                                            ::testing::Range(std::size_t{0}, kMechanisms.size())),
                         pass_and_mechanism);

class WorkloadsWithAllPasses : public ::testing::TestWithParam<std::string> {};

// nvcc's and clang's code in turn; both from HEDDLE_TEST_DEPTH=2 on.
TEST_P(WorkloadsWithAllPasses, LeaveTheMemoryTheOracleLeaves) {
  for (const std::size_t turn : depth::turns(testing::number_of(GetParam()), 2)) {
    Scenario what{GetParam(), "tiny", turn == 0 ? workloads::Compiler::kNvcc : workloads::Compiler::kClang};
    SCOPED_TRACE(testing::test_name(what.compiler));
    what.oracle = true;
    // The passes' own registers come on top. A watchdog would try to prove again and again that such long rounds never end.
    what.assignments = {"core.occupancy.registers=65536", "watchdog.enabled=false"};
    what.max_cycles = 20'000'000;
    what.compiler_passes = testing::add_test_passes;
    what.statistics = nullptr;
    const auto result = testing::run(what);
    ASSERT_FALSE(result.contains("errors")) << result.dump();
    EXPECT_TRUE(result["passed"].get<bool>()) << result["summary"];
    if (testing::same_on_the_oracle(*workloads::find(what.workload))) {
      EXPECT_EQ(result["oracle"], "same");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, WorkloadsWithAllPasses, ::testing::ValuesIn(testing::workload_names(false)),
                         [](const auto& test) { return testing::test_name(test.param); });

/// Warp instructions of the first launch.
std::uint64_t instructions(const std::string& workload,
                           const std::function<void(compiler::Pipeline&)>& passes) {
  Scenario what{workload, "tiny"};
  what.compiler_passes = passes;
  what.statistics = nullptr;
  const auto result = testing::run(what);
  EXPECT_FALSE(result.contains("errors")) << result.dump();
  return result["launches"][0]["warp_instructions"].get<std::uint64_t>();
}

/// In front of every instruction, and for jumps too: as many again. For who falls through only: fewer where loops
/// go back, and never more.
class InFrontOfEach : public compiler::Pass {
 public:
  explicit InFrontOfEach(compiler::Entry entry) : entry_(entry) {}
  [[nodiscard]] std::string_view name() const override { return "in_front_of_each"; }
  void run(isa::Kernel& kernel) const override {
    compiler::KernelEditor editor(kernel);
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) editor.insert_before(base::Pc(pc), entry_, {});
    editor.finish();
  }

 private:
  compiler::Entry entry_;
};

TEST(CompilerPasses, InsertedInstructionsAreExecutedAsOftenAsTheirPlaceIsPassed) {
  const auto with = [](compiler::Entry entry) {
    return [entry](compiler::Pipeline& pipeline) {
      pipeline.add(compiler::Stage::kTransform, std::make_shared<const InFrontOfEach>(entry));
    };
  };
  for (const char* workload : {"sgemm", "nqueens-recursive", "dispatch"}) {
    const std::uint64_t as_is = instructions(workload, nullptr);
    // In front of an exit threads meet that would end one by one: a little less than twice as many.
    const std::uint64_t twice = instructions(workload, with(compiler::Entry::kJumpsToo));
    EXPECT_LE(twice, 2 * as_is) << workload;
    EXPECT_GT(twice, 2 * as_is - as_is / 100) << workload;
    const std::uint64_t falling = instructions(workload, with(compiler::Entry::kFallThrough));
    EXPECT_GT(falling, as_is + as_is / 2) << workload;
    EXPECT_LT(falling, twice) << workload;
  }
}

}  // namespace
}  // namespace heddle::compiler_passes_test
