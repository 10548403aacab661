// What SplitControl shows: its tables, the lanes that do not run, and a digest of what decides where a group
// goes on.
#include "simt/split_control.h"

#include <nlohmann/json.hpp>

namespace heddle::simt {
namespace {

nlohmann::ordered_json pc_text(Pc pc) {
  return pc == kNoPc ? nlohmann::ordered_json("-") : nlohmann::ordered_json(pc.value());
}

nlohmann::ordered_json index_text(ReconvergenceId index) {
  return index == kNoReconvergence ? nlohmann::ordered_json("-") : nlohmann::ordered_json(index.value());
}

}  // namespace

template <class Fn>
void SplitControl::for_each_split(WarpId warp, Fn&& fn) const {
  for (unsigned i = 0; i < kTableEntries; ++i) {
    SplitTableRequest request{.op = SplitTableRequest::Op::kRead, .warp = warp};
    request.id = SplitId{static_cast<std::uint8_t>(i)};
    split_table_isock_.inspect(request);
    if (request.valid) fn(request.id, request.split);
  }
}

template <class Fn>
void SplitControl::for_each_reconvergence(WarpId warp, Fn&& fn) const {
  for (unsigned i = 0; i < kTableEntries; ++i) {
    ReconvergenceTableRequest request{.op = ReconvergenceTableRequest::Op::kRead, .warp = warp};
    request.id = ReconvergenceId{static_cast<std::uint8_t>(i)};
    reconvergence_table_isock_.inspect(request);
    if (request.valid) fn(request);
  }
}

void SplitControl::inspect(ControlFlowRequest& request) const {
  if (request.table != nullptr) inspect_tables(request);
  if (request.suspended != nullptr || request.runnable != nullptr) inspect_lanes(request);
  inspect_digest(request);
}

void SplitControl::inspect_tables(ControlFlowRequest& request) const {
  nlohmann::ordered_json& table = *request.table = nlohmann::ordered_json::object();
  auto& splits = table["st"] = nlohmann::ordered_json::array();
  for_each_split(request.warp, [&](SplitId id, const Split& split) {
    nlohmann::ordered_json row{{"id", id.value()},
                               {"pc", pc_text(split.pc)},
                               {"rpc", pc_text(split.rpc.pc)},
                               {"rindex", index_text(split.rpc.index)},
                               {"mask", split.mask.to_string()}};
    const SplitState state = state_of(request.warp, id);
    if (split.frame != 0) row["frame"] = split.frame;
    if (state.blocked || split.blocked) row["blocked"] = true;
    if (state.spilled) row["virtual"] = true;
    if (state.transient) row["transient"] = true;
    splits.push_back(std::move(row));
  });
  auto& points = table["rt"] = nlohmann::ordered_json::array();
  for_each_reconvergence(request.warp, [&](const ReconvergenceTableRequest& read) {
    const Reconvergence& entry = read.entry;
    nlohmann::ordered_json row{{"id", read.id.value()},        {"pc", pc_text(entry.pc)},
                               {"rpc", pc_text(entry.rpc.pc)}, {"rindex", index_text(entry.rpc.index)},
                               {"rec", entry.rec.to_string()}, {"pend", entry.pend.to_string()}};
    if (entry.frame != 0) row["frame"] = entry.frame;
    if (entry.kind == MeetingPoint::Kind::kReturn) row["kind"] = "return";
    if (entry.kind == MeetingPoint::Kind::kEarly) row["kind"] = "early";
    if (!read.ok) row["virtual"] = true;
    points.push_back(std::move(row));
  });
  show(request.warp, table);
}

void SplitControl::inspect_lanes(ControlFlowRequest& request) const {
  // A split without a turn gets one when another one ends.
  std::vector<Pc> ends{kNoPc};
  if (request.suspended != nullptr)
    for_each_split(request.warp, [&](SplitId, const Split& split) { ends.push_back(split.rpc.pc); });
  for_each_split(request.warp, [&](SplitId id, const Split& split) {
    const SplitState state = state_of(request.warp, id);
    const bool blocked = state.blocked || split.blocked;
    if (request.runnable != nullptr && !blocked && state.turn)
      request.runnable->push_back({split.pc, split.mask});
    if (request.suspended == nullptr || state.runs) return;
    request.suspended->push_back({split.mask, split.pc,
                                  blocked         ? Suspension::kBarrier
                                  : state.started ? Suspension::kTurn
                                                  : Suspension::kNotStarted,
                                  state.turn ? std::vector<Pc>{} : ends,
                                  /*until_blocked=*/!state.turn});
  });
  if (request.suspended == nullptr) return;
  for_each_reconvergence(request.warp, [&](const ReconvergenceTableRequest& read) {
    if (!read.entry.arrived().any()) return;
    // With time-outs they go on by themselves.
    request.suspended->push_back({read.entry.arrived(), read.entry.pc, Suspension::kReconverging,
                                  timed_ ? std::vector<Pc>{} : std::vector<Pc>{read.entry.pc}});
  });
}

void SplitControl::inspect_digest(ControlFlowRequest& request) const {
  std::uint64_t digest = 0xcbf29ce484222325ull;
  const auto mix = [&digest](std::uint64_t value) {
    digest = (digest ^ value) * 0x9e3779b97f4a7c15ull, digest ^= digest >> 32;
  };
  const auto mix_point = [&](const MeetingPoint& point) {
    mix((std::uint64_t{point.pc.value()} << 32) | point.frame);
    mix((std::uint64_t{point.index.value()} << 8) | static_cast<std::uint64_t>(point.kind));
  };
  ReconvergenceId index = kNoReconvergence;
  for_each_split(request.warp, [&](SplitId, const Split& split) {
    if (split.mask != request.mask) return;
    mix(split.mask.bits());
    mix(split.frame);
    mix_point(split.rpc);
    index = split.rpc.index;
  });
  // The points that the group is on the way to, and which lanes it will meet there.
  while (index != kNoReconvergence) {
    ReconvergenceTableRequest read{.op = ReconvergenceTableRequest::Op::kRead, .warp = request.warp};
    read.id = index;
    reconvergence_table_isock_.inspect(read);
    mix((std::uint64_t{read.entry.rec.bits()} << 32) | read.entry.pend.bits());
    mix_point(read.entry.rpc);
    index = read.entry.rpc.index;
  }
  // A running timer will change things by itself: no two visits are the same.
  bool timer_runs = false;
  if (timed_)
    for_each_reconvergence(request.warp, [&](const ReconvergenceTableRequest& read) {
      timer_runs = timer_runs || read.entry.arrived().any();
    });
  if (timer_runs) mix(events_);
  request.digest = digest;
}

}  // namespace heddle::simt
