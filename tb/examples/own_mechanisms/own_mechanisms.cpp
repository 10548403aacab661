// A user-defined control-flow mechanism, scheduling policy, dispatch policy and replacement policy, registered with an installed
// Heddle and selected like the built-in ones. Runs queens (a divergent loop, and divergent recursion) and a
// reduction (barriers), and compares the results with the oracle's.
//   own_mechanisms PTX_FOLDER [PLATFORM [KEY=VALUE]...]
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "chunk_dispatch.h"
#include "fifo.h"
#include "gpu/registries.h"
#include "heddle/heddle.h"
#include "least_progress.h"
#include "min_pc.h"

namespace {

using heddle::Args;
using heddle::Device;

struct Task {
  std::uint32_t columns, left, right;
};

/// Boards with the first two rows filled.
std::vector<Task> queens_tasks(std::uint32_t rows) {
  std::vector<Task> tasks;
  for (std::uint32_t first = 1; first < 1u << rows; first <<= 1)
    for (std::uint32_t second = 1; second < 1u << rows; second <<= 1)
      if (((first | first << 1 | first >> 1) & second) == 0)
        tasks.push_back({first | second, (first << 1 | second) << 1, (first >> 1 | second) >> 1});
  return tasks;
}

std::vector<std::uint32_t> queens(Device& device, const std::string& folder, const char* kernel) {
  constexpr std::uint32_t kRows = 8, kFirstRow = 2, kBlock = 64;
  const std::vector<Task> tasks = queens_tasks(kRows);
  const auto n = static_cast<std::uint32_t>(tasks.size());
  const auto module = device.load_ptx_file(folder + "/nqueens.nvcc.ptx");
  const auto tasks_d = device.upload(tasks, "tasks");
  const auto blocked_d = device.upload(std::vector<std::uint32_t>(kRows, 0), "blocked");
  const auto ways_d = device.upload(std::vector<std::uint32_t>(n, 0), "ways");
  const auto total_d = device.upload(std::vector<std::uint64_t>(1, 0), "total");
  device.launch(module, kernel, {.grid = {(n + kBlock - 1) / kBlock}, .block = {kBlock}},
                Args().add(tasks_d).add(n).add(blocked_d).add(kFirstRow).add(kRows).add(ways_d).add(total_d));
  device.synchronize();
  std::vector<std::uint32_t> result = device.download<std::uint32_t>(ways_d, n);
  result.push_back(static_cast<std::uint32_t>(device.download<std::uint64_t>(total_d, 1).front()));
  return result;
}

std::vector<float> reduce(Device& device, const std::string& folder) {
  constexpr std::uint32_t kN = 3000, kBlocks = 12, kBlock = 128;
  std::vector<float> values(kN);
  for (std::uint32_t i = 0; i < kN; ++i) values[i] = static_cast<float>(i % 97);
  const auto module = device.load_ptx_file(folder + "/reduction.nvcc.ptx");
  const auto in_d = device.upload(values, "in");
  const auto out_d = device.upload(std::vector<float>(kBlocks, 0), "out");
  device.launch(module, "reduce_sum",
                {.grid = {kBlocks}, .block = {kBlock}, .dynamic_shared_bytes = kBlock * 4},
                Args().add(in_d).add(out_d).add(kN));
  device.synchronize();
  return device.download<float>(out_d, kBlocks);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) {
      std::puts("usage: own_mechanisms PTX_FOLDER [PLATFORM [KEY=VALUE]...]");
      return EXIT_FAILURE;
    }
    heddle::gpu::control_flow_mechanisms().add(own::min_pc_mechanism());
    heddle::gpu::scheduling_policies().add(own::least_progress_policy());
    heddle::gpu::dispatch_policies().add(own::chunk_dispatch());
    heddle::gpu::replacement_policies().add(own::fifo_replacement());

    const std::string folder = argv[1];
    const auto gpu =
        heddle::open_gpu(argc > 2 ? argv[2] : "gtx480", {argv + (argc > 2 ? 3 : 2), argv + argc});
    const auto oracle = heddle::open_oracle();
    bool right = true;
    for (const char* kernel : {"queens_count", "queens_recurse"})
      right &= queens(*gpu, folder, kernel) == queens(*oracle, folder, kernel);
    right &= reduce(*gpu, folder) == reduce(*oracle, folder);
    std::uint64_t cycles = 0;
    for (const heddle::KernelRecord& record : gpu->kernels()) cycles += record.cycles;
    const auto& config = gpu->config();
    std::printf("%s, %s, %s, %s: %s, %llu cycles\n", config.core.control_flow.mechanism.c_str(),
                config.core.scheduler.policy.c_str(), config.dispatch.policy.c_str(),
                config.core.l1d.replacement.name().c_str(), right ? "right" : "WRONG",
                static_cast<unsigned long long>(cycles));
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const heddle::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
