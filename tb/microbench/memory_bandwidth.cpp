// Bandwidth of L2 and DRAM with all cores reading.
//
// Every core reads lines of one partition only, so that packets of different partitions never wait for each
// other; a last reading mixes them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "microbench/links.h"
#include "microbench/memory_path.h"
#include "microbench/suite.h"
#include "microbench/throughput.h"

namespace heddle::microbench {
namespace {

constexpr std::uint32_t kBody = 8;  ///< loads in the loop, of a line each; lines in a row of a partition
constexpr std::uint32_t kTurns = 12;

double gb_per_s(double bytes_per_cycle, double mhz) { return bytes_per_cycle * mhz / 1e3; }

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
                   gb_per_s(static_cast<double>(config.cores) * line, config.clocks.core_mhz)});
}

/// GB/s that the data buses carry, or what the lines that the L2 can wait for at a time amount to if that is
/// less. The cycles of a new row delay all lines that are waited for, or none if other banks' lines keep the
/// bus busy meanwhile.
double expected_dram(const gpu::GpuConfig& config, bool row_changes_delay) {
  const memory::DramConfig& dram = config.memory.dram;
  const memory::L2Config& l2 = config.memory.l2;
  const double burst = std::max(dram.t_ccd, dram.burst_cycles());
  const double line_gap = std::max<double>(burst, dram.t_ccdl);  // bursts of a line are of one bank
  const double refreshing =
      dram.t_refi == 0 ? 0 : (dram.t_rp + dram.t_rfc + dram.t_rcd) / static_cast<double>(dram.t_refi);
  const double bus = dram.burst_bytes / burst * (1 - refreshing);
  const double bursts = std::ceil(static_cast<double>(l2.line_bytes) / dram.burst_bytes);
  const double crossings = 1 + config.clocks.dram_mhz / config.clocks.l2_mhz;  // a cycle of each clock
  double trip = dram.t_cl + (bursts - 1) * line_gap + dram.burst_cycles() + dram.latency_cycles + crossings;
  const double waiting_bytes = static_cast<double>(l2.banks) * l2.mshr_entries * l2.line_bytes;
  if (row_changes_delay)
    trip += (dram.t_rp + dram.t_rcd) *
            std::min(1.0, waiting_bytes / std::min(dram.row_bytes, dram.bank_interleave_bytes));
  return std::min(
      gb_per_s(config.memory.partitions * std::min(bus, waiting_bytes / trip), config.clocks.dram_mhz),
      expected_l2(config));
}

/// Where a stream of reads goes within a partition: `part` bytes, then `part` bytes `jump` further, and so
/// on.
struct Stream {
  std::uint32_t part = 0;  ///< a power of two; the streams of a partition follow each other at this distance
  std::uint32_t jump = 0;  ///< 0: over and over
};

/// How many streams read a partition at most: one per bank where a partition has fewest cores.
struct Readers {
  std::uint32_t cores_of_partition = 1;
  std::uint32_t warps = 1;  ///< of a core
  [[nodiscard]] std::uint32_t streams() const { return cores_of_partition * warps; }
};
Readers readers(const gpu::GpuConfig& config) {
  const std::uint32_t partitions = config.memory.partitions;
  const std::uint32_t fewest = std::max(1u, config.cores / partitions);
  const std::uint32_t most = (config.cores + partitions - 1) / partitions;
  return {most,
          std::clamp(config.memory.dram.banks / fewest, 1u, std::min(config.core.occupancy.max_warps, 32u))};
}

