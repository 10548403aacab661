#include "microbench/read_streams.h"

#include <algorithm>
#include <bit>

#include "microbench/bandwidth.h"
#include "microbench/links.h"
#include "microbench/partitioned_buffer.h"
#include "microbench/throughput.h"

namespace heddle::microbench {
namespace {

constexpr std::uint32_t kLoadBytes = 4 * base::kLanes;
constexpr std::uint32_t kMostWarps = 16;

/// Distance in global addresses between two channel-local addresses of one partition that are `local` bytes
/// (whole chunks) apart.
std::int64_t global_distance(const memory::MemoryConfig& memory, std::int64_t local) {
  return local * memory.partitions;
}

class StreamKernel {
 public:
  StreamKernel(const gpu::GpuConfig& config, const Readers& reader, const Streams& streams)
      : memory_(config.memory), reader_(reader), streams_(streams) {}

  [[nodiscard]] TimedKernel build() {
    return repeating(
        "read_streams", [this](TimedKernel& k) { set_up(k); }, [this](TimedKernel& k) { read(k); });
  }

 private:
  void set_up(TimedKernel& k) {
    at_ = k.parameter("u64");
    offset_ = k.reg("b32"), random_ = k.reg("b32"), step_ = k.reg("b64");
    for (std::uint32_t i = 0; i < kStreamLines; ++i) values_.push_back(k.reg("b32"));
    const std::string core = k.reg("b32"), port = k.reg("b32"), partition = k.reg("b32"),
                      stream = k.reg("b32");
    // Stream number in the partition: ((port / partitions) * cores of a port + core of the port) * warps +
    // warp.
    k.line("mov.u32 {}, %ctaid.x", core);
    k.line("mul.lo.u32 {}, {}, {}", stream, core, reader_.warps);
    k.line("sub.u32 {}, {}, {}", random_, k.warp(), stream);
    k.line("div.u32 {}, {}, {}", port, core, reader_.cores_of_port);
    k.line("rem.u32 {0}, {0}, {1}", core, reader_.cores_of_port);
    k.line("rem.u32 {}, {}, {}", partition, port, memory_.partitions);
    k.line("div.u32 {0}, {0}, {1}", port, memory_.partitions);
    k.line("mad.lo.u32 {}, {}, {}, {}", stream, port, reader_.cores_of_port, core);
    k.line("mad.lo.u32 {0}, {0}, {1}, {2}", stream, reader_.warps, random_);
    k.line("mad.wide.u32 {0}, {1}, {2}, {0}", at_, stream, global_distance(memory_, streams_.part));
    k.line("mad.wide.u32 {0}, {1}, 4, {0}", at_, k.lane());
    if (!streams_.any_partition)
      k.line("mad.wide.u32 {0}, {1}, {2}, {0}", at_, partition, memory_.partition_interleave_bytes);
    k.line("mov.u32 {}, 0", offset_);
    k.line("mul.lo.u32 {}, {}, 2654435761", random_, k.warp());
  }

  void read(TimedKernel& k) {
    const std::uint32_t interleave = memory_.partition_interleave_bytes;
    const std::string partition = k.reg("b32");
    if (streams_
            .any_partition) {  // upper bits of a linear congruential generator, then one partition after the
                               // other
      k.line("mad.lo.u32 {0}, {0}, 1664525, 1013904223", random_);
      k.line("mul.hi.u32 {}, {}, {}", partition, random_, memory_.partitions);
    }
    for (std::uint32_t i = 0; i < kStreamLines; ++i) {
      const std::uint32_t local = i * kLoadBytes;
      const std::int64_t further =
          global_distance(memory_, std::int64_t{local / interleave} * interleave) + local % interleave;
      const std::string from = streams_.any_partition ? in_next_partition(k, partition) : at_;
      k.line("ld.global.cg.u32 {}, [{}+{}]", values_[i], from, further);
    }
    // Advance to the next lines of the part or, at its end, by the jump or back to its start.
    constexpr std::uint32_t kTurnBytes = kStreamLines * kLoadBytes;
    const std::int64_t on = global_distance(memory_, kTurnBytes);
    const std::int64_t leave = on + global_distance(memory_, std::int64_t{streams_.jump} - streams_.part);
    const std::string in_part = k.reg("b32"), stays = k.reg("pred");
    k.line("add.u32 {0}, {0}, {1}", offset_, kTurnBytes);
    k.line("and.b32 {}, {}, {}", in_part, offset_, streams_.part - 1);
    k.line("setp.ne.u32 {}, {}, 0", stays, in_part);
    k.line("selp.b64 {}, {}, {}, {}", step_, on, leave, stays);
    k.line("add.u64 {0}, {0}, {1}", at_, step_);
  }

