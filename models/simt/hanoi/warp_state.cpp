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
  if (runs || before.none()) check(event);
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
  // Other targets of an indirect branch come when those lanes execute it again (hanoi §3.2).
  const Pc other_pc = event.op == Op::kIndirect ? Pc{event.next.value() - 1} : event.next;
  if (others.none() || event.exec.none()) {
    top.pc = event.exec.any() ? event.target : event.next;
    return;
  }
  const unsigned taken = event.exec.count();
  const unsigned rest = others.count();
  const bool taken_first = first_side_ == FirstSide::kTaken      ? true
                           : first_side_ == FirstSide::kNotTaken ? false
                           : first_side_ == FirstSide::kSmaller  ? taken < rest
                                                                 : taken >= rest;  // the majority (A8)
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
    ws_.insert(at, {path.pc, goes});
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

// ---- WARPSYNC

std::uint32_t HanoiWarp::free_private() const {
  for (std::uint32_t b = config_.barrier_registers; b-- > config_.program_registers();) {
    const bool used = std::any_of(rec_.begin(), rec_.end(), [b](const Entry& entry) {
      return entry.warpsync && !entry.dead && entry.barrier == b;
    });
    if (!used && !registers_[b].valid) return b;
  }
  return config_.barrier_registers;
}

void HanoiWarp::warpsync(HanoiEvent& event) {
  const LaneMask members = LaneMask::difference(event.value, finished_);
  if (!members.contains(event.exec)) {
    event.error = HanoiError::kNotMember;
    return;
  }
  if (event.exec.contains(members)) {  // all are here
    if (event.again.none()) {
      ws_.back().pc = event.next;
      return;
    }
    ws_.back().mask = LaneMask::difference(ws_.back().mask, event.again);
    ws_.back().pc = event.next;
    push_path(Pc{event.next.value() - 1}, event.again);
    return;
  }
  shrink(event.exec, event.again, event.next);
  event.error = config_.is_x() ? join_tagged(event, members) : join_mask(event, members);
  if (event.error != HanoiError::kNone) return;
  ++stats_.syncs;
  wait(event.exec, event.next);
}

HanoiError HanoiWarp::join_mask(HanoiEvent& event, LaneMask members) {
  const bool known = std::any_of(rec_.begin(), rec_.end(), [&](const Entry& entry) {
    return entry.warpsync && entry.pc == event.next && awaited(entry) == members;
  });
  if (known) return HanoiError::kNone;
  const std::uint32_t b = free_private();
  if (b == config_.barrier_registers) return HanoiError::kNoPrivateRegister;
  if (!push_entry({event.next, b, true})) return HanoiError::kStackFull;
  registers_[b] = {members, true};
  return HanoiError::kNone;
}

HanoiError HanoiWarp::join_tagged(HanoiEvent& event, LaneMask members) {
  std::uint32_t same_mask = config_.barrier_registers;
  std::uint32_t tag = static_cast<std::uint32_t>(rec_.size());
  for (std::uint32_t i = 0; i < rec_.size(); ++i) {
    const Entry& entry = rec_[i];
    if (!entry.warpsync || entry.dead || awaited(entry) != members) continue;
    same_mask = entry.barrier;
    if (entry.pc == event.next) tag = i;
  }
  if (tag == rec_.size()) {
    if (same_mask == config_.barrier_registers) {
      same_mask = free_private();
      if (same_mask == config_.barrier_registers) return HanoiError::kNoPrivateRegister;
      registers_[same_mask] = {members, true};
    }
    tag = push_tagged({event.next, same_mask, true});
    if (tag == rec_.size()) return HanoiError::kStackFull;
  }
  event.exec.for_each([&](unsigned lane) { tag_[lane] = static_cast<std::uint8_t>(tag); });
  return HanoiError::kNone;
}

std::uint32_t HanoiWarp::push_tagged(const Entry& entry) {
  while (!push_entry(entry)) {
    for (std::uint32_t i = static_cast<std::uint32_t>(rec_.size()); i-- > 0;) {
      if (!rec_[i].dead && (rec_[i].warpsync || arrived(i).any())) continue;
      rec_[i] = entry;
      return i;
    }
    if (!break_stall()) return static_cast<std::uint32_t>(rec_.size());
  }
  return static_cast<std::uint32_t>(rec_.size()) - 1;
}

