#include "spin/clocked_sib_table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace heddle::spin {

ClockedSibTable::ClockedSibTable(const sc_core::sc_module_name& name, const SpinConfig& config,
                                 std::uint32_t schedulers, base::StatGroup& stats, sim::Twins* twins)
    : sc_module(name),
      drops_(config.ddos.port_conflict == PortConflict::kDrop),
      stalls_(config.sib_table.stall_seed, base::stream_of(this->name())),
      latches_(schedulers),
      asked_(schedulers),
      counts_(stats) {
  if (schedulers > SibPins::kMostRequesters)
    throw std::logic_error("sib_table: more schedulers than the block can have");
  const sim::Implementation impl = config.sib_table.impl;
  if (impl != sim::Implementation::kRtl) unit_ = std::make_unique<SibUnitModel>(config.ddos, schedulers);
  if (impl == sim::Implementation::kModel) return;
  auto rtl = sim::Twins::make<ClockedSibTableBlock>(
      twins, impl, {config.ddos.table_entries, config.ddos.threshold, schedulers}, this->name());
  unit_ = impl == sim::Implementation::kRtl
              ? std::move(rtl)
              : lockstep_sib_unit(this->name(), config.ddos.table_entries, std::move(unit_), std::move(rtl));
}

// ---- Clock

std::uint32_t ClockedSibTable::busy() const {
  std::uint32_t bits = 0;
  for (std::uint32_t s = 0; s < latches_.size(); ++s) bits |= std::uint32_t{latches_[s].has_value()} << s;
  return bits;
}

void ClockedSibTable::advance(Cycle now) {
  while (cycle_ < now) {
    if (flush_ || busy() != 0) settled_ = cycle_ + kSettling;
    // Without requests the state stays as it is (rtl/sib_table/formal).
    if (cycle_ > settled_ && now - cycle_ > kIdleEdges) cycle_ = now - kIdleEdges;
    edge();
  }
}

void ClockedSibTable::edge() {
  SibPins pins{.flush = std::exchange(flush_, false)};
  for (std::uint32_t s = 0; s < latches_.size(); ++s) {
    if (!latches_[s]) continue;
    if (stalls_.on() && stalls_.below(kRequestsPerStall) == 0) continue;
    pins.looks[s] = latches_[s]->pins;
  }
  const auto granted = unit_->grant(pins, cycle_);
  unit_->edge(pins, cycle_);
  if (granted) {
    Look& look = *latches_[*granted];
    ++counts_.look_ups;
    counts_.wait_cycles += cycle_ - look.since;
    asked_[*granted].push_back(look);
    latches_[*granted].reset();
    counts_.most = std::max<std::uint64_t>(counts_.most, unit_->entries());
  }
  for (std::optional<Look>& latch : latches_) {
    if (!latch || latch->since != cycle_) continue;
    ++counts_.conflicts;
    if (drops_) latch.reset();
  }
  ++cycle_;
  take_answer();
}

void ClockedSibTable::take_answer() {
  const SibAnswer answer = unit_->answer();
  if (!answer.valid) return;
  counts_.hits += answer.predicted;
  counts_.confirmed += answer.confirmed;
  counts_.full += answer.full;
  std::deque<Look>& asked = asked_.at(answer.requester);
  if (asked.empty()) return;  // of a kernel before
  answers_.push_back({asked.front().event, asked.front().pins.pc, answer.predicted, answer.confirmed});
  answers_.back().event.known = cycle_;
  asked.pop_front();
}

// ---- Requests

void ClockedSibTable::post(const SibRequest& request) {
  std::optional<Look>& latch = latches_.at(request.requester);
  if (latch) throw std::logic_error("sib_table: a scheduler that waits looks up");
  latch =
      Look{{.valid = true, .pc = request.pc, .spinning = request.spinning}, *request.event, request.cycle};
}

void ClockedSibTable::flush() {
  flush_ = true;
  for (auto& latch : latches_) latch.reset();
  for (auto& asked : asked_) asked.clear();
  answers_.clear();
}

void ClockedSibTable::forget(WarpId warp) {
  const auto drop = [warp](SpinEvent& event) {
    if (event.warp == warp) event.lanes = {};
  };
  for (auto& latch : latches_)
    if (latch) drop(latch->event);
  for (auto& asked : asked_)
    for (Look& look : asked) drop(look.event);
  for (SibAnswered& answer : answers_) drop(answer.event);
}

void ClockedSibTable::serve(SibRequest& request) {
  using Op = SibRequest::Op;
  switch (request.op) {
    case Op::kPost:
      advance(request.cycle);
      post(request);
      break;
    case Op::kStep:
      advance(request.cycle);
      request.answers->insert(request.answers->end(), answers_.begin(), answers_.end());
      answers_.clear();
      request.busy = busy();
      break;
    case Op::kForget:
      forget(request.warp);
      break;
    case Op::kFlush:
      flush();
      break;
    case Op::kRead:
      inspect(request);
      break;
    case Op::kLookUp:
      throw std::logic_error("sib_table: a request of timing: ideal");
  }
}

void ClockedSibTable::inspect(SibRequest& request) {
  request.entry = unit_->entry(request.slot);
  request.entries = unit_->entries();
}

}  // namespace heddle::spin
