#include "spin/warp_history.h"

#include <algorithm>

#include "spin/spin_hash.h"

namespace heddle::spin {

WarpHistory::WarpHistory(const DdosConfig& config)
    : front_after_mismatch_(config.front_after_mismatch), ring_(config.length) {}

void WarpHistory::clear() {
  inserted_ = 0;
  front_ = 0;
  remaining_ = 0;
  state_ = SpinState::kSearch;
}

bool WarpHistory::insert(std::uint32_t path, std::array<std::uint32_t, 2> values) {
  const auto length = static_cast<std::uint32_t>(ring_.size());
  newest_ = (newest_ + 1) % length;
  ring_[newest_] = {path, values};
  inserted_ = std::min(inserted_ + 1, length);
  const SpinState before = state_;
  if (state_ == SpinState::kSearch) {
    front_ = (front_ + 1) % length;
    if (front_ < 2) return false;
  }
  const std::uint32_t distance = front_ - 1;
  if (at(0) == at(distance)) {
    if (state_ == SpinState::kSearch) {
      state_ = SpinState::kConfirm;
      remaining_ = distance - 1;
    } else if (state_ == SpinState::kConfirm) {
      --remaining_;
    }
    if (remaining_ == 0) state_ = SpinState::kSpin;
  } else if (state_ != SpinState::kSearch) {
    state_ = SpinState::kSearch;
    front_ = front_after_mismatch_;
  }
  return state_ != before;
}

std::vector<WarpHistory::Entry> WarpHistory::entries() const {
  std::vector<Entry> all;
  for (std::uint32_t age = 0; age < inserted_; ++age) all.push_back(at(age));
  return all;
}

WarpHistoryUnit::WarpHistoryUnit(const sc_core::sc_module_name& name, const DdosConfig& config, Timing timing,
                                 std::uint32_t warps, base::StatGroup& stats)
    : sc_module(name), config_(config), latency_(timing == Timing::kContract ? 2 : 0) {
  warps_.reserve(shared() ? 1 : warps);
  for (std::uint32_t w = 0; w < (shared() ? 1 : warps); ++w) warps_.emplace_back(config);
  stats.counter("inserts", "setp instructions", "recorded in a history", &inserts_);
  stats.counter("not_recorded", "setp instructions",
                "of warps that do not have the shared history, or without the profiled lane", &not_recorded_);
  stats.counter("lane_changes", "events", "a history was cleared because its lane was inactive",
                &lane_changes_);
  stats.counter("detections", "events", "a warp was found to spin", &detections_);
}

void WarpHistoryUnit::clear(Warp& warp, Cycle cycle) {
  warp.history.clear();
  warp.lane = HistoryRequest::kNoLane;
  if (!warp.spinning) return;
  warp.changes = {{{cycle, true}, warp.changes[0]}};
  warp.spinning = false;
}

bool WarpHistoryUnit::owns(WarpId warp, Cycle cycle) {
  if (!shared() || (owned_ && owner_ == warp)) return true;
  if (owned_ && cycle < owned_since_ + config_.time_share_cycles) return false;
  clear(warps_[0], cycle);
  owner_ = warp;
  owned_ = true;
  owned_since_ = cycle;
  return true;
}

unsigned WarpHistoryUnit::lane_of(Warp& warp, LaneMask exec) {
  switch (config_.profile) {
    case Profile::kFirst:
      warp.lane = exec.lowest();
      break;
    case Profile::kSkip:
      if (warp.lane == HistoryRequest::kNoLane) warp.lane = exec.lowest();
      if (!exec.test(warp.lane)) return HistoryRequest::kNoLane;
      break;
    case Profile::kSticky:
      if (warp.lane != HistoryRequest::kNoLane && exec.test(warp.lane)) break;
      if (warp.lane != HistoryRequest::kNoLane) ++lane_changes_;
      warp.lane = exec.lowest();
      break;
  }
  return warp.lane;
}

void WarpHistoryUnit::insert(Warp& warp, const HistoryRequest& request) {
  std::array<std::uint32_t, 2> values{};
  for (unsigned i = 0; i < values.size(); ++i) {
    std::uint64_t value = request.values[i];
    if (config_.wide_values == WideValues::kLow) value &= 0xffff'ffffu;
    values[i] = hash(config_.hash, value, config_.value_bits);
  }
  ++inserts_;
  if (!warp.history.insert(hash(config_.hash, request.pc.value(), config_.path_bits), values)) return;
  const bool spinning = warp.history.state() == SpinState::kSpin;
  if (spinning == warp.spinning) return;
  warp.changes = {{{request.cycle, warp.spinning}, warp.changes[0]}};
  warp.spinning = spinning;
  if (spinning) ++detections_;
}

bool WarpHistoryUnit::looks_spinning(const Warp& warp, Cycle cycle) const {
  bool seen = warp.spinning;
  for (const Warp::Change& change : warp.changes) {
    if (change.cycle + latency_ <= cycle) break;
    seen = change.before;
  }
  return seen;
}

void WarpHistoryUnit::serve(HistoryRequest& request) {
  Warp& warp = warps_[set_of(request.warp)];
  switch (request.op) {
    case HistoryRequest::Op::kLane: {
      request.lane = HistoryRequest::kNoLane;
      if (owns(request.warp, request.cycle)) {
        const unsigned before = warp.lane;
        request.lane = lane_of(warp, request.exec);
        if (config_.profile == Profile::kSticky && request.lane != before) {
          clear(warp, request.cycle);
          warp.lane = request.lane;
        }
      }
      if (request.lane == HistoryRequest::kNoLane) ++not_recorded_;
      break;
    }
    case HistoryRequest::Op::kInsert:
      insert(warp, request);
      break;
    case HistoryRequest::Op::kLook:
      request.spinning =
          (!shared() || (owned_ && owner_ == request.warp)) && looks_spinning(warp, request.cycle);
      break;
    case HistoryRequest::Op::kReset:
      if (shared() && !(owned_ && owner_ == request.warp)) break;
      clear(warp, request.cycle);
      warp.changes = {};
      owned_ = false;
      break;
  }
}

}  // namespace heddle::spin
