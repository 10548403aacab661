#include "workload_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "blocks/isolated.h"
#include "cli/block_log.h"
#include "cli/oracle_check.h"
#include "cli/rtl_twins.h"
#include "cli/tracked_device.h"
#include "frontend/sass/module_image.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "host/module_bytes.h"

namespace heddle::testing {
namespace {

// FNV-1a. The tool that recorded what a card gave begins with another number.
constexpr std::uint64_t kNothing = 0xcbf29ce484222325ull, kNothingRead = 1469598103934665603ull;
std::uint64_t digest_of(std::span<const std::byte> bytes, std::uint64_t before) {
  for (const std::byte byte : bytes)
    before = (before ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3ull;
  return before;
}

/// Notes what the host side of a workload reads, and what instrumented kernels write.
class ReadingDevice : public cli::TrackedDevice {
 public:
  template <class Mapped>
  ReadingDevice(Mapped& device, bool block_traces)
      : cli::TrackedDevice(device), takes_block_traces_(block_traces) {}
  void read(std::uint64_t address, std::span<std::byte> bytes) override {
    cli::TrackedDevice::read(address, bytes);
    reads_.push_back(fmt::format("{:016x}", digest_of(bytes, kNothingRead)));
  }
  host::ModuleHandle load_module(std::span<const std::byte> bytes, const std::string& name) override {
    if (!takes_block_traces_ || sass::is_machine_code(bytes))
      return cli::TrackedDevice::load_module(bytes, name);
    const std::string text = cli::with_block_log(host::ptx_text_of(bytes, name), name, {}).text;
    return cli::TrackedDevice::load_module(std::as_bytes(std::span(text)), name);
  }
  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override {
    if (!takes_block_traces_) return cli::TrackedDevice::launch(module, kernel, shape, args);
    // An entry is a block and the active lanes, 4 bytes each; those behind a warp's buffer are only counted.
    constexpr std::size_t kWarps = cli::BlockLogShape{}.warps, kEntryBytes = cli::kBlockEntryBytes,
                          kEntries = cli::BlockLogShape{}.entries;
    std::vector<std::uint32_t> counts(kWarps, 0);
    const std::uint64_t count_address = symbol(module, cli::kBlockCounts);
    const std::uint64_t buffer = symbol(module, cli::kBlockEntries);
    write(count_address, std::as_bytes(std::span(counts)));
    cli::TrackedDevice::launch(module, kernel, shape, args);
    synchronize();
    cli::TrackedDevice::read(count_address, std::as_writable_bytes(std::span(counts)));
    nlohmann::ordered_json warps = nlohmann::ordered_json::array();
    for (std::size_t warp = 0; warp < kWarps; ++warp) {
      if (counts[warp] == 0) continue;
      std::vector<std::byte> entries(std::min<std::size_t>(counts[warp], kEntries) * kEntryBytes);
      cli::TrackedDevice::read(buffer + warp * kEntries * kEntryBytes, entries);
      warps.push_back({warp, counts[warp], fmt::format("{:016x}", digest_of(entries, kNothingRead))});
    }
    block_traces_.push_back({{"kernel", kernel}, {"warps", std::move(warps)}});
  }
  [[nodiscard]] const std::vector<std::string>& reads() const { return reads_; }
  [[nodiscard]] const nlohmann::ordered_json& block_traces() const { return block_traces_; }

 private:
  bool takes_block_traces_;
  std::vector<std::string> reads_;
  nlohmann::ordered_json block_traces_ = nlohmann::ordered_json::array();
};

}  // namespace

nlohmann::ordered_json text_asleep_or_awake(nlohmann::ordered_json statistics) {
  for (auto& [name, group] : statistics.items())
    if (group.contains("issue")) group["issue"].erase("active_cycles");
  return statistics.dump();
}

bool same_on_the_oracle(const workloads::Workload& workload) {
  return !workload.racy && !workload.needs_lockstep;
}

bool uses_approximate_functions(const std::string& workload) {
  return workload == "bh-force" || workload == "coulomb" || workload == "libor" || workload == "montecarlo" ||
         workload == "srad";
}

nlohmann::ordered_json run(const Scenario& what) {
  return tb::isolated([&]() -> nlohmann::ordered_json {
    const workloads::Workload& workload = *workloads::find(what.workload);
    sim::Twins twins;
    if (what.rtl) cli::provide_rtl(twins);
    // Never destroyed: SystemC looks for every port of the machine in a list of all, and the process ends here.
    gpu::GpuDevice& gpu = *new gpu::GpuDevice(gpu::load_platform(what.platform, what.assignments),
                                              {.max_cycles = what.max_cycles,
                                               .shuffle_modules = what.shuffle,
                                               .keep_awake = what.keep_awake,
                                               .profile = what.counts,
                                               .per_launch = true,
                                               .on_progress = {},
                                               .compiler = what.compiler_passes,
                                               .units = what.units,
                                               .core_extensions = what.core_extensions,
                                               .extend = what.extend,
                                               .twins = &twins});
    if (what.without_time) gpu.simulate_only([](const std::string&) { return false; });
    ReadingDevice device(gpu, what.block_traces);
    workloads::Options options{.compiler = what.compiler, .size = what.size};
    options.machine_code = what.machine_code;
    const workloads::Verdict verdict = workload.run(device, options);
    nlohmann::ordered_json result{{"passed", verdict.passed}, {"summary", verdict.summary}};
    result["reads"] = device.reads();
    if (what.block_traces) result["block_traces"] = device.block_traces();
    if (what.oracle && same_on_the_oracle(workload)) {
      options.machine_code.clear();
      const cli::MemoryVerdict same = cli::compare_with_oracle(
          device, [&](host::Device& oracle) { (void)workload.run(oracle, options); });
      result["oracle"] = same.passed ? "same" : same.summary;
    }
    result["rtl"] = cli::rtl_json(twins);
    std::uint64_t digest = kNothing;
    for (const auto& [order, buffer] : device.buffers())
      digest = digest_of(device.download<std::byte>(buffer.address, buffer.bytes), digest);
    result["memory"] = digest;
    for (const gpu::LaunchRecord& launch : gpu.launches()) {
      auto& entry = result["launches"].emplace_back(
          nlohmann::ordered_json{{"cycles", launch.cycles}, {"warp_instructions", launch.warp_instructions}});
      if (what.statistics) entry["stats"] = what.statistics(gpu.statistics(launch.values));
      if (what.counts) {
        entry["kernel"] = launch.kernel;
        for (std::uint32_t pc = 0; pc < launch.code->code.size(); ++pc) {
          const core::PcProfile& at = launch.profile->by_pc().at(pc);
          entry["counts"].push_back({launch.code->code_address(base::Pc(pc)), at.issues, at.lanes});
        }
      }
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
