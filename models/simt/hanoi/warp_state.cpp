#include "simt/hanoi/warp_state.h"

#include <algorithm>

#include "simt/hanoi/barrier_warp.h"
#include "simt/hanoi/rec_warp.h"

namespace heddle::simt {

std::unique_ptr<HanoiWarp> HanoiWarp::make(const HanoiConfig& config, FirstSide first_side,
                                           HanoiStats& stats) {
  if (config.is_barriers()) return std::make_unique<HanoiBarrierWarp>(config, first_side, stats);
  return std::make_unique<HanoiRecWarp>(config, first_side, stats);
}

HanoiWarp::HanoiWarp(const HanoiConfig& config, FirstSide first_side, HanoiStats& stats)
    : config_(config), stats_(stats), first_side_(first_side) {
  ws_.reserve(base::kLanes);
}

void HanoiWarp::serve(HanoiEvent& event) {
  const LaneMask before = ws_.empty() ? LaneMask{} : ws_.back().mask;
  const bool runs = event.op != Op::kLaunch && event.op != Op::kRelease;
  execute(event);
  if (event.error != HanoiError::kNone) return;
  // A release changes no region, and the running path's PC is not known here.
  check(event, runs || before.none());
  if (event.error != HanoiError::kNone) return;
  stats_.max_paths = std::max(stats_.max_paths, std::uint64_t{ws_.size()});
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
}

void HanoiWarp::execute(HanoiEvent& event) {
  switch (event.op) {
    case Op::kLaunch:
      return launch(event);
    case Op::kNext:
      ws_.back().pc = event.next;
      return;
    case Op::kBranch:
    case Op::kIndirect:
      return event.lane_target == nullptr ? branch(event) : part(event);
    case Op::kBssy:
      ws_.back().pc = event.next;
      if (has_register(event)) bssy(event);
      return;
    case Op::kBsync:
      if (has_register(event)) bsync(event);
      return;
    case Op::kBreak:
    case Op::kBmovRead:
    case Op::kBmovWrite:
      ws_.back().pc = event.next;
      if (has_register(event)) move(event);
      return;
    case Op::kWarpSync:
      return warpsync(event);
    case Op::kExit:
      finished_ |= event.exec;
      for (Register& b : registers_) b.mask = LaneMask::difference(b.mask, event.exec);
      if (shrink(event.exec, {}, event.next)) stopped();
      return;
    case Op::kYield:
      ws_.back().pc = event.next;
      ++stats_.yields;
      return yield(event);
    case Op::kBarrier:
      outside_.push_back({event.next, event.exec});
      if (shrink(event.exec, {}, event.next)) stopped();
      return;
    case Op::kRelease:
      return release_outside(event.exec);
  }
}

void HanoiWarp::launch(const HanoiEvent& event) {
  facts_ = event.facts;
  ws_.assign(1, {event.next, event.exec});
  outside_.clear();
  registers_.fill({});
  waiting_ = LaneMask{};
  finished_ = ~event.exec;  // lanes that a partial warp lacks count as ended
  launched();
}

bool HanoiWarp::has_register(HanoiEvent& event) const {
  if (event.barrier < config_.program_registers()) return true;
  event.error = HanoiError::kNoRegister;
  return false;
}

// ---- Paths

bool HanoiWarp::shrink(LaneMask lanes, LaneMask again, Pc next) {
  const LaneMask rest = LaneMask::difference(LaneMask::difference(ws_.back().mask, lanes), again);
  ws_.pop_back();
  if (rest.any()) push_path(next, rest);
  if (again.any()) push_path(Pc{next.value() - 1}, again);
  return rest.none() && again.none();
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
                           : first_side_ == FirstSide::kSmaller  ? taken < rest
                                                                : taken >= rest;  // the majority ([Hanoi:A8])
  ws_.pop_back();
  if (taken_first) push_path(other_pc, others);
  push_path(event.target, event.exec);
  if (!taken_first) push_path(other_pc, others);
}

/// All targets of an indirect branch at once: that of the lowest lane runs first, and so on.
void HanoiWarp::part(const HanoiEvent& event) {
  const LaneMask stay = LaneMask::difference(ws_.back().mask, event.exec);
  ws_.pop_back();
  if (stay.any()) push_path(event.next, stay);
  const std::size_t at = ws_.size();
  for (LaneMask left = event.exec; left.any();) {
    const Pc target = event.lane_target[left.lowest()];
    LaneMask same;
    left.for_each([&](unsigned lane) {
      if (event.lane_target[lane] == target) same |= LaneMask(1u << lane);
    });
    ws_.insert(ws_.begin() + static_cast<std::ptrdiff_t>(at), {target, same});
    left = LaneMask::difference(left, same);
  }
}

// ---- Barrier registers, and lanes that wait

void HanoiWarp::move(HanoiEvent& event) {
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
  moved(event);
}

/// Lanes that name different ones: those whose mask has met go on together, the others wait, each mask for itself.
void HanoiWarp::warpsync_apart(HanoiEvent& event) {
  struct Named {
    LaneMask lanes, members;
  };
  std::array<Named, base::kLanes> missing;
  unsigned masks = 0;
  LaneMask stay;
  for (LaneMask left = event.exec; left.any();) {
    const std::uint32_t mask = event.members[left.lowest()];
    LaneMask same;
    left.for_each([&](unsigned lane) {
      if (event.members[lane] == mask) same |= LaneMask(1u << lane);
    });
    left = LaneMask::difference(left, same);
    const LaneMask members = LaneMask::difference(LaneMask(mask), finished_);
    if (!members.contains(same)) {
      event.error = HanoiError::kNotMember;
      return;
    }
    if (same == members) continue;
    missing[masks++] = {same, members};
    stay |= same;
  }
  const bool stops = shrink(stay, {}, event.next);
  const LaneMask all = event.exec;
  for (unsigned i = 0; i < masks; ++i) {
    event.exec = missing[i].lanes;
    event.target = event.next;
    event.error = join(event, missing[i].members);
    if (event.error != HanoiError::kNone) return;
    ++stats_.syncs;
    wait(event.exec, event.target);
  }
  event.exec = all;
  if (stops) stopped();
}

void HanoiWarp::warpsync(HanoiEvent& event) {
  if (event.members != nullptr) return warpsync_apart(event);
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
    ws_.back().apart = event.kind != isa::WarpSyncKind::kPlain;
    push_path(Pc{event.next.value() - 1}, event.again);
    return;
  }
  const bool stops = shrink(event.exec, event.again, event.next);
  event.target = event.next;
  event.error = join(event, members);
  if (event.error != HanoiError::kNone) return;
  ++stats_.syncs;
  wait(event.exec, event.target);
  if (stops) stopped();
}

void HanoiWarp::wait(LaneMask lanes, Pc resume) {
  waiting_ |= lanes;
  lanes.for_each([&](unsigned lane) { resume_[lane] = resume; });
}

void HanoiWarp::set_tag(LaneMask lanes, std::uint32_t tag) {
  lanes.for_each([&](unsigned lane) { tag_[lane] = static_cast<std::uint8_t>(tag); });
}

LaneMask HanoiWarp::arrived(std::uint32_t tag) const {
  LaneMask lanes;
  waiting_.for_each([&](unsigned lane) {
    if (tag_[lane] == tag) lanes |= LaneMask(1u << lane);
  });
  return lanes;
}

HanoiDigest HanoiWarp::digest(LaneMask mask) const {
  HanoiDigest digest;
  digest.mix(mask.bits());
  digest.mix((std::uint64_t{waiting_.bits()} << 32) | finished_.bits());
  for (std::uint32_t b = 0; b < config_.barrier_registers; ++b)
    if (registers_[b].valid) digest.mix((std::uint64_t{b} << 32) | registers_[b].mask.bits());
  mix_into(digest);
  return digest;
}

}  // namespace heddle::simt
