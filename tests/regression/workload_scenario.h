// A workload's run on a GPU, tiny unless a test says otherwise, in a separate process, for the tests of whole workloads.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compiler/pipeline.h"
#include "gpu/gpu_device.h"
#include "workloads/workload.h"

namespace heddle::testing {

/// What of a launch's statistics comes back from the GPU's process: a function of the tree.
using OfStatistics = std::function<nlohmann::ordered_json(const nlohmann::ordered_json&)>;
/// To compare two runs. A tree costs several times as much on its way as its text.
[[nodiscard]] inline nlohmann::ordered_json text_of(const nlohmann::ordered_json& statistics) {
  return statistics.dump();
}
/// Without the number of cycles in which a core was awake, which alone differs when cores do not sleep.
[[nodiscard]] nlohmann::ordered_json text_asleep_or_awake(nlohmann::ordered_json statistics);
[[nodiscard]] inline nlohmann::ordered_json all_of(const nlohmann::ordered_json& statistics) {
  return statistics;
}

struct Scenario {
  std::string workload;
  std::string platform;
  workloads::Compiler compiler = workloads::Compiler::kNvcc;
  std::vector<std::string> assignments{};
  std::uint64_t shuffle = 0;
  bool oracle = false;  ///< compare memory with the oracle's, if the workload's memory is deterministic
  bool keep_awake = false;
  std::uint64_t max_cycles = 0;
  OfStatistics statistics = text_of;  ///< of each launch; nullptr: nothing
  bool rtl = false;                   ///< blocks may ask for their RTL
  memory::PartitionUnitFactory units = nullptr;
  std::vector<core::CoreExtensionFactory> core_extensions{};
  std::function<void(gpu::Gpu&)> extend = nullptr;  ///< gpu::RunOptions::extend
  std::function<void(nlohmann::ordered_json&)> inspect =
      nullptr;                                                 ///< adds to the result, in the GPU's process
  std::function<void(compiler::Pipeline&)> compiler_passes{};  ///< gpu::RunOptions::compiler
  workloads::Size size = workloads::Size::kTiny;
  bool counts = false;         ///< of each launch: how often each instruction issued, with how many lanes
  std::string machine_code{};  ///< workloads::Options::machine_code; the oracle runs PTX all the same
  bool without_time = false;   ///< functional_launch.h; there are no launches in the result
  bool block_traces = false;   ///< of each launch, from code that writes them (tests/data/sass/traced)
};

/// Whether the memory it leaves is the same on the oracle, byte for byte.
[[nodiscard]] bool same_on_the_oracle(const workloads::Workload& workload);

/// The oracle rounds approximate functions correctly; other devices have other last digits (core.approximations: mufu).
[[nodiscard]] bool uses_approximate_functions(const std::string& workload);

/// {"passed", "summary", "oracle", "rtl", "memory": digest, "reads": digests of what the host has read from buffers and variables, in order, "launches": [{"cycles", "warp_instructions",
/// "kernel", "stats" and "counts" ([code address, issues, lanes] of every instruction) if asked for}], "block_traces": [{"kernel", "warps": [[warp, entries, digest]]}] if asked for}, or {"errors"}.
[[nodiscard]] nlohmann::ordered_json run(const Scenario& what);

/// The names of workloads with this value of `needs_simt_progress`.
[[nodiscard]] std::vector<std::string> workload_names(bool needs_simt_progress);

/// The workload's place among all. What takes turns on workloads (depth.h) begins with it.
[[nodiscard]] std::size_t number_of(const std::string& workload);

/// Converts text to a part of a test's name.
[[nodiscard]] std::string test_name(std::string text);
[[nodiscard]] inline std::string test_name(workloads::Compiler compiler) {
  return compiler == workloads::Compiler::kNvcc ? "nvcc" : "clang";
}

}  // namespace heddle::testing
