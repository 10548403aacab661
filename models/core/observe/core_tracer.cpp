// What a core tells the trace sink. Only called while something is recorded.
#include <nlohmann/json.hpp>

#include "core/observe/core_tracer.h"

namespace heddle::core {
namespace {

/// As traces of tables call it.
std::string_view traced_name(const simt::ControlFlowRequest& request) {
  return request.event == simt::ControlFlowEvent::kAdvance ? "arrive" : simt::event_name(request);
}

}  // namespace

TraceSite CoreTracer::site(WarpId id) const {
  const WarpContext& warp = state_.warp(id);
  return {state_.id, id, state_.now, state_.ctas[warp.cta.value()].linear_id, warp.warp_in_cta};
}

void CoreTracer::tables(WarpId warp, TableSnapshot snapshot) {
  nlohmann::ordered_json tables;
  control_flow_.show(warp, state_.now, tables);
  if (transactions_ != nullptr) transactions_->show(warp, tables);
  nlohmann::ordered_json scoreboard = nlohmann::ordered_json::array();
  if (state_.config.scoreboard.control_codes())
    for (const RaisedCounter& raised : scoreboard_.counters(warp))
      scoreboard.push_back({{"counter", raised.number}, {"count", raised.count}});
  else
    for (const PendingRegister& entry : scoreboard_.pending(warp))
      scoreboard.push_back({{"reg", entry.reg}, {"lanes", entry.lanes.to_string()}});
  snapshot.tables = &tables;
  snapshot.scoreboard = &scoreboard;
  state_.trace->tables(site(warp), snapshot);
}

void CoreTracer::decision(const simt::ControlFlowRequest& request, Pc pc) {
  const TraceSite at = site(request.warp);
  if (!state_.trace->wants_tables(at)) return;
  TableSnapshot snapshot;
  snapshot.event = traced_name(request);
  snapshot.pc = pc;
  snapshot.lanes = request.mask;
  snapshot.taken = request.taken;
  tables(request.warp, snapshot);
}

void CoreTracer::registers(std::string_view event, WarpId warp, const isa::Instruction& instruction,
                           LaneMask lanes) {
  if (instruction.write_count == 0 || !state_.trace->wants_tables(site(warp))) return;
  TableSnapshot snapshot;
  snapshot.event = event;
  snapshot.pc = Pc{static_cast<std::uint32_t>(&instruction - state_.kernel().code.data())};
  snapshot.lanes = lanes;
  tables(warp, snapshot);
}

void CoreTracer::update(WarpId warp, const simt::GroupUpdate& update) {
  TraceSink& trace = *state_.trace;
  const TraceSite at = site(warp);
  if (!trace.wants_timeline(at)) return;
  switch (update.change) {
    case simt::GroupChange::kMoved:
    case simt::GroupChange::kSchedulable:
      trace.split_runs(at, update.group, update.pc, update.mask);
      break;
    case simt::GroupChange::kBlocked:
      trace.split_stops(at, update.group,
                        update.cause == simt::BlockCause::kBarrier  ? "barrier"
                        : update.cause == simt::BlockCause::kTables ? "tables"
                                                                    : "block_busy");
      break;
    case simt::GroupChange::kVanished:
      trace.split_stops(at, update.group, "gone");
      break;
    case simt::GroupChange::kHeld:
    case simt::GroupChange::kWatches:
    case simt::GroupChange::kJoined:
      break;
  }
}

void CoreTracer::issue(const IssueTable::Group& group, GroupId id, LaneMask lanes) {
  const TraceSite at = site(group.warp);
  if (state_.trace->wants_timeline(at)) state_.trace->issued(at, id, group.pc, lanes);
  state_.for_each_slice(group, group.mask, [&](WarpId home, LaneMask active) {
    const TraceSite of = site(home);
    if (state_.trace->wants_control_flow(of)) state_.trace->executes(of, group.pc, active);
  });
}

}  // namespace heddle::core
