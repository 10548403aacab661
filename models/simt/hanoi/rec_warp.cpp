#include "simt/hanoi/rec_warp.h"

#include <algorithm>

namespace heddle::simt {

HanoiRecWarp::HanoiRecWarp(const HanoiConfig& config, FirstSide first_side, HanoiStats& stats)
    : HanoiWarp(config, first_side, stats) {
  rec_.reserve(config.reconvergence_entries);
}

void HanoiRecWarp::launched() {
  rec_.clear();
  yields_ = bsyncs_ = 0;
  turn_ = 0;
}

// ---- Regions

bool HanoiRecWarp::push_entry(const Entry& entry) {
  if (rec_.size() == config_.reconvergence_entries) return false;
  rec_.push_back(entry);
  if (config_.waiting == HanoiWaiting::kTop && !config_.is_x()) waiting_ = LaneMask{};
  return true;
}

void HanoiRecWarp::bssy(HanoiEvent& event) {
  if (!push_entry({event.target, event.barrier})) {
    ++stats_.dropped_regions;
    if (!config_.is_x()) event.error = HanoiError::kStackFull;
    return;  // X: a region less is a loss of convergence only
  }
  ++stats_.regions;
  registers_[event.barrier] = {event.exec, true};
}

std::size_t HanoiRecWarp::region_of(LaneMask lanes) const {
  for (std::size_t i = rec_.size(); i > 0; --i) {
    const Register& b = registers_[rec_[i - 1].barrier];
    if (b.valid && !rec_[i - 1].dead && (b.mask & lanes).any()) return i;
  }
  return 0;
}

void HanoiRecWarp::release_outside(LaneMask lanes) {
  // Below the others of its region, so that it takes no turn away, and above paths of outer ones: these would keep it
  // from becoming a sibling of those that it has to be. The running one stays on top, its PC is not known here.
  const bool runs = !ws_.empty();
  come_back(lanes, [&](Pc pc, LaneMask goes) {
    const std::size_t region = region_of(goes);
    auto at = runs ? ws_.end() - 1 : ws_.end();
    while (at != ws_.begin() && region_of((at - 1)->mask) >= region) --at;
    ws_.insert(at, {pc, goes, true});
  });
}

// ---- BSYNC

void HanoiRecWarp::bsync(HanoiEvent& event) { config_.is_x() ? bsync_tagged(event) : bsync_mask(event); }

HanoiError HanoiRecWarp::broken_contract(const HanoiEvent& event) const {
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

void HanoiRecWarp::bsync_mask(HanoiEvent& event) {
  if (config_.checks_contract) event.error = broken_contract(event);
  if (event.error != HanoiError::kNone) return;
  ++stats_.syncs;
  shrink(event.exec, {}, event.next);
  wait(event.exec, event.next);
}

std::uint32_t HanoiRecWarp::entry_of(std::uint32_t barrier, Pc next) const {
  std::uint32_t moved = static_cast<std::uint32_t>(rec_.size());
  for (std::uint32_t i = moved; i-- > 0;) {
    const Entry& entry = rec_[i];
    if (entry.warpsync || entry.dead || entry.pc != next) continue;
    if (entry.barrier == barrier) return i;
    if (moved == rec_.size()) moved = i;
  }
  return moved;
}

void HanoiRecWarp::bsync_tagged(HanoiEvent& event) {
  const std::uint32_t i = entry_of(event.barrier, event.next);
  if (i == rec_.size()) {
    ws_.back().pc = event.next;
    return;
  }
  event.cycles += static_cast<std::uint32_t>(rec_.size()) - 1 - i;
  if (config_.bsync_skip != 0 && ++bsyncs_ % config_.bsync_skip == 0) {
    Register& b = registers_[event.barrier];
    b.mask = LaneMask::difference(b.mask, event.exec);
    ws_.back().pc = event.next;
    return;
  }
  rec_[i].barrier = event.barrier;
  set_tag(event.exec, i);
  ++stats_.syncs;
  shrink(event.exec, {}, event.next);
  wait(event.exec, event.next);
}

// ---- Diagnosis

std::vector<hang::SuspendedLanes> HanoiRecWarp::waiting_lanes() const {
  std::vector<hang::SuspendedLanes> found;
  LaneMask rest = waiting_;
  for (std::size_t i = rec_.size(); i-- > 0 && rest.any();) {
    const Entry& entry = rec_[i];
    LaneMask here;
    rest.for_each([&](unsigned lane) {
      const bool waits = config_.is_x() ? tag_[lane] == i : resume_[lane] == entry.pc;
      if (waits) here |= LaneMask(1u << lane);
    });
    if (here.none()) continue;
    rest = LaneMask::difference(rest, here);
    found.push_back({.mask = here,
                     .at = Pc{entry.pc.value() - 1},
                     .why = hang::Suspension::kReconverging,
                     .barrier = entry.barrier,
                     .missing = LaneMask::difference(awaited(entry.barrier), waiting_),
                     .spilled = !registers_[entry.barrier].valid});
  }
  if (rest.any())
    found.push_back(
        {.mask = rest, .at = Pc{resume_[rest.lowest()].value() - 1}, .why = hang::Suspension::kReconverging});
  return found;
}

void HanoiRecWarp::mix_into(HanoiDigest& digest) const {
  for (const Entry& entry : rec_)
    digest.mix((std::uint64_t{entry.pc.value()} << 32) | (entry.barrier << 1) | (entry.dead ? 1u : 0u));
  // A warp that yields comes nearer to a release, if lanes wait for it.
  if (config_.yield_releases != 0 && waiting_.any()) digest.mix(yields_ % config_.yield_releases);
}

}  // namespace heddle::simt
