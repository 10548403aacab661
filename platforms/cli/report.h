// The report of a run: readable and as JSON, from the same summaries.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/report_model.h"
#include "gpu/gpu_config.h"
#include "gpu/gpu_device.h"

namespace heddle::cli {

/// What was run, and the outcome.
struct RunHeader {
  std::string title;                ///< "sgemm", "saxpy of saxpy.ptx"
  std::string variant;              ///< "nvcc PTX, size small, seed 1"; may be empty
  nlohmann::ordered_json identity;  ///< the same for stats.json: {"workload": "sgemm", "seed": 1, ...}
  bool passed = false;
  std::string verdict;  ///< one line
  /// The reason, in one line, if the run ended early. Its statistics then cover what ran until that point.
  std::optional<std::string> ended_early{};
  std::string diagnosis{};  ///< details of the early end, in several lines; may be empty
};

/// Names a flag that changes what runs (--cold-caches, --replayed) where the run is named.
void note_variant(RunHeader& header, const std::string& name, const char* key);

/// Marks the results of a run that ended early; adds nothing otherwise.
void add_end(nlohmann::ordered_json& json, const RunHeader& header);

inline constexpr std::size_t kLaunchLines = 24;  ///< in a report; further launches are only counted

/// The report for report.txt and stdout: reproducible, without host times.
[[nodiscard]] std::string report_text(const RunHeader& header, const RunSummary& run,
                                      const gpu::GpuConfig& config);
/// How long the host took: one line for stdout.
[[nodiscard]] std::string host_text(const RunSummary& run);

/// A summary and the statistics tree it is based on.
struct Measured {
  LaunchSummary summary;
  nlohmann::ordered_json statistics;
};
/// stats.json: header, total, the summed launches of every kernel, every launch if `launches` is not nullptr,
/// and the meaning of the names.
[[nodiscard]] nlohmann::ordered_json report_json(const RunHeader& header,
                                                 const std::vector<Measured>& kernels,
                                                 const std::vector<Measured>* launches,
                                                 const gpu::GpuConfig& config,
                                                 const nlohmann::ordered_json& dictionary);
/// host.json: host times, which differ from run to run. `launches`: as for report_json().
[[nodiscard]] nlohmann::ordered_json host_json(const RunSummary& run, const std::vector<Measured>* launches);

/// Of host.json: {"threads"; where cores ran ahead: "windows", "runs" of a core or partition in one, "parallel_windows" that
/// threads shared, "edges" and "speed_up_limit" by number of threads (sim::WindowCounters); "one_after_another": why they had
/// none}.
[[nodiscard]] nlohmann::ordered_json threads_json(const gpu::HostUse& use);

/// A line of a report.
[[nodiscard]] std::string report_line(const std::string& name, const std::string& text);
/// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);
/// Percentages with one decimal that sum to exactly 100.0 (largest remainders); all 0 if the counts are.
[[nodiscard]] std::vector<double> percentages(const std::vector<std::uint64_t>& counts);

}  // namespace heddle::cli
