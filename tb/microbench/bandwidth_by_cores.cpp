// Bandwidth of L2 and DRAM with one core reading to all of them: a core's link, then the partitions'.
#include <fmt/format.h>

#include <algorithm>

#include "memory/address_map.h"
#include "microbench/bandwidth.h"
#include "microbench/line_chase.h"
#include "microbench/suite.h"

namespace heddle::microbench {
namespace {

constexpr std::uint64_t kLinesEach = 64;
constexpr std::uint32_t kMostWarps = 32;

/// Lines for the warps of the first cores, of the partition that their core's port reads (PartitionReaders):
/// line i of all that read a partition, then lines i + 1.
WarpLines lines_for(Session& session, const Chasers& chasers, std::uint64_t each) {
  const gpu::GpuConfig& config = session.config();
  const memory::MemoryConfig& memory = config.memory;
  const memory::AddressMap map(memory.partitions, memory.partition_interleave_bytes);
  const std::uint64_t line = chased_line_bytes(config, Source::kL2);
  std::uint32_t most_readers = 0;
  for (std::uint32_t partition = 0; partition < memory.partitions; ++partition)
    most_readers = std::max(most_readers, readers_of(config, partition, chasers.cores).cores * chasers.warps);
  // The partitions begin at a row of their first bank.
  const std::uint64_t align = std::uint64_t{memory.dram.banks} * memory.dram.bank_interleave_bytes;
  const std::uint64_t bytes = (most_readers * each * line + 2 * align) * memory.partitions;
  const std::uint64_t first =
      (map.local(session.device().allocate(bytes, "chased lines")) / align + 1) * align;

  WarpLines lines(chasers.all());
  std::vector<std::uint32_t> readers_so_far(memory.partitions);
  for (std::uint32_t warp = 0; warp < lines.size(); ++warp) {
    const std::uint32_t partition = warp / chasers.warps / memory.crossbar.cluster_cores % memory.partitions;
    const std::uint64_t readers = readers_of(config, partition, chasers.cores).cores * chasers.warps;
    const std::uint64_t number = readers_so_far[partition]++;
    for (std::uint64_t i = 0; i < each; ++i)
      lines[warp].push_back(map.global(sim::PartitionId{partition}, first + (i * readers + number) * line));
  }
  return lines;
}

/// As many as a core has, but from DRAM not more in front of a partition than read the rows that its banks
/// can have open at a time: if they read more, every line may need another row than the one before it.
std::uint32_t warps_of_core(const gpu::GpuConfig& config, Source source) {
  const std::uint32_t most = std::min(config.core.occupancy.max_warps, kMostWarps);
  if (source != Source::kDram) return most;
  const memory::DramConfig& dram = config.memory.dram;
  const std::uint32_t open_lines =
      dram.banks * std::min(dram.row_bytes, dram.bank_interleave_bytes) / chased_line_bytes(config, source);
  return std::clamp(open_lines / readers_of(config, 0, config.cores).cores, 1u, most);
}

/// GB/s of a line per core cycle.
double one_line_per_cycle(const gpu::GpuConfig& config) {
  return gb_per_s(chased_line_bytes(config, Source::kL2), config.clocks.core_mhz);
}

/// GB/s, over all partitions.
Bounds expected_bandwidth(const gpu::GpuConfig& config, Source source, const Chasers& chasers) {
  const double line_gb = one_line_per_cycle(config);
  Bounds sum;
  for (std::uint32_t partition = 0; partition < config.memory.partitions; ++partition) {
    const PartitionReaders readers = readers_of(config, partition, chasers.cores);
    if (readers.cores == 0) continue;
    Bounds limit;
    limit.least = limit.most = std::min(link_limit(config, readers), slice_limit(config));
    if (source == Source::kDram) {
      limit.least = std::min(limit.least, channel_limit(config, RowChanges::kEach));
      limit.most = std::min(limit.most, channel_limit(config, RowChanges::kHidden));
    }
    const ClosedLoop loop{LineChase::trip(config, source),
                          {line_gb / limit.most, line_gb / limit.least},
                          source == Source::kL2};
    const Bounds rate = throughput(loop, readers.cores * chasers.warps);
    sum.least += line_gb * rate.least, sum.most += line_gb * rate.most;
  }
  return sum;
}

void run(Session& session) {
  const gpu::GpuConfig& config = session.config();
  const double line_gb = one_line_per_cycle(config);
  for (const Source source : {Source::kL2, Source::kDram}) {
    LineChase chase(session, source);
    for (std::uint32_t cores = 1;; cores = std::min(2 * cores, config.cores)) {
      const Chasers chasers{cores, warps_of_core(config, source)};
      const Bounds expected = expected_bandwidth(config, source, chasers);
      const double rate = chase.lines_per_cycle(
          chasers, kLinesEach, expected.most / line_gb,
          [&](std::uint64_t most) { return lines_for(session, chasers, source == Source::kL2 ? 1 : most); });
      session.add({.what = fmt::format("{}, {} core{}", source == Source::kL2 ? "L2" : "DRAM", cores,
                                       cores == 1 ? "" : "s"),
                   .measured = line_gb * rate,
                   .expected = bandwidth_within(expected, 1),
                   .unit = "GB/s",
                   .keys = "memory.partitions, memory.crossbar.*, memory.l2.*, memory.dram.*, clocks.*",
                   .why = kWhyWithin});
      if (cores == config.cores) break;
    }
  }
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  return {{"memory.partitions=1"},
          {fmt::format("memory.dram.bytes_per_cycle={}", config.memory.dram.bytes_per_cycle / 8)},
          {fmt::format("memory.crossbar.flit_bytes={}", config.memory.crossbar.flit_bytes / 2)}};
}

}  // namespace

Benchmark bandwidth_by_cores() {
  return {.name = "bandwidth-by-cores",
          .description = "one core to all of them read, from L2 and from DRAM",
          .run = run,
          .mutations = mutations,
          .prepare = few_partitions};
}

}  // namespace heddle::microbench
