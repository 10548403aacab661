#include "microbench/dram_path.h"

#include <algorithm>

namespace heddle::microbench {

// Due every tREFI cycles, counted from the start. Precharge all as soon as every open bank may be precharged;
// refresh tRP later.
void DramPath::refresh() {
  const std::uint64_t due = ++refreshed_ * config_.t_refi;
  std::uint64_t start = std::max(due, command_ready_);
  bool any_open = false;
  for (const auto& [number, bank] : banks_) {
    if (!bank.open) continue;
    any_open = true;
    start = std::max(start, bank.precharge_ready);
  }
  std::uint64_t refreshed = any_open ? start + config_.t_rp : start;
  for (const auto& [number, bank] : banks_) refreshed = std::max(refreshed, bank.activate_ready);
  for (auto& [number, bank] : banks_) {
    bank.open = false;
    bank.activate_ready = refreshed + config_.t_rfc;
  }
  command_ready_ = refreshed + 1;
}

/// Only refreshes are issued from the cycle in which one is due.
void DramPath::refreshes_before(std::uint64_t cycle) {
  if (config_.t_refi == 0) return;
  while ((refreshed_ + 1) * config_.t_refi <= cycle) refresh();
}

DramPath::Read DramPath::read(std::uint64_t local, std::uint32_t bytes, std::uint64_t arrived) {
  const std::uint64_t chunk = local / config_.bank_interleave_bytes;
  const std::uint64_t turn = chunk / config_.banks;
  const auto number = static_cast<std::uint32_t>((config_.bank_skew ? chunk + turn : chunk) % config_.banks);
  const std::uint64_t row =
      (turn * config_.bank_interleave_bytes + local % config_.bank_interleave_bytes) / config_.row_bytes;
  const bool known = banks_.contains(number);
  Bank& bank = banks_[number];
  refreshes_before(arrived);

  Read result;
  if (known)
    result.outcome = !bank.open        ? RowOutcome::kClosed
                     : bank.row == row ? RowOutcome::kHit
                                       : RowOutcome::kConflict;

  // Column commands of one bank: tCCD on the channel, tCCDL within the bank's group.
  const std::uint64_t gap = std::max<std::uint64_t>({config_.t_ccd, config_.burst_cycles(), config_.t_ccdl});
  const std::uint64_t first_burst = local / config_.burst_bytes;
  const std::uint64_t last_burst = (local + bytes - 1) / config_.burst_bytes;
  std::uint64_t bursts = last_burst - first_burst + 1;
  std::uint64_t now = arrived;
  while (bursts != 0) {
    std::uint64_t& ready = !bank.open        ? bank.activate_ready
                           : bank.row != row ? bank.precharge_ready
                                             : bank.column_ready;
    const std::uint64_t cycle = std::max({now, ready, command_ready_});
    if (config_.t_refi != 0 && (refreshed_ + 1) * config_.t_refi <= cycle) {
      refresh();
      continue;
    }
    now = cycle;
    command_ready_ = cycle + 1;
    if (!bank.open) {
      bank.open = true;
      bank.row = row;
      bank.column_ready = cycle + config_.t_rcd;
      bank.precharge_ready = cycle + config_.t_ras;
      bank.activate_ready = cycle + config_.t_rc;
    } else if (bank.row != row) {
      bank.open = false;
      bank.activate_ready = std::max(bank.activate_ready, cycle + config_.t_rp);
    } else {
      bank.column_ready = cycle + gap;
      bank.precharge_ready =
          std::max<std::uint64_t>(bank.precharge_ready, cycle + std::max(config_.t_rtp, config_.t_rtpl));
      --bursts;
    }
  }
  result.answered = now + config_.t_cl + config_.burst_cycles() + config_.latency_cycles;
  return result;
}

}  // namespace heddle::microbench
