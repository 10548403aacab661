#include "simt/hanoi/warp_state.h"

#include <algorithm>

namespace heddle::simt {

HanoiWarp::HanoiWarp(const HanoiConfig& config, FirstSide first_side, HanoiStats& stats)
    : config_(config), first_side_(first_side), stats_(stats) {
  ws_.reserve(base::kLanes);
  rec_.reserve(config.reconvergence_entries);
}

void HanoiWarp::serve(HanoiEvent& event) {
  const LaneMask before = ws_.empty() ? LaneMask{} : ws_.back().mask;
  const bool runs = event.op != Op::kLaunch && event.op != Op::kRelease;
  execute(event);
  if (event.error != HanoiError::kNone) return;
  // A release changes no region, and the running path's PC is not known here.
  if (!config_.is_barriers() && (runs || before.none())) check(event);
  if (event.error != HanoiError::kNone) return;
  if (!ws_.empty()) ws_.back().back = false;
  stats_.max_paths = std::max(stats_.max_paths, std::uint64_t{ws_.size()});
  stats_.max_entries = std::max(stats_.max_entries, std::uint64_t{rec_.size()});
  event.top_valid = !ws_.empty();
  event.done = finished_ == LaneMask::all();
  event.stuck = ws_.empty() && outside_.empty() && !event.done;
  if (!event.top_valid) {
    event.top_switch = true;
    return;
  }
  event.top_pc = ws_.back().pc;
  event.top_mask = ws_.back().mask;
  // Masks are disjoint: the same mask is the same path.
  event.top_switch = event.top_mask != before || (runs && event.top_pc != event.next);
  event.check_again = has_work();
}

void HanoiWarp::execute(HanoiEvent& event) {
  if (config_.is_barriers() && execute_barriers(event)) return;
  switch (event.op) {
    case Op::kLaunch:
      ws_.assign(1, {event.next, event.exec});
      rec_.clear();
      outside_.clear();
      registers_.fill({});
      waiting_ = LaneMask{};
      finished_ = ~event.exec;  // lanes that a partial warp lacks count as ended
      yields_ = bsyncs_ = 0;
      turn_ = 0;
      patience_ = 0;
      return;
    case Op::kNext:
      ws_.back().pc = event.next;
      return;
    case Op::kBranch:
    case Op::kIndirect:
      return branch(event);
    case Op::kBssy:
      return bssy(event);
    case Op::kBsync:
      return config_.is_x() ? bsync_tagged(event) : bsync(event);
    case Op::kBreak:
    case Op::kBmovRead:
    case Op::kBmovWrite: {
      ws_.back().pc = event.next;
      if (event.barrier >= config_.program_registers()) {
        event.error = HanoiError::kNoRegister;
        return;
      }
      ++stats_.moves;
      Register& b = registers_[event.barrier];
      if (event.op == Op::kBreak) {
        b.mask = LaneMask::difference(b.mask, event.exec);
      } else if (event.op == Op::kBmovRead) {
        event.value = b.valid ? b.mask : LaneMask{};
        b.valid = b.valid && !event.clear && !config_.read_clears;
      } else {
        b.mask = LaneMask::difference(event.value, finished_);
        b.valid = b.mask.any();
      }
      return;
    }
    case Op::kWarpSync:
      return warpsync(event);
    case Op::kExit:
      return exit(event);
    case Op::kYield:
      return yield(event);
    case Op::kBarrier:
      outside_.push_back({event.next, event.exec});
      shrink(event.exec, {}, event.next);
      return;
    case Op::kRelease:
      return release_outside(event.exec);
  }
}

// ---- Paths

void HanoiWarp::push_path(Pc pc, LaneMask mask) { ws_.push_back({pc, mask}); }

void HanoiWarp::shrink(LaneMask lanes, LaneMask again, Pc next) {
  const LaneMask rest = LaneMask::difference(LaneMask::difference(ws_.back().mask, lanes), again);
  ws_.pop_back();
  if (rest.any()) push_path(next, rest);
  if (again.any()) push_path(Pc{next.value() - 1}, again);
}

void HanoiWarp::branch(const HanoiEvent& event) {
  Path& top = ws_.back();
  const LaneMask others = LaneMask::difference(top.mask, event.exec);
  // Other targets of an indirect branch come when those lanes execute it again ([Hanoi:A16]).
  const Pc other_pc = event.op == Op::kIndirect ? Pc{event.next.value() - 1} : event.next;
  if (others.none() || event.exec.none()) {
    top.pc = event.exec.any() ? event.target : event.next;
    return;
  }
  const unsigned taken = event.exec.count();
  const unsigned rest = others.count();
  const bool taken_first = first_side_ == FirstSide::kTaken      ? true
                           : first_side_ == FirstSide::kNotTaken ? false
                           : first_side_ == FirstSide::kSmaller || config_.is_barriers()
                               ? taken < rest
                               : taken >= rest;  // the majority ([Hanoi:A8])
  ws_.pop_back();
  if (taken_first) push_path(other_pc, others);
  push_path(event.target, event.exec);
  if (!taken_first) push_path(other_pc, others);
}

std::size_t HanoiWarp::region_of(LaneMask lanes) const {
  for (std::size_t i = rec_.size(); i > 0; --i) {
    const Register& b = registers_[rec_[i - 1].barrier];
    if (b.valid && !rec_[i - 1].dead && (b.mask & lanes).any()) return i;
  }
  return 0;
}

void HanoiWarp::release_outside(LaneMask lanes) {
  // Below the others of its region, so that it takes no turn away, and above paths of outer ones: these would keep it
  // from becoming a sibling of those that it has to be. The running one stays on top, its PC is not known here.
  const bool runs = !ws_.empty();
  for (Path& path : outside_) {
    const LaneMask goes = path.mask & lanes;
    if (goes.none()) continue;
    const std::size_t region = region_of(goes);
    auto at = runs ? ws_.end() - 1 : ws_.end();
    while (at != ws_.begin() && region_of((at - 1)->mask) >= region) --at;
    ws_.insert(at, {path.pc, goes, true});
    path.mask = LaneMask::difference(path.mask, goes);
  }
  std::erase_if(outside_, [](const Path& path) { return path.mask.none(); });
}

// ---- Regions

bool HanoiWarp::push_entry(const Entry& entry) {
  if (rec_.size() == config_.reconvergence_entries) return false;
  rec_.push_back(entry);
  if (config_.waiting == HanoiWaiting::kTop && !config_.is_x()) waiting_ = LaneMask{};
  return true;
}

void HanoiWarp::bssy(HanoiEvent& event) {
  ws_.back().pc = event.next;
  if (event.barrier >= config_.program_registers()) {
    event.error = HanoiError::kNoRegister;
    return;
  }
  if (!push_entry({event.target, event.barrier})) {
    ++stats_.dropped_regions;
    if (!config_.is_x()) event.error = HanoiError::kStackFull;
    return;  // X: a region less is a loss of convergence only
  }
  ++stats_.regions;
  registers_[event.barrier] = {event.exec, true};
}

HanoiError HanoiWarp::broken_contract(const HanoiEvent& event) const {
  const Register& b = registers_[event.barrier];
  if (!b.valid || !b.mask.contains(event.exec)) return HanoiError::kContract;
  LaneMask above;
  for (auto entry = rec_.rbegin(); entry != rec_.rend(); ++entry) {
    if (!entry->warpsync && entry->barrier == event.barrier) {
      if ((above & event.exec).any()) return HanoiError::kContract;
      return entry->pc == event.next ? HanoiError::kNone : HanoiError::kOtherSync;
    }
    if (registers_[entry->barrier].valid) above |= registers_[entry->barrier].mask;
  }
  return HanoiError::kContract;
}

void HanoiWarp::wait(LaneMask lanes, Pc resume) {
  waiting_ |= lanes;
  lanes.for_each([&](unsigned lane) { resume_[lane] = resume; });
}

void HanoiWarp::bsync(HanoiEvent& event) {
  if (event.barrier >= config_.program_registers()) {
    event.error = HanoiError::kNoRegister;
    return;
  }
  if (config_.checks_contract) event.error = broken_contract(event);
  if (event.error != HanoiError::kNone) return;
  ++stats_.syncs;
  shrink(event.exec, {}, event.next);
  wait(event.exec, event.next);
}

void HanoiWarp::bsync_tagged(HanoiEvent& event) {
  if (event.barrier >= config_.program_registers()) {
    event.error = HanoiError::kNoRegister;
    return;
  }
  std::uint32_t i = static_cast<std::uint32_t>(rec_.size());
  while (i-- > 0) {
    const Entry& entry = rec_[i];
    if (entry.warpsync || entry.barrier != event.barrier || entry.pc != event.next) continue;
    event.cycles += static_cast<std::uint32_t>(rec_.size()) - 1 - i;
    if (config_.bsync_skip != 0 && ++bsyncs_ % config_.bsync_skip == 0) {
      Register& b = registers_[event.barrier];
      b.mask = LaneMask::difference(b.mask, event.exec);
      break;
    }
    event.exec.for_each([&](unsigned lane) { tag_[lane] = static_cast<std::uint8_t>(i); });
    ++stats_.syncs;
    shrink(event.exec, {}, event.next);
    wait(event.exec, event.next);
    return;
  }
  ws_.back().pc = event.next;
}

// ---- Exit

void HanoiWarp::exit(const HanoiEvent& event) {
  finished_ |= event.exec;
  for (Register& b : registers_) b.mask = LaneMask::difference(b.mask, event.exec);
  shrink(event.exec, {}, event.next);
}

}  // namespace heddle::simt
