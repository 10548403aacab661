// What `heddle run` does for any host program: simulate, check, report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/problems.h"
#include "cli/report.h"
#include "cli/trace_files.h"
#include "gpu/platform_files.h"
#include "host/device.h"
#include "workloads/workload.h"

namespace heddle::cli {

struct RunSettings {
  std::string platform = gpu::kDefaultPlatform;
  std::vector<std::string> assignments;  ///< of --set
  std::string out;                       ///< empty: no files
  std::uint64_t max_cycles = 0;
  bool check_oracle = false;
  bool profile = false;
  bool per_launch = false;         ///< stats.json has every launch besides every kernel
  std::uint64_t profile_top = 20;  ///< PCs of each kernel to print
  TraceSettings trace;
};

/// A host program to run.
struct Job {
  RunHeader header;  ///< verdict to be filled in by run_job()
  /// The whole host side; runs on the GPU and, for --check oracle, a second time on the oracle.
  std::function<workloads::Verdict(host::Device&)> program;
  /// After a run to the end, with the GPU's memory still there: writes files of its own; may be empty.
  std::function<void(host::Device&, Problems&)> dump;
  /// The same: what to print behind the report; may be empty.
  std::function<std::string(host::Device&)> printed;
  struct File {
    std::string path;
    std::string place;  ///< the option with its value
  };
  std::vector<File> reads;     ///< by the program
  std::vector<File> writes;    ///< by dump()
  std::string not_comparable;  ///< why the oracle's memory may differ; empty: it may not
};

/// Simulates, writes the files of --out and prints the report to stdout. kMismatch if the verdict or the
/// oracle says so. A run that ends early (a hang, a fault, --max-cycles, a signal) does the same with what
/// there is, marked as incomplete, before it throws its base::Error. Other problems throw base::Error and leave
/// nothing in --out; what cannot be written at the end is reported when all the rest is.
[[nodiscard]] base::ExitCode run_job(const Job& job, const RunSettings& settings);

}  // namespace heddle::cli
