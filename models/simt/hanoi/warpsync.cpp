// Where lanes that come to a WARPSYNC wait ([Hanoi] §VII, [Hanoi:X1]).
#include "simt/hanoi/rec_warp.h"

#include <algorithm>

namespace heddle::simt {
namespace {

/// Whether lanes of the event go on where the entry says.
bool meets(const HanoiEvent& event, const HanoiWarp::Entry& entry) {
  return entry.pc == event.next || event.kind == isa::WarpSyncKind::kCollective;
}

}  // namespace

std::uint32_t HanoiRecWarp::free_private() const {
  for (std::uint32_t b = config_.barrier_registers; b-- > config_.program_registers();) {
    const bool used = std::any_of(rec_.begin(), rec_.end(), [b](const Entry& entry) {
      return entry.warpsync && !entry.dead && entry.barrier == b;
    });
    if (!used && !registers_[b].valid) return b;
  }
  return config_.barrier_registers;
}

HanoiError HanoiRecWarp::join(HanoiEvent& event, LaneMask members) {
  return config_.is_x() ? join_tagged(event, members) : join_mask(event, members);
}

HanoiError HanoiRecWarp::join_mask(HanoiEvent& event, LaneMask members) {
  const auto known = std::find_if(rec_.begin(), rec_.end(), [&](const Entry& entry) {
    return entry.warpsync && meets(event, entry) && awaited(entry.barrier) == members;
  });
  if (known != rec_.end()) {
    event.target = known->pc;
    return HanoiError::kNone;
  }
  const std::uint32_t b = free_private();
  if (b == config_.barrier_registers) return HanoiError::kNoPrivateRegister;
  if (!push_entry({event.next, b, true})) return HanoiError::kStackFull;
  registers_[b] = {members, true, event.kind};
  return HanoiError::kNone;
}

HanoiError HanoiRecWarp::join_tagged(HanoiEvent& event, LaneMask members) {
  std::uint32_t same_mask = config_.barrier_registers;
  std::uint32_t tag = static_cast<std::uint32_t>(rec_.size());
  for (std::uint32_t i = 0; i < rec_.size(); ++i) {
    const Entry& entry = rec_[i];
    if (!entry.warpsync || entry.dead || awaited(entry.barrier) != members) continue;
    same_mask = entry.barrier;
    if (meets(event, entry)) tag = i;
  }
  if (tag == rec_.size()) {
    if (same_mask == config_.barrier_registers) {
      same_mask = free_private();
      if (same_mask == config_.barrier_registers) return HanoiError::kNoPrivateRegister;
      registers_[same_mask] = {members, true, event.kind};
    }
    if (event.kind != isa::WarpSyncKind::kPlain) registers_[same_mask].kind = event.kind;
    tag = push_tagged({event.next, same_mask, true});
    if (tag == rec_.size()) return HanoiError::kStackFull;
  }
  event.target = rec_[tag].pc;
  set_tag(event.exec, tag);
  return HanoiError::kNone;
}

std::uint32_t HanoiRecWarp::push_tagged(const Entry& entry) {
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

}  // namespace heddle::simt
