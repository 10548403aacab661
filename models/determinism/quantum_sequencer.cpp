#include "determinism/quantum_sequencer.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::determinism {

QuantumSequencer::QuantumSequencer(const sc_core::sc_module_name& name, const DeterminismConfig& config,
                                   const DepthFormat& depths, Preconditions& preconditions,
                                   std::uint32_t cores, base::StatGroup& stats)
    : sc_module(name),
      config_(config),
      depths_(depths),
      preconditions_(preconditions),
      cores_(cores),
      dirty_(cores),
      livelock_(config.livelock_quanta) {
  for (std::uint32_t i = 0; i < cores; ++i) {
    unit_isocks.push_back(
        std::make_unique<sim::BlockInitiator<QuantumProtocol>>(("unit_isock" + std::to_string(i)).c_str()));
    report_tsocks.push_back(
        std::make_unique<ReportTarget>(("report_tsock" + std::to_string(i)).c_str(), this));
  }
  stats.counter("quanta", "quanta", "ended", &quanta_);
  stats.counter("serial_modes", "quanta", "of these, with a serial mode", &serial_modes_);
  stats.counter("depth_resets", "resets", "of all depths, because the number of quanta had overflown",
                &resets_);
  stats.counters("cycles", "core cycles", "by mode; barriers: what global barriers cost",
                 {kPhaseNames.begin(), kPhaseNames.end()}, cycles_.data());
}

void QuantumSequencer::begin(std::uint64_t ctas, std::uint32_t cores) {
  slots_.begin_launch(ctas, cores);
  cores_ = cores;
  in_launch_ = 0;
  wait_until_ = 0;
  accounted_ = 0;
  outstanding_ = 0;
  dirty_.assign(cores, false);
  any_dirty_ = false;
  livelock_.begin_launch();
  mode_ = Mode::kWorkDist;
}

void QuantumSequencer::end() { mode_ = Mode::kIdle; }

// ---- Reports

void QuantumSequencer::take_report(QuantumReport& report) {
  switch (report.kind) {
    case QuantumReport::Kind::kDirty:
      dirty_[report.core] = true;
      any_dirty_ = true;
      break;
    case QuantumReport::Kind::kSlotEnded:
      slots_.ended({report.core, report.slot.value()});
      break;
    case QuantumReport::Kind::kCommitted:
    case QuantumReport::Kind::kSerialDone:
    case QuantumReport::Kind::kDepthsReset:
      --outstanding_;
      break;
    case QuantumReport::Kind::kAtomic:
      record_.serial.push_back({report.core, report.warp, report.pc});
      return;
  }
  if (!in_cycle_) ask_();
}

void QuantumSequencer::done(const core::CtaChoice& choice) {
  slots_.exited({choice.core, choice.slot->value()});
}

QuantumRequest QuantumSequencer::ask(std::uint32_t core, QuantumRequest request, base::Cycle now) {
  request.cycle = now;
  unit_isocks[core]->call(request);
  return request;
}

// ---- Modes

base::Cycle QuantumSequencer::cycle(base::Cycle now) {
  if (accounted_ == 0) accounted_ = now;
  in_cycle_ = true;
  if (any_dirty_) settle(now);
  while (step(now)) {
  }
  in_cycle_ = false;
  if (mode_ == Mode::kIdle || mode_ == Mode::kFinished) return base::kNever;
  // In the work distribution CTAs start behind this, in the same cycle.
  if (any_dirty_ || mode_ == Mode::kReset || mode_ == Mode::kEnding ||
      ((mode_ == Mode::kFlush || (on_memory && mode_ == Mode::kSerialAtomics)) && wait_until_ <= now) ||
      slots_.some_start() || !slots_.known())
    return now + 1;
  return wait_until_ > now ? wait_until_ : base::kNever;
}

void QuantumSequencer::settle(base::Cycle now) {
  any_dirty_ = false;
  for (std::uint32_t core = 0; core < cores_; ++core) {
    if (!dirty_[core]) continue;
    dirty_[core] = false;
    if (ask(core, {.op = QuantumRequest::Op::kSettle}, now).again) dirty_[core] = true;
  }
  any_dirty_ = std::ranges::find(dirty_, true) != dirty_.end();
}

