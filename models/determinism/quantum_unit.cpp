#include "determinism/quantum_unit.h"

#include <algorithm>

#include "core/state/core_state.h"
#include "determinism/global_barriers.h"

namespace heddle::determinism {

using isa::Opcode;

QuantumUnit::QuantumUnit(const sc_core::sc_module_name& name, const DeterminismConfig& config,
                         Preconditions& preconditions, const core::CoreExtensionSite& site)
    : sc_module(name),
      config_(config),
      site_(site),
      quantum_watch_(preconditions, site.core),
      waves_(site.config.occupancy.max_warps),
      slots_(site.config.occupancy.max_ctas),
      digests_(site.groups, site.config.occupancy.max_warps) {
  base::StatGroup& stats = site.stats.child("determinism").child("quantum_unit", "quanta of the wavefronts");
  stats.counter("instructions", "warp-instructions", "counted in quanta", &counted_);
  stats.counters("ends", "wavefront-quanta", "why parallel modes ended",
                 {kEndReasonNames.begin(), kEndReasonNames.end()}, ends_.data());
  stats.counter("barriers_passed", "CTA barriers", "passed by a whole CTA within a quantum",
                &barriers_passed_);
  stats.counter("atomics", "warp-instructions", "executed in serial mode", &atomics_);
  stats.counter("serial_logs", "logs", "committed in serial mode", &serial_logs_);
}

void QuantumUnit::report(QuantumReport::Kind kind, base::CtaSlot slot) {
  report_isock.call({.kind = kind, .core = site_.core.value(), .slot = slot});
}

void QuantumUnit::dirty() {
  if (is_dirty_) return;
  is_dirty_ = true;
  report(QuantumReport::Kind::kDirty);
}

void QuantumUnit::recheck(WarpId warp) { gate_control_isock.recheck(gate_number_, warp); }

// ---- Launches and CTAs

void QuantumUnit::begin_launch(const core::LaunchContext* launch) {
  launch_ = launch;
  quantum_watch_.begin_launch(launch);
  warps_per_cta_ = launch->warps_per_cta;
  waves_.assign(waves_.size(), {});
  digests_.begin();
  slots_.assign(slots_.size(), {});
  dirty_waves_.clear();
  dirty_slots_.clear();
  is_dirty_ = false;
  mode_ = Mode::kIdle;
  global_barrier_.clear();
  if (config_.bta && config_.bta_rule == BtaRule::kFlag) global_barrier_ = global_barriers(*launch->kernel);
}

void QuantumUnit::start_cta(const core::CtaContext& cta) {
  quantum_watch_.check_mapping(cta, warps_per_cta_);
  Slot& slot = slots_[cta.warps.front().value() / warps_per_cta_];
  slot.resident = true;
  slot.ended = false;
  slot.cta = cta.linear_id;
  slot.first_warp = cta.warps.front().value();
  slot.warps = static_cast<std::uint32_t>(cta.warps.size());
  const auto threads = static_cast<std::uint32_t>(launch_->shape.block.count());
  for (std::uint32_t w = 0; w < slot.warps; ++w) {
    const WarpId warp{slot.first_warp + w};
    Wave& of = wave(warp);
    of.live = LaneMask::first_lanes(std::min(threads - w * base::kLanes, base::kLanes));
    of.kept = LaneMask{};
    of.at_barrier = LaneMask{};
    of.some_wait = false;
    of.reason = EndReason::kNone;
    of.turn = base::GroupId{warp.value() * site_.groups_per_warp};
    // In the middle of a quantum the instructions of the CTA before it count as well ([GPUDet:A15]).
    of.state = mode_ == Mode::kParallel ? State::kParallel : State::kEmpty;
    of.turn_open = takes_turns();
    if (of.turn_open && of.state == State::kParallel) {
      dirty_waves_.push_back(warp.value());
      dirty();
    }
    gate_control_isock.close(gate_number_, warp);
  }
}

void QuantumUnit::take_event(StoreBufferEvent& event) {
  switch (event.kind) {
    case StoreBufferEvent::Kind::kBeginLaunch:
      begin_launch(event.launch);
      break;
    case StoreBufferEvent::Kind::kStartCta:
      start_cta(*event.cta);
      break;
    case StoreBufferEvent::Kind::kQuiet:
      if (wave(event.warp).state == State::kDraining) ended(event.warp);
      if (mode_ == Mode::kSerialAtomics) dirty();
      break;
    case StoreBufferEvent::Kind::kCommitted:
      report(QuantumReport::Kind::kCommitted);
      break;
    case StoreBufferEvent::Kind::kSerialDone:
      dirty();
      break;
    case StoreBufferEvent::Kind::kDepthsReset:
      report(QuantumReport::Kind::kDepthsReset);
      break;
  }
}

// ---- Parallel mode

bool QuantumUnit::is_serial(const isa::Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::kAtomic:
      return instruction.space != isa::StateSpace::kShared;
    // What the host sees of a kernel while it runs comes in a fixed order, too.
    case Opcode::kPrint:
    case Opcode::kHeapAllocate:
    case Opcode::kHeapFree:
    case Opcode::kAssertFail:
    case Opcode::kTrap:
      return true;
    default:
      return false;
  }
}

