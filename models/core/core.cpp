#include "core/core.h"

#include <algorithm>

#include "base/error.h"

namespace heddle::core {

// ---- CTAs

void Core::serve_cta(CtaRequest& request) {
  switch (request.op) {
    case CtaRequest::Op::kBegin:
      launch_begins(request.launch);
      break;
    case CtaRequest::Op::kFits:
      request.room = part_ == Part::kNone ? state_.launch->ctas_per_core : ctas_.room();
      break;
    case CtaRequest::Op::kStart:
      if (part_ != Part::kRuns) take_part();
      state_.now = state_.services.clock.cycle();
      cycles_.sleep_until(state_.now);
      if (!knows_kernel_) learn_kernel();
      request.slot = ctas_.start(request.linear_id, request.at);
      clock_.wake();
      break;
    case CtaRequest::Op::kEnd:
      end_launch();
      break;
  }
}

void Core::end_launch() {
  if (part_ == Part::kNone) {
    const Cycle cycles = state_.services.clock.cycle() - launch_began_;
    cycles_.rest(cycles);
    ctas_.rest(cycles);
    part_ = Part::kRests;
    return;
  }
  if (part_ == Part::kBegun) part_ = Part::kRests;
  cycles_.end_launch();
  if (blocks_.control_flow_unit.traits().clocked) paths_.end_launch(clock_.cycle());
  ctas_.end_launch();
  state_.groups.end_profile();
  if (state_.profile != nullptr) waits_.end_launch();
  if (state_.profile != nullptr) paths_.profile_parted(*state_.profile);
}

namespace {

[[noreturn]] void refuse_transactions(const isa::Kernel& kernel) {
  throw base::InputError(kernel.location(kernel.transactions.front().begin),
                         "a transaction, and this GPU executes none",
                         "Set tm.enabled=true, or choose a kernel that uses locks.");
}

// Lanes enter and leave a transaction in one cycle.
[[noreturn]] void refuse_clocked_control_flow(const isa::Kernel& kernel) {
  throw base::InputError(
      kernel.location(kernel.transactions.front().begin),
      "a transaction, and the control-flow mechanism is a clocked block",
      "Set core.control_flow.simt_stack.timing or split_unit.timing, whichever it is, to ideal.");
}

[[noreturn]] void refuse_ptx(const isa::Kernel& kernel) {
  throw base::InputError(
      "core.scoreboard.kind=control_codes", "kernel " + kernel.name + " is PTX, which has no control codes",
      "Run its machine code (heddle run --cubin FILE), or set core.scoreboard.kind=per_warp.");
}

}  // namespace

void Core::launch_begins(const LaunchContext* launch) {
  if (!launch->kernel->transactions.empty() && !extensions_.executes_transactions())
    refuse_transactions(*launch->kernel);
  if (!launch->kernel->transactions.empty() && blocks_.control_flow_unit.traits().clocked)
    refuse_clocked_control_flow(*launch->kernel);
  if (state_.config.scoreboard.control_codes() && !launch->kernel->is_machine_code())
    refuse_ptx(*launch->kernel);
  launch_began_ = state_.services.clock.cycle();
  if (part_ == Part::kRests && launch->ctas_per_core != 0 && launch->profile == nullptr &&
      launch->trace == nullptr && state_.services.extensions.empty() && !issue_stage_.clocked() &&
      blocks_.memory_port.idle()) {
    part_ = Part::kNone;
    state_.launch = launch;
    return;
  }
  begin_launch(launch);
}

void Core::take_part() {
  if (part_ == Part::kNone) begin_launch(state_.launch);
  part_ = Part::kRuns;
}

void Core::begin_launch(const LaunchContext* launch) {
  part_ = Part::kBegun;
  counted_ = true;
  cycles_.begin_launch(launch_began_);
  ctas_.begin_launch(launch, launch_began_);
  dispatch_.begin_launch(*launch->kernel);
  ports_.fetch_launch_isock.begins(launch);
  knows_kernel_ = false;
  if (!state_.services.extensions.empty()) learn_facts();  // units learn so that a launch begins
  state_.groups.set_profile(launch->profile, &waits_, launch_began_);
  if (launch->profile != nullptr) waits_.begin_launch();
  state_.due.control_flow = kNever;
  issue_stage_.begin_launch(launch_began_);
}

Cycle Core::least_cycles_left() const {
  if (!has_ctas()) return 0;
  const std::uint64_t exits = exits_per_cycle();
  return std::max<std::uint64_t>(1, (state_.live_threads + exits - 1) / exits);
}

void Core::learn_kernel() {
  knows_kernel_ = true;
  ports_.registers_launch_isock.begins(state_.launch);
  if (state_.services.extensions.empty() && facts_of_ != state_.launch->kernel) learn_facts();
}

void Core::learn_facts() {
  facts_of_ = state_.launch->kernel;
  state_.facts.clear();
  for (std::uint32_t pc = 0; pc < state_.kernel().code.size(); ++pc) {
    const isa::Instruction& instruction = state_.kernel().code[pc];
    state_.facts.push_back({state_.config.pipes.pipe_of(instruction),
                            issue_stage_.gates().interested(instruction, Pc{pc}),
                            taps_.interested(instruction, Pc{pc})});
  }
}

// ---- What extensions ask

void Core::groups(WarpId warp, std::vector<GroupState>& groups) const {
  groups.clear();
  for (const GroupId id : state_.groups_of_warp[warp.value()])
    groups.push_back({id, state_.groups[id].status == GroupStatus::kBarrier});
  std::ranges::sort(groups, {}, [](const GroupState& group) { return group.group.value(); });
}

// ---- A cycle

void Core::tick() {
  try {
    cycle(clock_.cycle());
  } catch (...) {
    state_.services.faults.raise(std::current_exception(), state_.id.value());
    clock_.park();
  }
}

void Core::cycle(Cycle now) {
  if (part_ != Part::kRuns) [[unlikely]]
    take_part();
  state_.now = now;
  cycles_.evaluate(now);

  if (state_.due.pipes <= now) state_.due.pipes = ports_.pipes_isock.tick(now);
  memory_stage(now);
  fences_.cycle(now);
  paths_.release_due(now);
  paths_.wake_due(now);
  paths_.tick(now);
  cycles_.count_groups();
  issue_stage_.cycle(now, dispatch_);
  if (state_.due.fetch <= now) fetch_stage(now);
  sleep(now);
}

void Core::memory_stage(Cycle now) {
  issue_stage_.no_replay();
  std::optional<PortClient> delivered;
  if (!blocks_.memory_port.quiet()) delivered = ports_.port_isock.deliver(now);
  if (delivered == PortClient::kInstruction) state_.due.fetch = now;
  if (state_.due.lsu <= now || lsu_wants_port_ || delivered) {
    const LsuRequest memory = ports_.lsu_isock.tick(now);
    state_.due.lsu = memory.next_due;
    lsu_wants_port_ = memory.wants_port;
    if (memory.foreseen) cycles_.next_is_active();
    if (memory.replay) issue_stage_.replay(memory.replay_warp);
    issue_stage_.memory_full(memory.full, memory.full_sub_cores);
    fences_.memory_done();
    if (barrier_order_) [[unlikely]]
      barrier_order_->memory_done();
  }
  if (!blocks_.memory_port.quiet()) ports_.port_isock.tick(now);
}

void Core::fetch_stage(Cycle now) {
  const FetchReport fetch = ports_.fetch_isock.tick(now);
  for (unsigned i = 0; i < fetch.filled_count; ++i) {
    state_.groups[fetch.filled[i]].head_valid = true;
    issue_stage_.refresh(fetch.filled[i]);
  }
  // Behind a branch the wait for a line that is not there counts as fetch, not as control flow.
  for (unsigned i = 0; i < fetch.missed_count; ++i)
    issue_stage_.set_status(fetch.missed[i], GroupStatus::kFetch);
  state_.due.fetch = fetch.next_due;
}

void Core::sleep(Cycle now) {
  const StageDue& due = state_.due;
  Cycle next =
      std::min({due.pipes, due.lsu, due.fetch, due.control_flow, paths_.next_due(), fences_.next_due()});
  if (!blocks_.memory_port.quiet() || (lsu_wants_port_ && blocks_.memory_port.has_room())) next = now + 1;
  if (next > now + 1) next = std::min(next, issue_stage_.next_due(now));
  if (next == kNever)
    clock_.park();
  else
    clock_.sleep_until(std::max(next, now + 1));
}

void Core::wake_memory(LsuWake& wake) {
  issue_stage_.memory_full(wake.full, wake.full_sub_cores);
  state_.due.lsu = std::min(state_.due.lsu, wake.due);
}

}  // namespace heddle::core
