// What a core tells the trace sink (trace.h). Only called while something is recorded.
#pragma once

#include <string_view>

#include "core/observe/trace.h"
#include "core/protocols/scoreboard_protocol.h"
#include "core/protocols/transaction_protocol.h"
#include "core/state/core_state.h"
#include "simt/control_flow_protocol.h"

namespace heddle::core {

class CoreTracer {
 public:
  /// The sockets are only inspected.
  CoreTracer(const CoreState& state, simt::ControlFlowPort& control_flow, ScoreboardPort& scoreboard)
      : state_(state), control_flow_(control_flow), scoreboard_(scoreboard) {}

  /// Where the tables' transactions are known; only inspected.
  void show_transactions(TransactionPort* unit) { transactions_ = unit; }
  /// After the mechanism's answer; `pc`: the instruction that asked.
  void decision(const simt::ControlFlowRequest& request, Pc pc);
  void update(WarpId warp, const simt::GroupUpdate& update);
  /// After a change of the scoreboard.
  void registers(std::string_view event, WarpId warp, const isa::Instruction& instruction, LaneMask lanes);
  void issue(const IssueTable::Group& group, GroupId id, LaneMask lanes);

 private:
  [[nodiscard]] TraceSite site(WarpId warp) const;
  void tables(WarpId warp, TableSnapshot snapshot);

  const CoreState& state_;
  simt::ControlFlowPort& control_flow_;
  ScoreboardPort& scoreboard_;
  TransactionPort* transactions_ = nullptr;  ///< null: there are none
};

}  // namespace heddle::core