void QuantumSequencer::account(base::Cycle now, Phase phase) {
  cycles_[static_cast<unsigned>(phase)] += now - accounted_;
  if (trace_ != nullptr && now != accounted_)
    trace_->gpu_mode(kPhaseNames[static_cast<unsigned>(phase)], in_launch_, accounted_, now);
  accounted_ = now;
}

void QuantumSequencer::barrier(base::Cycle now, std::uint32_t cycles) {
  wait_until_ = now + config_.barrier_cycles + cycles;
}

bool QuantumSequencer::step(base::Cycle now) {
  if (wait_until_ > now) return false;
  switch (mode_) {
    case Mode::kIdle:
    case Mode::kFinished:
      return false;
    case Mode::kWorkDist:
      if (quantum_ > depths_.last_quantum()) {
        begin_reset(now);
        return true;
      }
      // next() finds out how many slots a core has.
      if (!slots_.known() || slots_.some_start()) return false;
      begin_parallel(now);
      return true;
    case Mode::kParallel:
      refill();
      if (!slots_.parallel_over()) return false;
      account(now, Phase::kParallel);
      barrier(now);
      mode_ = Mode::kCommit;
      committed_ = false;
      outstanding_ = ~0u;
      return true;
    case Mode::kCommit:
      if (outstanding_ == ~0u) {
        account(now, Phase::kBarrier);
        begin_commit(now);
      }
      if (outstanding_ != 0) return false;
      account(now, Phase::kCommit);
      end_commit(now);
      return true;
    case Mode::kEnding:
      // Entries are acknowledged when L2 has taken them; the host sees them when they are performed.
      if (partitions_idle && !partitions_idle()) return false;
      mode_ = Mode::kFinished;
      return true;
    case Mode::kFlush:
      if ((host_calls_ && partitions_idle && !partitions_idle()) || !memory_settled()) return false;
      if (on_memory) on_memory(Point::kCommitted);
      account(now, Phase::kBarrier);
      serial_next_ = 0;
      outstanding_ = 0;
      if (!with_logs_.empty() || !with_atomics_.empty()) ++serial_modes_;
      mode_ = !with_logs_.empty() ? Mode::kSerialLogs : Mode::kSerialAtomics;
      return true;
    case Mode::kSerialLogs:
    case Mode::kSerialAtomics:
      return serial_step(now);
    case Mode::kReset:
      if (outstanding_ != 0 || (reset_depths && !reset_depths(false))) return false;
      quantum_ = 0;
      ++resets_;
      mode_ = Mode::kWorkDist;
      return true;
  }
  return false;
}

void QuantumSequencer::begin_reset(base::Cycle now) {
  mode_ = Mode::kReset;
  outstanding_ = cores_;
  for (std::uint32_t core = 0; core < cores_; ++core)
    ask(core, {.op = QuantumRequest::Op::kResetDepths}, now);
  if (reset_depths) (void)reset_depths(true);
}

// ---- Distribution

std::optional<core::CtaChoice> QuantumSequencer::next(std::span<const std::uint32_t> room) {
  if (!slots_.known()) slots_.make(config_, room.front());
  const auto choice = slots_.start(room, mode_ == Mode::kParallel);
  if (choice && on_quantum) record_.started.push_back(*choice);
  return choice;
}

void QuantumSequencer::begin_parallel(base::Cycle now) {
  account(now, Phase::kWorkDist);
  mode_ = Mode::kParallel;
  slots_.begin_parallel();
  watched_ = livelock_.looks();
  const bool watch = watched_ || on_quantum;
  for (std::uint32_t core = 0; core < cores_; ++core)
    ask(core, {.op = QuantumRequest::Op::kParallel, .quantum = quantum_, .watch = watch}, now);
}

void QuantumSequencer::refill() {
  slots_.refill({.below_quota =
                     [this](const SlotDealer::Place& at) {
                       return unit_isocks[at.core]
                           ->call({.op = QuantumRequest::Op::kAskSlot, .slot = base::CtaSlot{at.slot}})
                           .below_quota;
                     },
                 .refilled =
                     [this](const SlotDealer::Place& at, std::uint64_t cta, bool in_share) {
                       if (preconditions_.watched() && !in_share)
                         preconditions_.broken(
                             "[GPUDet:D9]", fmt::format("core {}, CTA slot {}", at.core, at.slot),
                             fmt::format("is given CTA {}, which is not the next of its share", cta));
                     }});
}

// ---- Commit and serial mode

