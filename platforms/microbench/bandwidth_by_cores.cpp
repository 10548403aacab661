// Bandwidth of L2 and DRAM with one core to all cores reading: limited first by a core's lines and link, then
// by the partitions'.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "microbench/bandwidth.h"
#include "microbench/line_chase.h"
#include "microbench/links.h"
#include "microbench/suite.h"

namespace heddle::microbench::bandwidth_by_cores {
namespace {

std::uint32_t cores_reading(const gpu::GpuConfig& config, std::uint32_t partition, std::uint32_t cores) {
  const std::vector<std::uint32_t> ports = ports_reading(config, partition, cores);
  return std::accumulate(ports.begin(), ports.end(), 0u);
}

/// `each` lines for the warps of the first cores, from the partition that their core's port reads
/// (ports_reading): line i of all readers, then their lines i + 1. Lines that are read repeatedly take at
/// most half of a slice.
ChasedLines lines_of_ports(Session& session, const Chasers& chasers, std::uint64_t each) {
  const gpu::GpuConfig& config = session.config();
  const std::uint64_t line_bytes = chased_line_bytes(config, Source::kL2);
  const std::uint32_t partitions = config.memory.partitions;
  const std::uint64_t half_of_slice = std::uint64_t{config.memory.l2.size_kib} * 1024 / line_bytes / 2;
  const std::uint64_t most_readers = std::uint64_t{cores_reading(config, 0, chasers.cores)} * chasers.warps;
  const std::uint64_t own = each == 1 ? std::min(most_readers, half_of_slice) : most_readers;
  ChasedLines lines{PartitionedBuffer(session, own * each * line_bytes, "chased lines"), {}};
  lines.of_warp.resize(chasers.all());
  std::vector<std::uint64_t> readers(partitions);  // so far
  for (std::uint32_t warp = 0; warp < chasers.all(); ++warp) {
    const std::uint32_t partition = warp / chasers.warps / config.memory.crossbar.cluster_cores % partitions;
    const std::uint64_t all = std::min<std::uint64_t>(
        own, std::uint64_t{cores_reading(config, partition, chasers.cores)} * chasers.warps);
    const std::uint64_t number = readers[partition]++ % all;
    for (std::uint64_t i = 0; i < each; ++i)
      lines.of_warp[warp].push_back(lines.memory.address(partition, (i * all + number) * line_bytes));
  }
  return lines;
}

/// As many as a core has. From DRAM, no more per partition than read the rows that its banks can have open at
/// once: with more, every line might need another row than the previous one.
std::uint32_t warps_of_core(const gpu::GpuConfig& config, Source source) {
  const std::uint32_t most = std::min(config.core.occupancy.max_warps, Chasers::kMostWarps);
  if (source != Source::kDram) return most;
  const memory::DramConfig& dram = config.memory.dram;
  const std::uint32_t open_lines =
      dram.banks * std::min(dram.row_bytes, dram.bank_interleave_bytes) / chased_line_bytes(config, source);
  return std::clamp(open_lines / cores_reading(config, 0, config.cores), 1u, most);
}

/// Lines per core cycle, summed over all partitions.
Bounds expected_lines(const gpu::GpuConfig& config, Source source, const Chasers& chasers, double line_gb) {
  const bool orderly = source == Source::kL2;
  const Bounds trip = LineChase::trip(config, source);
  const auto loop = [&](double least_gb_per_s, double most_gb_per_s) {
    return ClosedLoop{trip, {line_gb / most_gb_per_s, line_gb / least_gb_per_s}, orderly};
  };
  Bounds slice{slice_limit(config), slice_limit(config)};
  if (source == Source::kDram)
    slice = {std::min(slice.least, channel_limit(config, RowChanges::kEach)),
             std::min(slice.most, channel_limit(config, RowChanges::kHidden))};
  Bounds sum;
  for (std::uint32_t partition = 0; partition < config.memory.partitions; ++partition) {
    Bounds ports;
    std::uint32_t readers = 0;
    for (const std::uint32_t cores : ports_reading(config, partition, chasers.cores)) {
      const double link = port_limit(config, cores);
      const Bounds port = closed_loop_rate(loop(link, link), cores * chasers.warps);
      ports.least += port.least, ports.most += port.most;
      readers += cores * chasers.warps;
    }
    if (readers == 0) continue;
    const Bounds all = closed_loop_rate(loop(slice.least, slice.most), readers);
    sum.least += std::min(ports.least, all.least), sum.most += std::min(ports.most, all.most);
  }
  return sum;
}

void sweep(Session& session, Source source, const char* name, const char* keys) {
  const gpu::GpuConfig& config = session.config();
  const double line_gb = gb_per_s(chased_line_bytes(config, source), config.clocks.core_mhz);
  LineChase chase(session, source);
  for (std::uint32_t cores = 1;; cores = std::min(2 * cores, config.cores)) {
    const Chasers chasers{cores, warps_of_core(config, source)};
    const Bounds expected = expected_lines(config, source, chasers, line_gb);
    const auto lines = [&](std::uint64_t each) { return lines_of_ports(session, chasers, each); };
    const double rate = source == Source::kDram
                            ? chase.fresh_lines_per_cycle(chasers, expected.most, lines)
                            : chase.kept_lines_per_cycle(chasers, expected.most, lines(1));
    session.add({.what = fmt::format("{}, {} core{}", name, cores, cores == 1 ? "" : "s"),
                 .measured = line_gb * rate,
                 .expected = bandwidth_within(expected, line_gb),
                 .unit = "GB/s",
                 .keys = keys,
                 .why = kWhyWithin});
    if (cores == config.cores) break;
  }
}

void run(Session& session) {
  sweep(session, Source::kL2, "L2",
        "clocks.*, memory.partitions, memory.crossbar.*, memory.l2.latency_cycles");
  sweep(session, Source::kDram, "DRAM", "as for L2, and memory.dram.*, memory.l2.banks, .mshr_entries");
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  return {{"memory.partitions=1"},
          {fmt::format("memory.dram.bytes_per_cycle={}", config.memory.dram.bytes_per_cycle / 8)},
          {narrower_responses(config, 2)}};
}

}  // namespace

Benchmark bandwidth_by_cores() {
  return {.name = "bandwidth-by-cores",
          .description = "one core to all of them read, from L2 and from DRAM",
          .run = run,
          .mutations = mutations,
          .prepare = few_partitions};
}

}  // namespace heddle::microbench::bandwidth_by_cores
