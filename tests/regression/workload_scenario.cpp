#include "workload_scenario.h"

#include <algorithm>

#include "blocks/isolated.h"
#include "cli/oracle_check.h"
#include "cli/rtl_twins.h"
#include "cli/tracked_device.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"

namespace heddle::testing {

bool same_on_the_oracle(const workloads::Workload& workload) {
  return !workload.racy && !workload.needs_lockstep;
}

nlohmann::ordered_json run(const Scenario& what) {
  return tb::isolated([&]() -> nlohmann::ordered_json {
    const workloads::Workload& workload = *workloads::find(what.workload);
    sim::Twins twins;
    if (what.rtl) cli::provide_rtl(twins);
    gpu::GpuDevice gpu(gpu::load_platform(what.platform, what.assignments),
                       {.max_cycles = what.max_cycles,
                        .shuffle_modules = what.shuffle,
                        .keep_awake = what.keep_awake,
                        .per_launch = true,
                        .on_progress = {},
                        .compiler = what.compiler_passes,
                        .units = what.units,
                        .core_extensions = what.core_extensions,
                        .extend = what.extend,
                        .twins = &twins});
    cli::TrackedDevice device(gpu);
    const workloads::Options options{.compiler = what.compiler, .size = workloads::Size::kTiny};
    const workloads::Verdict verdict = workload.run(device, options);
    nlohmann::ordered_json result{{"passed", verdict.passed}, {"summary", verdict.summary}};
    if (what.oracle && same_on_the_oracle(workload)) {
      const cli::MemoryVerdict same = cli::compare_with_oracle(
          device, [&](host::Device& oracle) { (void)workload.run(oracle, options); });
      result["oracle"] = same.passed ? "same" : same.summary;
    }
    result["rtl"] = cli::rtl_json(twins);
    std::uint64_t digest = 0xcbf29ce484222325ull;  // FNV-1a
    for (const auto& [order, buffer] : device.buffers())
      for (const std::byte byte : device.download<std::byte>(buffer.address, buffer.bytes))
        digest = (digest ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3ull;
    result["memory"] = digest;
    for (const gpu::LaunchRecord& launch : gpu.launches()) {
      auto& entry = result["launches"].emplace_back(
          nlohmann::ordered_json{{"cycles", launch.cycles}, {"warp_instructions", launch.warp_instructions}});
      if (what.statistics) entry["stats"] = gpu.statistics(launch.values);
    }
    if (what.inspect) what.inspect(result);
    return result;
  });
}

std::vector<std::string> workload_names(bool needs_simt_progress) {
  std::vector<std::string> names;
  for (const workloads::Workload& workload : workloads::all())
    if (!workload.needs_transactions && workload.needs_simt_progress == needs_simt_progress)
      names.push_back(workload.name);
  return names;
}

std::size_t number_of(const std::string& workload) {
  return static_cast<std::size_t>(workloads::find(workload) - workloads::all().data());
}

std::string test_name(std::string text) {
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

}  // namespace heddle::testing
