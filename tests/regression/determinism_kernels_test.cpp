// Random structured kernels under deterministic execution: the memory that the oracle leaves, with quanta so short that
// they end everywhere.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "depth.h"
#include "generator/generated_kernel.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"

namespace heddle::generator::determinism_kernels_test {
namespace {

constexpr std::uint64_t kKernels = 10;
constexpr std::uint64_t kMostInstructions = 60'000;

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}

struct Variant {
  const char* name;
  std::vector<std::string> assignments;
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

const std::string kAware = "core.control_flow.mechanism=aware";
const std::string kMultiPath = "core.control_flow.mechanism=multi_path";
const std::string kMasks = "core.scoreboard.kind=per_thread_mask";

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all{
      {"stack", {}},
      {"stack_q7", {"determinism.quantum_size=7"}},
      {"stack_base_q31", {"determinism.quantum_size=31", "determinism.bta=false", "determinism.dwp=false"}},
      {"stack_q1", {"determinism.quantum_size=1"}},
      {"stack_flag_static",
       {"determinism.quantum_size=50", "determinism.bta_rule=flag", "determinism.dwp_repartition=static",
        "determinism.slot_order=core_major"}},
      {"stack_wavefront_serial", {"determinism.serial_mode=wavefront", "determinism.quantum_size=60"}},
      {"stack_barriers",
       {"determinism.barrier_cycles=50", "determinism.l1_flush_cycles=10", "determinism.work_dist_cycles=5",
        "determinism.quantum_size=90"}},
      // Depths of 8 bits: the number of quanta overflows at every third.
      {"stack_overflows", {"determinism.zbuffer.depth_bits=8", "determinism.quantum_size=7"}},
      {"stack_overflows_lock",
       {"determinism.zbuffer.depth_bits=8", "determinism.quantum_size=31", "determinism.commit_engine=lock"}},
      {"stack_small_bloom", {"determinism.log.bloom_bits=128", "determinism.log.search_cost=per_entry"}},
      {"stack_small_log", {"determinism.log.capacity=48", "determinism.log.bloom_bits=ideal"}},
      {"stack_small_l1",
       {"core.l1d.size_kib=1", "core.l1d.ways=2", "core.l1d.mshr_entries=3", "core.l1d.mshr_targets=2"}},
      {"stack_no_l1", {"core.l1d.enabled=false"}},
      {"stack_byte_masks", {"memory.l2.write_miss=byte_mask", "memory.l2.size_kib=4"}},
      {"stack_local_write_through", {"core.l1d.local_write=write_through"}},
      {"aware", {kAware}},
      {"aware_q13", {kAware, "determinism.quantum_size=13"}},
      {"mp4", {kMultiPath, kMasks, "core.control_flow.multi_path.paths=4"}},
      {"mp2_early_q13",
       {kMultiPath, kMasks, "core.control_flow.multi_path.paths=2",
        "core.control_flow.multi_path.opportunistic_reconvergence=true", "determinism.quantum_size=13"}},
      {"mp32_q40", {kMultiPath, kMasks, "determinism.quantum_size=40"}},
  };
  return all;
}

class DeterminismKernels : public ::testing::TestWithParam<Variant> {};

TEST_P(DeterminismKernels, LeaveTheMemoryTheOracleLeaves) {
  std::vector<std::string> assignments{"determinism.enabled=true", "determinism.byte_writes=serial_log"};
  assignments.insert(assignments.end(), GetParam().assignments.begin(), GetParam().assignments.end());
  for (std::stringstream more(std::getenv("HEDDLE_SET") ? std::getenv("HEDDLE_SET") : ""); more.good();) {
    std::string each;
    if (more >> each) assignments.push_back(each);
  }
  gpu::GpuDevice gpu(gpu::load_platform("tiny", assignments), {.max_cycles = 60'000'000});
  const std::uint64_t count = setting("HEDDLE_RANDOM_KERNELS", depth::times(kKernels));
  std::uint64_t done = 0;
  for (std::uint64_t seed = setting("HEDDLE_RANDOM_SEED", 1000); done < count; ++seed) {
    const GeneratedKernel kernel = emit(generate_tree(seed));
    oracle::OracleDevice oracle;
    const std::vector<std::byte> expected = run(oracle, kernel);
    if (oracle.thread_instructions() > setting("HEDDLE_RANDOM_MOST", kMostInstructions)) continue;
    if (kernel.ptx.find("%clock") != std::string::npos ||
        kernel.ptx.find("%globaltimer") != std::string::npos)
      continue;
    ++done;
    std::string problem;
    try {
      problem = difference(kernel, expected, run(gpu, kernel));
    } catch (const base::Error& error) {
      problem = error.what();
    }
    if (problem.empty()) continue;
    const std::string path = ::testing::TempDir() + "determinism-kernel-" + std::to_string(seed) + ".ptx";
    save(kernel, path, problem);
    FAIL() << "seed " << seed << ": " << problem << "\nkernel: " << path;
  }
}

INSTANTIATE_TEST_SUITE_P(On, DeterminismKernels, ::testing::ValuesIn(variants()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace heddle::generator::determinism_kernels_test
