#include "spin/delay_limit.h"

#include <algorithm>

namespace heddle::spin {

DelayLimit::DelayLimit(const sc_core::sc_module_name& name, const BowsConfig& config, Timing timing,
                       base::StatGroup& stats)
    : sc_module(name),
      config_(config),
      latency_(timing == Timing::kContract ? config.update_cycles : 0),
      limit_(first_limit()) {
  stats.counter("windows", "windows", "after which the limit was computed", &windows_);
  stats.counter("raised", "windows", "after which it rose", &raised_);
  stats.counter("lowered", "windows", "after which it fell", &lowered_);
  stats.counter("limit_sum", "core cycles",
                "the limit summed over these windows; divided by windows: its mean", &limit_sum_);
  stats.maximum("most", "core cycles", "largest limit", &most_);
}

std::uint32_t DelayLimit::first_limit() const {
  return config_.delay == DelayRule::kFixed ? config_.fixed_delay : config_.minimum_delay;
}

void DelayLimit::adapt(std::uint64_t instructions, std::uint64_t sibs) {
  // As published, with quotients for products: FRAC2 * prevTotal / prevSIB > Total / SIB. Without SIBs a quotient is
  // infinite, and 0 / 0 is no number: neither compares below anything.
  std::int64_t limit = limit_;
  const auto total = static_cast<double>(instructions);
  const auto spins = static_cast<double>(sibs);
  if (spins > config_.sib_fraction * total) limit += config_.step_cycles;
  const double work = total * static_cast<double>(last_sibs_);
  if (work < config_.work_fraction * static_cast<double>(last_instructions_) * spins)
    limit -= 2 * static_cast<std::int64_t>(config_.step_cycles);
  limit = std::clamp<std::int64_t>(limit, config_.minimum_delay, config_.maximum_delay);
  if (limit > limit_) ++raised_;
  if (limit < limit_) ++lowered_;
  limit_ = static_cast<std::uint32_t>(limit);
  last_instructions_ = instructions;
  last_sibs_ = sibs;
}

void DelayLimit::serve(WindowRequest& request) {
  if (request.op == WindowRequest::Op::kReset) {
    limit_ = first_limit();
    last_instructions_ = 0;
    last_sibs_ = 0;
  } else if (config_.delay == DelayRule::kAdaptive) {
    adapt(request.instructions, request.sibs);
    ++windows_;
    limit_sum_ += limit_;
  }
  most_ = std::max<std::uint64_t>(most_, limit_);
  request.limit = limit_;
  request.effective = request.cycle + latency_;
}

}  // namespace heddle::spin
