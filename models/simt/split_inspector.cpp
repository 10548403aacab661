#include "simt/split_inspector.h"

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

void SplitInspector::answer(ControlFlowRequest& request, std::uint64_t events) const {
  if (request.table != nullptr) show_tables(request);
  if (request.suspended != nullptr || request.runnable != nullptr) list_lanes(request);
  request.digest = digest(request.warp, request.mask, events);
}

void SplitInspector::show_tables(ControlFlowRequest& request) const {
  nlohmann::ordered_json& table = *request.table = nlohmann::ordered_json::object();
  auto& splits = table["st"] = nlohmann::ordered_json::array();
  tables_.for_each_split(request.warp, [&](SplitId id, const Split& split) {
    nlohmann::ordered_json row{{"id", id.value()},
                               {"pc", pc_text(split.pc)},
                               {"rpc", pc_text(split.rpc.pc)},
                               {"rindex", index_text(split.rpc.index)},
                               {"mask", split.mask.to_string()}};
    const SplitView::State state = view_.state_of(request.warp, id);
    if (split.frame != 0) row["frame"] = split.frame;
    if (state.blocked || split.blocked) row["blocked"] = true;
    if (state.spilled) row["virtual"] = true;
    if (state.transient) row["transient"] = true;
    splits.push_back(std::move(row));
  });
  auto& points = table["rt"] = nlohmann::ordered_json::array();
  tables_.for_each_point(request.warp, [&](ReconvergenceId id, const Reconvergence& entry, bool physical) {
    nlohmann::ordered_json row{{"id", id.value()},
                               {"pc", pc_text(entry.pc)},
                               {"rpc", pc_text(entry.rpc.pc)},
                               {"rindex", index_text(entry.rpc.index)},
                               {"rec", entry.rec.to_string()},
                               {"pend", entry.pend.to_string()}};
    if (entry.frame != 0) row["frame"] = entry.frame;
    if (entry.kind == MeetingPoint::Kind::kReturn) row["kind"] = "return";
    if (entry.kind == MeetingPoint::Kind::kEarly) row["kind"] = "early";
    if (!physical) row["virtual"] = true;
    points.push_back(std::move(row));
  });
  view_.show(request.warp, table);
}

void SplitInspector::list_lanes(ControlFlowRequest& request) const {
  // A split without a turn gets one when another one ends.
  std::vector<Pc> ends{kNoPc};
  if (request.suspended != nullptr)
    tables_.for_each_split(request.warp, [&](SplitId, const Split& split) { ends.push_back(split.rpc.pc); });
  tables_.for_each_split(request.warp, [&](SplitId id, const Split& split) {
    const SplitView::State state = view_.state_of(request.warp, id);
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
  tables_.for_each_point(request.warp, [&](ReconvergenceId, const Reconvergence& entry, bool) {
    if (!entry.arrived().any()) return;
    // With time-outs they go on by themselves.
    request.suspended->push_back({entry.arrived(), entry.pc, Suspension::kReconverging,
                                  timed_ ? std::vector<Pc>{} : std::vector<Pc>{entry.pc}});
  });
}

std::uint64_t SplitInspector::digest(WarpId warp, LaneMask lanes, std::uint64_t events) const {
  std::uint64_t digest = 0xcbf29ce484222325ull;
  const auto mix = [&digest](std::uint64_t value) {
    digest = (digest ^ value) * 0x9e3779b97f4a7c15ull, digest ^= digest >> 32;
  };
  const auto mix_point = [&](const MeetingPoint& point) {
    mix((std::uint64_t{point.pc.value()} << 32) | point.frame);
    mix((std::uint64_t{point.index.value()} << 8) | static_cast<std::uint64_t>(point.kind));
  };
  ReconvergenceId index = kNoReconvergence;
  tables_.for_each_split(warp, [&](SplitId, const Split& split) {
    if (split.mask != lanes) return;
    mix(split.mask.bits());
    mix(split.frame);
    mix_point(split.rpc);
    index = split.rpc.index;
  });
  // The points that the group is on the way to, and which lanes it will meet there.
  while (index != kNoReconvergence) {
    const Reconvergence entry = tables_.peek(warp, index);
    mix((std::uint64_t{entry.rec.bits()} << 32) | entry.pend.bits());
    mix_point(entry.rpc);
    index = entry.rpc.index;
  }
  // A running timer will change things by itself: no two visits are the same.
  bool timer_runs = false;
  if (timed_)
    tables_.for_each_point(warp, [&](ReconvergenceId, const Reconvergence& entry, bool) {
      timer_runs = timer_runs || entry.arrived().any();
    });
  if (timer_runs) mix(events);
  return digest;
}

}  // namespace heddle::simt
