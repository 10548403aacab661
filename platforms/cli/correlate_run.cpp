#include "cli/correlate_run.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <stdexcept>

#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/report_model.h"
#include "cli/rtl_twins.h"
#include "cli/tracked_device.h"
#include "correlation/counters.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "sim/memory_payload.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using HostClock = std::chrono::steady_clock;

/// Ends the host program: nothing more is asked.
struct EnoughLaunches {};

/// A GPU whose launches are noted, those that the truth has with their counters.
class NotedDevice : public TrackedDevice {
 public:
  NotedDevice(gpu::GpuDevice& gpu, const correlation::CardRun& card, const CorrelateRun& run)
      : TrackedDevice(gpu), gpu_(gpu), card_(card), run_(run), missing_(card.launches.size()) {}

  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override {
    TrackedDevice::launch(module, kernel, shape, args);
    note(kernel);
    if (run_.stop_early && missing_ == 0) throw EnoughLaunches();
  }
  [[nodiscard]] const Json& launches() const { return launches_; }

 private:
  void note(const std::string& kernel) {
    const std::uint32_t number = ++count_[kernel];
    Json launch{{"kernel", kernel}, {"launch_of_kernel", number}};
    for (const correlation::CardLaunch& each : card_.launches) {
      if (each.kernel != kernel || each.launch_of_kernel != number) continue;
      --missing_;
      const gpu::LaunchRecord& record = gpu_.launches().back();
      launch["counters"] = counters_of(record);
      if (record.profile) launch["instructions"] = instructions_of(record);
    }
    launches_.push_back(std::move(launch));
    gpu_.forget_launches();  // of which there may be thousands
  }

  [[nodiscard]] Json counters_of(const gpu::LaunchRecord& record) const {
    const Json statistics = gpu_.statistics(record.values);
    const correlation::Lookup lookup = [&](const std::string& name) -> std::optional<double> {
      if (name == "launch.cycles") return static_cast<double>(record.cycles);
      const gpu::GpuConfig& config = gpu_.config();
      if (name == "platform.max_warps") return config.core.occupancy.max_warps;
      if (name == "launch.sectors") return config.dispatch.launch_sectors;
      if (name == "launch.dram_sectors") return config.dispatch.launch_dram_sectors;
      if (name == "launch.code_sectors") return code_sectors(record);
      if (name == "launch.code_lookups") return code_sectors(record) * config.dispatch.code_lookups;
      try {
        return static_cast<double>(sum_at(statistics, name));
      } catch (const std::out_of_range&) {  // this platform has no such unit
        return std::nullopt;
      }
    };
    Json counters = Json::object();
    for (const correlation::Counter& counter : correlation::counters())
      if (const auto value = correlation::evaluate(counter.model, lookup)) counters[counter.name] = *value;
    return counters;
  }

  /// Of the kernel's code, if caches that the model has not got read it: behind those that have it in a launch that is not the first.
  [[nodiscard]] double code_sectors(const gpu::LaunchRecord& record) const {
    const gpu::GpuConfig& config = gpu_.config();
    if (config.dispatch.code_lookups == 0 || !run_.settings.replayed) return 0;
    const std::uint64_t bytes = record.code->code.size() * config.core.l1i.instruction_bytes;
    return static_cast<double>((bytes + sim::kSectorBytes - 1) / sim::kSectorBytes);
  }

  [[nodiscard]] static Json instructions_of(const gpu::LaunchRecord& record) {
    Json rows = Json::array();
    const auto& by_pc = record.profile->by_pc();
    for (std::uint32_t pc = 0; pc < by_pc.size(); ++pc)
      if (by_pc[pc].issues != 0)
        rows.push_back({record.code->code_address(base::Pc(pc)), record.code->source_line(base::Pc(pc)),
                        by_pc[pc].issues, by_pc[pc].lanes});
    return rows;
  }

  gpu::GpuDevice& gpu_;
  const correlation::CardRun& card_;
  const CorrelateRun& run_;
  std::size_t missing_;  ///< launches of the truth that have not been
  std::map<std::string, std::uint32_t> count_;
  Json launches_ = Json::array();
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Json run_for_correlation(const CorrelateRun& run, const correlation::CardRun& card) {
  const auto began = HostClock::now();
  sim::Twins twins;
  provide_rtl(twins);
  gpu::RunOptions options;
  options.twins = &twins;
  options.per_launch = true;
  options.profile = run.settings.profile;
  options.cold_caches = run.settings.cold_caches;
  options.replayed = run.settings.replayed;
  options.on_print = [](const std::string&) {};
  options.on_check = [&] {
    const double seconds = std::chrono::duration<double>(HostClock::now() - began).count();
    if (run.seconds != 0 && seconds > run.seconds)
      throw base::Error(base::ExitCode::kCycleLimit, "",
                        fmt::format("not finished after {:.0f} s", run.seconds));
  };
  gpu::GpuDevice gpu(gpu::load_platform(run.settings.platform, run.settings.assignments), options);
  NotedDevice device(gpu, card, run);
  Json result;
  try {
    const workloads::Verdict verdict = run.job.program(device);
    if (!verdict.passed) result["problem"] = "wrong results: " + first_line(verdict.summary);
  } catch (const EnoughLaunches&) {
  } catch (const base::Error& error) {
    result["problem"] = first_line(error.what());
  }
  result["launches"] = device.launches();
  result["seconds"] = std::chrono::duration<double>(HostClock::now() - began).count();
  return result;
}

correlation::ModelRun model_run_of(const Json& result) {
  correlation::ModelRun run;
  run.problem = result.value("problem", "");
  run.seconds = result.value("seconds", 0.0);
  for (const Json& each : result.at("launches")) {
    correlation::ModelLaunch launch;
    launch.kernel = each.at("kernel").get<std::string>();
    launch.launch_of_kernel = each.at("launch_of_kernel").get<std::uint32_t>();
    if (each.contains("counters"))
      for (const auto& [name, value] : each.at("counters").items())
        launch.counters[name] = value.get<double>();
    if (each.contains("instructions"))
      for (const Json& row : each.at("instructions"))
        launch.instructions.push_back({row.at(0).get<std::uint64_t>(), row.at(1).get<std::string>(),
                                       row.at(2).get<std::uint64_t>(), row.at(3).get<std::uint64_t>()});
    run.launches.push_back(std::move(launch));
  }
  return run;
}

}  // namespace heddle::cli