  std::string in_next_partition(TimedKernel& k, const std::string& partition) const {
    const std::string bytes = k.reg("b32"), wide = k.reg("b64");
    std::string from = k.reg("b64");
    const std::string beyond = k.reg("pred");
    k.line("shl.b32 {}, {}, {}", bytes, partition, std::bit_width(memory_.partition_interleave_bytes) - 1);
    k.line("cvt.u64.u32 {}, {}", wide, bytes);
    k.line("add.u64 {}, {}, {}", from, at_, wide);
    k.line("add.u32 {0}, {0}, 1", partition);
    k.line("setp.ge.u32 {}, {}, {}", beyond, partition, memory_.partitions);
    k.line("@{} mov.u32 {}, 0", beyond, partition);
    return from;
  }

  const memory::MemoryConfig& memory_;
  Readers reader_;
  Streams streams_;
  std::string at_, offset_, random_, step_;
  std::vector<std::string> values_;
};

/// Warps per core if `ports` ports read a partition.
Readers with_streams(const gpu::GpuConfig& config, std::uint32_t ports, std::uint32_t streams) {
  const std::uint32_t of_port = config.memory.crossbar.cluster_cores;
  const std::uint32_t partitions = config.memory.partitions;
  const auto all_ports = static_cast<std::uint32_t>(crossbar_ports(config, config.cores));
  const std::uint32_t most = std::min(config.core.occupancy.max_warps, kMostWarps);
  return {(all_ports + partitions - 1) / partitions, of_port,
          std::clamp(streams / (ports * of_port), 1u, most)};
}

}  // namespace

Readers readers(const gpu::GpuConfig& config, std::uint32_t streams) {
  const auto ports = static_cast<std::uint32_t>(crossbar_ports(config, config.cores));
  return with_streams(config, std::max(1u, ports / config.memory.partitions), streams);
}

Readers readers_within(const gpu::GpuConfig& config, std::uint32_t streams) {
  const auto ports = static_cast<std::uint32_t>(crossbar_ports(config, config.cores));
  const std::uint32_t partitions = config.memory.partitions;
  return with_streams(config, (ports + partitions - 1) / partitions, streams);
}

double read_bandwidth(Session& session, const Readers& reader, const Streams& streams, double about,
                      std::uint32_t turns) {
  const gpu::GpuConfig& config = session.config();
  const memory::MemoryConfig& memory = config.memory;
  const double turn_bytes = kStreamLines * kLoadBytes * reader.warps * static_cast<double>(config.cores);
  const auto cycles = static_cast<std::uint32_t>(turns * turn_bytes / about * config.clocks.core_mhz / 1e3);

  // No stream reads faster than its core's link.
  const double most_lines = 3.0 * cycles / core_cycles(config, config.clocks.interconnect_mhz) + kStreamLines;
  const auto jumps = static_cast<std::uint64_t>(most_lines * kLoadBytes / streams.part + 1);
  const std::uint64_t local_bytes = jumps * streams.jump + std::uint64_t{reader.streams()} * streams.part;
  const PartitionedBuffer buffer(session, local_bytes, "streams");
  const std::uint64_t first = buffer.address(0, 0);

  const TimedKernel kernel = StreamKernel(config, reader, streams).build();
  const std::uint32_t threads = reader.warps * base::kLanes;
  if (streams.jump ==
      0) {  // L2 is filled at the speed of the DRAM, in the worst case with a new row for every line
    const memory::DramConfig& dram = memory.dram;
    const std::uint32_t transfer_cycles =
        std::max(dram.t_ccd, dram.burst_cycles()) * kLoadBytes / dram.burst_bytes;
    const double line_cycles = dram.t_rc + transfer_cycles;
    const double dram_cycles = line_cycles * reader.streams() * streams.part / kLoadBytes;
    const double warm_up = dram_cycles * core_cycles(config, config.clocks.dram_mhz);
    (void)session.run(kernel, config.cores, threads, static_cast<std::uint32_t>(warm_up), first);
  }
  const LoadedKernel loaded = session.load(kernel);
  const auto bodies_within = [&](std::uint32_t time) {
    if (streams.jump != 0) session.clean_l2();  // of lines that the previous run has read
    return bodies(session.run(loaded, config.cores, threads, time, first));
  };
  if (streams.jump == 0) (void)bodies_within(0);  // brings the code into L2
  const double shorter = bodies_within(cycles), longer = bodies_within(3 * cycles);
  return gb_per_s((longer - shorter) * kStreamLines * kLoadBytes / (2.0 * cycles), config.clocks.core_mhz);
}

}  // namespace heddle::microbench