LaneMask HanoiWarp::arrived(std::uint32_t entry) const {
  LaneMask lanes;
  waiting_.for_each([&](unsigned lane) {
    if (tag_[lane] == entry) lanes |= LaneMask(1u << lane);
  });
  return lanes;
}

// ---- Exit, yield

void HanoiWarp::exit(const HanoiEvent& event) {
  finished_ |= event.exec;
  for (Register& b : registers_) b.mask = LaneMask::difference(b.mask, event.exec);
  shrink(event.exec, {}, event.next);
}

std::size_t HanoiWarp::siblings() const {
  if (ws_.size() < 2) return 0;
  LaneMask region = LaneMask::all();
  if (!rec_.empty()) {
    const Register& b = registers_[rec_.back().barrier];
    if (!b.valid) return 0;  // spilled: nothing says who belongs together (A6)
    region = b.mask;
  }
  // A path of the innermost region below one from outside of it has come back from a barrier: it has its turn first.
  if (!region.contains(ws_.back().mask))
    return (region & ws_.back().mask).none() && region.contains(ws_[ws_.size() - 2].mask) ? 1 : 0;
  std::size_t count = 0;
  while (count + 1 < ws_.size() && region.contains(ws_[ws_.size() - 2 - count].mask)) ++count;
  return count;
}

void HanoiWarp::yield(HanoiEvent& event) {
  ws_.back().pc = event.next;
  ++stats_.yields;
  ++yields_;
  if (config_.is_x() && config_.yield_releases != 0 && yields_ % config_.yield_releases == 0) {
    if (release_by_yield()) return;
    if (ws_.size() < 2) return;
    std::rotate(ws_.begin(), ws_.end() - 1, ws_.end());
    ++stats_.turns;
    event.cycles += static_cast<std::uint32_t>(ws_.size()) - 1;
    return;
  }
  const std::size_t count = siblings();
  if (count == 0) return;
  ++stats_.turns;
  const auto top = ws_.end() - 1;
  switch (config_.yield) {
    case HanoiYield::kSwap:
      std::iter_swap(top, top - 1);
      return;
    case HanoiYield::kExchange:
    case HanoiYield::kExchangeOfWarp: {
      const bool of_entry = config_.yield == HanoiYield::kExchange && !rec_.empty();
      std::uint32_t& turn = of_entry ? rec_.back().turn : turn_;
      turn = turn % static_cast<std::uint32_t>(count) + 1;
      std::iter_swap(top, top - turn);
      event.cycles += turn - 1;
      return;
    }
    case HanoiYield::kRotate:
      std::rotate(top - static_cast<std::ptrdiff_t>(count), top, ws_.end());
      event.cycles += static_cast<std::uint32_t>(count) - 1;
      return;
  }
}

bool HanoiWarp::release_by_yield() {
  for (std::uint32_t i = static_cast<std::uint32_t>(rec_.size()); i-- > 0;) {
    if (rec_[i].warpsync || rec_[i].dead) continue;
    const LaneMask lanes = arrived(i);
    if (lanes.none()) continue;
    Register& b = registers_[rec_[i].barrier];
    b.mask = LaneMask::difference(b.mask, lanes);
    release(rec_[i].pc, lanes);
    ++stats_.yield_releases;
    return true;
  }
  return false;
}

// ---- CHECK

void HanoiWarp::release(Pc pc, LaneMask lanes) {
  lanes.for_each([&](unsigned lane) {
    if (waiting_.test(lane) && resume_[lane] != pc) ++stats_.misrouted;
  });
  waiting_ = LaneMask::difference(waiting_, lanes);
  push_path(pc, lanes);
}

void HanoiWarp::pop(bool counts) {
  if (counts) ++stats_.empty_pops;
  rec_.pop_back();
}

/// Releases at most once (corrections 6).
void HanoiWarp::check(HanoiEvent& event) {
  if (config_.is_x())
    check_tagged(event);
  else
    check_mask(event);
}

