#include "core/core.h"

#include <algorithm>
#include <string>

namespace heddle::core {
namespace {

constexpr auto kUnit = [](isa::Unit unit) { return static_cast<unsigned>(unit); };

}  // namespace

Core::Core(const sc_core::sc_module_name& name, sim::CoreId id, const CoreConfig& config,
           CoreServices services, sim::StatGroup& stats)
    : sc_module(name),
      clock_(services.clock, "wake"),
      id_(id),
      config_(config),
      services_(services),
      branch_unit_("branch_unit", simt::make_control_flow(config.control_flow, config.occupancy.max_warps),
                   stats.child("branch_unit", "control flow within a warp")),
      fetch_("fetch", config.fetch, branch_unit_.groups(), stats.child("fetch", "fetch unit and I-buffers")),
      scoreboard_("scoreboard", config.scoreboard, config.occupancy.max_warps,
                  stats.child("scoreboard", "register dependences")),
      pipes_("pipes", config.pipes, stats.child("pipes", "execution pipes")),
      barrier_unit_("barrier_unit", config.occupancy.max_ctas, stats.child("barrier_unit", "CTA barriers")),
      memory_port_("memory_port", config.memory_port, clock_,
                   stats.child("memory_port", "connection to the crossbar")),
      l1d_("l1d", config.resolved_l1d(), services.progress, stats.child("l1d", "L1 data cache")),
      constant_cache_("constant_cache", config.constant_cache, id, services.pool, services.progress,
                      stats.child("constant_cache", "constants and kernel parameters")),
      shared_memory_("shared_memory", config.shared_memory, services.progress,
                     stats.child("shared_memory", "shared memory")),
      lsu_("lsu", config, id, services.pool, services.allocations, stats.child("lsu", "load/store unit")),
      groups_(branch_unit_.groups(), config.scheduler.count),
      warps_(config.occupancy.max_warps),
      groups_of_warp_(config.occupancy.max_warps),
      ctas_(config.occupancy.max_ctas),
      cta_slots_(config),
      fences_(config.occupancy.max_warps),
      barrier_of_warp_(config.occupancy.max_warps, 0),
      probe_(branch_unit_.groups()) {
  branch_isock_.bind(branch_unit_.branch_tsock);
  fetch_isock_.bind(fetch_.fetch_tsock);
  scoreboard_isock_.bind(scoreboard_.scoreboard_tsock);
  for (std::uint32_t s = 0; s < config.scheduler.count; ++s) {
    schedulers_.push_back(std::make_unique<WarpScheduler>(("scheduler" + std::to_string(s)).c_str(),
                                                          config.scheduler, branch_unit_.groups()));
    scheduler_isocks_.push_back(std::make_unique<sim::BlockInitiator<SchedulerProtocol>>(
        ("scheduler_isock" + std::to_string(s)).c_str()));
    scheduler_isocks_.back()->bind(schedulers_.back()->scheduler_tsock);
  }
  pipes_isock_.bind(pipes_.pipes_tsock);
  pipes_.writeback_isock.bind(pipes_writeback_tsock_);
  barrier_isock_.bind(barrier_unit_.barrier_tsock);
  lsu_isock_.bind(lsu_.lsu_tsock);
  lsu_.writeback_isock.bind(lsu_writeback_tsock_);
  lsu_.port_isock.bind(memory_port_.request_tsock[static_cast<unsigned>(PortClient::kData)]);
  memory_port_.response_isock[static_cast<unsigned>(PortClient::kData)].bind(lsu_.response_tsock);
  port_isock_.bind(memory_port_.control_tsock);
  lsu_.l1d_isock.bind(l1d_.l1d_tsock);
  lsu_.constant_isock.bind(constant_cache_.constant_tsock);
  constant_cache_.value_isock.bind(lsu_.constant_value_tsock);
  constant_cache_.port_isock.bind(memory_port_.request_tsock[static_cast<unsigned>(PortClient::kConstant)]);
  memory_port_.response_isock[static_cast<unsigned>(PortClient::kConstant)].bind(
      constant_cache_.response_tsock);
  lsu_.shared_isock.bind(shared_memory_.shared_tsock);

  sim::StatGroup& issue = stats.child("issue", "issue stage");
  issue.counter("cycles", "core cycles", "length of the launch", &cycles_);
  issue.counter("active_cycles", "core cycles", "cycles in which the core had something to do",
                &active_cycles_);
  issue.counter("warp_instructions", "warp-instructions", "instructions issued", &warp_instructions_);
  issue.counter("thread_instructions", "thread-instructions", "active lanes summed over issued instructions",
                &thread_instructions_);
  issue.counters("slots", "issue slots", "use of every issue slot (schedulers x cycles); sums exactly",
                 slot_use_names(), slots_.data());
  issue.counter("ctas", "CTAs", "CTAs started", &ctas_started_);

  SC_METHOD(tick);
  dont_initialize();
  sensitive << clock_.first_trigger();
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
    slots_[static_cast<unsigned>(groups_.idle_cause(s, unit_free_))] += skipped;
  cycles_ += skipped;
  last_cycle_ = until;
}

void Core::cycle(Cycle now) {
  now_ = now;
  account_idle(now - 1);
  last_cycle_ = now;
  ++cycles_;
  ++active_cycles_;

  PipesRequest pipes;
  pipes.cycle = now;
  pipes_isock_.call(pipes);
  std::copy(std::begin(pipes.unit_free), std::end(pipes.unit_free), unit_free_);

  PortRequest port;
  port.op = PortRequest::Op::kDeliver;
  port.cycle = now;
  port_isock_.call(port);
  LsuRequest memory;
  memory.cycle = now;
  lsu_isock_.call(memory);
  unit_free_[kUnit(isa::Unit::kMemory)] = !memory.full;
  next_due_ = memory.next_due;
  port.op = PortRequest::Op::kTick;
  port_isock_.call(port);
  // A load/store unit that waits for the port may have got its room just now, without anybody to wake us.
  if (port.busy || (memory.wants_port && port.room)) next_due_ = now + 1;

  barrier_releases_.take(now, [this](WarpId warp) {
    simt::BranchRequest release;
    release.event = simt::BranchEvent::kBarrierRelease;
    release.warp = warp;
    for (const GroupId group : groups_of_warp_[warp.value()]) release.group = group;
    branch_isock_.call(release);
    apply(release);
  });

  for (std::uint32_t s = 0; s < config_.scheduler.count; ++s) {
    SchedulerRequest pick;
    if (groups_.any_ready(s)) {
      pick.candidates = &groups_.candidates(s, unit_free_);
      scheduler_isocks_[s]->call(pick);
    }
    if (!pick.found) {
      ++slots_[static_cast<unsigned>(groups_.idle_cause(s, unit_free_))];
      continue;
    }
    ++slots_[static_cast<unsigned>(SlotUse::kIssued)];
    issue(pick.group);
    pick.op = SchedulerRequest::Op::kIssued;
    scheduler_isocks_[s]->call(pick);
  }

  FetchRequest fetch;
  fetch.cycle = now;
  fetch_isock_.call(fetch);
  for (unsigned i = 0; i < fetch.filled_count; ++i) {
    groups_[fetch.filled[i]].head_valid = true;
    refresh(fetch.filled[i]);
  }
  sleep(now, std::min(fetch.next_due, barrier_releases_.next_due()));
}

void Core::sleep(Cycle now, Cycle next_due) {
  next_due = std::min(next_due, next_due_);
  // The pipes were asked before this cycle's instructions entered them.
  PipesRequest pipes;
  pipes.cycle = now;
  pipes_isock_.call(pipes);
  next_due = std::min(next_due, pipes.next_due);
  for (std::uint32_t s = 0; s < config_.scheduler.count; ++s) {
    if (!groups_.any_ready(s)) continue;
    // Ready groups whose unit is free next cycle issue then; a busy unit is in pipes.next_due, a full
    // load/store unit in memory's or comes with a response.
    for (unsigned u = 0; u < isa::kUnits; ++u)
      if (unit_free_[u] && groups_.ready_for(s, static_cast<isa::Unit>(u)) != 0) next_due = now + 1;
  }
  if (next_due == kNoCycle)
    clock_.park();
  else
    clock_.sleep_until(std::max(next_due, now + 1));
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
      scoreboard_isock_.call(release);
      for (const GroupId group : groups_of_warp_[warp.value()]) {
        const GroupStatus status = groups_[group].status;
        if (status == GroupStatus::kScoreboardAlu || status == GroupStatus::kScoreboardMemory) refresh(group);
      }
    }
  }
  if (!fences_[warp.value()].empty()) lift_fences(warp);
  retire_if_finished(warp);
}

void Core::refresh(GroupId id) {
  IssueTable::Group& group = groups_[id];
  if (!group.head_valid) {
    groups_.set_status(id, GroupStatus::kFetch);
    return;
  }
  const isa::Instruction& head = launch_->kernel->code[group.pc.value()];
  ScoreboardRequest check;
  check.warp = group.warp;
  check.mask = group.mask;
  check.instruction = &head;
  scoreboard_isock_.call(check);
  switch (check.hazard) {
    case Hazard::kNone:
      groups_.set_status(id, GroupStatus::kReady, head.unit);
      break;
    case Hazard::kMemory:
      groups_.set_status(id, GroupStatus::kScoreboardMemory);
      break;
    case Hazard::kAlu:
    case Hazard::kFull:
      groups_.set_status(id, GroupStatus::kScoreboardAlu);
      break;
  }
}

}  // namespace heddle::core
