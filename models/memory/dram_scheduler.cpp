#include "memory/dram_scheduler.h"

#include <algorithm>

namespace heddle::memory {

using Kind = DramCommand::Kind;

DramScheduler::DramScheduler(const DramConfig& config)
    : config_(config),
      burst_cycles_(config.burst_cycles()),
      requests_(config.queue_depth),
      banks_(config.banks),
      busy_banks_(config.banks) {
  for (std::uint32_t slot = config.queue_depth; slot-- > 0;) free_.push_back(slot);
}

std::uint64_t DramScheduler::row_of(std::uint64_t address) const {
  const std::uint64_t chunk = address / config_.bank_interleave_bytes / config_.banks;
  const std::uint64_t in_bank =
      chunk * config_.bank_interleave_bytes + address % config_.bank_interleave_bytes;
  return in_bank / config_.row_bytes;
}

void DramScheduler::push(const DramAccess& access) {
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  Request& r = requests_[slot];
  r = Request{};
  r.access = access;
  r.bank = bank_of(access.address);
  r.row = row_of(access.address);
  // Column commands move aligned bursts.
  const std::uint64_t first = access.address / config_.burst_bytes;
  const std::uint64_t last = (access.address + access.bytes - 1) / config_.burst_bytes;
  r.bursts_left = static_cast<std::uint32_t>(last - first + 1);
  r.age = ages_++;

  r.older = youngest_;
  (youngest_ == kNone ? oldest_ : requests_[youngest_].younger) = slot;
  youngest_ = slot;
  Bank& bank = banks_[r.bank];
  (bank.last == kNone ? bank.first : requests_[bank.last].next_in_bank) = slot;
  bank.last = slot;
  busy_banks_.insert(r.bank);
  // A candidate that hits the open row stays: it is older.
  if (bank.first == slot || (bank.open && requests_[bank.candidate].row != bank.row)) refresh(bank);
}

void DramScheduler::refresh(Bank& bank) const {
  bank.candidate = bank.first;
  if (bank.open) {
    for (std::uint32_t slot = bank.first; slot != kNone; slot = requests_[slot].next_in_bank) {
      if (requests_[slot].row != bank.row) continue;
      bank.candidate = slot;
      break;
    }
  }
  const Request& request = requests_[bank.candidate];
  bank.kind = next_command(request);
  bank.ready = bank_ready(request, bank.kind);
}

Kind DramScheduler::next_command(const Request& request) const {
  const Bank& bank = banks_[request.bank];
  if (!bank.open) return Kind::kActivate;
  if (bank.row != request.row) return Kind::kPrecharge;
  return request.access.write ? Kind::kWrite : Kind::kRead;
}

sim::Cycle DramScheduler::bank_ready(const Request& request, Kind kind) const {
  const Bank& bank = banks_[request.bank];
  switch (kind) {
    case Kind::kActivate:
      return std::max(request.access.arrival, bank.activate_ready);
    case Kind::kPrecharge:
      return std::max(request.access.arrival, bank.precharge_ready);
    case Kind::kRead:
    case Kind::kWrite:
      return std::max(request.access.arrival, bank.column_ready);
  }
  return kNever;
}

sim::Cycle DramScheduler::ready(const Request& request, Kind kind) const {
  return std::max(
      {bank_ready(request, kind), channel_ready_[static_cast<unsigned>(kind)], command_bus_ready_});
}

bool DramScheduler::starving(sim::Cycle now) const {
  return oldest_ != kNone && now >= requests_[oldest_].access.arrival + config_.starvation_limit_cycles;
}

std::optional<DramCommand> DramScheduler::tick(sim::Cycle now) {
  if (oldest_ == kNone) return std::nullopt;
  if (starving(now)) {
    Request& request = requests_[oldest_];
    if (config_.starvation_limit_cycles != 0 && !request.starved) {
      request.starved = true;
      ++counters_.starved;
    }
    const Kind kind = next_command(request);
    if (ready(request, kind) > now) return std::nullopt;
    return issue(oldest_, kind, now);
  }
  if (now < command_bus_ready_) return std::nullopt;
  const Bank* best = nullptr;
  bool best_is_column = false;
  busy_banks_.for_each([&](std::uint32_t b) {
    const Bank& bank = banks_[b];
    if (bank.ready > now || channel_ready_[static_cast<unsigned>(bank.kind)] > now) return;
    const bool column = bank.kind == Kind::kRead || bank.kind == Kind::kWrite;
    if (best != nullptr &&
        (best_is_column != column ? best_is_column
                                  : requests_[best->candidate].age < requests_[bank.candidate].age))
      return;
    best = &bank;
    best_is_column = column;
  });
  if (best == nullptr) return std::nullopt;
  return issue(best->candidate, best->kind, now);
}

DramCommand DramScheduler::issue(std::uint32_t slot, Kind kind, sim::Cycle now) {
  Request& request = requests_[slot];
  Bank& bank = banks_[request.bank];
  DramCommand command{.kind = kind, .bank = request.bank, .row = request.row, .id = request.access.id};
  command_bus_ready_ = now + 1;
  sim::Cycle& read_ready = channel_ready_[static_cast<unsigned>(Kind::kRead)];
  sim::Cycle& write_ready = channel_ready_[static_cast<unsigned>(Kind::kWrite)];
  const sim::Cycle column_gap = std::max(config_.t_ccd, burst_cycles_);
  switch (kind) {
    case Kind::kActivate:
      ++counters_.activates;
      if (request.outcome == RowOutcome::kHit) request.outcome = RowOutcome::kMiss;
      bank.open = true;
      bank.row = request.row;
      bank.column_ready = now + config_.t_rcd;
      bank.precharge_ready = now + config_.t_ras;
      bank.activate_ready = now + config_.t_rc;
      channel_ready_[static_cast<unsigned>(Kind::kActivate)] = now + config_.t_rrd;
      refresh(bank);
      return command;
    case Kind::kPrecharge:
      ++counters_.precharges;
      request.outcome = RowOutcome::kConflict;
      command.row = bank.row;
      bank.open = false;
      bank.activate_ready = std::max(bank.activate_ready, now + config_.t_rp);
      refresh(bank);
      return command;
    case Kind::kRead:
      command.data_end = now + config_.t_cl + burst_cycles_;
      bank.precharge_ready = std::max(bank.precharge_ready, now + burst_cycles_);
      read_ready = std::max(read_ready, now + column_gap);
      write_ready =
          std::max(write_ready,
                   now + std::max<sim::Cycle>(column_gap, config_.t_cl + burst_cycles_ + 2 - config_.t_wl));
      break;
    case Kind::kWrite:
      command.data_end = now + config_.t_wl + burst_cycles_;
      bank.precharge_ready = std::max(bank.precharge_ready, command.data_end + config_.t_wr);
      write_ready = std::max(write_ready, now + column_gap);
      read_ready =
          std::max(read_ready, std::max<sim::Cycle>(now + column_gap, command.data_end + config_.t_cdlr));
      break;
  }
  counters_.data_cycles += burst_cycles_;
  if (--request.bursts_left != 0) return command;

  command.last = true;
  ++(request.access.write ? counters_.writes : counters_.reads);
  ++counters_.served;
  counters_.queue_cycles += now - request.access.arrival;
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
  remove(slot);
  return command;
}

void DramScheduler::remove(std::uint32_t slot) {
  const Request& r = requests_[slot];
  (r.older == kNone ? oldest_ : requests_[r.older].younger) = r.younger;
  (r.younger == kNone ? youngest_ : requests_[r.younger].older) = r.older;

  Bank& bank = banks_[r.bank];
  std::uint32_t previous = kNone;
  for (std::uint32_t s = bank.first; s != slot; s = requests_[s].next_in_bank) previous = s;
  (previous == kNone ? bank.first : requests_[previous].next_in_bank) = r.next_in_bank;
  if (bank.last == slot) bank.last = previous;
  if (bank.first == kNone)
    busy_banks_.erase(r.bank);
  else
    refresh(bank);
  free_.push_back(slot);
}

sim::Cycle DramScheduler::next_cycle(sim::Cycle now) const {
  if (oldest_ == kNone) return kNever;
  sim::Cycle next = kNever;
  if (starving(now)) {
    next = ready(requests_[oldest_], next_command(requests_[oldest_]));
  } else {
    // When the limit is reached, the choice changes.
    next = requests_[oldest_].access.arrival + config_.starvation_limit_cycles;
    busy_banks_.for_each([&](std::uint32_t b) {
      const Bank& bank = banks_[b];
      next = std::min(next, std::max(bank.ready, channel_ready_[static_cast<unsigned>(bank.kind)]));
    });
    next = std::max(next, command_bus_ready_);
  }
  return std::max(next, now + 1);
}

}  // namespace heddle::memory
