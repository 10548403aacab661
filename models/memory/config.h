// Keys of the memory side: crossbar, L2 slices, DRAM channels.
//
// Defaults describe a GTX 480 as the publications simulate it ([DDOS/BOWS] §6.4 with the configuration of
// [ART], [WarpTM] Tab 6.1, [GPUDet] Tab 5.2); every key's doc string names its source. "[ART]"
// marks values of the simulator's stock configuration that the publications build on. Clock frequencies
// belong to the GPU's configuration; cycles below are cycles of the block's own clock.
#pragma once

#include <cstdint>

#include "base/config.h"
#include "cache/replacement.h"
#include "memory/address_map.h"
#include "memory/dram_policy.h"

namespace heddle::memory {

/// Of which direction the inputs have a queue for each output, within the input queue.
enum class VirtualOutputs : std::uint8_t { kNone, kResponses, kBoth };

struct CrossbarConfig {
  std::uint32_t flit_bytes = 64;
  std::uint32_t latency_cycles = 5;
  std::uint32_t input_queue_packets = 8;
  std::uint32_t output_queue_packets = 8;
  std::uint32_t header_bytes = 8;
  std::uint32_t response_flit_bytes = 0;  ///< 0: flit_bytes
  VirtualOutputs virtual_output_queues = VirtualOutputs::kNone;
  std::uint32_t cluster_cores = 1;
  std::uint32_t coalesced_reads = 1;
  std::uint32_t coalescer_entries = 1024;
  std::vector<std::uint32_t> group_of_core = {};  ///< no key: the GPC of each core
  std::uint32_t perturb_seed = 0;
  std::uint32_t perturb_cycles = 0;
  void visit(base::ConfigVisitor& v);
  /// Width of the links from partitions to cores.
  [[nodiscard]] std::uint32_t to_core_bytes() const {
    return response_flit_bytes != 0 ? response_flit_bytes : flit_bytes;
  }
  /// As the crossbar of responses has it.
  [[nodiscard]] CrossbarConfig of_responses() const {
    CrossbarConfig config = *this;
    config.flit_bytes = to_core_bytes();
    return config;
  }
  /// As the crossbar of requests has it.
  [[nodiscard]] CrossbarConfig of_requests() const {
    CrossbarConfig config = *this;
    if (virtual_output_queues == VirtualOutputs::kResponses)
      config.virtual_output_queues = VirtualOutputs::kNone;
    return config;
  }
};

/// Which same-address lanes of one atomic transaction are combined into one operation.
enum class AtomicCombine : std::uint8_t {
  kNone,
  kReductions,  ///< of integer reductions that return nothing
  kAll,         ///< of integer reductions, whether or not they return old values
};

/// What a write does to a sector of L2 that is not present and that it writes in part.
enum class WriteMiss : std::uint8_t {
  kFetch,     ///< the sector is fetched first
  kByteMask,  ///< L2 remembers which bytes it has; the others are fetched when they are read
};

struct L2Config {
  std::uint32_t size_kib = 128;
  std::uint32_t banks = 2;
  std::uint32_t line_bytes = 128;
  std::uint32_t sector_bytes = 0;
  std::uint32_t ways = 8;
  cache::ReplacementChoice replacement = cache::default_replacement();
  std::uint32_t latency_cycles = 120;
  std::uint32_t mshr_entries = 32;
  std::uint32_t mshr_targets = 4;
  std::uint32_t request_queue = 8;
  std::uint32_t response_queue = 8;
  std::uint32_t dram_queue = 8;
  std::uint32_t dram_access_bytes = 0;
  std::uint32_t read_sectors_per_cycle = 0;   ///< 0: whatever a request reads
  std::uint32_t write_sectors_per_cycle = 0;  ///< 0: whatever a request writes
  std::uint32_t atomic_lanes_per_cycle = 8;
  std::uint32_t atomic_same_address_cycles = 1;
  AtomicCombine atomic_combine = AtomicCombine::kNone;
  bool atomic_results_stream = false;
  std::uint32_t atomic_same_line_cycles = 0;
  WriteMiss write_miss = WriteMiss::kFetch;
  std::uint32_t halves = 1;
  std::uint32_t far_cycles = 0;
  bool await_invalidation = false;
  bool copies_take_ways = false;
  bool far_turns = false;
  std::uint32_t half = 0;  ///< no key: in which half the slice is
  bool sector_statistics = false;
  void visit(base::ConfigVisitor& v);
  void visit_halves(base::ConfigVisitor& v);
  /// Sets of the whole slice, and of one of its banks.
  [[nodiscard]] std::uint32_t sets() const { return size_kib * 1024 / (line_bytes * ways); }
  [[nodiscard]] std::uint32_t sets_per_bank() const { return sets() / banks; }
};

/// How a channel's memory is addressed (channel_map.h).
enum class ChannelAddresses : std::uint8_t {
  kAuto,    ///< sparse behind every partition a DramChannel, else dense
  kSparse,  ///< any 64-bit address
  kDense,   ///< all below the capacity
};

/// Names as in DRAM data sheets; the rules they stand for are listed in dram_timing.h.
struct DramConfig {
  static constexpr std::uint32_t kMostBanks = 256;
  std::uint32_t capacity_mib = 256;
  ChannelAddresses addresses = ChannelAddresses::kAuto;
  std::uint32_t t_cl = 12;
  std::uint32_t t_rcd = 12;
  std::uint32_t t_rcdwr = 0;
  std::uint32_t t_rp = 12;
  std::uint32_t t_ras = 28;
  std::uint32_t t_rc = 40;
  std::uint32_t t_rrd = 6;
  std::uint32_t t_rrdl = 0;
  std::uint32_t t_faw = 22;
  std::uint32_t t_32aw = 0;
  std::uint32_t t_wl = 4;
  std::uint32_t t_cdlr = 5;
  std::uint32_t t_cdlrl = 0;
  std::uint32_t t_wr = 12;
  std::uint32_t t_rtp = 2;
  std::uint32_t t_rtpl = 2;
  std::uint32_t t_rtw = 0;
  std::uint32_t t_ccd = 2;
  std::uint32_t t_ccdl = 3;
  std::uint32_t t_ppd = 0;
  std::uint32_t t_refi = 3604;
  std::uint32_t t_rfc = 60;
  std::uint32_t bytes_per_cycle = 32;
  std::uint32_t burst_bytes = 64;
  std::uint32_t banks = 16;
  std::uint32_t bank_groups = 4;
  std::uint32_t row_bytes = 4096;
  std::uint32_t bank_interleave_bytes = 4096;
  bool bank_skew = false;
  std::uint32_t queue_depth = 32;
  DramSchedulingChoice scheduler = default_dram_scheduling();
  DramPagingChoice page_policy = default_dram_paging();
  std::uint32_t starvation_limit_cycles = 2000;
  std::uint32_t latency_cycles = 132;
  std::uint32_t perturb_seed = 0;
  std::uint32_t channel = 0;  ///< no key: which one; each has random numbers of its own
  void visit(base::ConfigVisitor& v);
  void validate() const;
  [[nodiscard]] std::uint64_t capacity_bytes() const { return std::uint64_t{capacity_mib} << 20; }
  /// Cycles a burst holds the data bus.
  [[nodiscard]] std::uint32_t burst_cycles() const {
    return (burst_bytes + bytes_per_cycle - 1) / bytes_per_cycle;
  }
  /// Read command to write command: as configured, or with two cycles between their data for the bus
  /// turnaround.
  [[nodiscard]] std::uint32_t read_to_write() const {
    return t_rtw != 0 ? t_rtw : t_cl + burst_cycles() + 2 - t_wl;
  }
};

struct MemoryConfig {
  std::uint32_t partitions = 6;
  std::uint32_t partition_interleave_bytes = 256;
  AddressMappingChoice address_map = default_address_mapping();
  CrossbarConfig crossbar;
  L2Config l2;
  DramConfig dram;
  void visit(base::ConfigVisitor& v);
  /// Cross-field checks; throws base::InputError naming the keys (relative to this section).
  void validate() const;
  [[nodiscard]] AddressMap map() const;
};

}  // namespace heddle::memory
