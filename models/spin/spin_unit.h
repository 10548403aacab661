// Spin-aware scheduling of a core, put together: what issues is told to the detector (DDOS) or looked up in what the
// compiler or the programmer says, and spin-inducing branches to the back-off unit (BOWS).
//
//   issue --tap--> SpinUnit --history--> WarpHistoryUnit
//                           --sib-----> SibTable, ClockedSibTable
//                           --spin----> BackoffUnit --window--> DelayLimit
//   timing: contract:                   BackoffUnit --look up--> SpinUnit
//   issue stage <--schedulers--> BackoffUnit <--> warp schedulers
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "core/core_extension.h"
#include "sim/block_socket.h"
#include "spin/backoff_unit.h"
#include "spin/branch_record.h"
#include "spin/clocked_sib_table.h"
#include "spin/config.h"
#include "spin/delay_limit.h"
#include "spin/protocols.h"
#include "spin/sib_table.h"
#include "spin/warp_history.h"

namespace heddle::spin {

/// For the registry of core units: section core.spin.
[[nodiscard]] core::CoreUnit spin_core_unit();

class SpinUnit : public sc_core::sc_module, public core::CoreExtension {
 public:
  SpinUnit(const sc_core::sc_module_name& name, const SpinConfig& config,
           const core::CoreExtensionSite& site);

  [[nodiscard]] std::vector<TapTarget*> taps() override { return {&tap_tsock}; }
  [[nodiscard]] core::SchedulerInterposer* scheduler_unit() override { return &backoff_; }

 private:
  void tap(core::IssueTapRequest& request);
  void serve_look_up(LookUpRequest& request);

 public:
  sim::BlockTarget<core::IssueTapProtocol, SpinUnit, &SpinUnit::tap> tap_tsock{"tap_tsock", this};
  sim::BlockTarget<LookUpProtocol, SpinUnit, &SpinUnit::serve_look_up> look_up_tsock{"look_up_tsock", this};
  HistoryPort history_isock{"history_isock"};
  SibPort sib_isock{"sib_isock"};
  sim::BlockInitiator<SpinEventProtocol> spin_isock{"spin_isock"};

 private:
  void begin(const core::LaunchContext& launch);
  void compares(const core::IssueTapRequest& issue);
  void branches_back(const core::IssueTapRequest& issue);
  /// Whether the branch is known to be spin-inducing.
  bool is_sib(const core::IssueTapRequest& issue);

  SpinConfig config_;
  base::StatGroup& stats_;
  BranchRecord record_;
  WarpHistoryUnit history_;
  base::StatGroup& table_stats_;
  std::unique_ptr<SibTable> table_;
  std::unique_ptr<ClockedSibTable> clocked_table_;  ///< instead of it
  std::vector<SibAnswered> answered_;               ///< scratch
  DelayLimit limit_;
  BackoffUnit backoff_;
  std::vector<bool> given_;  ///< by PC: SIBs that analysis or annotations name
};

}  // namespace heddle::spin
