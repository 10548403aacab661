// What heddle resync prints and writes of replays.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "resync/replay_statistics.h"

namespace heddle::cli {

/// One policy over all sets.
struct ResyncRow {
  std::string policy;
  resync::ReplayStatistics statistics;
  double seconds = 0;  ///< of the replay itself
};

struct ResyncResult {
  std::vector<std::string> traces;  ///< as given
  std::uint64_t sets = 0;
  std::vector<ResyncRow> rows;
  std::optional<std::uint64_t> optimum;  ///< fewest fetches, over all sets
};

/// DLP, TLP and throughput, a row per policy; `details`: histograms, execute-identical fetches and memory as well.
[[nodiscard]] std::string resync_text(const ResyncResult& result, bool details);
[[nodiscard]] nlohmann::ordered_json resync_json(const ResyncResult& result);

}  // namespace heddle::cli