void HanoiWarp::check_mask(HanoiEvent& event) {
  while (!rec_.empty()) {
    const Entry top = rec_.back();
    Register& b = registers_[top.barrier];
    if (!b.valid) return;
    const LaneMask awaits = awaited(top);
    if (awaits.none()) {
      if (!config_.pops_empty) return;
      b.valid = false;
      pop(true);
      ++event.cycles;
      continue;
    }
    if (!waiting_.contains(awaits)) return;
    b.valid = false;
    pop(false);
    ++event.cycles;
    ++stats_.reconvergences;
    release(top.pc, awaits);
    return;
  }
}

bool HanoiWarp::complete(std::uint32_t number) const {
  if (!registers_[number].valid) return false;
  LaneMask here;
  bool any = false;
  for (std::uint32_t i = 0; i < rec_.size(); ++i)
    if (rec_[i].warpsync && !rec_[i].dead && rec_[i].barrier == number) {
      here |= arrived(i);
      any = true;
    }
  return any && here.contains(LaneMask::difference(registers_[number].mask, finished_));
}

bool HanoiWarp::release_warpsync(std::uint32_t number) {
  if (!complete(number)) return false;
  registers_[number].valid = false;
  ++stats_.reconvergences;
  // From the top, so that the lanes that came first run first.
  for (std::uint32_t i = static_cast<std::uint32_t>(rec_.size()); i-- > 0;) {
    Entry& entry = rec_[i];
    if (!entry.warpsync || entry.dead || entry.barrier != number) continue;
    entry.dead = true;
    if (const LaneMask lanes = arrived(i); lanes.any()) release(entry.pc, lanes);
  }
  return true;
}

void HanoiWarp::check_tagged(HanoiEvent& event) {
  for (;;) {
    while (!rec_.empty() && rec_.back().dead) {
      pop(false);
      ++event.cycles;
    }
    for (std::uint32_t b = config_.program_registers(); b < config_.barrier_registers; ++b)
      if (release_warpsync(b)) {
        while (!rec_.empty() && rec_.back().dead) {
          pop(false);
          ++event.cycles;
        }
        return;
      }
    if (rec_.empty() || rec_.back().warpsync || !registers_[rec_.back().barrier].valid) break;
    const Entry top = rec_.back();
    const LaneMask here = arrived(static_cast<std::uint32_t>(rec_.size()) - 1);
    const LaneMask awaits = awaited(top);
    if (!here.contains(awaits) || (awaits.none() && here.none() && !config_.pops_empty)) break;
    registers_[top.barrier].valid = false;
    pop(here.none());
    ++event.cycles;
    if (here.none()) continue;
    ++stats_.reconvergences;
    release(top.pc, here);
    return;
  }
  if (ws_.empty()) (void)break_stall();
}

/// X: nothing can run although lanes wait at a BSYNC, whose region is only a hint: they go on.
bool HanoiWarp::break_stall() {
  std::uint32_t entry = static_cast<std::uint32_t>(rec_.size());
  while (entry-- > 0 && (rec_[entry].warpsync || arrived(entry).none())) {
  }
  if (entry >= rec_.size()) return false;
  const LaneMask lanes = arrived(entry);
  Register& b = registers_[rec_[entry].barrier];
  b.mask = LaneMask::difference(b.mask, lanes);
  b.valid = b.valid && b.mask.any();
  ++stats_.stall_breaks;
  release(rec_[entry].pc, lanes);
  const bool warpsyncs =
      std::any_of(rec_.begin(), rec_.end(), [](const Entry& each) { return each.warpsync && !each.dead; });
  if (warpsyncs) return true;
  for (std::uint32_t i = entry; i < rec_.size(); ++i) registers_[rec_[i].barrier].valid = false;
  rec_.resize(entry);
  return true;
}

bool HanoiWarp::has_work() const {
  if (!config_.is_x()) {
    if (rec_.empty() || !registers_[rec_.back().barrier].valid) return false;
    const LaneMask awaits = awaited(rec_.back());
    return awaits.none() ? config_.pops_empty : waiting_.contains(awaits);
  }
  for (std::uint32_t b = config_.program_registers(); b < config_.barrier_registers; ++b)
    if (complete(b)) return true;
  if (rec_.empty()) return false;
  if (rec_.back().dead) return true;
  const Entry& top = rec_.back();
  if (top.warpsync || !registers_[top.barrier].valid) return false;
  return arrived(static_cast<std::uint32_t>(rec_.size()) - 1).contains(awaited(top));
}

}  // namespace heddle::simt
