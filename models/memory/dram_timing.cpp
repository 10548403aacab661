#include "memory/dram_timing.h"

#include "base/perturbation.h"

namespace heddle::memory {

namespace {

base::Cycle first_refresh(const DramConfig& config) {
  if (config.t_refi == 0) return base::kNever;
  base::Perturbation perturbation(config.perturb_seed, config.channel);
  return perturbation.on() ? 1 + perturbation.below(config.t_refi) : config.t_refi;
}

}  // namespace

DramTiming::DramTiming(const DramConfig& config)
    : config_(config),
      burst_(config.burst_cycles()),
      read_to_write_(config.read_to_write()),
      banks_(config.banks),
      groups_(config.bank_groups),
      refresh_due_(first_refresh(config)) {
  for (std::uint32_t b = 0; b < config.banks; ++b) banks_[b].group = b % config.bank_groups;
}

void DramTiming::issue(DramKind kind, std::uint32_t index, std::uint64_t row, base::Cycle now) {
  Bank& bank = banks_[index];
  Ready& group = groups_[bank.group];
  bus_ = now + 1;
  const base::Cycle column_gap = std::max<base::Cycle>(config_.t_ccd, burst_);
  switch (kind) {
    case DramKind::kActivate:
      bank.open = true;
      bank.row = row;
      at_least(bank.ready, DramKind::kRead, now + config_.t_rcd);
      at_least(bank.ready, DramKind::kWrite, now + (config_.t_rcdwr != 0 ? config_.t_rcdwr : config_.t_rcd));
      at_least(bank.ready, DramKind::kPrecharge, now + config_.t_ras);
      at_least(bank.ready, DramKind::kActivate, now + config_.t_rc);
      at_least(group, DramKind::kActivate, now + config_.t_rrdl);
      at_least(channel_, DramKind::kActivate, now + config_.t_rrd);
      activated(now);
      break;
    case DramKind::kPrecharge:
      close(bank, now);
      at_least(channel_, DramKind::kPrecharge, now + config_.t_ppd);
      break;
    case DramKind::kRead:
      at_least(bank.ready, DramKind::kPrecharge, now + config_.t_rtp);
      at_least(group, DramKind::kPrecharge, now + config_.t_rtpl);
      at_least(group, DramKind::kRead, now + config_.t_ccdl);
      at_least(group, DramKind::kWrite, now + config_.t_ccdl);
      at_least(channel_, DramKind::kRead, now + column_gap);
      at_least(channel_, DramKind::kWrite, now + read_to_write_);
      break;
    case DramKind::kWrite: {
      const base::Cycle end = data_end(kind, now);
      at_least(bank.ready, DramKind::kPrecharge, end + config_.t_wr);
      at_least(group, DramKind::kRead, std::max<base::Cycle>(now + config_.t_ccdl, end + config_.t_cdlrl));
      at_least(group, DramKind::kWrite, now + config_.t_ccdl);
      at_least(channel_, DramKind::kRead, end + config_.t_cdlr);
      at_least(channel_, DramKind::kWrite, now + column_gap);
      break;
    }
    case DramKind::kPrechargeAll:
    case DramKind::kRefresh:
      break;  // issue_refresh_step()
  }
}

void DramTiming::auto_precharge(std::uint32_t index) {
  Bank& bank = banks_[index];
  const auto k = static_cast<unsigned>(DramKind::kPrecharge);
  bank.closed_at = std::max(bank.ready[k], groups_[bank.group][k]);
  close(bank, bank.closed_at);
}

void DramTiming::close(Bank& bank, base::Cycle now) {
  bank.open = false;
  at_least(bank.ready, DramKind::kActivate, now + config_.t_rp);
}

void DramTiming::activated(base::Cycle now) {
  const auto window = [&](std::uint64_t count, std::uint32_t cycles) {
    // The next activate is number `count` after this one's count - 1 predecessors.
    if (cycles != 0 && activates_ + 1 >= count)
      at_least(channel_, DramKind::kActivate, activated_at_[(activates_ + 1 - count) % 32] + cycles);
  };
  activated_at_[activates_ % 32] = now;
  window(4, config_.t_faw);
  window(32, config_.t_32aw);
  ++activates_;
}

// ---- refresh ----

DramTiming::Step DramTiming::refresh_step() const {
  base::Cycle precharge = 0, refresh = 0;
  bool any_open = false;
  for (const Bank& bank : banks_) {
    refresh = std::max(refresh, bank.ready[static_cast<unsigned>(DramKind::kActivate)]);
    precharge = std::max(precharge, bank.closed_at);
    if (!bank.open) continue;
    any_open = true;
    const auto k = static_cast<unsigned>(DramKind::kPrecharge);
    precharge = std::max({precharge, bank.ready[k], groups_[bank.group][k]});
  }
  if (any_open)
    return {DramKind::kPrechargeAll,
            std::max({refresh_due_, precharge, bus_, channel_[static_cast<unsigned>(DramKind::kPrecharge)]})};
  return {DramKind::kRefresh, std::max({refresh_due_, refresh, bus_})};
}

std::uint32_t DramTiming::issue_refresh_step(const Step& step) {
  bus_ = step.cycle + 1;
  std::uint32_t closed = 0;
  if (step.kind == DramKind::kPrechargeAll) {
    for (Bank& bank : banks_) {
      if (!bank.open) continue;
      close(bank, step.cycle);
      ++closed;
    }
  } else {
    for (Bank& bank : banks_) at_least(bank.ready, DramKind::kActivate, step.cycle + config_.t_rfc);
    refresh_due_ += config_.t_refi;
  }
  return closed;
}

DramTiming::Missed DramTiming::catch_up(base::Cycle now) {
  Missed missed;
  while (refresh_due_ < now) {
    const Step step = refresh_step();
    if (step.cycle >= now) break;
    missed.closed_rows += issue_refresh_step(step);
    if (step.kind == DramKind::kPrechargeAll) continue;
    ++missed.refreshes;
    // All banks are closed here: the following refreshes happen when they are due, and only the last one can
    // still have an effect.
    if (refresh_due_ >= now) break;
    const std::uint64_t skipped = (now - 1 - refresh_due_) / config_.t_refi;
    missed.refreshes += skipped;
    refresh_due_ += skipped * config_.t_refi;
  }
  return missed;
}

}  // namespace heddle::memory