/// GB/s with the cores' warps reading streams of partition core mod partitions, or of any if `mixed`.
double read_bandwidth(Session& session, const Stream& stream, bool mixed, double expected) {
  const gpu::GpuConfig& config = session.config();
  const memory::MemoryConfig& memory = config.memory;
  const Readers reader = readers(config);
  const std::uint32_t line = memory.l2.line_bytes, interleave = memory.partition_interleave_bytes;
  const std::uint32_t partitions = memory.partitions;
  const auto log2 = [](std::uint32_t value) { return std::bit_width(value) - 1; };
  const memory::AddressMap map(partitions, interleave);

  std::string base, offset, start, random, at;
  std::vector<std::string> values;
  const TimedKernel kernel = repeating(
      "read_bandwidth",
      [&](TimedKernel& k) {
        base = k.parameter("u64");
        offset = k.reg("b32"), start = k.reg("b32"), random = k.reg("b32"), at = k.reg("b64");
        for (std::uint32_t i = 0; i < kBody; ++i) values.push_back(k.reg("b32"));
        const std::string core = k.reg("b32"), warp = k.reg("b32"), partition = k.reg("b32");
        k.line("mov.u32 {}, %ctaid.x", core);
        k.line("rem.u32 {}, {}, {}", partition, core, partitions);
        if (!mixed) k.line("mad.wide.u32 {0}, {1}, {2}, {0}", base, partition, interleave);
        k.line("mad.wide.u32 {0}, {1}, 4, {0}", base, k.lane());
        // Stream of the partition: (core / partitions) * warps + warp of the core.
        k.line("mul.lo.u32 {}, {}, {}", warp, core, reader.warps);
        k.line("sub.u32 {}, {}, {}", warp, k.warp(), warp);
        k.line("div.u32 {0}, {0}, {1}", core, partitions);
        k.line("mad.lo.u32 {}, {}, {}, {}", start, core, reader.warps, warp);
        k.line("mul.lo.u32 {0}, {0}, {1}", start, stream.part);
        k.line("mov.u32 {}, 0", offset);
        k.line("mul.lo.u32 {}, {}, 2654435761", random, k.warp());
      },
      [&](TimedKernel& k) {
        const std::string local = k.reg("b32"), chunk = k.reg("b32");
        k.line("and.b32 {}, {}, {}", local, offset, stream.part - 1);
        k.line("add.u32 {0}, {0}, {1}", local, start);
        if (stream.jump != 0) {
          k.line("shr.u32 {}, {}, {}", chunk, offset, log2(stream.part));
          k.line("mad.lo.u32 {0}, {1}, {2}, {0}", local, chunk, stream.jump);
        }
        k.line("shr.u32 {}, {}, {}", chunk, local, log2(interleave));
        k.line("and.b32 {0}, {0}, {1}", local, interleave - 1);
        k.line("mad.lo.u32 {0}, {1}, {2}, {0}", local, chunk, interleave * partitions);
        k.line("cvt.u64.u32 {}, {}", at, local);
        k.line("add.u64 {0}, {0}, {1}", at, base);
        for (std::uint32_t i = 0; i < kBody; ++i) {
          const std::uint32_t further =
              i * line / interleave * interleave * partitions + i * line % interleave;
          std::string from = at;
          if (mixed) {  // the upper bits of a linear congruential generator choose the partition
            const std::string partition = k.reg("b32");
            from = k.reg("b64");
            k.line("mad.lo.u32 {0}, {0}, 1664525, 1013904223", random);
            k.line("mul.hi.u32 {}, {}, {}", partition, random, partitions);
            k.line("mad.wide.u32 {}, {}, {}, {}", from, partition, interleave, at);
          }
          k.line("ld.global.cg.u32 {}, [{}+{}]", values[i], from, further);
        }
        k.line("add.u32 {0}, {0}, {1}", offset, kBody * line);
      });
  // Long enough for the slowest of partitions, and for every stream to go round L2 before.
  const double turn = kBody * line * reader.warps * config.cores / expected * config.clocks.core_mhz / 1e3;
  const auto cycles = static_cast<std::uint32_t>(turn * kTurns);
  // A stream that runs ahead of the average gets no further than its core's link allows.
  const std::uint64_t most_lines = 3.0 * cycles / core_cycles(config, config.clocks.interconnect_mhz) + 100;
  const std::uint64_t rounds = stream.jump == 0 ? 1 : most_lines * line / stream.part + 1;
  const std::uint64_t local_bytes = rounds * stream.jump + std::uint64_t{reader.streams()} * stream.part;
  const std::uint64_t align = std::uint64_t{memory.dram.banks} * memory.dram.bank_interleave_bytes;
  const std::uint64_t buffer = session.device().allocate((local_bytes + 2 * align) * partitions, "bandwidth");
  const std::uint64_t first = map.global(sim::PartitionId{0}, (map.local(buffer) / align + 1) * align);
  const std::uint32_t threads = reader.warps * sim::kLanes;
  if (stream.jump == 0) {  // bring the lines into L2, at the pace of the DRAM
    const double slower = std::max(1.0, expected / expected_dram(config, true));
    (void)session.run(kernel, config.cores, threads, static_cast<std::uint32_t>(1.2 * slower * cycles),
                      first);
  }
  const Rate rate = sustained(session, kernel, config.cores, threads, cycles, first);
  return gb_per_s(rate.per_cycle() * kBody * line, config.clocks.core_mhz);
}