void QuantumSequencer::begin_commit(base::Cycle now) {
  outstanding_ = cores_;
  preconditions_.open_memory(true);
  for (std::uint32_t core = 0; core < cores_; ++core) {
    const QuantumRequest request = ask(core, {.op = QuantumRequest::Op::kCommit, .quantum = quantum_}, now);
    record_.log_digest = (record_.log_digest ^ request.log_digest) * 0x9e3779b97f4a7c15ull;
    if (request.idle)
      --outstanding_;
    else
      committed_ = true;
  }
}

void QuantumSequencer::end_commit(base::Cycle now) {
  with_logs_.clear();
  with_atomics_.clear();
  host_calls_ = false;
  for (std::uint32_t core = 0; core < cores_; ++core) {
    const QuantumRequest request = ask(core, {.op = QuantumRequest::Op::kEndCommit}, now);
    if (request.partial_logs) with_logs_.insert(with_logs_.begin(), core);  // descending ([GPUDet] §4.6)
    if (request.atomics) with_atomics_.push_back(core);
    host_calls_ = host_calls_ || request.host_calls;
  }
  mode_ = Mode::kFlush;
  barrier(now, config_.l1_flush_cycles);
}

bool QuantumSequencer::serial_step(base::Cycle now) {
  if (outstanding_ != 0) return false;
  const bool logs = mode_ == Mode::kSerialLogs;
  const std::vector<std::uint32_t>& cores = logs ? with_logs_ : with_atomics_;
  if (serial_next_ != cores.size()) {
    if (++outstanding_ != 1 && preconditions_.watched())
      preconditions_.broken("[GPUDet:D11]", fmt::format("core {}", cores[serial_next_]),
                            "begins its serial mode while another core is in its own");
    ask(cores[serial_next_++],
        {.op = logs ? QuantumRequest::Op::kSerialLogs : QuantumRequest::Op::kSerialAtomics}, now);
    return false;
  }
  if (!logs && !memory_settled()) return false;
  serial_next_ = 0;
  if (logs) {
    mode_ = Mode::kSerialAtomics;
    return true;
  }
  account(now, Phase::kSerial);
  if (on_memory) on_memory(Point::kSerialDone);
  // The barrier behind a serial mode that was skipped is the one behind the commit.
  if (!with_logs_.empty() || !with_atomics_.empty()) barrier(now);
  end_quantum(now);
  return true;
}

void QuantumSequencer::end_quantum(base::Cycle now) {
  preconditions_.open_memory(false);
  record_.number = in_launch_;
  record_.quantum_id = quantum_;
  std::uint64_t issued = 0;
  std::uint64_t digest = 0;
  for (std::uint32_t core = 0; core < cores_; ++core) {
    const QuantumRequest request = ask(
        core, {.op = QuantumRequest::Op::kEndQuantum, .records = on_quantum ? &record_.waves : nullptr}, now);
    issued += request.issued;
    digest = (digest ^ request.digest) * 0x9e3779b97f4a7c15ull;
    record_.path_digest = (record_.path_digest ^ request.path_digest) * 0x9e3779b97f4a7c15ull;
  }
  record_.digest = digest;
  if (on_quantum) on_quantum(record_);
  record_ = {};
  ++quanta_;
  ++in_launch_;
  ++quantum_;
  if (!slots_.end_quantum()) {
    mode_ = Mode::kEnding;
    return;
  }
  look_for_hangs(issued, digest);
  mode_ = Mode::kWorkDist;
  slots_.distribute();
  if (slots_.some_start() && config_.work_dist_cycles != 0)
    wait_until_ = std::max(wait_until_, now) + config_.work_dist_cycles;
}

void QuantumSequencer::look_for_hangs(std::uint64_t issued, std::uint64_t digest) {
  if (slots_.advanced()) return livelock_.advanced();
  std::string why;
  if (issued == 0 && !committed_)
    why = fmt::format("no wavefront can execute anything in any further quantum (in quantum {} none did)",
                      in_launch_);
  else if (const std::uint32_t period = livelock_.quantum(watched_, digest); period != 0)
    why = fmt::format(
        "a livelock: every {} of deterministic execution (quantum {}) all wavefronts do the same again, and "
        "store the "
        "same",
        period == 1 ? "quantum" : fmt::format("{} quanta", period), in_launch_);
  if (!why.empty() && on_hang) on_hang(why);
}

}  // namespace heddle::determinism
