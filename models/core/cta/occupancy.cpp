#include "core/cta/occupancy.h"

#include <limits>
#include <utility>

namespace heddle::core {

std::vector<std::string> occupancy_limit_names() {
  return {"none", "cta_slots", "warp_slots", "registers", "shared_memory"};
}

OccupancyLimit limit_of(const CtaNeeds& needs, const CoreConfig& config) {
  OccupancyLimit limit = OccupancyLimit::kCtaSlots;
  std::uint32_t fewest = config.occupancy.max_ctas;
  const auto consider = [&](OccupancyLimit resource, std::uint32_t available, std::uint32_t needed) {
    if (needed == 0 || available / needed >= fewest) return;
    fewest = available / needed;
    limit = resource;
  };
  consider(OccupancyLimit::kWarpSlots, config.occupancy.max_warps, needs.warps);
  consider(OccupancyLimit::kRegisters, config.occupancy.registers, needs.registers);
  consider(OccupancyLimit::kSharedMemory, config.shared_memory.size_kib * 1024, needs.shared_bytes);
  return limit;
}

void Occupancy::declare(base::StatGroup& occupancy, std::function<base::Cycle()> now) {
  occupancy.before_reading([this, now = std::move(now)] { advance(now()); });
  occupancy.counter("cta_cycles", "CTA-cycles", "resident CTAs, summed over cycles", &cta_cycles_);
  occupancy.counter(
      "warp_cycles", "warp-cycles",
      "resident warps that have not ended, summed over cycles; divided by cycles x warp slots: the occupancy",
      &warp_cycles_);
  occupancy.counters("limited_by", "core cycles",
                     "cycles by what keeps a further CTA of the launch from the core; none: there is room",
                     occupancy_limit_names(), limited_.data());
}

void Occupancy::advance(base::Cycle now) {
  if (!running_ || now <= last_) return;
  const base::Cycle cycles = now - last_;
  last_ = now;
  cta_cycles_ += ctas_ * cycles;
  warp_cycles_ += warps_ * cycles;
  limited_[static_cast<unsigned>(full_ ? limit_ : OccupancyLimit::kNone)] += cycles;
}

void Occupancy::begin_launch(base::Cycle now, OccupancyLimit limit) {
  running_ = true;
  last_ = now;
  limit_ = limit;
  full_ = false;
  ctas_ = warps_ = 0;
}

void Occupancy::end_launch(base::Cycle now) {
  advance(now);
  running_ = false;
}

void Occupancy::cta_starts(base::Cycle now, std::uint32_t warps, bool full) {
  advance(now);
  ++ctas_;
  warps_ += warps;
  full_ = full;
}

void Occupancy::cta_ends(base::Cycle now) {
  advance(now);
  --ctas_;
  full_ = false;
}

void Occupancy::warp_ends(base::Cycle now) {
  advance(now);
  --warps_;
}

}  // namespace heddle::core
