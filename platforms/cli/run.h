// The part of `heddle run` common to all host programs: simulate, check, report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/problems.h"
#include "cli/progress_mode.h"
#include "cli/report.h"
#include "cli/sampler.h"
#include "cli/trace_files.h"
#include "gpu/platform_files.h"
#include "host/device.h"
#include "workloads/workload.h"

namespace heddle::cli {

/// Where a run takes place.
enum class RunDevice : std::uint8_t { kModel, kGpu, kOracle };
/// By RunDevice, as options name them.
inline constexpr const char* kRunDevices[] = {"model", "gpu", "oracle"};

struct RunSettings {
  RunDevice device = RunDevice::kModel;
  std::string platform = gpu::kDefaultPlatform;
  std::vector<std::string> assignments;  ///< of --set
  std::string out;                       ///< empty: no files
  std::uint64_t max_cycles = 0;
  double max_seconds = 0;  ///< of a launch on a card; 0: no limit
  bool check_oracle = false;
  double host_seconds = 0;  ///< of the run of the model; 0: no limit. It then ends as at --max-cycles
  bool profile = false;
  bool cold_caches = false;         ///< L2 and instruction caches are emptied before each launch
  bool replayed = false;            ///< launches begin as if they had run before (gpu::RunOptions)
  bool per_launch = false;          ///< stats.json lists every launch in addition to every kernel
  std::uint64_t profile_top = 20;   ///< PCs of each kernel to print
  std::vector<std::string> detail;  ///< KERNEL:FROM-TO: only these launches are simulated; empty: all
  std::string estimate;             ///< WINDOWS[:WARM_UP[:MEASURED]]; empty: all CTAs are simulated
  SampleSettings sample;
  TraceSettings trace;
  std::vector<std::string> waves;  ///< BLOCK[:FROM:TO]: wave_files.h
  ProgressMode progress = ProgressMode::kTerminal;
};

/// What a host program hears of its device during a run; all may be empty.
struct RunListener {
  std::function<void(const std::string& text)> print;  ///< what kernels print, instead of standard output
  std::function<void(const gpu::GpuDevice&)> opened;  ///< the model, before the program; not of other devices
  std::function<void(double ns)>
      launched;  ///< what a launch took, at its end; of the oracle: a thread instruction is a ns
};

/// A host program to run.
struct Job {
  RunHeader header;  ///< verdict to be filled in by run_job()
  /// The whole host side; runs on the device and, for --check oracle, a second time on the oracle.
  std::function<workloads::Verdict(host::Device&)> program;
  /// Called after a complete run, while the device's memory still exists: writes the job's own files; may be
  /// empty.
  std::function<void(host::Device&, Problems&)> dump;
  /// Called at the same point: text to print after the report; may be empty.
  std::function<std::string(host::Device&)> printed;
  /// Completes trace files of the job's own, also after a run that ended early. Returns those that are complete; may be
  /// empty.
  std::function<std::vector<std::string>(Problems&)> traces;
  struct File {
    std::string path;
    std::string place;  ///< the option with its value
  };
  std::vector<File> reads;   ///< by the program
  std::vector<File> writes;  ///< by dump()
  RunListener listener;
  std::string not_comparable;  ///< why the oracle's memory may differ; empty: it must not
};

/// Simulates, writes the files of --out and prints the report to stdout. Returns kMismatch if the verdict or
/// the oracle reports a difference. A run that ends early (a hang, a fault, --max-cycles, a signal) does the
/// same with the results so far, marked as incomplete, before it throws its base::Error. Other problems throw
/// base::Error and leave nothing in --out. Files that cannot be written at the end are reported after
/// everything else is saved.
[[nodiscard]] base::ExitCode run_job(const Job& job, const RunSettings& settings);

}  // namespace heddle::cli
