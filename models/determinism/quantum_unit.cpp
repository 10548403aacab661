#include "determinism/quantum_unit.h"

#include <algorithm>

#include "core/state/core_state.h"
#include "determinism/global_barriers.h"

namespace heddle::determinism {

using isa::Opcode;

namespace {

/// What a lane writes, and where.
void add_write(core::Hash& writes, const core::IssueTapRequest& issue, unsigned lane) {
  const auto add = [&](const isa::Operand& row) {
    if (row.present) writes.add(issue.operands->value(row, lane));
  };
  writes.add(lane);
  for (const isa::Operand& row : issue.instruction->memory.rows()) add(row);
  for (const isa::Operand& source : issue.instruction->src) add(source);
}

}  // namespace

QuantumUnit::QuantumUnit(const sc_core::sc_module_name& name, const DeterminismConfig& config,
                         Preconditions& preconditions, const core::CoreExtensionSite& site)
    : sc_module(name),
      config_(config),
      preconditions_(preconditions),
      site_(site),
      waves_(site.config.occupancy.max_warps),
      slots_(site.config.occupancy.max_ctas) {
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
  warps_per_cta_ = launch->warps_per_cta;
  waves_.assign(waves_.size(), {});
  slots_.assign(slots_.size(), {});
  dirty_waves_.clear();
  dirty_slots_.clear();
  is_dirty_ = false;
  mode_ = Mode::kIdle;
  global_barrier_.clear();
  if (config_.bta && config_.bta_rule == BtaRule::kFlag) global_barrier_ = global_barriers(*launch->kernel);
}

void QuantumUnit::start_cta(const core::CtaContext& cta) {
  if (preconditions_.watched()) check_mapping(cta);
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
    case Mode::kSerialAtomics: {
      const bool its_turn = serial_open_ && serial_[serial_next_ - 1] == request.warp.value();
      request.closed = !its_turn || !is_serial(*request.instruction) ||
                       (takes_turns() && request.group != of.turn);
      return;
    }
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
  if (watch_) note(request);
  if (mode_ != Mode::kParallel) {
    if (preconditions_.watched()) check_serial(request);
    ++atomics_;
    serial_open_ = false;
    serial_waits_ = config_.serial_mode == SerialMode::kWavefront;
    dirty();
    return;
  }
  executed(request);
}

void QuantumUnit::note(const core::IssueTapRequest& issue) {
  Wave& of = wave(issue.warp);
  if (of.entered == 0) of.entered = site_.groups.digest(issue.warp);
  of.path.add(issue.pc.value());
  of.path.add(issue.exec.bits());
  if (mode_ != Mode::kParallel) {
    QuantumReport atomic;
    atomic.kind = QuantumReport::Kind::kAtomic;
    atomic.core = site_.core.value();
    atomic.warp = issue.warp;
    atomic.pc = issue.pc;
    report_isock.call(atomic);
  }
  const isa::Instruction& instruction = *issue.instruction;
  if (instruction.op != Opcode::kStore && instruction.op != Opcode::kAtomic) return;
  core::Hash& writes = of.writes;
  writes.add(issue.pc.value());
  issue.exec.for_each([&](unsigned lane) { add_write(writes, issue, lane); });
}

std::uint64_t QuantumUnit::digest() const {
  core::Hash hash;
  for (std::uint32_t w = 0; w < waves_.size(); ++w) {
    const Wave& of = waves_[w];
    hash.add(of.writes.value());
    if (of.live.none() || of.state == State::kEmpty) continue;
    hash.add(w);
    hash.add(static_cast<std::uint64_t>(of.reason));
    hash.add(of.count);
    hash.add(of.kept.bits());
    hash.add(of.turn.value());
    hash.add(site_.groups.digest(WarpId{w}));
  }
  return hash.value();
}

std::uint64_t QuantumUnit::path_digest() const {
  core::Hash hash;
  for (std::uint32_t w = 0; w < waves_.size(); ++w) {
    const Wave& of = waves_[w];
    hash.add(of.writes.value());
    hash.add(of.path.value());
    hash.add(of.entered);
    if (of.live.none() || of.state == State::kEmpty) continue;
    hash.add(w);
    hash.add(of.live.bits());
    hash.add(of.kept.bits());
    hash.add(of.turn.value());
    // When the writes before a fence are performed decides when its lanes go on; where they are then, `entered` of the
    // next quantum says.
    if (of.reason != EndReason::kFence) hash.add(site_.groups.digest(WarpId{w}));
  }
  return hash.value();
}

void QuantumUnit::executed(const core::IssueTapRequest& issue) {
  const WarpId warp = issue.warp;
  Wave& of = wave(warp);
  if (preconditions_.watched()) check_issue(issue);
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
  if (preconditions_.watched()) check_end(warp, reason);
  of.state = State::kDraining;
  of.reason = reason;
  of.turn_open = false;
  if (ask(warp).quiet) ended(warp);
}

void QuantumUnit::ended(WarpId warp) {
  wave(warp).state = State::kEnded;
  dirty_slots_.push_back(warp.value() / warps_per_cta_);
  dirty();
}

}  // namespace heddle::determinism
