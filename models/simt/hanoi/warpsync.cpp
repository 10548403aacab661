// WARPSYNC: lanes of a mask meet ([Hanoi] §VII, [Hanoi:X1]).
#include "simt/hanoi/warp_state.h"

#include <algorithm>

namespace heddle::simt {

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
  const bool stops = event.exec == ws_.back().mask;
  shrink(event.exec, event.again, event.next);
  event.error = config_.is_barriers() ? join_barriers(event, members)
                : config_.is_x()      ? join_tagged(event, members)
                                      : join_mask(event, members);
  if (event.error != HanoiError::kNone) return;
  ++stats_.syncs;
  wait(event.exec, event.next);
  if (config_.is_barriers() && stops) run_next();
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

LaneMask HanoiWarp::arrived(std::uint32_t tag) const {
  LaneMask lanes;
  waiting_.for_each([&](unsigned lane) {
    if (tag_[lane] == tag) lanes |= LaneMask(1u << lane);
  });
  return lanes;
}

}  // namespace heddle::simt
