#include "core/fetch/fetch_unit.h"

#include <algorithm>
#include <bit>

namespace heddle::core {

SubCoreFetch::SubCoreFetch(const sc_core::sc_module_name& name, const CoreConfig& config,
                           std::uint32_t groups, base::StatGroup& stats)
    : sc_module(name),
      behind_control_(config.fetch.behind_control),
      fill_latency_(config.l0i.fill_latency_cycles),
      launch_lines_(config.l1i),
      code_{.instruction_shift = static_cast<unsigned>(std::countr_zero(config.l1i.instruction_bytes)),
            .line_bytes = config.l1i.line_bytes} {
  const SchedulerConfig& schedulers = config.scheduler;
  for (std::uint32_t s = 0; s < schedulers.sub_cores; ++s)
    units_.emplace_back(config.fetch, code_, groups,
                        LineSupplyModel(config.l0i, config.l1i.line_bytes, lines_), counters_);
  const std::uint32_t groups_per_warp = groups / config.occupancy.max_warps;
  for (std::uint32_t group = 0; group < groups; ++group)
    unit_of_group_.push_back(static_cast<std::uint8_t>(group / groups_per_warp % schedulers.count *
                                                       schedulers.sub_cores / schedulers.count));
  stats.counter("fetches", "fetches", "cycles in which a fetch unit was used, of all sub-cores",
                &counters_.fetches);
  stats.counter("instructions", "warp-instructions", "instructions delivered into I-buffers",
                &counters_.instructions);
  base::StatGroup& l0i = stats.child("l0i", "L0 instruction caches and stream buffers, of all sub-cores");
  l0i.counter("accesses", "fetches", "fetches looked up", &lines_.accesses);
  l0i.counter("stream_hits", "lines", "lines that came out of a stream buffer", &lines_.stream_hits);
  l0i.counter("late", "lines", "lines that a stream buffer had asked for and that were still on their way",
              &lines_.late);
  l0i.counter("misses", "lines", "lines that neither had: a stream buffer began again", &lines_.misses);
  l0i.counter("prefetches", "lines", "lines that stream buffers asked L1I for ahead of time",
              &lines_.prefetches);
}

void SubCoreFetch::begin_launch(LaunchNotice& notice) {
  const LaunchContext& launch = *notice.launch;
  code_.set(launch.kernel->code, launch.code_base, behind_control_);
  refilled_.clear();
  while (!deliveries_.empty()) deliveries_.pop_front();
  const bool kept = launch_lines_.begin(launch, code_.end(), l1i_isock);
  for (SubCoreFetchModel& unit : units_) unit.begin_launch(kept);
}

void SubCoreFetch::deliver(Cycle now) {
  for (const std::uint64_t line : refilled_)
    for (std::uint32_t unit = 0; unit < units_.size(); ++unit)
      if (units_[unit].lines().awaits(line)) deliveries_.push_back({unit, line, now + fill_latency_});
  refilled_.clear();
  for (; !deliveries_.empty() && deliveries_.front().at <= now; deliveries_.pop_front())
    units_[deliveries_.front().unit].line_arrives(deliveries_.front().line);
}

void SubCoreFetch::ask(Cycle now) {
  const auto count = static_cast<std::uint32_t>(units_.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t unit = (first_ + i) % count;
    LineSupplyModel& lines = units_[unit].lines();
    if (!lines.wants()) continue;
    const std::uint64_t line = lines.wanted();
    const L1iRequest answer = l1i_isock.fetch(line, now);
    if (answer.result == L1iRequest::Result::kStall) return;
    lines.asked(line);
    // Lines from the second level come together, so those of later cycles are not earlier.
    if (answer.result == L1iRequest::Result::kHit)
      deliveries_.push_back({unit, line, now + answer.late + fill_latency_});
    first_ = unit + 1;
    return;
  }
}

void SubCoreFetch::tick(FetchRequest& request) {
  const Cycle now = request.cycle;
  deliver(now);
  for (SubCoreFetchModel& unit : units_)
    if (unit.next_due(now - 1) <= now) unit.tick(request);
  ask(now);
  request.next_due = deliveries_.empty() ? kNever : deliveries_.front().at;
  for (SubCoreFetchModel& unit : units_)
    request.next_due =
        std::min({request.next_due, unit.next_due(now), unit.lines().wants() ? now + 1 : kNever});
}

void SubCoreFetch::serve(FetchRequest& request) {
  if (request.op == FetchRequest::Op::kTick) return tick(request);
  SubCoreFetchModel& unit = units_[unit_of_group_[request.group.value()]];
  switch (request.op) {
    case FetchRequest::Op::kRedirect:
      return unit.redirect(request.group, request.pc, request.cycle);
    case FetchRequest::Op::kStop:
      return unit.stop(request.group);
    case FetchRequest::Op::kPop:
      request.head_valid = unit.pop(request.group);
      return;
    case FetchRequest::Op::kAppears:
      return unit.appears(request.group);
    case FetchRequest::Op::kTick:
      return;
  }
}

FetchBlock::FetchBlock(const CoreConfig& config, std::uint32_t groups, base::StatGroup& stats) {
  if (config.fetch.per_sub_core())
    of_sub_cores_ = std::make_unique<SubCoreFetch>("fetch", config, groups, stats);
  else
    of_core_ = std::make_unique<Fetch>("fetch", config.fetch, config.l1i, groups, stats);
}

}  // namespace heddle::core
