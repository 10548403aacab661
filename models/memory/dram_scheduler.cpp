#include "memory/dram_scheduler.h"

#include <algorithm>

namespace heddle::memory {

DramScheduler::DramScheduler(const DramConfig& config)
    : config_(config),
      map_(config),
      timing_(config),
      burst_bytes_(config.burst_bytes),
      requests_(config.queue_depth),
      banks_(config.banks),
      busy_banks_(config.banks) {
  for (std::uint32_t slot = config.queue_depth; slot-- > 0;) free_.push_back(slot);
}

// ---- the queue ----

void DramScheduler::push(const DramAccess& access) {
  const bool was_empty = empty();
  if (was_empty) {
    const DramTiming::Missed missed = timing_.catch_up(access.arrival);
    counters_.refreshes += missed.refreshes;
    counters_.precharges += missed.closed_rows;
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  Request& r = requests_[slot];
  r = Request{};
  r.access = access;
  r.at = map_.bank_row(access.address);
  // Column commands move aligned bursts.
  const std::uint64_t first = burst_bytes_.quotient(access.address);
  const std::uint64_t last = burst_bytes_.quotient(access.address + access.bytes - 1);
  r.bursts_left = static_cast<std::uint32_t>(last - first + 1);
  r.age = ages_++;
  link(slot);

  Bank& bank = banks_[r.at.bank];
  // A candidate that hits the open row remains: it is older.
  const bool only = bank.first == slot;
  const bool now_hits =
      !only && !is_column(bank.kind) && timing_.open(r.at.bank) && timing_.row(r.at.bank) == r.at.row;
  if (!only && !now_hits) return;  // the plan remains valid as well
  choose(bank, slot);
  if (was_empty || !plan_known_ || plan_.slot == kNone || requests_[plan_.slot].at.bank == r.at.bank) {
    forget_plan(0);  // a command that could have been issued already is chosen again by tick()
    return;
  }
  const Plan mine = candidate_plan(bank, r.at.bank, 0);
  if (mine.cycle >= decided_otherwise()) return;
  if (plan_.reason != Plan::Reason::kFirstReady ? mine.cycle < plan_.cycle : better(mine, plan_))
    plan_ = mine;
}

void DramScheduler::link(std::uint32_t slot) {
  Request& r = requests_[slot];
  r.older = youngest_;
  (youngest_ == kNone ? oldest_ : requests_[youngest_].younger) = slot;
  youngest_ = slot;
  Bank& bank = banks_[r.at.bank];
  r.older_in_bank = bank.last;
  (bank.last == kNone ? bank.first : requests_[bank.last].younger_in_bank) = slot;
  bank.last = slot;
  busy_banks_.insert(r.at.bank);
}

void DramScheduler::unlink(std::uint32_t slot) {
  const Request& r = requests_[slot];
  (r.older == kNone ? oldest_ : requests_[r.older].younger) = r.younger;
  (r.younger == kNone ? youngest_ : requests_[r.younger].older) = r.older;
  Bank& bank = banks_[r.at.bank];
  (r.older_in_bank == kNone ? bank.first : requests_[r.older_in_bank].younger_in_bank) = r.younger_in_bank;
  (r.younger_in_bank == kNone ? bank.last : requests_[r.younger_in_bank].older_in_bank) = r.older_in_bank;
  if (bank.first == kNone) busy_banks_.erase(r.at.bank);
  free_.push_back(slot);
}

// ---- what comes next ----

DramKind DramScheduler::next_command(const Request& request) const {
  const std::uint32_t bank = request.at.bank;
  if (!timing_.open(bank)) return DramKind::kActivate;
  if (timing_.row(bank) != request.at.row) return DramKind::kPrecharge;
  return request.access.write ? DramKind::kWrite : DramKind::kRead;
}

void DramScheduler::choose(Bank& bank, std::uint32_t from) {
  if (bank.first == kNone) return;
  bank.candidate = bank.first;
  const std::uint32_t index = requests_[bank.first].at.bank;
  if (timing_.open(index)) {
    for (std::uint32_t slot = from; slot != kNone; slot = requests_[slot].younger_in_bank) {
      if (requests_[slot].at.row != timing_.row(index)) continue;
      bank.candidate = slot;
      break;
    }
  }
  bank.kind = next_command(requests_[bank.candidate]);
  bank.ready = std::max(requests_[bank.candidate].access.arrival, timing_.bank_ready(bank.kind, index));
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
  return requests_[a.slot].age < requests_[b.slot].age;
}

void DramScheduler::plan(base::Cycle from) {
  plan_ = {};
  plan_known_ = true;
  if (empty()) return;
  const base::Cycle floor = std::max(from, timing_.bus_ready());
  const Bank* best = nullptr;
  busy_banks_.for_each([&](std::uint32_t b) {
    const Bank& bank = banks_[b];
    const base::Cycle cycle = std::max({floor, bank.ready, timing_.shared_ready(bank.kind, b)});
    if (best != nullptr) {
      if (cycle > plan_.cycle) return;
      if (cycle == plan_.cycle) {
        const bool column = is_column(bank.kind);
        if (column != is_column(best->kind) ? !column
                                            : requests_[bank.candidate].age > requests_[best->candidate].age)
          return;
      }
    }
    best = &bank;
    plan_.cycle = cycle;
  });
  plan_.slot = best->candidate;
  plan_.kind = best->kind;
  const Request& oldest = requests_[oldest_];
  const base::Cycle starving = oldest.access.arrival + config_.starvation_limit_cycles;
  if (plan_.cycle >= starving) {
    const DramKind kind = next_command(oldest);
    plan_ = {.cycle = std::max({from, starving, timing_.earliest(kind, oldest.at.bank)}),
             .reason = Plan::Reason::kStarving,
             .slot = oldest_,
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

std::optional<DramCommand> DramScheduler::tick(base::Cycle now) {
  if (planned() > now) return std::nullopt;
  if (plan_.cycle < now) {  // the caller could not issue it then: choose again among all that can be issued
                            // now
    plan(now);
    if (plan_.cycle > now) return std::nullopt;
  }
  const DramCommand command = plan_.reason == Plan::Reason::kRefresh ? issue_refresh(now) : issue(now);
  forget_plan(now + 1);
  return command;
}

DramCommand DramScheduler::issue_refresh(base::Cycle now) {
  counters_.precharges += timing_.issue_refresh_step({plan_.kind, now});
  if (plan_.kind == DramKind::kRefresh) ++counters_.refreshes;
  busy_banks_.for_each([&](std::uint32_t b) { choose(banks_[b], banks_[b].first); });
  return {.kind = plan_.kind};
}

DramCommand DramScheduler::issue(base::Cycle now) {
  const std::uint32_t slot = plan_.slot;
  const DramKind kind = plan_.kind;
  Request& request = requests_[slot];
  const std::uint32_t index = request.at.bank;
  Bank& bank = banks_[index];
  DramCommand command{.kind = kind, .bank = index, .row = request.at.row, .id = request.access.id};
  if (kind == DramKind::kPrecharge) command.row = timing_.row(index);
  timing_.issue(kind, index, request.at.row, now);
  switch (kind) {
    case DramKind::kActivate:
      ++counters_.activates;
      if (!request.started && request.outcome == RowOutcome::kHit) request.outcome = RowOutcome::kMiss;
      choose(bank, bank.first);
      return command;
    case DramKind::kPrecharge:
      ++counters_.precharges;
      if (!request.started) request.outcome = RowOutcome::kConflict;
      choose(bank, bank.first);
      return command;
    default:
      break;
  }
  command.data_end = timing_.data_end(kind, now);
  counters_.data_cycles += timing_.burst_cycles();
  request.started = true;
  if (--request.bursts_left != 0) return command;
  command.last = true;
  count_completion(request, now);
  const std::uint32_t next = request.younger_in_bank;
  const bool was_candidate = bank.candidate == slot;
  unlink(slot);
  choose(bank, was_candidate ? next : bank.first);
  return command;
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