void run(Session& session) {
  const gpu::GpuConfig& config = session.config();
  const memory::MemoryConfig& memory = config.memory;
  const Stream in_l2{std::bit_floor(memory.l2.size_kib * 1024 / 2 / readers(config).streams()), 0};
  const double l2 = expected_l2(config), dram = expected_dram(config, false);
  const double least_dram = expected_dram(config, true);
  session.add({.what = "L2",
               .measured = read_bandwidth(session, in_l2, false, l2),
               .expected = within(0.05 * l2, l2),
               .unit = "GB/s",
               .keys = "memory.partitions, memory.crossbar.*, memory.l2.line_bytes, clocks.*",
               .why = "within 5 % for the turns under way at the end"});
  session.add(
      {.what = "L2, any partition",
       .measured = read_bandwidth(session, in_l2, true, l2),
       .expected = at_least(0.586 * l2),
       .unit = "GB/s",
       .keys = "as above",
       .why =
           "packets wait behind others for a busy output: 2 - sqrt(2) of the links' rate for FIFO inputs and "
           "random traffic (Karol et al. 1987)"});
  const std::uint32_t row =
      std::bit_floor(std::min(memory.dram.row_bytes, memory.dram.bank_interleave_bytes));
  // Every row once: what no stream has read goes on after the last of all streams, in the same bank.
  const std::uint32_t all_banks = memory.dram.banks * memory.dram.bank_interleave_bytes;
  const std::uint32_t rows_of_all = readers(config).streams() * row;
  const Stream rows{row, (rows_of_all + all_banks - 1) / all_banks * all_banks};
  session.add({.what = "DRAM",
               .measured = read_bandwidth(session, rows, false, dram),
               .expected = within((dram - least_dram) / 2 + 0.05 * dram, (dram + least_dram) / 2),
               .unit = "GB/s",
               .keys = "memory.partitions, memory.dram.*, memory.l2.mshr_entries, clocks.dram_mhz",
               .why = "row changes may or may not delay the lines that the L2 can wait for; and 5 % for the "
                      "turns under way at the "
                      "end"});
}

std::vector<std::vector<std::string>> mutations(const gpu::GpuConfig& config) {
  return {{fmt::format("memory.partitions={}", config.memory.partitions - 1)},
          {fmt::format("memory.dram.bytes_per_cycle={}", config.memory.dram.bytes_per_cycle / 8)},
          {fmt::format("memory.crossbar.flit_bytes={}", config.memory.crossbar.flit_bytes / 2)}};
}

/// A core per partition.
std::vector<std::string> smaller(const gpu::GpuConfig& config) {
  return {fmt::format("cores={}", std::min(config.cores, config.memory.partitions))};
}

}  // namespace

Benchmark memory_bandwidth() {
  return {.name = "memory-bandwidth",
          .description = "all cores read, from L2 and from DRAM",
          .run = run,
          .mutations = mutations,
          .smaller = smaller};
}

}  // namespace heddle::microbench
