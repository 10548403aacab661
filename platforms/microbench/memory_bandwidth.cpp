// Bandwidth of L2 and DRAM with all cores reading.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "microbench/bandwidth.h"
#include "microbench/links.h"
#include "microbench/read_streams.h"
#include "microbench/suite.h"

namespace heddle::microbench::memory_bandwidth {
namespace {

// Number of times every warp requests lines; DRAM takes longer to reach a steady state.
constexpr std::uint32_t kTurns = 10, kDramTurns = 24;

/// GB/s of all cores, from L2 or, if `channel` is the limit of a DRAM channel, from DRAM.
double limit_of_all(const gpu::GpuConfig& config, double channel = std::numeric_limits<double>::infinity()) {
  double sum = 0;
  for (std::uint32_t partition = 0; partition < config.memory.partitions; ++partition) {
    double ports = 0;
    for (const std::uint32_t cores : ports_reading(config, partition, config.cores))
      ports += port_limit(config, cores);
    sum += std::min({ports, slice_limit(config), channel});
  }
  return sum;
}

void run_l2(Session& session) {
  const gpu::GpuConfig& config = session.config();
  const memory::MemoryConfig& memory = config.memory;
  // Half of the L2.
  const std::uint32_t bytes = memory.l2.size_kib * 1024 / 2, least_part = kStreamLines * memory.l2.line_bytes;
  const Readers many = readers_within(config, bytes / least_part);
  Streams streams{.part = std::max(least_part, std::bit_floor(bytes / many.streams()))};
  const double expected = limit_of_all(config);
  session.add({.what = "L2",
               .measured = read_bandwidth(session, many, streams, expected, kTurns),
               .expected = within(0.05 * expected, expected),
               .unit = "GB/s",
               .keys = "memory.partitions, memory.crossbar.*, memory.l2.line_bytes, clocks.*",
               .why = "within 5 % for the turns under way at the end"});
  streams.any_partition = true;
  session.add({.what = "L2, any partition",
               .measured = read_bandwidth(session, many, streams, expected, kTurns),
               .expected = at_least(0.5 * expected),
               .unit = "GB/s",
               .keys = "as above",
               .why = "packets wait behind others for a busy output; random traffic through long FIFO inputs "
                      "reaches 0.586 of the "
                      "links' rate (Karol et al. 1987), and here a port has few requests under way"});
}

void run_dram(Session& session) {
  const gpu::GpuConfig& config = session.config();
  const memory::DramConfig& dram = config.memory.dram;
  // One stream per bank, one row at a time; after a row in each bank, continues in the same bank.
  const Readers one_per_bank = readers(config, dram.banks);
  const std::uint32_t row = std::bit_floor(std::min(dram.row_bytes, dram.bank_interleave_bytes));
  const std::uint32_t all_banks = dram.banks * dram.bank_interleave_bytes;
  const std::uint32_t side_by_side = one_per_bank.streams() * row;
  const Streams streams{.part = row, .jump = (side_by_side + all_banks - 1) / all_banks * all_banks};
  const double most = limit_of_all(config, channel_limit(config, RowChanges::kHidden)),
               least = limit_of_all(config, channel_limit(config, RowChanges::kShared));
  session.add(
      {.what = "DRAM",
       .measured = read_bandwidth(session, one_per_bank, streams, most, kDramTurns),
       .expected = within((most - least) / 2 + 0.05 * most, (most + least) / 2),
       .unit = "GB/s",
       .keys = "memory.partitions, memory.dram.*, memory.l2.banks, .mshr_entries, clocks.dram_mhz",
       .why =
           "row changes may or may not delay the lines that the L2 can wait for; and 5 % for the turns under "
           "way at the end"});
}

void run(Session& session) {
  run_l2(session);
  run_dram(session);
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  return {{"memory.partitions=3"},
          {fmt::format("memory.dram.bytes_per_cycle={}", config.memory.dram.bytes_per_cycle / 8)},
          {narrower_responses(config, 2)}};
}

}  // namespace

Benchmark memory_bandwidth() {
  return {.name = "memory-bandwidth",
          .description = "all cores read, from L2 and from DRAM",
          .run = run,
          .mutations = mutations,
          .prepare = few_partitions};
}

}  // namespace heddle::microbench::memory_bandwidth
