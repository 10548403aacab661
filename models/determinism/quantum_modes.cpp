// A core's quanta in the system's turn: who has its turn, which barriers pass, from parallel mode to commit and serial mode and back.
#include "determinism/quantum_unit.h"

#include <algorithm>
#include <utility>

namespace heddle::determinism {

void QuantumUnit::settle(QuantumRequest& request) {
  is_dirty_ = false;
  if (mode_ == Mode::kSerialAtomics) next_atomic();
  if (mode_ == Mode::kSerialLogs) next_log();
  if (mode_ != Mode::kParallel) return;
  std::vector<std::uint32_t> waiting;
  waiting.swap(dirty_waves_);
  std::ranges::sort(waiting);
  waiting.erase(std::unique(waiting.begin(), waiting.end()), waiting.end());
  for (const std::uint32_t w : waiting)
    if (!give_turn(WarpId{w})) dirty_waves_.push_back(w);
  std::vector<std::uint32_t> slots;
  slots.swap(dirty_slots_);
  std::ranges::sort(slots);
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  for (const std::uint32_t s : slots) evaluate(slots_[s]);
  is_dirty_ = !dirty_waves_.empty() || !dirty_slots_.empty();
  request.again = is_dirty_;
}

bool QuantumUnit::give_turn(WarpId warp) {
  Wave& of = wave(warp);
  if (of.state != State::kParallel || !of.turn_open) return true;
  if (site_.groups.releases_pending(warp)) return false;
  site_.groups.groups(warp, groups_);
  std::erase_if(groups_, [](const core::GroupState& group) { return group.waits; });
  if (groups_.empty()) {
    end(warp, EndReason::kBarrier);
    return true;
  }
  // The one behind the last that had its turn.
  auto next =
      std::ranges::find_if(groups_, [&](const core::GroupState& group) { return group.group > of.turn; });
  if (next == groups_.end()) next = groups_.begin();
  of.turn = next->group;
  of.turn_open = false;
  recheck(warp);
  return true;
}

bool QuantumUnit::passes_barrier(const Slot& slot) {
  bool some_live = false, some_exited = false, some_released = false;
  for (std::uint32_t w = slot.first_warp; w < slot.first_warp + slot.warps; ++w) {
    const Wave& of = waves_[w];
    if (of.live.none()) {
      some_exited = true;
      if (config_.bta_rule == BtaRule::kEmptyLogs && ask(WarpId{w}).entries != 0) return false;
      continue;
    }
    some_live = true;
    if (of.reason != EndReason::kBarrier) return false;
    some_released = some_released || of.kept.any();
    if (config_.bta_rule == BtaRule::kEmptyLogs && ask(WarpId{w}).entries != 0) return false;
    if (config_.bta_rule == BtaRule::kFlag && of.global_barrier) return false;
  }
  return some_live && some_released && !(config_.bta_strict && some_exited);
}

void QuantumUnit::evaluate(Slot& slot) {
  if (!slot.resident || slot.ended) return;
  bool any_live = false;
  for (std::uint32_t w = slot.first_warp; w < slot.first_warp + slot.warps; ++w) {
    if (waves_[w].state != State::kEnded) return;
    any_live = any_live || waves_[w].live.any();
  }
  if (!any_live) {
    slot.resident = false;  // the dispatcher hears of it when the CTA's resources are free
    return;
  }
  if (config_.bta && passes_barrier(slot)) {
    ++barriers_passed_;
    for (std::uint32_t w = slot.first_warp; w < slot.first_warp + slot.warps; ++w)
      if (waves_[w].kept.any()) resume(WarpId{w});
    return;
  }
  slot.ended = true;
  report(QuantumReport::Kind::kSlotEnded, base::CtaSlot{static_cast<std::uint32_t>(&slot - slots_.data())});
}

void QuantumUnit::resume(WarpId warp) {
  Wave& of = wave(warp);
  of.state = State::kParallel;
  of.turn_open = takes_turns() || of.reason == EndReason::kBarrier;
  of.reason = EndReason::kNone;
  if (of.kept.any()) of.some_wait = false;
  if (of.turn_open) {
    dirty_waves_.push_back(warp.value());
    dirty();
  }
  if (of.kept.any()) {
    of.at_barrier = LaneMask::difference(of.at_barrier, of.kept);
    release_control_isock.go_on(warp, std::exchange(of.kept, LaneMask{}));
  }
  recheck(warp);
}

void QuantumUnit::begin_parallel() {
  mode_ = Mode::kParallel;
  for (Slot& slot : slots_) {
    if (!slot.resident) continue;
    slot.ended = false;
    for (std::uint32_t w = slot.first_warp; w < slot.first_warp + slot.warps; ++w) {
      Wave& of = waves_[w];
      if (of.live.none()) continue;  // exited: it has ended for the whole quantum
      resume(WarpId{w});
    }
  }
}

void QuantumUnit::count_ends() {
  for (const Slot& slot : slots_)
    if (slot.warps != 0)
      for (std::uint32_t w = slot.first_warp; w < slot.first_warp + slot.warps; ++w)
        if (waves_[w].state == State::kEnded) ++ends_[static_cast<unsigned>(waves_[w].reason)];
}

void QuantumUnit::control(QuantumRequest& request) {
  switch (request.op) {
    case QuantumRequest::Op::kParallel:
      watch_ = request.watch;
      if (watch_) digests_.begin();
      command({.op = StoreBufferRequest::Op::kParallel, .watch = watch_});
      begin_parallel();
      break;
    case QuantumRequest::Op::kSettle:
      settle(request);
      break;
    case QuantumRequest::Op::kAskSlot: {
      const std::uint32_t first = request.slot.value() * warps_per_cta_;
      request.below_quota = true;
      for (std::uint32_t w = first; w < first + warps_per_cta_; ++w)
        if (waves_[w].count >= config_.quantum_size) request.below_quota = false;
      break;
    }
    case QuantumRequest::Op::kCommit: {
      mode_ = Mode::kCommit;
      bool any = false;
      core::Hash logs;
      for (std::uint32_t w = 0; w < waves_.size(); ++w) {
        const StoreBufferRequest log = ask(WarpId{w});
        quantum_watch_.check_drained(WarpId{w}, log.quiet);
        any = any || (log.entries != 0 && !log.has_partial);
        if (watch_) logs.add(log.digest);
      }
      request.log_digest = logs.value();
      request.idle = !any;
      if (any) {
        recheck(WarpId{0});  // the core may sleep
        command({.op = StoreBufferRequest::Op::kCommit, .quantum = request.quantum});
      }
      break;
    }
    case QuantumRequest::Op::kEndCommit:
      command({.op = StoreBufferRequest::Op::kEndCommit});
      for (std::uint32_t w = 0; w < waves_.size(); ++w) {
        const bool serial = waves_[w].state == State::kEnded && waves_[w].reason == EndReason::kAtomic;
        request.atomics = request.atomics || serial;
        request.host_calls = request.host_calls || (serial && waves_[w].host_call);
        request.partial_logs = request.partial_logs || ask(WarpId{w}).has_partial;
      }
      break;
    case QuantumRequest::Op::kSerialLogs:
      begin_serial_logs();
      break;
    case QuantumRequest::Op::kSerialAtomics:
      begin_serial_atomics();
      break;
    case QuantumRequest::Op::kEndQuantum:
      end_quantum(request);
      break;
    case QuantumRequest::Op::kResetDepths:
      recheck(WarpId{0});
      command({.op = StoreBufferRequest::Op::kResetDepths, .cycle = request.cycle});
      break;
  }
}

void QuantumUnit::end_quantum(QuantumRequest& request) {
  if (request.records != nullptr)
    for (const Slot& slot : slots_)
      for (std::uint32_t w = slot.first_warp; w < slot.first_warp + slot.warps; ++w)
        if (waves_[w].state == State::kEnded)
          request.records->push_back({site_.core.value(), w, slot.cta, waves_[w].count, waves_[w].reason});
  count_ends();
  request.issued = issued_;
  if (watch_) {
    std::vector<QuantumDigests::End> ends;
    for (const Wave& of : waves_)
      ends.push_back(
          {of.live.any() && of.state != State::kEmpty, of.reason, of.count, of.live, of.kept, of.turn});
    request.digest = digests_.states(ends);
    request.path_digest = digests_.paths(ends);
  }
  issued_ = 0;
  for (Wave& of : waves_) {
    of.count = 0;
    if (of.live.none()) of.state = of.state == State::kEnded ? State::kEnded : State::kEmpty;
  }
  for (Slot& slot : slots_)
    if (!slot.resident) {
      for (std::uint32_t w = slot.first_warp; w < slot.first_warp + slot.warps; ++w)
        waves_[w].state = State::kEmpty;
      slot.warps = 0;
    }
  mode_ = Mode::kIdle;
}

// ---- Serial mode

void QuantumUnit::begin_serial_atomics() {
  mode_ = Mode::kSerialAtomics;
  std::vector<WarpId> order;
  for (std::uint32_t w = 0; w < waves_.size(); ++w)
    if (waves_[w].state == State::kEnded && waves_[w].reason == EndReason::kAtomic)
      order.push_back(WarpId{w});
  turns_.begin(std::move(order));
  next_atomic();  // at once: the hand-over from core to core takes no cycle ([GPUDet:G15])
}

void QuantumUnit::next_atomic() {
  if (turns_.open()) return;
  const auto quiet = [this](WarpId warp) { return ask(warp).quiet; };
  if (const auto before = turns_.waits_for(); before && !quiet(*before)) return;
  if (const auto next = turns_.next()) return recheck(*next);
  if (!std::ranges::all_of(turns_.order(), quiet)) return;
  mode_ = Mode::kCommit;
  report(QuantumReport::Kind::kSerialDone);
}

void QuantumUnit::begin_serial_logs() {
  mode_ = Mode::kSerialLogs;
  std::vector<WarpId> order;
  // Descending, so that the smallest number writes last, as with depths.
  for (auto w = static_cast<std::uint32_t>(waves_.size()); w-- != 0;)
    if (ask(WarpId{w}).has_partial) order.push_back(WarpId{w});
  turns_.begin(std::move(order));
  next_log();
}

void QuantumUnit::next_log() {
  if (const auto before = turns_.last(); before && ask(*before).has_partial) return;  // in progress
  const auto next = turns_.next();
  if (!next) {
    mode_ = Mode::kCommit;
    report(QuantumReport::Kind::kSerialDone);
    return;
  }
  ++serial_logs_;
  recheck(*next);
  command({.op = StoreBufferRequest::Op::kSerialLog, .warp = *next});
}

}  // namespace heddle::determinism
