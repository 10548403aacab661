#include "simt/reconvergence_table.h"

#include <algorithm>
#include <bit>

#include "sim/twin_difference.h"
#include "simt/record_words.h"

namespace heddle::simt {

void TimeoutConfig::visit(base::ConfigVisitor& v) {
  constexpr std::uint32_t kMostTimeout = 1u << 30;
  v.field("cycles", cycles,
          {.unit = "core cycles",
           .doc = "lanes that wait longer than this for others to reconverge go on alone; 0: they wait for "
                  "ever ([AWARE] §5.4.3)",
           .max = kMostTimeout});
  v.field("resolution_cycles", resolution_cycles,
          {.unit = "core cycles",
           .doc = "how often waiting times are compared with the limit ([AWARE:A8])",
           .min = 1,
           .max = kMostTimeout});
}
namespace {

std::uint32_t bit(ReconvergenceId id) { return 1u << id.value(); }

ReconvergenceId numbered(unsigned number) { return ReconvergenceId{static_cast<std::uint8_t>(number)}; }

}  // namespace

ReconvergenceTableModel::ReconvergenceTableModel(std::uint32_t warps, const ReconvergenceTableConfig& config)
    : warps_(warps), config_(config) {
  for (Warp& warp : warps_) reset(warp);
}

void ReconvergenceTableModel::reset(Warp& warp) {
  for (unsigned i = 0; i < kTableEntries; ++i) {
    set_timer(warp, numbered(i), kNever);
    warp.free[i] = numbered(kTableEntries - 1 - i);  // number 0 on top
  }
  warp.free_count = kTableEntries;
  warp.valid = warp.resident = warp.fired = 0;
}

bool ReconvergenceTableModel::room(const Warp& warp) const {
  return LaneMask(warp.resident).count() < config_.physical;
}

std::uint32_t ReconvergenceTableModel::cost(const ReconvergenceTableRequest& request) const {
  if (request.op != ReconvergenceTableRequest::Op::kFired) return 1;
  std::uint32_t visited = 0;
  for (const Warp& warp : warps_)
    for (const Entry& entry : warp.entries) {
      if (entry.fires != kNever) ++visited;
      if (entry.fires <= request.cycle) return 1 + visited;
    }
  return 1 + visited;
}

void ReconvergenceTableModel::serve(ReconvergenceTableRequest& request) {
  Warp& warp = warps_[request.warp.value()];
  request.clocks = 1;
  switch (request.op) {
    case ReconvergenceTableRequest::Op::kReset:
      reset(warp);
      break;
    case ReconvergenceTableRequest::Op::kInsert:
      insert(warp, request);
      break;
    case ReconvergenceTableRequest::Op::kRead:
      inspect(request);
      break;
    case ReconvergenceTableRequest::Op::kWrite:
      warp.entries[request.id.value()].contents = request.entry;
      warp.entries[request.id.value()].updated = ++writes_;
      break;
    case ReconvergenceTableRequest::Op::kArrive:
    case ReconvergenceTableRequest::Op::kLeave:
    case ReconvergenceTableRequest::Op::kGoAlone:
      update(warp, request);
      break;
    case ReconvergenceTableRequest::Op::kFree:
      warp.valid &= ~bit(request.id);
      warp.resident &= ~bit(request.id);
      warp.fired &= ~bit(request.id);
      set_timer(warp, request.id, kNever);
      warp.free[warp.free_count++] = request.id;
      break;
    case ReconvergenceTableRequest::Op::kEvict:
      evict(warp, request);
      break;
    case ReconvergenceTableRequest::Op::kFill:
      request.ok = room(warp);
      if (!request.ok) break;
      unpack(request.words, warp.entries[request.id.value()].contents);
      warp.entries[request.id.value()].updated = ++writes_;
      warp.resident |= bit(request.id);
      break;
    case ReconvergenceTableRequest::Op::kFired:
      request.clocks = cost(request);
      report_fired(request);
      break;
    case ReconvergenceTableRequest::Op::kHasFired:
      request.ok = (warp.fired & bit(request.id)) != 0;
      break;
  }
  request.due = due_;
}

void ReconvergenceTableModel::inspect(ReconvergenceTableRequest& request) const {
  const Warp& warp = warps_[request.warp.value()];
  request.valid = (warp.valid & bit(request.id)) != 0;
  request.ok = (warp.resident & bit(request.id)) != 0;
  request.entry = warp.entries[request.id.value()].contents;
}

void ReconvergenceTableModel::insert(Warp& warp, ReconvergenceTableRequest& request) {
  if (warp.free_count == 0) {
    request.id = kNoReconvergence;
    return;
  }
  request.id = warp.free[--warp.free_count];
  request.ok = room(warp);
  warp.valid |= bit(request.id);
  if (request.ok) warp.resident |= bit(request.id);
  Entry& entry = warp.entries[request.id.value()];
  entry.contents = request.entry;
  entry.updated = ++writes_;
  restart_timer(warp, request.id, request.cycle);
}

void ReconvergenceTableModel::update(Warp& warp, ReconvergenceTableRequest& request) {
  Entry& entry = warp.entries[request.id.value()];
  Reconvergence& contents = entry.contents;
  entry.updated = ++writes_;
  if (request.op == ReconvergenceTableRequest::Op::kGoAlone) {
    request.entry = contents;
    contents.rec = contents.pend;
  } else {
    contents.pend = LaneMask::difference(contents.pend, request.lanes);
    if (request.op == ReconvergenceTableRequest::Op::kLeave)
      contents.rec = LaneMask::difference(contents.rec, request.lanes);
    else if (contents.pc == kNoPc)
      contents.pc = request.pc;
    request.entry = contents;
  }
  restart_timer(warp, request.id, request.cycle);
}

void ReconvergenceTableModel::evict(Warp& warp, ReconvergenceTableRequest& request) const {
  const bool least = config_.victim == TableVictim::kLeastRecent;
  ReconvergenceId victim = kNoReconvergence;
  for (std::uint32_t rest = warp.resident; rest != 0; rest &= rest - 1) {
    const ReconvergenceId id = numbered(static_cast<unsigned>(std::countr_zero(rest)));
    if (victim == kNoReconvergence ||
        (warp.entries[id.value()].updated < warp.entries[victim.value()].updated) == least)
      victim = id;
  }
  request.id = victim;
  request.words = pack(warp.entries[victim.value()].contents);
  warp.resident &= ~bit(victim);
}

void ReconvergenceTableModel::restart_timer(Warp& warp, ReconvergenceId id, Cycle now) {
  warp.fired &= ~bit(id);
  if (config_.timeout.cycles == 0) return;
  Cycle fires = kNever;
  if (warp.entries[id.value()].contents.arrived().any()) {
    const Cycle resolution = config_.timeout.resolution_cycles;
    fires = (now + config_.timeout.cycles + resolution) / resolution * resolution;  // the first one beyond
  }
  set_timer(warp, id, fires);
}

void ReconvergenceTableModel::set_timer(Warp& warp, ReconvergenceId id, Cycle fires) {
  Cycle& timer = warp.entries[id.value()].fires;
  if (timer == fires) return;
  const Cycle before = timer;
  timer = fires;
  const Cycle warp_before = warp.due;
  if (fires < warp.due) {
    warp.due = fires;
  } else if (before == warp.due) {
    warp.due = kNever;
    for (const Entry& entry : warp.entries) warp.due = std::min(warp.due, entry.fires);
  }
  if (warp.due < due_) {
    due_ = warp.due;
  } else if (warp_before == due_ && warp.due != warp_before) {
    due_ = kNever;
    for (const Warp& each : warps_) due_ = std::min(due_, each.due);
  }
}

void ReconvergenceTableModel::report_fired(ReconvergenceTableRequest& request) {
  request.ok = false;
  if (due_ > request.cycle) return;
  const auto warp =
      std::find_if(warps_.begin(), warps_.end(), [&](const Warp& each) { return each.due <= request.cycle; });
  request.warp = WarpId{static_cast<std::uint32_t>(warp - warps_.begin())};
  for (unsigned i = 0; i < kTableEntries; ++i) {
    if (warp->entries[i].fires > request.cycle) continue;
    request.id = numbered(i);
    set_timer(*warp, request.id, kNever);
    warp->fired |= bit(request.id);
    request.ok = true;
    return;
  }
}

// ---- Beside its twin

namespace {

nlohmann::ordered_json show(const Reconvergence& entry) {
  const auto pc_text = [](Pc pc) {
    return pc == kNoPc ? nlohmann::ordered_json("-") : nlohmann::ordered_json(pc.value());
  };
  nlohmann::ordered_json json{{"pc", pc_text(entry.pc)},
                              {"rec", entry.rec.to_string()},
                              {"pend", entry.pend.to_string()},
                              {"kind", static_cast<unsigned>(entry.kind)}};
  if (entry.frame != 0) json["frame"] = entry.frame;
  if (entry.rpc.exists()) {
    json["rpc"] = pc_text(entry.rpc.pc);
    json["r_index"] = entry.rpc.index.value();
    json["rpc_frame"] = entry.rpc.frame;
    json["rpc_kind"] = static_cast<unsigned>(entry.rpc.kind);
  }
  return json;
}

}  // namespace

ReconvergenceTableBlock::Answer ReconvergenceTableBlock::answer_of(const Request& request) {
  using Op = Request::Op;
  Answer answer;
  answer.due = request.due;
  answer.clocks = request.clocks;
  switch (request.op) {
    case Op::kInsert:
      answer.id = request.id;
      answer.ok = request.ok && request.id != kNoReconvergence;
      break;
    case Op::kRead:
      answer.valid = request.valid;
      answer.ok = request.ok && request.valid;
      if (answer.ok) answer.entry = request.entry;
      break;
    case Op::kArrive:
    case Op::kLeave:
    case Op::kGoAlone:
      answer.entry = request.entry;
      break;
    case Op::kEvict:
      answer.id = request.id;
      answer.words = request.words;
      break;
    case Op::kFill:
    case Op::kHasFired:
      answer.ok = request.ok;
      break;
    case Op::kFired:
      answer.ok = request.ok;
      if (request.ok) answer.warp = request.warp, answer.id = request.id;
      break;
    case Op::kReset:
    case Op::kWrite:
    case Op::kFree:
      break;
  }
  return answer;
}

nlohmann::ordered_json ReconvergenceTableBlock::show_request(const Request& request) {
  using Op = Request::Op;
  nlohmann::ordered_json json{{"op", Request::kOpNames[static_cast<unsigned>(request.op)]},
                              {"cycle", request.cycle}};
  if (request.op != Op::kFired) json["warp"] = request.warp.value();
  switch (request.op) {
    case Op::kInsert:
      json["entry"] = show(request.entry);
      break;
    case Op::kWrite:
      json["id"] = request.id.value();
      json["entry"] = show(request.entry);
      break;
    case Op::kArrive:
      json["pc"] =
          request.pc == kNoPc ? nlohmann::ordered_json("-") : nlohmann::ordered_json(request.pc.value());
      [[fallthrough]];
    case Op::kLeave:
      json["lanes"] = request.lanes.to_string();
      [[fallthrough]];
    case Op::kRead:
    case Op::kGoAlone:
    case Op::kFree:
    case Op::kHasFired:
      json["id"] = request.id.value();
      break;
    case Op::kFill:
      json["id"] = request.id.value();
      json["words"] = request.words;
      break;
    case Op::kReset:
    case Op::kEvict:
    case Op::kFired:
      break;
  }
  return json;
}

nlohmann::ordered_json ReconvergenceTableBlock::show_answer(const Answer& answer) {
  nlohmann::ordered_json json{{"ok", answer.ok}, {"valid", answer.valid}, {"clocks", answer.clocks}};
  if (answer.id != kNoReconvergence) {
    json["warp"] = answer.warp.value();
    json["id"] = answer.id.value();
  }
  if (answer.entry != Reconvergence{}) json["entry"] = show(answer.entry);
  if (answer.words != std::array<std::uint32_t, 4>{}) json["words"] = answer.words;
  json["due"] = answer.due == kNever ? nlohmann::ordered_json("-") : nlohmann::ordered_json(answer.due);
  return json;
}

nlohmann::ordered_json ReconvergenceTableBlock::show_tables(const Request& of,
                                                            const std::function<void(Request&)>& inspect) {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (std::uint8_t id = 0; id < kTableEntries; ++id) {
    Request request{.op = Request::Op::kRead, .warp = of.warp, .id = ReconvergenceId{id}};
    inspect(request);
    if (!request.valid) continue;
    nlohmann::ordered_json entry{{"id", id}};
    if (request.ok)
      entry.update(show(request.entry));
    else
      entry["spilled"] = true;
    entries.push_back(entry);
  }
  return entries;
}

std::array<std::uint32_t, 4> pack(const Reconvergence& entry) {
  const std::uint32_t index = index_bits(entry.rpc.index);
  return {pc_word(entry.pc, index & 7), pc_word(entry.rpc.pc, index >> 3), entry.rec.bits(),
          entry.pend.bits()};
}

void unpack(const std::array<std::uint32_t, 4>& words, Reconvergence& entry) {
  entry.pc = pc_of(words[0]);
  entry.rpc.pc = pc_of(words[1]);
  entry.rpc.index = index_of(words[0], words[1]);
  entry.rec = LaneMask(words[2]);
  entry.pend = LaneMask(words[3]);
}

}  // namespace heddle::simt

template void heddle::sim::Twinned<heddle::simt::ReconvergenceTableBlock>::serve_both(
    heddle::simt::ReconvergenceTableRequest&);
