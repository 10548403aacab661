// Profile `barriers`: no REC stack. A barrier register is the set of lanes that a BSYNC of that number waits for, and
// paths at one PC join (README.md has the evidence).
#include <algorithm>

#include "simt/hanoi/warp_state.h"

namespace heddle::simt {
namespace {

constexpr std::uint32_t kMostYieldsWaited = 1024;

}  // namespace

bool HanoiWarp::execute_barriers(HanoiEvent& event) {
  const LaneMask ran = ws_.empty() ? LaneMask{} : ws_.back().mask;
  switch (event.op) {
    case Op::kBssy: {
      ws_.back().pc = event.next;
      if (event.barrier >= config_.program_registers()) {
        event.error = HanoiError::kNoRegister;
        return true;
      }
      // Who waits at it stays in it: lanes of two executions of a BSSY meet. If it has been read and cleared they wait
      // for who writes it back.
      Register& b = registers_[event.barrier];
      const LaneMask kept = b.valid ? b.mask & arrived(event.barrier) : LaneMask{};
      b = {kept | event.exec, true};
      ++stats_.regions;
      return true;
    }
    case Op::kBsync:
      bsync_barriers(event, ran);
      return true;
    case Op::kExit:
      exit(event);
      if (event.exec == ran) run_next();
      return true;
    case Op::kYield:
      yield_barriers(event, ran);
      return true;
    case Op::kBarrier:
      outside_.push_back({event.next, event.exec});
      shrink(event.exec, {}, event.next);
      if (event.exec == ran) run_next();
      return true;
    case Op::kRelease: {
      // The running path stays on top; of the others who came first runs first.
      const bool runs = !ws_.empty();
      const auto at = static_cast<std::ptrdiff_t>(ws_.size() - (runs ? 1 : 0));
      for (Path& path : outside_) {
        const LaneMask goes = path.mask & event.exec;
        if (goes.none()) continue;
        ws_.insert(ws_.begin() + at, {path.pc, goes});
        path.mask = LaneMask::difference(path.mask, goes);
      }
      std::erase_if(outside_, [](const Path& path) { return path.mask.none(); });
      if (!runs) run_next();
      return true;
    }
    default:
      return false;
  }
}

void HanoiWarp::bsync_barriers(HanoiEvent& event, LaneMask ran) {
  if (event.barrier >= config_.program_registers()) {
    event.error = HanoiError::kNoRegister;
    return;
  }
  const Register& b = registers_[event.barrier];
  const LaneMask members = b.valid ? b.mask & event.exec : LaneMask{};
  if (members.none()) {
    ws_.back().pc = event.next;
    return;
  }
  ++stats_.syncs;
  members.for_each([&](unsigned lane) { tag_[lane] = static_cast<std::uint8_t>(event.barrier); });
  shrink(members, {}, event.next);
  wait(members, event.next);
  if (members != ran) return;  // the others go on
  (void)release_complete(event.barrier, yielded(), ws_.size());
  run_next();
}

HanoiError HanoiWarp::join_barriers(HanoiEvent& event, LaneMask members) {
  std::uint32_t number = config_.barrier_registers;
  for (std::uint32_t b = config_.program_registers(); b < config_.barrier_registers; ++b)
    if (registers_[b].valid && LaneMask::difference(registers_[b].mask, finished_) == members) number = b;
  for (std::uint32_t b = config_.barrier_registers;
       number == config_.barrier_registers && b-- > config_.program_registers();)
    if (!registers_[b].valid) number = b;
  if (number == config_.barrier_registers) return HanoiError::kNoPrivateRegister;
  registers_[number] = {members, true};
  event.exec.for_each([&](unsigned lane) { tag_[lane] = static_cast<std::uint8_t>(number); });
  return HanoiError::kNone;
}

void HanoiWarp::yield_barriers(HanoiEvent& event, LaneMask ran) {
  ++stats_.yields;
  ws_.back().pc = event.next;
  for (std::uint32_t b = 0; b < config_.program_registers(); ++b)
    if (arrived(b).any()) registers_[b].mask = LaneMask::difference(registers_[b].mask, ran);
  ws_.back().yielded = true;
  // Below paths that have not yielded, and below those that have done so before.
  std::rotate(ws_.begin(), ws_.end() - 1, ws_.end());
  event.cycles += static_cast<std::uint32_t>(ws_.size()) - 1;
  if (ws_.size() == 1) (void)release_any(yielded(), 1);
  join_top();
  if (ws_.back().mask != ran) ++stats_.turns;
  // Whoever waited for nobody else goes on behind the path that has the turn.
  while (release_any({}, ws_.size() - 1)) {
  }
  // So does in the end whose register nobody writes back: a spinning lane may wait for it.
  if (waiting_.any() && ++patience_ == kMostYieldsWaited) break_stall_barriers(ws_.size() - 1);
}

LaneMask HanoiWarp::yielded() const {
  LaneMask lanes;
  for (const Path& path : ws_)
    if (path.yielded) lanes |= path.mask;
  return lanes;
}

/// The running path has stopped.
void HanoiWarp::run_next() {
  (void)release_any({}, ws_.size());
  if (ws_.empty() && waiting_.any() && !release_any({}, 0)) break_stall_barriers(0);
  if (!ws_.empty()) join_top();
}

/// Paths at the PC of the one that runs next are one with it.
void HanoiWarp::join_top() {
  Path top = ws_.back();
  ws_.pop_back();
  top.yielded = false;
  const auto same = [&top](const Path& path) { return path.pc == top.pc; };
  for (const Path& path : ws_)
    if (same(path)) {
      top.mask |= path.mask;
      ++stats_.joins;
    }
  std::erase_if(ws_, same);
  ws_.push_back(top);
}

bool HanoiWarp::release_any(LaneMask excused, std::size_t at) {
  for (LaneMask left = waiting_; left.any();) {
    const std::uint32_t number = tag_[left.lowest()];
    if (release_complete(number, excused, at)) return true;
    left = LaneMask::difference(left, arrived(number));
  }
  return false;
}

bool HanoiWarp::release_complete(std::uint32_t number, LaneMask excused, std::size_t at) {
  const bool warpsync = number >= config_.program_registers();
  const Register& b = registers_[number];
  if (!b.valid) return false;
  LaneMask awaits = LaneMask::difference(b.mask, finished_);
  if (!warpsync) awaits = LaneMask::difference(awaits, excused);
  const LaneMask here = arrived(number);
  const LaneMask goes = here & b.mask;
  if (goes.none() || !here.contains(awaits)) return false;
  registers_[number] = {};
  ++stats_.reconvergences;
  release_at(goes, at);
  return true;
}

/// Each lane goes on at its own PC; of several the lowest runs first.
void HanoiWarp::release_at(LaneMask lanes, std::size_t at) {
  waiting_ = LaneMask::difference(waiting_, lanes);
  patience_ = 0;
  while (lanes.any()) {
    Pc pc = resume_[lanes.lowest()];
    lanes.for_each([&](unsigned lane) { pc = std::max(pc, resume_[lane]); });
    LaneMask same;
    lanes.for_each([&](unsigned lane) {
      if (resume_[lane] == pc) same |= LaneMask(1u << lane);
    });
    ws_.insert(ws_.begin() + static_cast<std::ptrdiff_t>(at++), {pc, same});
    lanes = LaneMask::difference(lanes, same);
  }
}

/// Nothing else can run although lanes wait at a BSYNC, which is only a hint: they become paths from index `at` on.
void HanoiWarp::break_stall_barriers(std::size_t at) {
  patience_ = 0;
  LaneMask left = waiting_;
  while (left.any()) {
    const std::uint32_t number = tag_[left.lowest()];
    const LaneMask here = arrived(number);
    if (number < config_.program_registers()) {
      ++stats_.stall_breaks;
      registers_[number] = {};
      release_at(here, at);
      return;
    }
    left = LaneMask::difference(left, here);
  }
}

}  // namespace heddle::simt
