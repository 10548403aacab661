#include "core/fetch/launch_lines.h"

#include <algorithm>

namespace heddle::core {

LaunchLines::LaunchLines(const InstructionCacheConfig& l1i)
    : keeps_(l1i.kept_between_launches),
      has_second_level_(l1i.second_latency_cycles != 0),
      prefetched_(std::uint64_t{std::min(l1i.launch_prefetch_kib, l1i.size_kib)} * 1024) {}

bool LaunchLines::begin(const LaunchContext& launch, std::uint64_t code_end, L1iPort& l1i) {
  const bool kept = keeps_ && launch.code_generation == generation_;
  generation_ = launch.code_generation;
  if (!kept) l1i.flush();
  const std::uint64_t end = std::min(code_end, launch.code_base + prefetched_);
  if (launch.replayed && has_second_level_)
    l1i.hold(launch.code_base, end);
  else
    l1i.expect(launch.code_base, end);
  return kept;
}

}  // namespace heddle::core
