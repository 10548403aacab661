// Conflicts between the lanes of a warp, as its logs are read (WarpTM, [WarpTM] §6.2, §6.3): gathers their words,
// resolves (intra_warp.h), and takes the time that the steps take.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "tm/config.h"
#include "tm/intra_warp.h"
#include "tm/log_walker.h"

namespace heddle::tm {

class WarpConflicts {
 public:
  explicit WarpConflicts(const IntraWarpConfig& config) : config_(config) {}

  void begin() { words_ = {}; }
  /// A row of the logs; rows that a second phase reads again are known.
  void add(LaneMask lanes, const LogWalker::Row& row);
  /// All rows are there: who of `active` survives. The steps that are left begin.
  [[nodiscard]] Resolution resolve(WarpId id, LaneMask active, Cycle now);
  /// The warp whose steps are over by `now`: it is told once.
  [[nodiscard]] std::optional<WarpId> over(Cycle now);
  [[nodiscard]] bool busy() const { return steps_.has_value(); }
  /// With busy(): when the steps are over.
  [[nodiscard]] Cycle due() const { return steps_->second; }

 private:
  const IntraWarpConfig config_;
  WarpWords words_;
  std::optional<std::pair<WarpId, Cycle>> steps_;  ///< go on until then
};

}  // namespace heddle::tm