void QuantumUnit::gate(core::IssueGateRequest& request) {
  if (request.op == core::IssueGateRequest::Op::kInterest) {
    gate_number_ = request.gate;
    request.closed = true;
    return;
  }
  const Wave& of = wave(request.warp);
  switch (mode_) {
    case Mode::kParallel:
      request.closed = of.state != State::kParallel || closed_in_parallel(request);
      return;
    case Mode::kSerialAtomics:
      request.closed = !turns_.is_of(request.warp) || !is_serial(*request.instruction) ||
                       (takes_turns() && request.group != of.turn);
      return;
    case Mode::kIdle:
    case Mode::kCommit:
    case Mode::kSerialLogs:
      request.closed = true;
      return;
  }
}

bool QuantumUnit::closed_in_parallel(const core::IssueGateRequest& request) {
  const WarpId warp = request.warp;
  const Wave& of = wave(warp);
  if (of.turn_open || (takes_turns() && request.group != of.turn)) return true;
  const isa::Instruction& next = *request.instruction;
  EndReason reason = EndReason::kNone;
  if (of.count >= config_.quantum_size)
    reason = EndReason::kCount;
  else if (is_serial(next) && request.exec.any())
    reason = EndReason::kAtomic;
  else if (next.op == Opcode::kStore && request.exec.any() &&
           ask(warp).entries + base::kLanes > config_.log.capacity)
    reason = EndReason::kLogFull;
  if (reason == EndReason::kNone) return false;
  wave(warp).host_call = reason == EndReason::kAtomic && next.op != Opcode::kAtomic;
  end(warp, reason);
  return true;
}

void QuantumUnit::tap(core::IssueTapRequest& request) {
  if (request.op == core::IssueTapRequest::Op::kInterest) {
    request.wanted = true;
    return;
  }
  ++issued_;
  if (watch_) digests_.issued(request);
  if (mode_ != Mode::kParallel) {
    if (watch_)
      report_isock.call({.kind = QuantumReport::Kind::kAtomic,
                         .core = site_.core.value(),
                         .warp = request.warp,
                         .pc = request.pc});
    quantum_watch_.check_serial(request, mode_ == Mode::kSerialAtomics && turns_.is_of(request.warp));
    ++atomics_;
    turns_.used(config_.serial_mode == SerialMode::kWavefront);
    dirty();
    return;
  }
  executed(request);
}

void QuantumUnit::executed(const core::IssueTapRequest& issue) {
  const WarpId warp = issue.warp;
  Wave& of = wave(warp);
  quantum_watch_.check_issue(issue, of.state == State::kParallel, !takes_turns() || issue.group == of.turn,
                             of.at_barrier);
  ++of.count;
  ++counted_;
  const isa::Instruction& instruction = *issue.instruction;
  // Others of the warp may have appeared, or be gone, when it has executed: the next turn is given then. So it is
  // where lanes may have to wait.
  bool next_turn = takes_turns() && site_.groups_per_warp > 1;
  switch (instruction.op) {
    case Opcode::kExit:
      of.live = LaneMask::difference(of.live, issue.exec);
      if (of.live.none()) return end(warp, EndReason::kExit);
      next_turn = next_turn || takes_turns();
      break;
    case Opcode::kFence:
      return end(warp, EndReason::kFence);
    case Opcode::kBarrier:
      of.global_barrier = !global_barrier_.empty() && global_barrier_[issue.pc.value()];
      next_turn = next_turn || (instruction.barrier_kind == isa::BarrierKind::kSync && issue.exec.any());
      of.some_wait = of.some_wait || (takes_turns() && issue.exec != of.live);
      if (instruction.barrier_kind == isa::BarrierKind::kSync) of.at_barrier |= issue.exec;
      break;
    case Opcode::kWarpSync:
    case Opcode::kConvergence:
      next_turn = next_turn || takes_turns();
      of.some_wait = of.some_wait || (takes_turns() && issue.exec != of.live);
      break;
    default:
      break;
  }
  if (!next_turn && !of.some_wait) return;
  of.turn_open = true;
  dirty_waves_.push_back(warp.value());
  dirty();
}

void QuantumUnit::release(core::ReleaseRequest& request) {
  wave(request.warp).kept |= request.lanes;
  request.kept = true;
}

void QuantumUnit::end(WarpId warp, EndReason reason) {
  Wave& of = wave(warp);
  if (quantum_watch_.on()) quantum_watch_.check_end(warp, reason, of.count, holds(warp, reason));
  of.state = State::kDraining;
  of.reason = reason;
  of.turn_open = false;
  if (ask(warp).quiet) ended(warp);
}

bool QuantumUnit::holds(WarpId warp, EndReason reason) {
  const Wave& of = wave(warp);
  if (of.count > config_.quantum_size) return false;
  switch (reason) {
    case EndReason::kCount:
      return of.count == config_.quantum_size;
    case EndReason::kExit:
      return of.live.none();
    case EndReason::kLogFull:
      return ask(warp).entries + base::kLanes > config_.log.capacity;
    case EndReason::kBarrier:
      site_.groups.groups(warp, groups_);
      return std::ranges::all_of(groups_, [](const core::GroupState& group) { return group.waits; });
    case EndReason::kAtomic:
    case EndReason::kFence:
      return true;  // the instruction is the reason
    case EndReason::kNone:
      break;
  }
  return false;
}

void QuantumUnit::ended(WarpId warp) {
  wave(warp).state = State::kEnded;
  dirty_slots_.push_back(warp.value() / warps_per_cta_);
  dirty();
}

}  // namespace heddle::determinism
