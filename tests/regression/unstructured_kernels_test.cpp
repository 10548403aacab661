// Random kernels without structure on the GPU model with Hanoi: memory is the oracle's with any number of barrier
// registers in both profiles, no lane is misrouted and no stall has to be broken; and so it is in profile X with convergence
// instructions that mean nothing.
//
// HEDDLE_RANDOM_KERNELS sets the number of kernels of each shard (25, times HEDDLE_TEST_DEPTH), HEDDLE_RANDOM_SEED the first seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "base/error.h"
#include "compiler/kernel_editor.h"
#include "depth.h"
#include "generator/generated_kernel.h"
#include "generator/unstructured.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "isa/convergence.h"
#include "oracle/oracle.h"

namespace heddle::generator::unstructured_kernels_test {
namespace {

constexpr std::uint64_t kKernelsPerShard = 50;

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}

using compiler::Entry;
using compiler::KernelEditor;

/// Convergence instructions anywhere, with any registers, masks and meeting places; guarded by any predicate.
class Garbage : public compiler::Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "garbage"; }
  void run(isa::Kernel& kernel) const override {
    std::mt19937 random(static_cast<unsigned>(kernel.code.size()) * 31 +
                        static_cast<unsigned>(kernel.name.size()));
    KernelEditor editor(kernel);
    const isa::Operand kept = editor.new_register(isa::RowWidth::k32, "(barrier)");
    const isa::Operand constant = editor.constant(isa::RowWidth::k32, random());
    const isa::RegisterLayout layout = kernel.registers;
    std::vector<base::Pc> syncs, sets;
    const auto any = [&]() -> isa::Instruction {
      const auto barrier = static_cast<std::uint8_t>(random() % 4);
      switch (random() % 8) {
        case 0:
        case 1:
          return isa::bssy(barrier, base::kNoPc);
        case 2:
        case 3:
          return isa::bsync(barrier);
        case 4:
          return isa::break_barrier(barrier);
        case 5:
          return isa::read_barrier(kept, barrier, random() % 2 == 0);
        case 6:
          return isa::write_barrier(barrier, random() % 2 == 0 ? kept : constant);
        default:
          return isa::yield();
      }
    };
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
      if (random() % 4 != 0) continue;
      isa::Instruction instruction = any();
      if (random() % 4 == 0 && layout.predicates > 0) {
        instruction.guard =
            layout.row(static_cast<isa::RegId>(layout.rows32 + layout.rows64 + random() % layout.predicates));
        instruction.guard.negated = random() % 2 == 0;
      }
      if (!editor.insert_before(base::Pc(pc), random() % 2 == 0 ? Entry::kJumpsToo : Entry::kFallThrough,
                                instruction))
        continue;
      if (instruction.convergence == isa::ConvergenceOp::kSync) syncs.push_back(editor.last_inserted());
      if (instruction.convergence == isa::ConvergenceOp::kSet) sets.push_back(editor.last_inserted());
    }
    // A BSSY whose lanes meet nowhere names the instruction behind any other one.
    for (const base::Pc set : sets)
      editor.inserted(set).target =
          syncs.empty() || random() % 8 == 0
              ? base::Pc(1 + static_cast<std::uint32_t>(random() % (kernel.code.size() - 1)))
              : syncs[random() % syncs.size()];
    editor.finish();
  }
};

struct Machine {
  std::string name;
  std::vector<std::string> assignments;
  bool garbage = false;
};

std::vector<Machine> machines() {
  const std::string hanoi = "core.control_flow.";
  std::vector<Machine> all;
  for (const char* profile : {"P", "X"})
    for (const unsigned registers : {1u, 2u, 4u, 16u}) {
      Machine machine{profile + std::to_string(registers),
                      {hanoi + "mechanism=hanoi", hanoi + "hanoi.profile=" + profile,
                       hanoi + "hanoi.private_registers=1", hanoi + "hanoi.barrier_registers=17",
                       "core.convergence.barrier_registers=" + std::to_string(registers)}};
      if (registers == 2) machine.assignments.push_back(hanoi + "hanoi.timing=contract");
      all.push_back(machine);
    }
  for (const char* yields : {"0", "1", "16"})
    all.push_back({std::string("Garbage") + yields,
                   {hanoi + "mechanism=hanoi", hanoi + "hanoi.yield_releases=" + yields},
                   true});
  // What the generator makes runs on the other machines as well.
  all.push_back({"Stack", {}});
  all.push_back({"Aware", {hanoi + "mechanism=aware"}});
  return all;
}

class UnstructuredKernels : public ::testing::TestWithParam<std::size_t> {};

TEST_P(UnstructuredKernels, LeaveTheMemoryTheOracleLeaves) {
  const Machine machine = machines()[GetParam()];
  gpu::GpuConfig config = gpu::load_platform("tiny", machine.assignments);
  config.watchdog.check_cycles = 64;  // checks often: any alarm would be false
  gpu::RunOptions options;
  options.max_cycles = 5'000'000;
  if (machine.garbage)
    options.compiler = [](compiler::Pipeline& pipeline) {
      pipeline.add(compiler::Stage::kTransform, std::make_shared<const Garbage>());
    };
  gpu::GpuDevice gpu(config, options);
  const std::uint64_t count = setting("HEDDLE_RANDOM_KERNELS", depth::times(kKernelsPerShard));
  // P and X with as many registers run the same kernels.
  const std::uint64_t first = setting("HEDDLE_RANDOM_SEED", 1) + GetParam() % 4 * count;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const GeneratedKernel kernel = generate_unstructured(seed);
    oracle::OracleDevice oracle;
    const std::vector<std::byte> expected = run(oracle, kernel);
    std::string problem;
    try {
      problem = difference(kernel, expected, run(gpu, kernel));
    } catch (const base::Error& error) {
      problem = error.what();
    }
    const std::string path =
        ::testing::TempDir() + "unstructured-" + machine.name + "-" + std::to_string(seed) + ".ptx";
    if (!problem.empty()) save(kernel, path, problem);
    ASSERT_EQ(problem, "") << "seed " << seed << "\nkernel: " << path;
  }
  for (const auto& record : gpu.kernels()) {
    const nlohmann::ordered_json all = gpu.statistics(record.values);
    const auto& stats = all.at("core0").at("branch_unit");
    if (machine.name.front() == 'P') {
      EXPECT_EQ(stats.at("misrouted"), 0);
    }
    if (machine.name.front() == 'X') {
      EXPECT_EQ(stats.at("stall_breaks"), 0) << "of conforming code";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(On, UnstructuredKernels, ::testing::Range(std::size_t{0}, machines().size()),
                         [](const auto& test) { return machines()[test.param].name; });

}  // namespace
}  // namespace heddle::generator::unstructured_kernels_test
