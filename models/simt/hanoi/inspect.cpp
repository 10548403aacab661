// What Hanoi shows: its tables, and the lanes that do not run and what they wait for.
#include <nlohmann/json.hpp>

#include "simt/hanoi/hanoi.h"

namespace heddle::simt {

void Hanoi::inspect(ControlFlowRequest& request) const {
  if (request.table != nullptr) inspect_tables(request);
  if (request.suspended != nullptr) inspect_suspended(request);
  if (request.runnable != nullptr) inspect_runnable(request);
  request.digest = unit_.state(request.warp).digest(request.mask).value();
}

Pc Hanoi::pc_of(WarpId id, std::size_t path) const {
  const HanoiWarp& warp = unit_.state(id);
  // Sequential flow is not reported, so the top is where the core has it.
  const bool runs = path + 1 == warp.paths().size() && !busy(id);
  return runs ? ports_.next_pc(GroupId{id.value()}) : warp.paths()[path].pc;
}

void Hanoi::inspect_tables(const ControlFlowRequest& request) const {
  const HanoiWarp& warp = unit_.state(request.warp);
  nlohmann::ordered_json& table = *request.table = nlohmann::ordered_json::object();
  auto& paths = table["ws"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < warp.paths().size(); ++i)
    paths.push_back({{"pc", pc_of(request.warp, i).value()}, {"mask", warp.paths()[i].mask.to_string()}});
  auto& entries = table["rec"] = nlohmann::ordered_json::array();
  for (const HanoiWarp::Entry& entry : warp.entries()) {
    nlohmann::ordered_json row{{"pc", entry.pc.value()}, {"barrier", entry.barrier}};
    if (entry.warpsync) row["warpsync"] = true;
    if (entry.dead) row["dead"] = true;
    entries.push_back(std::move(row));
  }
  auto& registers = table["b"] = nlohmann::ordered_json::array();
  for (std::uint32_t b = 0; b < config_.barrier_registers; ++b)
    if (warp.barrier(b).valid)
      registers.push_back({{"barrier", b}, {"mask", warp.barrier(b).mask.to_string()}});
  table["waiting"] = warp.waiting().to_string();
  table["finished"] = warp.finished().to_string();
  if (!config_.is_p()) {
    auto& tags = table["tags"] = nlohmann::ordered_json::object();
    warp.waiting().for_each([&](unsigned lane) { tags[std::to_string(lane)] = warp.tag(lane); });
  }
}

bool Hanoi::yields() const { return facts_ != nullptr && !facts_->yields.empty(); }

std::size_t Hanoi::taking_turns(const HanoiWarp& warp) const { return yields() ? warp.turns() : 0; }

void Hanoi::inspect_runnable(ControlFlowRequest& request) const {
  const HanoiWarp& warp = unit_.state(request.warp);
  const std::size_t count = warp.paths().size();
  if (count == 0) return;
  for (std::size_t i = count - 1 - taking_turns(warp); i < count; ++i)
    request.runnable->push_back(
        {pc_of(request.warp, i), warp.paths()[i].mask, /*if_yielded_to=*/i + 1 != count});
}

const char* Hanoi::hint_of(const HanoiWarp& warp) const {
  if (warp.entries().empty()) return nullptr;
  if (config_.is_x())
    return yields() && config_.yield_releases == 0
               ? "set core.control_flow.hanoi.yield_releases=16: YIELD lets lanes go on as well that wait at "
                 "a BSYNC"
               : nullptr;
  if (config_.waiting == HanoiWaiting::kTop)
    return "set core.control_flow.hanoi.waiting=all: lanes that wait at an entry are forgotten when another "
           "one is "
           "pushed";
  const HanoiWarp::Register& top = warp.barrier(warp.entries().back().barrier);
  if (!config_.pops_empty && top.valid && LaneMask::difference(top.mask, warp.finished()).none())
    return "set core.control_flow.hanoi.pops_empty=true: all lanes have left the region on top of the REC "
           "stack, and "
           "its entry stays";
  if (warp.paths().empty() && !top.valid)
    return "set core.control_flow.hanoi.profile=X, or keep regions that lanes leave by BREAK or EXIT in "
           "their barrier "
           "registers: nobody is left who writes back that of the region on top of the REC stack";
  return yields()
             ? "set core.control_flow.hanoi.profile=X and core.control_flow.hanoi.yield_releases=16: YIELD "
               "lets lanes go on as well that wait at a BSYNC"
             : nullptr;
}

void Hanoi::inspect_suspended(ControlFlowRequest& request) const {
  const HanoiWarp& warp = unit_.state(request.warp);
  // Where other lanes may set them free: at a convergence instruction, or by ending. YIELD gives turns to siblings only;
  // who they are changes at those instructions.
  std::vector<Pc> until{kNoPc};
  if (facts_ != nullptr) until.insert(until.end(), facts_->convergence.begin(), facts_->convergence.end());
  std::vector<Pc> or_yield = until;
  if (yields()) or_yield.insert(or_yield.end(), facts_->yields.begin(), facts_->yields.end());
  if (config_.yield_frees()) until = or_yield;
  const std::size_t count = warp.paths().size();
  const std::size_t turns = taking_turns(warp);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const bool turn = i + 1 + turns >= count;
    request.suspended->push_back({warp.paths()[i].mask, warp.paths()[i].pc,
                                  turn ? Suspension::kTurn : Suspension::kNoTurn, turn ? or_yield : until,
                                  /*until_blocked=*/true});
  }
  for (const HanoiWarp::Path& path : warp.outside())
    request.suspended->push_back({path.mask, path.pc, Suspension::kBarrier, {}});
  const char* const hint = hint_of(warp);
  for (SuspendedLanes& lanes : warp.waiting_lanes()) {
    lanes.until = until;
    lanes.until_blocked = true;
    if (lanes.barrier != SuspendedLanes::kNoBarrier) lanes.hint = hint;
    request.suspended->push_back(std::move(lanes));
  }
}

}  // namespace heddle::simt
