// What serves ScoreboardProtocol in a core: one of two blocks, by core.scoreboard.kind.
#pragma once

#include <memory>

#include "core/issue/dependence_counters.h"
#include "core/issue/scoreboard.h"
#include "core/state/core_state.h"

namespace heddle::core {

class DependenceBlock {
 public:
  /// Within the constructor of a module; the block is called "scoreboard" in either case, as is its group of `stats`.
  DependenceBlock(const CoreConfig& config, const CoreServices& services, base::StatGroup& stats) {
    if (config.scoreboard.control_codes())
      counters_ = std::make_unique<DependenceCounters>(
          "scoreboard", config, stats.child("scoreboard", "dependence counters of control codes"),
          services.hazards);
    else
      registers_ =
          std::make_unique<Scoreboard>("scoreboard", config.scoreboard, config.occupancy.max_warps,
                                       stats.child("scoreboard", "register dependences"), services.twins);
  }
  void bind(ScoreboardPort& isock) {
    if (counters_)
      isock.bind(counters_->scoreboard_tsock);
    else
      isock.bind(registers_->scoreboard_tsock);
  }

 private:
  std::unique_ptr<Scoreboard> registers_;
  std::unique_ptr<DependenceCounters> counters_;
};

}  // namespace heddle::core
