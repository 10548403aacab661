#include "microbench/bandwidth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "microbench/links.h"

namespace heddle::microbench {

double gb_per_s(double bytes_per_cycle, double mhz) { return bytes_per_cycle * mhz / 1e3; }

std::vector<std::uint32_t> ports_reading(const gpu::GpuConfig& config, std::uint32_t partition,
                                         std::uint32_t cores) {
  std::vector<std::uint32_t> ports;
  const std::uint32_t of_port = config.memory.crossbar.cluster_cores;
  for (std::uint32_t first = partition * of_port; first < cores; first += config.memory.partitions * of_port)
    ports.push_back(std::min(of_port, cores - first));
  return ports;
}

double port_limit(const gpu::GpuConfig& config, std::uint32_t cores) {
  const double line = config.memory.l2.line_bytes, packet = config.memory.crossbar.header_bytes + line;
  return std::min(
      gb_per_s(line / packet_interval(config, packet, Way::kToCore), config.clocks.interconnect_mhz),
      gb_per_s(cores * line, config.clocks.core_mhz));
}

double slice_limit(const gpu::GpuConfig& config) {
  const double line = config.memory.l2.line_bytes, header = config.memory.crossbar.header_bytes;
  const double interconnect = config.clocks.interconnect_mhz;
  const std::uint32_t sectors = config.memory.l2.read_sectors_per_cycle;  // 0: a line
  return std::min(
      {gb_per_s(sectors == 0 ? line : std::min<double>(line, sectors * sim::kSectorBytes),
                config.clocks.l2_mhz),
       gb_per_s(line / packet_interval(config, header, Way::kToPartition), interconnect),  // requests
       gb_per_s(line / packet_flits(config, header + line, Way::kToCore), interconnect)});
}

double channel_limit(const gpu::GpuConfig& config, RowChanges row_changes) {
  const memory::DramConfig& dram = config.memory.dram;
  const memory::L2Config& l2 = config.memory.l2;
  const double burst = std::max(dram.t_ccd, dram.burst_cycles());
  const double bus = dram.burst_bytes / burst * (1 - refreshing(dram));

  const double bursts = std::ceil(static_cast<double>(l2.line_bytes) / dram.burst_bytes);
  const double line_gap = std::max<double>(burst, dram.t_ccdl);  // bursts of a line are in one bank
  const double crossings = 1 + config.clocks.dram_mhz / config.clocks.l2_mhz;  // one cycle of each clock
  double trip = dram.t_cl + (bursts - 1) * line_gap + dram.burst_cycles() + dram.latency_cycles + crossings;
  const double waiting = static_cast<double>(l2.banks) * l2.mshr_entries;
  const double waiting_bytes = waiting * l2.line_bytes, row_change = dram.t_rp + dram.t_rcd;
  if (row_changes == RowChanges::kShared)
    trip += row_change * std::min(1.0, waiting_bytes / std::min(dram.row_bytes, dram.bank_interleave_bytes));
  if (row_changes == RowChanges::kEach)
    trip +=
        row_change + (std::ceil(waiting / dram.banks) - 1) *
                         std::max<double>(dram.t_rc, dram.t_rcd + bursts * line_gap + dram.t_rtp + dram.t_rp);
  return gb_per_s(std::min(bus, waiting_bytes / trip), config.clocks.dram_mhz);
}

double refreshing(const memory::DramConfig& config) {
  const double cycles = config.t_rp + config.t_rcd + config.t_rfc;
  return config.t_refi == 0 ? 0 : cycles / config.t_refi;
}

std::vector<std::string> few_partitions(const gpu::GpuConfig& config) {
  constexpr std::uint32_t kPartitions = 4;
  return {fmt::format("memory.partitions={}", kPartitions),
          fmt::format("cores={}", kPartitions * config.memory.crossbar.cluster_cores)};
}

Bounds closed_loop_rate(const ClosedLoop& loop, double lines) {
  constexpr double kCloseBelow = 0.25, kCloseAbove = 2;
  const double most = std::min(lines / loop.trip.least, 1 / loop.interval.least);
  const double load = lines * loop.interval.most / loop.trip.most;
  if (loop.orderly || load < kCloseBelow || load > kCloseAbove)
    return {std::min(lines / loop.trip.most, 1 / loop.interval.most), most};
  return {lines / (loop.trip.most + (lines - 1) * loop.interval.most), most};
}

}  // namespace heddle::microbench
