// CHECK, behind every instruction: an entry whose lanes have all come is popped and they go on ([Hanoi] §VII,
// [Hanoi:X1]).
#include "simt/hanoi/rec_warp.h"

#include <algorithm>

namespace heddle::simt {

void HanoiRecWarp::release(Pc pc, LaneMask lanes) {
  lanes.for_each([&](unsigned lane) {
    if (waiting_.test(lane) && resume_[lane] != pc) ++stats_.misrouted;
  });
  waiting_ = LaneMask::difference(waiting_, lanes);
  push_path(pc, lanes);
}

void HanoiRecWarp::pop(bool counts) {
  if (counts) ++stats_.empty_pops;
  rec_.pop_back();
}

/// Releases at most once ([Hanoi:S6]).
void HanoiRecWarp::check(HanoiEvent& event, bool may_release) {
  if (may_release) config_.is_x() ? check_tagged(event) : check_mask(event);
  if (event.error != HanoiError::kNone) return;
  if (!ws_.empty()) ws_.back().back = false;
  stats_.max_entries = std::max(stats_.max_entries, std::uint64_t{rec_.size()});
  event.check_again = !ws_.empty() && has_work();
}

void HanoiRecWarp::check_mask(HanoiEvent& event) {
  while (!rec_.empty()) {
    const Entry top = rec_.back();
    Register& b = registers_[top.barrier];
    if (!b.valid) return;
    const LaneMask awaits = awaited(top.barrier);
    if (awaits.none()) {
      if (!config_.pops_empty) return;
      b.valid = false;
      pop(true);
      ++event.cycles;
      continue;
    }
    if (!waiting_.contains(awaits)) return;
    LaneMask goes = awaits;
    const bool joins = top.warpsync && b.kind == isa::WarpSyncKind::kPlain;
    for (;;) {
      registers_[rec_.back().barrier].valid = false;
      pop(false);
      ++event.cycles;
      ++stats_.reconvergences;
      // Below may be the lanes of another mask at the same WARPSYNC: they go on together.
      if (!joins || rec_.empty() || !rec_.back().warpsync || rec_.back().pc != top.pc) break;
      const Register& below = registers_[rec_.back().barrier];
      const LaneMask others = awaited(rec_.back().barrier);
      if (!below.valid || below.kind != isa::WarpSyncKind::kPlain || others.none() ||
          !waiting_.contains(others))
        break;
      goes |= others;
    }
    const std::uint64_t misrouted = stats_.misrouted;
    release(top.pc, goes);
    // Masks of WARPSYNCs may name lanes that wait elsewhere ([Hanoi:K5]), which [Hanoi:I7] at BSYNCs does not
    // find.
    if (config_.checks_contract && stats_.misrouted != misrouted) event.error = HanoiError::kMisrouted;
    return;
  }
}

bool HanoiRecWarp::complete(std::uint32_t number) const {
  if (!registers_[number].valid) return false;
  LaneMask here;
  bool any = false;
  for (std::uint32_t i = 0; i < rec_.size(); ++i)
    if (rec_[i].warpsync && !rec_[i].dead && rec_[i].barrier == number) {
      here |= arrived(i);
      any = true;
    }
  return any && here.contains(awaited(number));
}

bool HanoiRecWarp::release_warpsync(std::uint32_t number) {
  if (!complete(number)) return false;
  // Lanes of several masks go on together where they are at one place, unless an operation of each mask follows.
  std::uint32_t goes = 1u << number;
  const auto plain = [this](std::uint32_t b) { return registers_[b].kind == isa::WarpSyncKind::kPlain; };
  if (plain(number))
    for (std::uint32_t b = number + 1; b < config_.barrier_registers; ++b)
      if (plain(b) && complete(b)) goes |= 1u << b;
  // From the top, so that the lanes that came first run first.
  const auto awaits = [&](const Entry& entry) {
    return entry.warpsync && !entry.dead && (goes >> entry.barrier & 1u) != 0;
  };
  for (std::uint32_t i = static_cast<std::uint32_t>(rec_.size()); i-- > 0;) {
    if (!awaits(rec_[i])) continue;
    const Pc pc = rec_[i].pc;
    LaneMask lanes;
    for (std::uint32_t j = i + 1; j-- > 0;) {
      if (!awaits(rec_[j]) || rec_[j].pc != pc) continue;
      rec_[j].dead = true;
      lanes |= arrived(j);
    }
    if (lanes.any()) release(pc, lanes);
  }
  for (std::uint32_t b = number; b < config_.barrier_registers; ++b) {
    if ((goes >> b & 1u) == 0) continue;
    registers_[b].valid = false;
    ++stats_.reconvergences;
  }
  return true;
}

void HanoiRecWarp::check_tagged(HanoiEvent& event) {
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
    const LaneMask awaits = awaited(top.barrier);
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
bool HanoiRecWarp::break_stall() {
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

bool HanoiRecWarp::has_work() const {
  if (!config_.is_x()) {
    if (rec_.empty() || !registers_[rec_.back().barrier].valid) return false;
    const LaneMask awaits = awaited(rec_.back().barrier);
    return awaits.none() ? config_.pops_empty : waiting_.contains(awaits);
  }
  for (std::uint32_t b = config_.program_registers(); b < config_.barrier_registers; ++b)
    if (complete(b)) return true;
  if (rec_.empty()) return false;
  if (rec_.back().dead) return true;
  const Entry& top = rec_.back();
  if (top.warpsync || !registers_[top.barrier].valid) return false;
  const LaneMask here = arrived(static_cast<std::uint32_t>(rec_.size()) - 1);
  return here.contains(awaited(top.barrier)) && (here.any() || config_.pops_empty);
}

}  // namespace heddle::simt
