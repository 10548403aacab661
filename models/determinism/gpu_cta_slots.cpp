#include "determinism/gpu_cta_slots.h"

#include <algorithm>

namespace heddle::determinism {

void GpuCtaSlots::begin_launch(std::uint64_t ctas, std::uint32_t cores) {
  *this = {};
  ctas_ = ctas;
  cores_ = cores;
}

void GpuCtaSlots::make(const DeterminismConfig& config, std::uint32_t slots_per_core) {
  slots_per_core_ = slots_per_core;
  dealer_ = SlotDealer(config, cores_, slots_per_core_, ctas_);
  slots_.assign(dealer_.slots(), State::kFree);
  distribute();
}

void GpuCtaSlots::distribute() {
  std::vector<bool> occupied(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) occupied[i] = slots_[i] != State::kFree;
  to_start_ = dealer_.distribute(occupied);
}

std::optional<core::CtaChoice> GpuCtaSlots::start(std::span<const std::uint32_t> room, bool parallel) {
  for (auto it = to_start_.begin(); it != to_start_.end(); ++it) {
    const SlotDealer::Place at = dealer_.place(it->ordinal);
    if (room[at.core] == 0) continue;
    const core::CtaChoice choice{at.core, it->cta, base::CtaSlot{at.slot}};
    slots_[it->ordinal] = State::kRuns;
    if (parallel) {
      --starting_;
      ++running_;
    }
    advanced_ = true;
    to_start_.erase(it);
    return choice;
  }
  return std::nullopt;
}

void GpuCtaSlots::begin_parallel() {
  running_ = 0;
  for (State& slot : slots_)
    if (slot != State::kFree) {
      slot = State::kRuns;
      ++running_;
    }
}

void GpuCtaSlots::ended(const SlotDealer::Place& at) {
  State& slot = slots_[dealer_.ordinal(at)];
  if (slot != State::kRuns) return;
  slot = State::kEnded;
  --running_;
}

void GpuCtaSlots::exited(const SlotDealer::Place& at) {
  exited_.push_back(dealer_.ordinal(at));
  advanced_ = true;
}

void GpuCtaSlots::refill(const Refill& how) {
  // In order of the slots: which CTA each gets does not depend on it, but nothing else should either.
  std::ranges::sort(exited_);
  for (const std::uint32_t ordinal : exited_) {
    if (slots_[ordinal] == State::kRuns) --running_;
    slots_[ordinal] = State::kExited;
    const SlotDealer::Place at = dealer_.place(ordinal);
    if (!how.below_quota(at)) continue;
    const auto cta = dealer_.refill(ordinal);
    if (!cta) continue;
    how.refilled(at, *cta, dealer_.in_share(ordinal, *cta));
    to_start_.push_back({ordinal, *cta});
    ++starting_;
  }
  exited_.clear();
}

bool GpuCtaSlots::end_quantum() {
  bool occupied = false;
  for (State& slot : slots_) {
    if (slot == State::kExited) slot = State::kFree;
    occupied = occupied || slot != State::kFree;
  }
  return occupied || dealer_.pending() != 0;
}

}  // namespace heddle::determinism
