#include "memory/l2_shared.h"

#include "memory/stat_ratio.h"

namespace heddle::memory {

std::vector<std::string> l2_stall_names(const L2Config& config) {
  std::vector<std::string> names{"mshrs", "targets", "set", "dram_queue", "responses", "atomic_unit"};
  if (config.read_sectors_per_cycle != 0 || config.write_sectors_per_cycle != 0 || config.far_turns)
    names.emplace_back("data_array");
  return names;
}

void declare(base::StatGroup& group, const L2Counters& c, const L2Config& config) {
  const std::vector<std::string> kinds{"read", "write", "atomic"};
  group.counters("hits", "requests", "requests that found their line", kinds, c.hits.data());
  group.counters("misses", "requests", "requests that found neither their line nor a fetch of it", kinds,
                 c.misses.data());
  group.counters("merged", "requests", "requests that joined a fetch under way", kinds, c.merged.data());
  group.counters("sector_misses", "requests", "of the misses: found their line, but not all sectors", kinds,
                 c.sector_misses.data());
  if (config.sector_statistics)
    group.counters("sectors", "sectors", "sectors touched by requests", kinds, c.sectors.data());
  group.counter("writes_without_fetch", "requests", "write misses that covered all sectors they touched",
                &c.writes_without_fetch);
  if (config.write_miss == WriteMiss::kByteMask)
    group.counter("masked_write_backs", "lines", "of the write-backs: with byte enables",
                  &c.masked_write_backs);
  group.counter("fetches", "lines", "lines, or sectors of a line, asked of the DRAM", &c.fetches);
  group.counter("write_backs", "lines", "dirty lines evicted", &c.write_backs);
  group.counters(
      "stall_cycles", "L2 cycles",
      "cycles in which the request or target next in line of a bank had to wait, by cause, summed over banks",
      l2_stall_names(config), c.stall_cycles.data());
  group.counter("bank_conflicts", "requests", "requests that found others waiting for their bank",
                &c.bank_conflicts);
  group.counter("bank_wait_cycles", "L2 cycles",
                "acceptance to leaving the bank's queue, summed over requests", &c.bank_wait_cycles);
  group.counter("responses", "responses", "requests performed", &c.responses);
  group.counter("service_cycles", "L2 cycles", "acceptance to response ready, summed over responses",
                &c.service_cycles);
  declare_ratio(group, "average_service", "L2 cycles", "mean time from acceptance to response ready",
                "service_cycles", "responses");
  group.counter("atomic_lanes", "lanes", "read-modify-write operations", &c.atomic_lanes);
  group.counter("atomic_operations", "operations",
                "what is left of those after same-address lanes were combined", &c.atomic_operations);
  group.counter("atomic_busy_cycles", "L2 cycles", "cycles the atomic unit was taken", &c.atomic_busy_cycles);
  if (config.halves == 1) return;
  group.counter("far_requests", "requests", "requests of the other half's cores that crossed to this one",
                &c.far.requests);
  group.counters("far_sectors", "sectors",
                 "touched by those; hardware counts each in both halves, these counters have the second",
                 {"read", "write", "atomic"}, c.far.sectors.data());
  group.counter("copy_hits", "requests", "reads of the other half's cores that found a copy there",
                &c.far.copy_hits);
  if (config.copies_take_ways)
    group.counter("copies_replaced", "copies", "of lines, by other lines and copies of the set",
                  &c.far.copies_replaced);
  if (!config.await_invalidation) return;
  group.counter("invalidations", "requests",
                "writes of this half's cores that waited until copies of the other half were taken back",
                &c.far.invalidations);
  group.counter("invalidation_wait_cycles", "L2 cycles",
                "time by which responses are later because copies are taken back: of those writes and "
                "of later accesses to the same sectors, summed",
                &c.far.invalidation_wait_cycles);
}

}  // namespace heddle::memory
