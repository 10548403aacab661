#include "core/config_checks.h"

#include "base/error.h"

namespace heddle::core {

void check_cache(const std::string& path, std::uint32_t size_kib, std::uint32_t line_bytes,
                 std::uint32_t ways) {
  if ((line_bytes & (line_bytes - 1)) != 0)
    throw base::InputError(path + ".line_bytes", "must be a power of two, is " + std::to_string(line_bytes),
                           "use 32, 64 or 128");
  const std::uint32_t lines = size_kib * 1024 / line_bytes;
  if (lines % ways != 0)
    throw base::InputError(
        path, std::to_string(lines) + " lines do not divide into " + std::to_string(ways) + " ways",
        "choose size_kib, line_bytes and ways so that sets are whole");
}

void check_lsu(const LsuConfig& lsu) {
  if (lsu.local_queue_entries == 0 && lsu.address_cycles != 1)
    throw base::InputError("core.lsu.address_cycles", "there are no queues in front of address units",
                           "Set core.lsu.local_queue_entries, or leave it at 1.");
  if (lsu.passes_overlap && (lsu.local_queue_entries == 0 || lsu.pass_cycles == 1))
    throw base::InputError("core.lsu.passes_overlap", "needs sub-cores' queues, and passes that lie apart",
                           "Set core.lsu.local_queue_entries and core.lsu.pass_cycles, or leave it false.");
  if (lsu.replay_issue && lsu.pass_cycles != 1)
    throw base::InputError("core.lsu.pass_cycles", "passes that issue again take one cycle each",
                           "Set core.lsu.replay_issue=false, or leave it at 1.");
}

void check_constants(const ConstantCacheConfig& cache) {
  check_cache("core.constant_cache", cache.size_kib, cache.line_bytes, cache.ways);
  if (cache.second_kib != 0) {
    check_cache("core.constant_cache.second", cache.second_kib, cache.line_bytes, cache.second_ways);
    if (cache.second_latency_cycles < cache.latency_cycles)
      throw base::InputError("core.constant_cache.second_latency_cycles", "is below that of the first level",
                             "use at least core.constant_cache.latency_cycles");
  }
  if (cache.immediate_kib == 0) return;
  if (cache.second_kib == 0)
    throw base::InputError("core.constant_cache.immediate_kib",
                           "its lines come from the second level, and there is none",
                           "Set core.constant_cache.second_kib, or leave it at 0.");
  check_cache("core.constant_cache.immediate", cache.immediate_kib, cache.line_bytes, cache.ways);
}

}  // namespace heddle::core
