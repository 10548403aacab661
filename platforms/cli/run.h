// What `heddle run` does for any host program: simulate, check, report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/report.h"
#include "cli/trace_files.h"
#include "gpu/platform_files.h"
#include "host/device.h"
#include "sim/error.h"
#include "workloads/workload.h"

namespace heddle::cli {

struct RunSettings {
  std::string platform = gpu::kDefaultPlatform;
  std::vector<std::string> assignments;  ///< of --set
  std::string out;                       ///< empty: no files
  std::uint64_t max_cycles = 0;
  bool check_oracle = false;
  bool profile = false;
  std::uint64_t profile_top = 20;  ///< PCs of each kernel to print
  TraceSettings trace;
};

/// A host program to run.
struct Job {
  RunHeader header;  ///< verdict to be filled in by run_job()
  /// The whole host side; runs on the GPU and, for --check oracle, a second time on the oracle.
  std::function<workloads::Verdict(host::Device&)> program;
  /// After the report, with the GPU's memory still there; may be empty.
  std::function<void(host::Device&)> afterwards;
  std::string not_comparable;  ///< why the oracle's memory may differ; empty: it may not
};

/// Simulates, prints the report to stdout and writes the files of --out. kMismatch if the verdict or the
/// oracle says so; problems throw sim::Error and leave nothing in --out.
[[nodiscard]] sim::ExitCode run_job(const Job& job, const RunSettings& settings);

}  // namespace heddle::cli
