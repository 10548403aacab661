// What a core tells the trace sink. Only called while something is recorded.
#include <nlohmann/json.hpp>

#include "core/core.h"
#include "core/observe/trace.h"

namespace heddle::core {
namespace {

std::string_view event_name(simt::ControlFlowEvent event) {
  using simt::ControlFlowEvent;
  switch (event) {
    case ControlFlowEvent::kLaunch:
      return "launch";
    case ControlFlowEvent::kAdvance:
      return "arrive";
    case ControlFlowEvent::kBranch:
      return "branch";
    case ControlFlowEvent::kCall:
      return "call";
    case ControlFlowEvent::kReturn:
      return "return";
    case ControlFlowEvent::kExit:
      return "exit";
    case ControlFlowEvent::kBarrierArrive:
      return "barrier_arrive";
    case ControlFlowEvent::kBarrierRelease:
      return "barrier_release";
    case ControlFlowEvent::kTick:
      return "tick";
    case ControlFlowEvent::kTableFilled:
      return "table_filled";
  }
  return "";
}

}  // namespace

TraceSite Core::trace_site(WarpId id) const {
  const WarpContext& warp = warps_[id.value()];
  return {id_, id, now_, ctas_[warp.cta.value()].linear_id, warp.warp_in_cta};
}

void Core::trace_tables(WarpId warp, TableSnapshot snapshot) {
  simt::ControlFlowRequest look;
  look.warp = warp;
  look.cycle = now_;
  nlohmann::ordered_json tables;
  look.table = &tables;
  branch_isock_.inspect(look);
  std::vector<PendingRegister> pending;
  ScoreboardRequest registers;
  registers.warp = warp;
  registers.pending = &pending;
  scoreboard_isock_.inspect(registers);
  nlohmann::ordered_json scoreboard = nlohmann::ordered_json::array();
  for (const PendingRegister& entry : pending)
    scoreboard.push_back({{"reg", entry.reg}, {"lanes", entry.lanes.to_string()}});
  snapshot.tables = &tables;
  snapshot.scoreboard = &scoreboard;
  launch_->trace->tables(trace_site(warp), snapshot);
}

void Core::trace_decision(const simt::ControlFlowRequest& request, Pc pc) {
  const TraceSite site = trace_site(request.warp);
  if (!launch_->trace->wants_tables(site)) return;
  TableSnapshot snapshot;
  snapshot.event = event_name(request.event);
  snapshot.pc = pc;
  snapshot.lanes = request.mask;
  snapshot.taken = request.taken;
  trace_tables(request.warp, snapshot);
}

void Core::trace_registers(std::string_view event, WarpId warp, const isa::Instruction& instruction,
                           LaneMask lanes) {
  if (instruction.write_count == 0 || !launch_->trace->wants_tables(trace_site(warp))) return;
  TableSnapshot snapshot;
  snapshot.event = event;
  snapshot.pc = Pc{static_cast<std::uint32_t>(&instruction - launch_->kernel->code.data())};
  snapshot.lanes = lanes;
  trace_tables(warp, snapshot);
}

void Core::trace_update(WarpId warp, const simt::GroupUpdate& update) {
  TraceSink& trace = *launch_->trace;
  const TraceSite site = trace_site(warp);
  if (!trace.wants_timeline(site)) return;
  switch (update.change) {
    case simt::GroupChange::kMoved:
    case simt::GroupChange::kSchedulable:
      trace.split_runs(site, update.group, update.pc, update.mask);
      break;
    case simt::GroupChange::kBlocked:
      trace.split_stops(site, update.group,
                        update.cause == simt::BlockCause::kBarrier ? "barrier" : "tables");
      break;
    case simt::GroupChange::kVanished:
      trace.split_stops(site, update.group, "gone");
      break;
    case simt::GroupChange::kHeld:
      break;
  }
}

void Core::trace_issue(const IssueTable::Group& group, GroupId id, LaneMask lanes) {
  const TraceSite site = trace_site(group.warp);
  if (launch_->trace->wants_timeline(site)) launch_->trace->issued(site, id, group.pc, lanes);
}

}  // namespace heddle::core
