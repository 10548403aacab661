// Bandwidth of L2 and DRAM with all cores reading.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "microbench/links.h"
#include "microbench/read_streams.h"
#include "microbench/suite.h"

namespace heddle::microbench {
namespace {

// How often every warp asks for lines; DRAM takes longer to settle.
constexpr std::uint32_t kTurns = 10, kDramTurns = 24;

/// GB/s of the links from the partitions and to the cores, and of one line per cycle of every slice and every
/// core.
double expected_l2(const gpu::GpuConfig& config) {
  const memory::MemoryConfig& memory = config.memory;
  const double line = memory.l2.line_bytes;
  const double packet = memory.crossbar.header_bytes + line;
  const double ports = crossbar_ports(config, config.cores), interconnect = config.clocks.interconnect_mhz;
  return std::min({gb_per_s(memory.partitions * line, config.clocks.l2_mhz),
                   gb_per_s(memory.partitions * line / packet_flits(config, packet), interconnect),
                   gb_per_s(ports * line / packet_interval(config, packet), interconnect),
                   gb_per_s(config.cores * line, config.clocks.core_mhz)});
}

/// GB/s that the data buses carry between refreshes, or what the lines that the L2 can wait for at a time
/// amount to if that is less. The cycles of a new row delay all lines that are waited for, or none if other
/// banks' lines keep the bus busy meanwhile.
double expected_dram(const gpu::GpuConfig& config, bool row_changes_delay) {
  const memory::DramConfig& dram = config.memory.dram;
  const memory::L2Config& l2 = config.memory.l2;
  const double row_change = dram.t_rp + dram.t_rcd;
  const double burst = std::max(dram.t_ccd, dram.burst_cycles());
  const double refreshing = dram.t_refi == 0 ? 0 : (row_change + dram.t_rfc) / dram.t_refi;
  const double bus = dram.burst_bytes / burst * (1 - refreshing);

  const double bursts = std::ceil(static_cast<double>(l2.line_bytes) / dram.burst_bytes);
  const double line_gap = std::max<double>(burst, dram.t_ccdl);  // bursts of a line are of one bank
  const double crossings = 1 + config.clocks.dram_mhz / config.clocks.l2_mhz;  // a cycle of each clock
  double trip = dram.t_cl + (bursts - 1) * line_gap + dram.burst_cycles() + dram.latency_cycles + crossings;
  const double waiting_bytes = static_cast<double>(l2.banks) * l2.mshr_entries * l2.line_bytes;
  if (row_changes_delay)
    trip += row_change * std::min(1.0, waiting_bytes / std::min(dram.row_bytes, dram.bank_interleave_bytes));
  return std::min(
      gb_per_s(config.memory.partitions * std::min(bus, waiting_bytes / trip), config.clocks.dram_mhz),
      expected_l2(config));
}

void run_l2(Session& session) {
  const gpu::GpuConfig& config = session.config();
  const memory::MemoryConfig& memory = config.memory;
  // Half of the L2.
  const std::uint32_t bytes = memory.l2.size_kib * 1024 / 2, least_part = kStreamLines * memory.l2.line_bytes;
  const Readers many = readers_within(config, bytes / least_part);
  Streams streams{.part = std::max(least_part, std::bit_floor(bytes / many.streams()))};
  const double expected = expected_l2(config);
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
  // A stream per bank, a row at a time; when all rows side by side have been read, on in the same bank.
  const Readers one_per_bank = readers(config, dram.banks);
  const std::uint32_t row = std::bit_floor(std::min(dram.row_bytes, dram.bank_interleave_bytes));
  const std::uint32_t all_banks = dram.banks * dram.bank_interleave_bytes;
  const std::uint32_t side_by_side = one_per_bank.streams() * row;
  const Streams streams{.part = row, .jump = (side_by_side + all_banks - 1) / all_banks * all_banks};
  const double most = expected_dram(config, false), least = expected_dram(config, true);
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
          {fmt::format("memory.crossbar.flit_bytes={}", config.memory.crossbar.flit_bytes / 2)}};
}

/// Four partitions, each with a port of the crossbar to read it.
std::vector<std::string> few_partitions(const gpu::GpuConfig& config) {
  constexpr std::uint32_t kPartitions = 4;
  return {fmt::format("memory.partitions={}", kPartitions),
          fmt::format("cores={}", kPartitions * config.memory.crossbar.cluster_cores)};
}

}  // namespace

Benchmark memory_bandwidth() {
  return {.name = "memory-bandwidth",
          .description = "all cores read, from L2 and from DRAM",
          .run = run,
          .mutations = mutations,
          .prepare = few_partitions};
}

}  // namespace heddle::microbench
