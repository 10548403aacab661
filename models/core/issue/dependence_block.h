// What serves ScoreboardProtocol in a core: one of three blocks, by core.scoreboard.kind and core.scoreboard.timing.
#pragma once

#include <memory>

#include "base/error.h"
#include "core/issue/clocked_scoreboard.h"
#include "core/issue/dependence_counters.h"
#include "core/issue/scoreboard.h"
#include "core/state/core_state.h"
#include "simt/traits.h"

namespace heddle::core {

class DependenceBlock {
 public:
  /// Within the constructor of a module; the block is called "scoreboard" in any case, as is its group of `stats`. `traits`: of
  /// the core's control-flow mechanism.
  DependenceBlock(const CoreConfig& config, const CoreServices& services, const simt::Traits& traits,
                  base::StatGroup& stats) {
    if (config.scoreboard.clocked()) {
      if (traits.scope == simt::Scope::kCta)
        throw base::InputError(
            "core.scoreboard.timing",
            "the clocked scoreboard looks up the registers of one warp for a group, and the "
            "control-flow mechanism forms groups of several warps' lanes",
            "Set core.scoreboard.timing=ideal, or another core.control_flow.mechanism.");
      clocked_ = std::make_unique<ClockedScoreboard>(
          "scoreboard", config.scoreboard, config.scheduler.count, config.occupancy.max_warps,
          traits.groups_per_warp, stats.child("scoreboard", "register dependences"), services.twins);
    } else if (config.scoreboard.control_codes())
      counters_ = std::make_unique<DependenceCounters>(
          "scoreboard", config, stats.child("scoreboard", "dependence counters of control codes"),
          services.hazards);
    else
      registers_ =
          std::make_unique<Scoreboard>("scoreboard", config.scoreboard, config.occupancy.max_warps,
                                       stats.child("scoreboard", "register dependences"), services.twins);
  }
  void bind(ScoreboardPort& isock) {
    if (clocked_)
      isock.bind(clocked_->scoreboard_tsock);
    else if (counters_)
      isock.bind(counters_->scoreboard_tsock);
    else
      isock.bind(registers_->scoreboard_tsock);
  }

 private:
  std::unique_ptr<Scoreboard> registers_;
  std::unique_ptr<ClockedScoreboard> clocked_;
  std::unique_ptr<DependenceCounters> counters_;
};

}  // namespace heddle::core
