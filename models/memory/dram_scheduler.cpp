#include "memory/dram_scheduler.h"

#include <algorithm>

namespace heddle::memory {

DramMap::DramMap(const DramConfig& config)
    : interleave_(config.bank_interleave_bytes),
      banks_(config.banks),
      row_bytes_(config.row_bytes),
      skew_(config.bank_skew),
      whole_chunks_(config.row_bytes % config.bank_interleave_bytes == 0) {}

DramScheduler::DramScheduler(const DramConfig& config)
    : config_(config),
      map_(config),
      timing_(config),
      burst_bytes_(config.burst_bytes),
      policy_(config.scheduler.entry().make(config)),
      page_policy_(config.page_policy.entry().make(config)),
      queue_(config.queue_depth, config.banks),
      banks_(config.banks) {
  for (std::uint32_t b = 0; b < config.banks; ++b)
    banks_[b].group = static_cast<std::uint16_t>(timing_.group_of(b));
}

void DramScheduler::push(const DramAccess& access) {
  const bool was_empty = empty();
  if (was_empty) {
    const DramTiming::Missed missed = timing_.catch_up(access.arrival);
    counters_.refreshes += missed.refreshes;
    counters_.precharges += missed.closed_rows;
  }
  // Column commands move aligned bursts.
  const std::uint64_t first = burst_bytes_.quotient(access.address);
  const std::uint64_t last = burst_bytes_.quotient(access.address + access.bytes - 1);
  const std::uint32_t slot =
      queue_.push(access, map_.bank_row(access.address), static_cast<std::uint32_t>(last - first + 1));
  if (was_empty) ask_for_order();
  const std::uint32_t index = queue_[slot].at.bank;
  Bank& bank = banks_[index];
  if (queue_.oldest_of(index) == slot) {
    choose(index, slot);
  } else {
    const std::uint32_t next = policy_->pick_again(view(index), bank.candidate, slot);
    if (next == bank.candidate) return;  // the plan remains valid as well
    set_candidate(index, next);
  }
  if (was_empty || !plan_known_ || plan_.slot == kNone || queue_[plan_.slot].at.bank == index) {
    forget_plan(0);  // a command that could have been issued already is chosen again by tick()
    return;
  }
  const Plan mine = candidate_plan(bank, index, 0);
  if (mine.cycle >= decided_otherwise()) return;
  if (plan_.reason != Plan::Reason::kFirstReady ? mine.cycle < plan_.cycle : better(mine, plan_))
    plan_ = mine;
}

// ---- what comes next ----

DramKind DramScheduler::next_command(const Request& request) const {
  const std::uint32_t bank = request.at.bank;
  if (!timing_.open(bank)) return DramKind::kActivate;
  if (timing_.row(bank) != request.at.row) return DramKind::kPrecharge;
  return request.access.write ? DramKind::kWrite : DramKind::kRead;
}

void DramScheduler::choose(std::uint32_t bank, std::uint32_t from) {
  if (queue_.oldest_of(bank) != kNone)
    set_candidate(bank, policy_->pick(view(bank), from));
  else
    clear_candidate(bank);
}

void DramScheduler::link(std::uint32_t index) {
  Bank& bank = banks_[index];
  Needing& list = needing_[static_cast<unsigned>(bank.kind)];
  // Mostly it is among the youngest.
  std::uint32_t older = list.youngest, younger = kNone;
  while (older != kNone && banks_[older].age > bank.age) {
    younger = older;
    older = banks_[older].older;
  }
  bank.older = older;
  bank.younger = younger;
  (older == kNone ? list.oldest : banks_[older].younger) = index;
  (younger == kNone ? list.youngest : banks_[younger].older) = index;
}

void DramScheduler::unlink(std::uint32_t index) {
  const Bank& bank = banks_[index];
  Needing& list = needing_[static_cast<unsigned>(bank.kind)];
  (bank.older == kNone ? list.oldest : banks_[bank.older].younger) = bank.younger;
  (bank.younger == kNone ? list.youngest : banks_[bank.younger].older) = bank.older;
}

void DramScheduler::clear_candidate(std::uint32_t index) {
  Bank& bank = banks_[index];
  if (bank.candidate != kNone) unlink(index);
  bank.candidate = kNone;
}

void DramScheduler::set_candidate(std::uint32_t index, std::uint32_t slot) {
  Bank& bank = banks_[index];
  const Request& request = queue_[slot];
  const DramKind kind = next_command(request);
  const bool listed = bank.candidate != kNone;
  // A slot may have been given to another request since.
  if (!listed || bank.kind != kind || bank.age != request.age) {
    if (listed) unlink(index);
    bank.kind = kind;
    bank.age = request.age;
    link(index);
  }
  bank.candidate = slot;
  bank.ready = std::max(request.access.arrival, timing_.bank_ready(kind, index));
}

DramScheduler::Plan DramScheduler::candidate_plan(const Bank& bank, std::uint32_t index,
                                                  base::Cycle from) const {
  return {.cycle = std::max({from, bank.ready, timing_.shared_ready(bank.kind, index), timing_.bus_ready()}),
          .slot = bank.candidate,
          .kind = bank.kind};
}

bool DramScheduler::better(const Plan& a, const Plan& b) const {
  if (a.cycle != b.cycle) return a.cycle < b.cycle;
  if (is_column(a.kind) != is_column(b.kind)) return is_column(a.kind);
  return queue_[a.slot].age < queue_[b.slot].age;
}

void DramScheduler::plan(base::Cycle from) {
  plan_ = {};
  plan_known_ = true;
  if (empty()) return;
  const base::Cycle floor = std::max(from, timing_.bus_ready());
  // The best so far; of two in one cycle the older one is better. `age` 0: only an earlier cycle is.
  base::Cycle cycle = base::kNever;
  std::uint64_t age = ~std::uint64_t{0};
  const Bank* best = nullptr;
  const auto look_at = [&](DramKind kind) {
    const base::Cycle earliest = std::max(floor, timing_.channel_ready(kind));
    if (earliest > cycle || (earliest == cycle && age == 0)) return;
    for (std::uint32_t b = needing_[static_cast<unsigned>(kind)].oldest; b != kNone; b = banks_[b].younger) {
      const Bank& bank = banks_[b];
      if (bank.ready > cycle) continue;
      const base::Cycle at = std::max(earliest, std::max(bank.ready, timing_.group_ready(kind, bank.group)));
      if (at < cycle || (at == cycle && bank.age < age)) {
        best = &bank;
        cycle = at;
        age = bank.age;
      }
      if (at == earliest) return;  // those behind it are younger and no earlier
    }
  };
  look_at(DramKind::kRead);
  look_at(DramKind::kWrite);
  if (best != nullptr) age = 0;  // row commands go after column commands
  look_at(DramKind::kActivate);
  look_at(DramKind::kPrecharge);
  plan_.cycle = cycle;
  plan_.slot = best->candidate;
  plan_.kind = best->kind;
  if (plan_.cycle >= decided_otherwise()) [[unlikely]]
    plan_otherwise(from);
}

void DramScheduler::plan_otherwise(base::Cycle from) {
  if (plan_.cycle >= in_order_from_) {
    const Request& oldest = queue_[queue_.oldest()];
    const DramKind kind = next_command(oldest);
    plan_ = {.cycle = std::max({from, in_order_from_, timing_.earliest(kind, oldest.at.bank)}),
             .reason = Plan::Reason::kInOrder,
             .slot = queue_.oldest(),
             .kind = kind};
  }
  if (plan_.cycle >= timing_.refresh_due()) {
    const DramTiming::Step step = timing_.refresh_step();
    plan_ = {.cycle = std::max(from, step.cycle),
             .reason = Plan::Reason::kRefresh,
             .slot = kNone,
             .kind = step.kind};
  }
}

const DramCommand* DramScheduler::issue_of(base::Cycle now) {
  if (planned() > now) return nullptr;
  if (plan_.cycle < now) {  // the caller could not issue it then: choose again among all that can be issued
                            // now
    plan(now);
    if (plan_.cycle > now) return nullptr;
  }
  if (plan_.reason == Plan::Reason::kRefresh) [[unlikely]]
    issue_refresh(now);
  else
    issue(now);
  forget_plan(now + 1);
  return &command_;
}

void DramScheduler::issue_refresh(base::Cycle now) {
  counters_.precharges += timing_.issue_refresh_step({plan_.kind, now});
  if (plan_.kind == DramKind::kRefresh) ++counters_.refreshes;
  queue_.busy_banks().for_each([this](std::uint32_t b) { choose(b); });
  command_ = {.kind = plan_.kind};
}

void DramScheduler::issue(base::Cycle now) {
  const std::uint32_t slot = plan_.slot;
  const DramKind kind = plan_.kind;
  Request& request = queue_[slot];
  const std::uint32_t index = request.at.bank;
  DramCommand& command = command_;
  command = {.kind = kind, .bank = index, .row = request.at.row, .id = request.access.id};
  if (kind == DramKind::kPrecharge) command.row = timing_.row(index);
  timing_.issue(kind, index, request.at.row, now);
  switch (kind) {
    case DramKind::kActivate:
      ++counters_.activates;
      if (!request.started && request.outcome == RowOutcome::kHit) request.outcome = RowOutcome::kMiss;
      return choose(index);
    case DramKind::kPrecharge:
      ++counters_.precharges;
      if (!request.started) request.outcome = RowOutcome::kConflict;
      return choose(index);
    default:
      break;
  }
  command.data_end = timing_.data_end(kind, now);
  counters_.data_cycles += timing_.burst_cycles();
  request.started = true;
  if (--request.bursts_left != 0) return;
  command.last = true;
  count_completion(request, now);
  policy_->served(view(index), slot);
  command.closes = page_policy_->closes(view(index), slot);
  if (command.closes) {
    timing_.auto_precharge(index);
    ++counters_.precharges;
  }
  const std::uint32_t next = request.younger_in_bank;
  const bool was_candidate = banks_[index].candidate == slot;
  queue_.remove(slot);
  ask_for_order();
  choose(index, was_candidate ? next : queue_.oldest_of(index));
}

void DramScheduler::count_completion(const Request& request, base::Cycle now) {
  ++(request.access.write ? counters_.writes : counters_.reads);
  ++counters_.served;
  const base::Cycle waited = now - request.access.arrival;
  counters_.queue_cycles += waited;
  if (config_.starvation_limit_cycles != 0 && waited >= config_.starvation_limit_cycles) ++counters_.starved;
  switch (request.outcome) {
    case RowOutcome::kHit:
      ++counters_.row_hits;
      break;
    case RowOutcome::kMiss:
      ++counters_.row_misses;
      break;
    case RowOutcome::kConflict:
      ++counters_.row_conflicts;
      break;
  }
}

}  // namespace heddle::memory
