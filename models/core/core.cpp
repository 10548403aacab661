#include "core/core.h"

#include <algorithm>
#include <string>

namespace heddle::core {
Core::Core(const sc_core::sc_module_name& name, base::CoreId id, const CoreConfig& config,
           CoreServices services, base::StatGroup& stats)
    : sc_module(name),
      clock_(services.clock, sim::on_tick<&Core::tick>(this)),
      id_(id),
      config_(config),
      services_(services),
      branch_unit_("branch_unit", config.control_flow, config.occupancy.max_warps,
                   stats.child("branch_unit", "control flow within a warp"), services.twins),
      fetch_("fetch", config.fetch, config.l1i, branch_unit_.groups(),
             stats.child("fetch", "fetch unit and I-buffers")),
      l1i_("l1i", config.l1i, id, services.pool, stats.child("l1i", "L1 instruction cache")),
      scoreboard_("scoreboard", config.scoreboard, config.occupancy.max_warps,
                  stats.child("scoreboard", "register dependences"), services.twins),
      pipes_("pipes", config.pipes, config.register_file, config.scheduler.sub_cores,
             stats.child("pipes", "execution pipes")),
      register_file_("register_file", config.register_file, config.scheduler.sub_cores,
                     stats.child("register_file", "register banks and write-back ports")),
      barrier_unit_("barrier_unit", config.occupancy.max_ctas, stats.child("barrier_unit", "CTA barriers")),
      memory_port_("memory_port", config.memory_port, clock_,
                   stats.child("memory_port", "connection to the crossbar")),
      l1d_("l1d", config.resolved_l1d(), services.progress, stats.child("l1d", "L1 data cache")),
      constant_cache_("constant_cache", config.constant_cache, id, services.pool, services.progress,
                      stats.child("constant_cache", "constants and kernel parameters")),
      shared_memory_("shared_memory", config.shared_memory, services.progress, id.value(),
                     stats.child("shared_memory", "shared memory")),
      lsu_("lsu", config, id, services.pool, services.allocations, stats.child("lsu", "load/store unit"),
           &services.progress.log),
      table_traffic_("table_traffic", config.occupancy.max_warps,
                     stats.child("table_traffic", "spilled entries of the branch unit's tables")),
      groups_(branch_unit_.groups(), config.scheduler.count),
      warps_(config.occupancy.max_warps),
      groups_of_warp_(config.occupancy.max_warps),
      ctas_(config.occupancy.max_ctas),
      cta_slots_(config),
      fences_(config.occupancy.max_warps),
      warp_sync_(config.occupancy.max_warps),
      probe_(config.occupancy.max_warps),
      pipe_readiness_(config.scheduler.sub_cores) {
  for (std::uint32_t s = 0; s < config.scheduler.count; ++s)
    sub_core_of_.push_back(s * config.scheduler.sub_cores / config.scheduler.count);
  bind_blocks();
  declare(stats.child("issue", "issue stage"));
}

void Core::bind_blocks() {
  branch_isock_.bind(branch_unit_.branch_tsock);
  branch_unit_.progress_isock.bind(progress_tsock_);
  branch_unit_.table_memory_isock.bind(table_traffic_.table_memory_tsock);
  fetch_isock_.bind(fetch_.fetch_tsock);
  fetch_.l1i_isock.bind(l1i_.l1i_tsock);
  l1i_.refill_isock.bind(fetch_.refill_tsock);
  scoreboard_isock_.bind(scoreboard_.scoreboard_tsock);
  for (std::uint32_t s = 0; s < config_.scheduler.count; ++s) {
    schedulers_.push_back(std::make_unique<WarpScheduler>(("scheduler" + std::to_string(s)).c_str(),
                                                          config_.scheduler, config_.occupancy.max_warps,
                                                          branch_unit_.groups_per_warp(), services_.twins));
    scheduler_isocks_.push_back(std::make_unique<sim::BlockInitiator<SchedulerProtocol>>(
        ("scheduler_isock" + std::to_string(s)).c_str()));
    scheduler_isocks_.back()->bind(schedulers_.back()->scheduler_tsock);
  }
  pipes_isock_.bind(pipes_.pipes_tsock);
  pipes_.writeback_isock.bind(pipes_writeback_tsock_);
  pipes_.register_isock.bind(register_file_.pipes_tsock);
  barrier_isock_.bind(barrier_unit_.barrier_tsock);
  lsu_isock_.bind(lsu_.lsu_tsock);
  table_traffic_.lsu_isock.bind(lsu_.table_tsock);
  lsu_.writeback_isock.bind(lsu_writeback_tsock_);
  lsu_.register_isock.bind(register_file_.lsu_tsock);
  lsu_.l1d_isock.bind(l1d_.l1d_tsock);
  lsu_.constant_isock.bind(constant_cache_.constant_tsock);
  constant_cache_.value_isock.bind(lsu_.constant_value_tsock);
  lsu_.shared_isock.bind(shared_memory_.shared_tsock);
  port_isock_.bind(memory_port_.control_tsock);
  const auto connect = [this](PortClient client, auto& block) {
    block.port_isock.bind(memory_port_.request_tsock[static_cast<unsigned>(client)]);
    memory_port_.response_isock[static_cast<unsigned>(client)].bind(block.response_tsock);
  };
  connect(PortClient::kData, lsu_);
  connect(PortClient::kInstruction, l1i_);
  connect(PortClient::kConstant, constant_cache_);
}

void Core::declare(base::StatGroup& issue) {
  issue.counter("cycles", "core cycles", "length of the launch", &cycles_);
  issue.counter("resident_cycles", "core cycles", "cycles with at least one warp on the core",
                &resident_cycles_);
  issue.counter("group_cycles", "group-cycles",
                "issue groups (a warp, or a part of one that runs by itself) present, summed over cycles; "
                "divided by cycles x warp slots: the achieved occupancy",
                &group_cycles_);
  issue.counter("active_cycles", "core cycles", "cycles in which the core had something to do",
                &active_cycles_);
  issue.counter("warp_instructions", "warp-instructions", "instructions issued", &warp_instructions_);
  issue.counter("thread_instructions", "thread-instructions", "active lanes summed over issued instructions",
                &thread_instructions_);
  issue.counters("slots", "issue slots", "use of every issue slot (schedulers x cycles); sums exactly",
                 slot_use_names(), slots_.data());
  issue.counter("ctas", "CTAs", "CTAs started", &ctas_started_);
}

void Core::tick() {
  try {
    cycle(clock_.cycle());
  } catch (...) {
    services_.faults.raise(std::current_exception());
    clock_.park();
  }
}

void Core::account_idle(Cycle until) {
  if (until <= last_cycle_) return;
  const Cycle skipped = until - last_cycle_;
  for (std::uint32_t s = 0; s < config_.scheduler.count; ++s)
    charge(s, groups_.idle_cause(s, pipe_readiness_[sub_core_of(s)], until), until, skipped);
  cycles_ += skipped;
  group_cycles_ += groups_.present() * skipped;
  if (cta_slots_.resident() != 0) resident_cycles_ += skipped;
  last_cycle_ = until;
}

void Core::cycle(Cycle now) {
  now_ = now;
  account_idle(now - 1);
  last_cycle_ = now;
  ++cycles_;
  if (cta_slots_.resident() != 0) ++resident_cycles_;
  ++active_cycles_;

  if (pipes_due_ <= now) {
    PipesRequest pipes;
    pipes.cycle = now;
    pipes_isock_.call(pipes);
    pipes_due_ = pipes.next_due;
  }
  memory_stage(now);
  barrier_releases_.take(now, [this](const LanesOfWarp& released) {
    simt::ControlFlowRequest release;
    release.event = simt::ControlFlowEvent::kBarrierRelease;
    release.warp = released.warp;
    release.mask = released.lanes;
    if (probe_.active()) probe_.passes(released.warp);
    decide(release);
  });
  if (!sleepers_.empty())
    sleepers_.take(now, [this](const Sleeper& sleeper) {
      const IssueTable::Group& group = groups_[sleeper.group];
      if (group.epoch == sleeper.epoch) advance(sleeper.group, code_[group.pc.value()]);
    });
  while (branch_due_ <= now) {
    simt::ControlFlowRequest tick;
    tick.event = simt::ControlFlowEvent::kTick;
    decide(tick);
  }
  held_back_ = false;
  group_cycles_ += groups_.present();
  issue_stages(now);
  if (fetch_due_ <= now) fetch_stage(now);
  sleep(now);
}

void Core::memory_stage(Cycle now) {
  PortRequest port;
  port.cycle = now;
  replay_ = false;
  const bool port_runs = !memory_port_.quiet();
  if (port_runs) {
    port.op = PortRequest::Op::kDeliver;
    port_isock_.call(port);
    if (port.delivered && port.client == PortClient::kInstruction) fetch_due_ = now;
  }
  if (lsu_due_ <= now || lsu_wants_port_ || port.delivered) {
    LsuRequest memory;
    memory.cycle = now;
    lsu_isock_.call(memory);
    lsu_due_ = memory.next_due;
    lsu_wants_port_ = memory.wants_port;
    replay_ = memory.replay;
    if (replay_) replay_scheduler_ = memory.replay_warp.value() % config_.scheduler.count;
    for (PipeReadiness& pipes : pipe_readiness_) pipes.memory_full = memory.full;
  }
  if (!memory_port_.quiet()) {
    port.op = PortRequest::Op::kTick;
    port_isock_.call(port);
  }
}

void Core::issue_stages(Cycle now) {
  const std::uint32_t first = first_scheduler_;  // that of this cycle, whatever issues in it
  if (port_waits_.empty()) {
    for (std::uint32_t s = first; s < config_.scheduler.count; ++s) issue_stage(now, s);
    for (std::uint32_t s = 0; s < first; ++s) issue_stage(now, s);
    return;
  }
  // Otherwise the first scheduler would leave the others no ports for as long as it finds something to issue.
  earlier_waits_.swap(port_waits_);
  std::uint32_t done = 0;  // bit per scheduler
  for (const PortWait& wait : earlier_waits_) {
    issue_stage(now, wait.scheduler, wait.group);
    done |= 1u << wait.scheduler;
  }
  earlier_waits_.clear();
  for (std::uint32_t i = 0; i < config_.scheduler.count; ++i) {
    const std::uint32_t s = (first + i) % config_.scheduler.count;
    if ((done >> s & 1u) == 0) issue_stage(now, s);
  }
}

bool Core::admitted(GroupId group, bool refused_before) {
  if (!scoreboard_.limits_ports()) return true;
  ScoreboardRequest admit;
  admit.op = ScoreboardRequest::Op::kAdmit;
  admit.warp = groups_[group].warp;
  admit.mask = groups_[group].mask;
  admit.instruction = &code_[groups_[group].pc.value()];
  admit.cycle = now_;
  admit.refused_before = refused_before;
  scoreboard_isock_.call(admit);
  return admit.hazard == Hazard::kNone;
}

void Core::issue_stage(Cycle now, std::uint32_t s, std::optional<GroupId> refused) {
  const PipeReadiness& pipes = pipe_readiness_[sub_core_of(s)];
  if (replay_ && replay_scheduler_ == s) {
    charge(s, SlotUse::kReplay, now);
    if (refused) port_waits_.push_back({s, *refused});
    return;
  }
  SchedulerRequest pick;
  if (groups_.any_ready(s)) {
    pick.candidates = groups_.candidates(s, pipes, now);
    if (pick.candidates != nullptr && refused && pick.candidates->contains(refused->value())) {
      pick.found = true;  // the policy has chosen it already
      pick.group = *refused;
    } else if (pick.candidates != nullptr) {
      refused.reset();
      pick.cycle = now;
      scheduler_isocks_[s]->call(pick);
      held_back_ |= !pick.found;
    }
  }
  if (!pick.found) {
    charge(s, groups_.idle_cause(s, pipes, now), now);
    return;
  }
  if (!admitted(pick.group, refused.has_value())) {
    charge(s, SlotUse::kScoreboardPorts, now);
    port_waits_.push_back({s, pick.group});
    return;
  }
  charge(s, SlotUse::kIssued, now, 1, pick.group);
  issue(pick.group);
}

void Core::fetch_stage(Cycle now) {
  FetchRequest fetch;
  fetch.cycle = now;
  fetch_isock_.call(fetch);
  for (unsigned i = 0; i < fetch.filled_count; ++i) {
    groups_[fetch.filled[i]].head_valid = true;
    refresh(fetch.filled[i]);
  }
  // Behind a branch the wait for a line that is not there counts as fetch, not as control flow.
  if (fetch.miss) set_status(fetch.missed, GroupStatus::kFetch);
  fetch_due_ = fetch.next_due;
}

void Core::sleep(Cycle now) {
  Cycle next = std::min(
      {pipes_due_, lsu_due_, fetch_due_, branch_due_, barrier_releases_.next_due(), sleepers_.next_due()});
  if (!memory_port_.quiet() || held_back_ || !port_waits_.empty() ||
      (lsu_wants_port_ && memory_port_.has_room()))
    next = now + 1;
  for (std::uint32_t s = 0; s < config_.scheduler.count && next > now + 1; ++s)
    if (groups_.any_ready(s))
      next = std::min(next, groups_.next_due(s, pipe_readiness_[sub_core_of(s)], now));
  if (next == kNever)
    clock_.park();
  else
    clock_.sleep_until(std::max(next, now + 1));
}

void Core::write_back(WritebackRequest& request) {
  const WarpId warp = request.warp;
  if (request.instruction != nullptr) {
    const isa::Instruction& instruction = *request.instruction;
    if (instruction.unit != isa::Unit::kMemory) --warps_[warp.value()].alu_outstanding;
    if (instruction.write_count != 0) {
      ScoreboardRequest release;
      release.op = ScoreboardRequest::Op::kRelease;
      release.warp = warp;
      release.mask = request.mask;
      release.instruction = request.instruction;
      release.cycle = now_;
      scoreboard_isock_.call(release);
      if (launch_->trace != nullptr) trace_registers("write_back", warp, *request.instruction, request.mask);
      for (const GroupId group : groups_of_warp_[warp.value()]) {
        const GroupStatus status = groups_[group].status;
        if (status == GroupStatus::kScoreboardAlu || status == GroupStatus::kScoreboardMemory) refresh(group);
      }
    } else if (table_traffic_.owns(instruction)) {
      table_entry_moved(warp, instruction);
    }
  }
  if (!fences_[warp.value()].empty()) lift_fences(warp);
  if (warp_sync_.postponed(warp)) meet(warp);
  retire_if_finished(warp);
}

void Core::set_long_latency(GroupId id, GroupStatus status) {
  set_status(id, status);
  const IssueTable::Group& group = groups_[id];
  const auto waits_long = [this](GroupId other) {
    const GroupStatus s = groups_[other].status;
    return s == GroupStatus::kScoreboardMemory || s == GroupStatus::kFence || s == GroupStatus::kBarrier ||
           s == GroupStatus::kControlFlow;
  };
  const auto& of_warp = groups_of_warp_[group.warp.value()];
  if (of_warp.size() > 1 && !std::all_of(of_warp.begin(), of_warp.end(), waits_long)) return;
  SchedulerRequest waits;
  waits.op = SchedulerRequest::Op::kLongLatency;
  waits.warp = group.warp;
  scheduler_isocks_[group.scheduler]->call(waits);
}

void Core::refresh(GroupId id) {
  IssueTable::Group& group = groups_[id];
  if (!group.head_valid) {
    set_status(id, GroupStatus::kFetch);
    return;
  }
  const isa::Instruction& head = code_[group.pc.value()];
  if (group.hold != simt::Hold::kNothing &&
      (group.hold == simt::Hold::kEverything || head.op == isa::Opcode::kBranch ||
       head.op == isa::Opcode::kIndirect || head.op == isa::Opcode::kCall ||
       head.op == isa::Opcode::kReturn)) {
    set_status(id, GroupStatus::kTables);
    return;
  }
  // While a split of the warp waits at a fence the others start nothing that it would have to wait for as
  // well: one that polls a lock would keep the lock's owner at its fence for ever.
  if (head.unit == isa::Unit::kMemory && !fences_[group.warp.value()].empty()) {
    set_status(id, GroupStatus::kFence);
    return;
  }
  ScoreboardRequest check;
  check.warp = group.warp;
  check.mask = group.mask;
  check.instruction = &head;
  scoreboard_isock_.call(check);
  if (check.hazard == Hazard::kNone)
    set_status(id, GroupStatus::kReady, pipe_of_pc_[group.pc.value()]);
  else if (check.hazard == Hazard::kMemory)
    set_long_latency(id, GroupStatus::kScoreboardMemory);
  else
    set_status(id, GroupStatus::kScoreboardAlu);
}

}  // namespace heddle::core
