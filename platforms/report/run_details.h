// What a page shows of single runs: the profile by source line, sampled counters, the timeline of warps, and why a run failed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "results/results.h"

namespace heddle::report {

/// `heddle run --trace-timeline DIR/timeline.json --out DIR`: where the page looks for a timeline.
inline constexpr const char* kTimelineFile = "timeline.json";

/// Details are of at most so many runs, the first that have them: a page holds all that it shows.
struct DetailLimits {
  std::size_t runs = 32;                ///< with a profile, with series, with a timeline
  std::size_t samples = 2'000;          ///< of a series; more are drawn together
  std::size_t timeline_events = 6'000;  ///< of a run, the first ones
};

/// {"profiles": [...], "profiles_left_out": n, "series": [...], "series_left_out": n, "timelines": [...], "timelines_left_out": n}
[[nodiscard]] nlohmann::ordered_json details_json(const results::Results& results,
                                                  const DetailLimits& limits);

/// Of the kernels of a profile.json, columns by PC. Throws nlohmann::json::exception for another file.
[[nodiscard]] nlohmann::ordered_json profile_columns(const nlohmann::ordered_json& profile);
/// Of Chrome trace events: rows (splits of warps), stretches of code and issues, as columns.
[[nodiscard]] nlohmann::ordered_json timeline_columns(const nlohmann::ordered_json& timeline,
                                                      std::size_t most_events);

/// IPC, SIMD efficiency and what else was sampled. Null: the run was not sampled.
[[nodiscard]] nlohmann::ordered_json series_columns(const results::Results& results, std::size_t run,
                                                    std::size_t most_samples);

/// Traces and waveforms in the folders of runs, as links of a page in `page_folder`: [{"run", "files": [{"name", "link"}]}].
[[nodiscard]] nlohmann::ordered_json trace_files_json(const results::Results& results,
                                                      const std::string& page_folder);

/// Runs that are not complete: [{"run", "status", "exit_code", "verdict", "diagnosis"}].
[[nodiscard]] nlohmann::ordered_json failures_json(const results::Results& results);

}  // namespace heddle::report
