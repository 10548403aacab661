// The SIB prediction table under timing: contract: a block that is clocked once per core cycle (sib_unit.h, rtl/sib_table). This shell
// is what is around it in a core: for each scheduler a latch with the backward branch that waits to be looked up.
//
//   post     with the issue of the branch, which is on the pins in the same cycle. A scheduler that is not served keeps it in its
//            latch, and issues no backward branch meanwhile (port_conflict: wait), or drops it (port_conflict: drop)
//   answer   in the cycle behind the one in which it is served, for whoever asks first in this or a later cycle (kStep)
//   forget   what is under way for a warp that is gone is looked up all the same, and nobody is told
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "base/perturbation.h"
#include "base/stats.h"
#include "sim/block_socket.h"
#include "sim/twins.h"
#include "spin/sib_table.h"
#include "spin/sib_unit.h"

namespace heddle::spin {

class ClockedSibTable : public sc_core::sc_module {
 public:
  static constexpr Cycle kIdleEdges = 8;  ///< of a longer time without requests so many are clocked
  /// Behind the last request so many cycles are clocked in any case: a block that is late is seen to be.
  static constexpr Cycle kSettling = 2;
  static constexpr std::uint32_t kRequestsPerStall = 4;  ///< with stall_seed, on average

  /// Of a core with `schedulers`.
  ClockedSibTable(const sc_core::sc_module_name& name, const SpinConfig& config, std::uint32_t schedulers,
                  base::StatGroup& stats, sim::Twins* twins = nullptr);

 private:
  struct Look {
    SibPins::Look pins;
    SpinEvent event;
    Cycle since = 0;
  };

  void serve(SibRequest& request);
  void inspect(SibRequest& request);
  void post(const SibRequest& request);
  void flush();
  void forget(WarpId warp);
  /// Brings the clock up to the begin of `now`.
  void advance(Cycle now);
  void edge();
  void take_answer();
  [[nodiscard]] std::uint32_t busy() const;

 public:
  sim::BlockTarget<SibProtocol, ClockedSibTable, &ClockedSibTable::serve, &ClockedSibTable::inspect>
      sib_tsock{"sib_tsock", this};

 private:
  bool drops_;
  std::unique_ptr<SibUnit> unit_;
  base::Perturbation stalls_;
  std::vector<std::optional<Look>> latches_;  ///< by scheduler
  std::vector<std::deque<Look>> asked_;       ///< by scheduler: served, not answered
  std::vector<SibAnswered> answers_;          ///< not told yet
  bool flush_ = false;
  Cycle cycle_ = 0;    ///< of the pins
  Cycle settled_ = 0;  ///< until then each cycle is clocked
  SibCounts counts_;
};

}  // namespace heddle::spin
