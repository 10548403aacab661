#include "spin/backoff_unit.h"

#include <algorithm>

namespace heddle::spin {

using base::GroupId;
using base::kLanes;
using core::SchedulerRequest;

BackoffUnit::BackoffUnit(const sc_core::sc_module_name& name, const BowsConfig& config, Shape shape,
                         base::StatGroup& stats)
    : SchedulerInterposer(name, shape.schedulers, "backed_off"),
      config_(config),
      core_(shape.core),
      groups_per_warp_(shape.groups_per_warp),
      clocked_table_(shape.clocked_table),
      refuses_(shape.refuses),
      queues_(shape.schedulers),
      lanes_(shape.warps),
      effective_(shape.warps, 0),
      delay_until_(
          config.granularity == Granularity::kSplit ? std::size_t{shape.warps} * kLanes : shape.warps, 0),
      free_(shape.warps * shape.groups_per_warp),
      waiting_(shape.warps * shape.groups_per_warp),
      chosen_(shape.warps * shape.groups_per_warp),
      admitted_(shape.warps * shape.groups_per_warp),
      window_ends_(config.window_cycles) {
  limit_ = config.delay == DelayRule::kFixed ? config.fixed_delay : config.minimum_delay;
  stats.counter("events", "warp-instructions", "spin-inducing branches executed", &events_);
  stats.counter("not_backed_off", "warp-instructions", "of these, another split of the warp could run",
                &not_backed_off_);
  stats.counter("attempts", "warp-instructions",
                "issued by backed-off warps, which starts their next attempt", &attempts_);
  stats.counter("promoted", "warp-instructions", "of these, before warps that had not backed off",
                &promoted_);
  stats.counter("backed_off_cycles", "warp-cycles", "warps in the back-off queues, summed over cycles",
                &backed_off_cycles_);
  stats.maximum("most_backed_off", "warps", "in the back-off queues at one time", &most_);
}

Cycle BackoffUnit::pending_delay(WarpId warp, Cycle now) const {
  const Cycle until =
      delay_ends({warp, lanes_[warp.value()].any() ? lanes_[warp.value()] : LaneMask::all(), 0});
  return until > now ? until - now : 0;
}

Cycle BackoffUnit::delay_ends(const Waiting& waiting) const {
  if (config_.granularity == Granularity::kWarp) return delay_until_[waiting.warp.value()];
  Cycle latest = 0;
  waiting.lanes.for_each([&](unsigned lane) {
    latest = std::max(latest, delay_until_[std::size_t{waiting.warp.value()} * kLanes + lane]);
  });
  return latest;
}

// ---- What happens

void BackoffUnit::spins(SpinEvent& event) {
  pass_time(event.known);
  ++events_;
  ++window_sibs_;
  if (!config_.enabled) return;
  if (config_.granularity == Granularity::kWarp && event.others) {
    ++not_backed_off_;
    return;
  }
  const LaneMask lanes = config_.granularity == Granularity::kWarp ? LaneMask::all() : event.lanes;
  Queue& queue = queues_[scheduler_of(event.warp)];
  if ((lanes_[event.warp.value()] & lanes).any()) leave_queue(queue, event.warp, lanes, event.known);
  lanes_[event.warp.value()] |= lanes;
  effective_[event.warp.value()] = event.known + 1;
  queue.push_back({event.warp, lanes, event.known + 1});
  std::uint64_t waiting = 0;
  for (const Queue& each : queues_) waiting += each.size();
  most_ = std::max(most_, waiting);
  trace(event.known + 1);
}

void BackoffUnit::record(Cycle cycle) {
  const auto now = static_cast<std::uint32_t>(
      std::count_if(lanes_.begin(), lanes_.end(), [](LaneMask lanes) { return lanes.any(); }));
  if (now == recorded_) return;
  recorded_ = now;
  trace_->backed_off(core_, cycle, now);
}

void BackoffUnit::leave_queue(Queue& queue, WarpId warp, LaneMask lanes, Cycle now) {
  for (Waiting& waiting : queue) {
    if (waiting.warp != warp || (waiting.lanes & lanes).none()) continue;
    waiting.lanes = LaneMask::difference(waiting.lanes, lanes);
    if (waiting.lanes.none() && now > waiting.since) backed_off_cycles_ += now - waiting.since;
  }
  std::erase_if(queue, [](const Waiting& waiting) { return waiting.lanes.none(); });
  lanes_[warp.value()] = LaneMask::difference(lanes_[warp.value()], lanes);
}

void BackoffUnit::forget(std::uint32_t scheduler, WarpId warp) {
  std::erase_if(queues_[scheduler], [&](const Waiting& waiting) { return waiting.warp == warp; });
  lanes_[warp.value()] = LaneMask{};
  const std::size_t per_warp = delay_until_.size() / lanes_.size();
  std::fill_n(delay_until_.begin() + static_cast<std::ptrdiff_t>(warp.value() * per_warp), per_warp, 0);
  history_isock.reset(warp);
  if (clocked_table_) look_up_isock.forget(warp);
}

void BackoffUnit::pass_time(Cycle now) {
  if (next_limit_from_ <= now) {
    limit_ = next_limit_;
    next_limit_from_ = base::kNever;
  }
  while (window_ends_ <= now) {
    // Between windows without instructions nothing changes.
    const bool idle = window_instructions_ == 0 && window_sibs_ == 0;
    const WindowRequest window = window_isock.ends(window_ends_, window_instructions_, window_sibs_);
    window_instructions_ = 0;
    window_sibs_ = 0;
    if (window.effective <= now) {
      limit_ = window.limit;
      next_limit_from_ = base::kNever;
    } else {
      next_limit_ = window.limit;
      next_limit_from_ = window.effective;
    }
    window_ends_ = idle ? (now / config_.window_cycles + 1) * config_.window_cycles
                        : window_ends_ + config_.window_cycles;
  }
}

// ---- Towards the schedulers

void BackoffUnit::step(std::uint32_t scheduler, SchedulerRequest& request) {
  if (request.cycle > stepped_) {
    stepped_ = request.cycle;
    busy_ = look_up_isock.step(request.cycle);
  }
  if (request.op == SchedulerRequest::Op::kPick && (busy_ >> scheduler & 1u) != 0)
    pick_admitted(scheduler, request);
  else
    answer(scheduler, request);
}

void BackoffUnit::serve(std::uint32_t scheduler, SchedulerRequest& request) {
  if (clocked_table_) [[unlikely]]
    return step(scheduler, request);
  answer(scheduler, request);
}

void BackoffUnit::answer(std::uint32_t scheduler, SchedulerRequest& request) {
  switch (request.op) {
    case SchedulerRequest::Op::kPick:
      return pick(scheduler, request);
    case SchedulerRequest::Op::kAssign:
      forget(scheduler, request.warp);
      trace(request.cycle);
      ++present_;
      break;
    case SchedulerRequest::Op::kLeave:
      forget(scheduler, request.warp);
      trace(request.cycle);
      if (--present_ == 0) {
        limit_ = window_isock.reset();
        next_limit_from_ = base::kNever;
      }
      break;
    default:
      break;
  }
  pass(scheduler, request);
}

bool BackoffUnit::waits(const SchedulerRequest& request, GroupId group) const {
  const WarpId warp = request.groups->warp(group);
  const LaneMask backed_off = lanes_[warp.value()];
  return backed_off.any() && effective_[warp.value()] <= request.cycle &&
         backed_off.contains(request.groups->lanes(group));
}

void BackoffUnit::pick_admitted(std::uint32_t scheduler, SchedulerRequest& request) {
  const base::IndexSet& all = *request.candidates;
  admitted_.clear();
  bool refused = false, any = false;
  all.for_each([&](std::uint32_t group) {
    if (backward_[request.groups->pc(GroupId{group}).value()]) {
      refused = true;
      return;
    }
    admitted_.insert(group);
    any = true;
  });
  if (any) {
    request.candidates = &admitted_;
    pick(scheduler, request);
    request.candidates = &all;
  }
  // In the next cycle the table may have served it.
  if (!request.found && refused) refuse(request, request.cycle + 1);
}

void BackoffUnit::pick(std::uint32_t scheduler, SchedulerRequest& request) {
  pass_time(request.cycle);
  const Queue& queue = queues_[scheduler];
  if (queue.empty()) {
    pass(scheduler, request);
    if (request.found) ++window_instructions_;
    return;
  }
  const base::IndexSet& all = *request.candidates;
  free_.clear();
  waiting_.clear();
  bool any_free = false;
  all.for_each([&](std::uint32_t group) {
    if (waits(request, GroupId{group})) {
      waiting_.insert(group);
    } else {
      free_.insert(group);
      any_free = true;
    }
  });
  request.candidates = &waiting_;
  const Choice next = first_in_queue(queue, request);
  const bool starves = config_.promote_after_cycles != 0 && next.waiting != nullptr &&
                       request.cycle >= std::max(next.waiting->since, delay_ends(*next.waiting)) +
                                            config_.promote_after_cycles;
  if (starves && choose(scheduler, request, next.group)) {
    if (any_free) ++promoted_;
  } else if (any_free) {
    request.candidates = &free_;
    pass(scheduler, request);
  }
  if (!request.found && next.waiting != nullptr) choose(scheduler, request, next.group);
  request.candidates = &all;
  if (request.found) return issues(scheduler, request, request.group);
  if (any_free || next.waiting != nullptr)  // the policy held them back
    request.due = std::min(request.due, next.due);
  else
    hold_back(request, next.due);
}

BackoffUnit::Choice BackoffUnit::first_in_queue(const Queue& queue, const SchedulerRequest& request) const {
  Choice choice;
  for (const Waiting& waiting : queue) {
    const std::uint32_t first = waiting.warp.value() * groups_per_warp_;
    auto ready = request.candidates->next(first);
    while (ready && *ready < first + groups_per_warp_ &&
           (request.groups->lanes(GroupId{*ready}) & waiting.lanes).none())
      ready = request.candidates->next(*ready + 1);
    if (!ready || *ready >= first + groups_per_warp_) continue;
    const Cycle from = delay_ends(waiting);
    if (from <= request.cycle) {
      choice.waiting = &waiting;
      choice.group = GroupId{*ready};
      return choice;
    }
    choice.due = std::min(choice.due, from);
  }
  return choice;
}

bool BackoffUnit::choose(std::uint32_t scheduler, SchedulerRequest& request, GroupId group) {
  chosen_.clear();
  chosen_.insert(group.value());
  request.candidates = &chosen_;
  pass(scheduler, request);
  return request.found;
}

void BackoffUnit::issues(std::uint32_t scheduler, const SchedulerRequest& request, GroupId group) {
  ++window_instructions_;
  const WarpId warp = request.groups->warp(group);
  LaneMask lanes = lanes_[warp.value()];
  if (lanes.none() || request.cycle < effective_[warp.value()]) return;
  if (config_.granularity == Granularity::kSplit) lanes &= request.groups->lanes(group);
  if (lanes.none()) return;
  const bool attempt = waits(request, group);
  leave_queue(queues_[scheduler], warp, lanes, request.cycle);
  trace(request.cycle);
  if (!attempt) return;  // it has met lanes that had not backed off
  ++attempts_;
  const Cycle until = request.cycle + limit_;
  if (config_.granularity == Granularity::kWarp)
    delay_until_[warp.value()] = until;
  else
    lanes.for_each([&](unsigned lane) { delay_until_[std::size_t{warp.value()} * kLanes + lane] = until; });
}

}  // namespace heddle::spin
