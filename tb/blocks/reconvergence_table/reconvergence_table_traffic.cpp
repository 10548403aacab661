// What random requests for the reconvergence table have met.
#include "reconvergence_table_traffic.h"

namespace heddle::cosim {

std::vector<std::string> ReconvergenceTraffic::events(const ReconvergenceTablePoint& point) {
  std::vector<std::string> names{"reset with entries",
                                 "insert into an empty table",
                                 "insert of the last number",
                                 "no number left",
                                 "free number comes back",
                                 "read of a free number",
                                 "read",
                                 "write",
                                 "arrive: some",
                                 "arrive: the last",
                                 "arrive again",
                                 "leave: some",
                                 "leave: the last",
                                 "go alone: some had come",
                                 "go alone: nobody had",
                                 "free",
                                 "search: no timers",
                                 "time wraps"};
  if (point.calls)
    names.insert(names.end(),
                 {"arrive: its PC becomes known", "arrive: its PC is known", "parent's PC is not known"});
  if (point.timeout != 0)
    names.insert(names.end(),
                 {"insert: lanes wait", "reset with timers", "timer runs anew", "timer stops",
                  "search: none expired", "search: the first", "search: behind others of its warp",
                  "search: behind another warp's", "search: expired long ago", "has fired", "has not fired",
                  "change after it fired", "free while its timer runs", "timer across the wrap"});
  if (point.spills())
    names.insert(names.end(),
                 {"insert: no room", "read of an entry in memory", "fill", "fill: no room", "fill: no parent",
                  "fill: parent", "free of an entry in memory", "evict the only one"});
  if (point.spills() && point.physical > 1)
    names.insert(names.end(), {"evict one of a full table", "free while others stay"});
  if (point.spills() && point.physical > 2) names.insert(names.end(), {"evict one of several"});
  if (point.spills() && point.timeout != 0)
    names.insert(names.end(), {"timer of an entry in memory expires"});
  if (point.spills() && point.calls) names.insert(names.end(), {"fill: PC not known"});
  return names;
}

void ReconvergenceTraffic::cover_change(const ReconvergenceTableRequest& request,
                                        const ReconvergenceTableModel& model, const Reconvergence& before,
                                        LaneMask rec, LaneMask pend) {
  const bool runs = model.timer(request.warp, request.id) != simt::kNever;
  const bool will_run = point_.timeout != 0 && LaneMask::difference(rec, pend).any();
  coverage_hit("timer runs anew", runs && will_run);
  coverage_hit("timer stops", runs && !will_run);
  coverage_hit("timer across the wrap",
               will_run && (request.cycle >> 32) != ((request.cycle + point_.timeout + 1) >> 32));
  // It has fired if its lanes wait and yet it does not run.
  coverage_hit("change after it fired", point_.timeout != 0 && !runs && before.arrived().any());
}

void ReconvergenceTraffic::cover_search(const ReconvergenceTableRequest& request,
                                        const ReconvergenceTableModel& model) {
  unsigned visited = 0, others = 0;  // timers before the one found; of these, other warps'
  std::uint32_t last_warp = 0;
  bool found = false;
  for (std::uint32_t warp = 0; warp < model.warps() && !found; ++warp)
    for (std::uint8_t id = 0; id < simt::kTableEntries && !found; ++id) {
      const Cycle timer = model.timer(WarpId{warp}, ReconvergenceId{id});
      if (timer == simt::kNever) continue;
      if (warp != last_warp) others = visited;
      last_warp = warp;
      found = timer <= request.cycle;
      if (!found) ++visited;
      if (!found) continue;
      coverage_hit("search: the first", visited == 0);
      coverage_hit("search: behind others of its warp", visited > others);
      coverage_hit("search: behind another warp's", others != 0);
      coverage_hit("search: expired long ago", timer + 500 < request.cycle);
      ReconvergenceTableRequest read{.op = Op::kRead, .warp = WarpId{warp}, .id = ReconvergenceId{id}};
      model.inspect(read);
      coverage_hit("timer of an entry in memory expires", !read.ok);
      if (fired_.size() > 8) fired_.clear();
      fired_.push_back({ReconvergenceId{id}, read.ok, read.entry});
    }
  coverage_hit("search: no timers", !found && visited == 0);
  coverage_hit("search: none expired", !found && visited != 0);
}

void ReconvergenceTraffic::cover(const ReconvergenceTableRequest& request,
                                 const ReconvergenceTableModel& model) {
  const std::size_t used = entries_.size();
  const bool room = physical_.size() < point_.physical;
  const Entry* const named = request.op == Op::kInsert ? nullptr : find(request.id);
  const Reconvergence before = named == nullptr ? Reconvergence{} : named->contents;
  const LaneMask left = LaneMask::difference(before.pend, request.lanes);
  const auto runs = [&](ReconvergenceId id) { return model.timer(request.warp, id) != simt::kNever; };
  switch (request.op) {
    case Op::kReset:
      coverage_hit("reset with entries", used != 0);
      for (const Entry& entry : entries_)
        if (runs(entry.id)) coverage_hit("reset with timers");
      break;
    case Op::kInsert:
      coverage_hit("insert into an empty table", used == 0);
      coverage_hit("insert of the last number", used == simt::kTableEntries - 1);
      coverage_hit("no number left", used == simt::kTableEntries);
      coverage_hit("free number comes back", used < simt::kTableEntries && !freed_.empty());
      coverage_hit("insert: lanes wait", point_.timeout != 0 && request.entry.arrived().any());
      coverage_hit("insert: no room", used < simt::kTableEntries && !room);
      coverage_hit("parent's PC is not known",
                   request.entry.rpc.exists() && request.entry.rpc.pc == base::kNoPc);
      break;
    case Op::kRead:
      coverage_hit("read of a free number", named == nullptr);
      coverage_hit("read", named != nullptr && named->physical);
      coverage_hit("read of an entry in memory", named != nullptr && !named->physical);
      break;
    case Op::kWrite:
      coverage_hit("write");
      break;
    case Op::kArrive:
      coverage_hit("arrive: some", left.any() && left != before.pend);
      coverage_hit("arrive: the last", left.none() && before.pend.any());
      coverage_hit("arrive again", left == before.pend);
      coverage_hit("arrive: its PC becomes known", before.pc == base::kNoPc && request.pc != base::kNoPc);
      coverage_hit("arrive: its PC is known",
                   point_.calls && before.pc != base::kNoPc && request.pc != base::kNoPc);
      cover_change(request, model, before, before.rec, left);
      break;
    case Op::kLeave: {
      const LaneMask rest = LaneMask::difference(before.rec, request.lanes);
      coverage_hit("leave: some", rest.any() && rest != before.rec);
      coverage_hit("leave: the last", rest.none() && before.rec.any());
      cover_change(request, model, before, rest, left);
      break;
    }
    case Op::kGoAlone:
      coverage_hit("go alone: some had come", before.arrived().any());
      coverage_hit("go alone: nobody had", before.arrived().none());
      cover_change(request, model, before, before.pend, before.pend);
      break;
    case Op::kFree:
      coverage_hit("free");
      coverage_hit("free while its timer runs", runs(request.id));
      coverage_hit("free of an entry in memory", !named->physical);
      coverage_hit("free while others stay", point_.spills() && named->physical && physical_.size() > 1);
      freed_.emplace(request.warp.value(), request.id);
      break;
    case Op::kEvict:
      coverage_hit("evict the only one", physical_.size() == 1);
      if (point_.physical > 2) coverage_hit("evict one of several", physical_.size() > 1 && room);
      coverage_hit("evict one of a full table", physical_.size() > 1 && !room);
      break;
    case Op::kFill: {
      Reconvergence filled;
      simt::unpack(request.words, filled);
      coverage_hit(room ? "fill" : "fill: no room");
      coverage_hit(filled.rpc.exists() ? "fill: parent" : "fill: no parent", room);
      coverage_hit("fill: PC not known", room && filled.pc == base::kNoPc);
      break;
    }
    case Op::kFired:
      cover_search(request, model);
      break;
    case Op::kHasFired:
      if (point_.timeout == 0) break;
      coverage_hit(!runs(request.id) && before.arrived().any() ? "has fired" : "has not fired");
      break;
  }
}

}  // namespace heddle::cosim
