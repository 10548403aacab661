#include "cli/perturbed_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <span>

#include "base/error.h"
#include "cli/rtl_twins.h"
#include "cli/tracked_device.h"
#include "core/observe/store_tap.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kChunk = 1u << 20;  ///< of memory that is read at once

/// Ends the host program after the launch of interest.
struct Stop {};

/// A GPU that calls back after each launch.
class CheckedDevice : public TrackedDevice {
 public:
  CheckedDevice(gpu::GpuDevice& gpu, std::function<void(std::uint64_t launch)> after)
      : TrackedDevice(gpu), gpu_(gpu), after_(std::move(after)) {}
  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override {
    TrackedDevice::launch(module, kernel, shape, args);
    after_(++launches_);
  }
  void write(std::uint64_t address, std::span<const std::byte> bytes) override {
    TrackedDevice::write(address, bytes);
    if (gpu_.store_watch().on() && gpu_.store_watch().covers(address, bytes.size()))
      gpu_.store_watch().overwritten();
  }

 private:
  gpu::GpuDevice& gpu_;
  std::function<void(std::uint64_t)> after_;
  std::uint64_t launches_ = 0;
};

gpu::GpuConfig config_of(const PerturbedRun& run) {
  std::vector<std::string> assignments = perturbation(run.seed);
  assignments.insert(assignments.end(), run.settings.assignments.begin(), run.settings.assignments.end());
  return gpu::load_platform(run.settings.platform, assignments);
}

gpu::RunOptions options_of(const PerturbedRun& run) {
  gpu::RunOptions options;
  options.max_cycles = run.settings.max_cycles;
  options.cold_caches = run.settings.cold_caches;
  options.replayed = run.settings.replayed;
  options.on_print = [](const std::string&) {};
  return options;
}

/// Calls fn(bytes) for consecutive pieces of every allocation of the program, and begin(allocation) before each: buffers
/// and variables, not what the GPU has taken for mechanisms of its own.
template <class Begin, class Fn>
void for_memory(gpu::GpuDevice& gpu, Begin begin, Fn fn) {
  std::vector<std::byte> piece;
  for (const auto& [address, allocation] : gpu.allocations().all()) {
    if (!host::may_access(allocation.owner, host::Access::kHost)) continue;
    begin(allocation);
    for (std::uint64_t at = 0; at < allocation.bytes; at += kChunk) {
      piece.resize(std::min(kChunk, allocation.bytes - at));
      gpu.read(address + at, piece);
      fn(std::span<const std::byte>(piece));
    }
  }
}

class Digest {
 public:
  void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e37'79b9'7f4a'7c15ull;
    value_ ^= value_ >> 29;
  }
  void add(std::span<const std::byte> bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
      add(word);
    }
  }
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 0x243f'6a88'85a3'08d3ull;
};

std::string digest_of(gpu::GpuDevice& gpu) {
  Digest digest;
  for_memory(
      gpu,
      [&](const host::AllocationTable::Allocation& allocation) {
        digest.add(allocation.address);
        digest.add(allocation.bytes);
      },
      [&](std::span<const std::byte> bytes) { digest.add(bytes); });
  return digest.text();
}

nlohmann::ordered_json json_of(const sim::StoreWatch::Store& store) {
  nlohmann::ordered_json json{{"launch", store.launch}, {"kernel", store.kernel}, {"at", store.position},
                              {"cta", store.cta},       {"thread", store.thread}, {"cycle", store.cycle},
                              {"atomic", store.atomic}};
  if (store.value) json["value"] = *store.value;
  return json;
}

}  // namespace

std::vector<std::string> perturbation(std::uint64_t seed) {
  constexpr unsigned kCycles = 16;  // of the crossbar: several times what a packet takes
  return {fmt::format("test.memory.crossbar.perturb_seed={}", seed),
          fmt::format("test.memory.crossbar.perturb_cycles={}", kCycles),
          fmt::format("test.memory.dram.perturb_seed={}", seed),
          fmt::format("test.core.scheduler.perturb_seed={}", seed),
          fmt::format("test.core.start_jitter.perturb_seed={}", seed)};
}

nlohmann::ordered_json digests_of(const PerturbedRun& run) {
  sim::Twins twins;
  provide_rtl(twins);
  gpu::RunOptions options = options_of(run);
  options.twins = &twins;
  gpu::GpuDevice gpu(config_of(run), options);
  nlohmann::ordered_json result{{"seed", run.seed}, {"launches", nlohmann::ordered_json::array()}};
  const auto note = [&](std::uint64_t) {
    const gpu::LaunchRecord& last = gpu.last_launch();
    result["launches"].push_back(
        {{"kernel", last.kernel}, {"cycles", last.cycles}, {"memory", digest_of(gpu)}});
  };
  CheckedDevice device(gpu, note);
  try {
    const workloads::Verdict verdict = run.job.program(device);
    result["passed"] = verdict.passed;
    result["verdict"] = verdict.summary;
  } catch (const base::Error& error) {
    if (gpu.launch_count() == 0) throw;
    if (gpu.launch_count() != result["launches"].size()) {
      note(0);
      result["launches"].back()["complete"] = false;
    }
    result["ended"] = {{"code", static_cast<int>(error.code())}, {"message", error.what()}};
  }
  return result;
}

nlohmann::ordered_json memory_after(const PerturbedRun& run, std::uint64_t launch, std::FILE* image) {
  sim::Twins twins;
  provide_rtl(twins);
  gpu::RunOptions options = options_of(run);
  options.twins = &twins;
  gpu::GpuDevice gpu(config_of(run), options);
  nlohmann::ordered_json allocations = nlohmann::ordered_json::array();
  const auto save = [&] {
    for_memory(
        gpu,
        [&](const host::AllocationTable::Allocation& a) {
          allocations.push_back({{"name", a.name}, {"address", a.address}, {"bytes", a.bytes}});
        },
        [&](std::span<const std::byte> bytes) {
          if (std::fwrite(bytes.data(), 1, bytes.size(), image) != bytes.size())
            throw base::InputError("--deterministic-check",
                                   "an image of memory cannot be written to a temporary file",
                                   "free some space there, or use a smaller input");
        });
    std::fflush(image);
  };
  CheckedDevice device(gpu, [&](std::uint64_t done) {
    if (done != launch) return;
    save();
    throw Stop();
  });
  try {
    (void)run.job.program(device);
  } catch (const Stop&) {
  } catch (const base::Error&) {  // the launch failed: memory holds what it has stored
    save();
  }
  return allocations;
}

nlohmann::ordered_json writer_of(const PerturbedRun& run, std::uint64_t launch, std::uint64_t word) {
  sim::Twins twins;
  provide_rtl(twins);
  gpu::RunOptions options = options_of(run);
  options.twins = &twins;
  options.core_extensions = {core::store_taps()};
  const gpu::GpuConfig config = config_of(run);
  gpu::GpuDevice gpu(config, options);
  gpu.store_watch().watch(word, config.cores);
  nlohmann::ordered_json result;
  const auto note = [&] {
    std::uint32_t value = 0;
    const host::AllocationTable::Allocation& in =
        std::prev(gpu.allocations().all().upper_bound(word))->second;
    const std::size_t bytes = std::min<std::uint64_t>(sizeof value, in.address + in.bytes - word);
    gpu.read(word, std::as_writable_bytes(std::span(&value, 1)).first(bytes));
    result["value"] = value;
    result["stores"] = gpu.store_watch().stores();
    if (const auto store = gpu.store_watch().last(value)) result["writer"] = json_of(*store);
  };
  CheckedDevice device(gpu, [&](std::uint64_t done) {
    if (done != launch) return;
    note();
    throw Stop();
  });
  try {
    (void)run.job.program(device);
  } catch (const Stop&) {
  } catch (const base::Error&) {
    note();
  }
  return result;
}

}  // namespace heddle::cli
