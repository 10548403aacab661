#include "memory/config.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/error.h"
#include "sim/memory_payload.h"

namespace heddle::memory {
namespace {

constexpr double kMaxCycles = 100'000;
constexpr double kMaxQueue = 65'536;

/// `key`: relative to "memory".
void require(bool ok, const std::string& key, const std::string& message, const std::string& remedy) {
  if (!ok) throw base::InputError("memory." + key, message, remedy);
}

void require_power_of_two(const std::string& key, std::uint32_t value) {
  require(std::has_single_bit(value), key, std::to_string(value) + " is not a power of two",
          "use " + std::to_string(std::bit_floor(value == 0 ? 1 : value)) + " or " +
              std::to_string(std::bit_ceil(value)));
}

}  // namespace

void CrossbarConfig::visit(base::ConfigVisitor& v) {
  v.field(
      "flit_bytes", flit_bytes,
      {.unit = "bytes per interconnect cycle",
       .doc =
           "width of every link, one crossbar per direction ([WarpTM] Tab 6.1, [GPUDet] Tab 5.2: 32 B/cycle)",
       .min = 1,
       .max = 4096});
  v.field("latency_cycles", latency_cycles,
          {.unit = "interconnect cycles",
           .doc = "time of flight after the last flit has left ([WarpTM] Tab 6.1, [GPUDet] Tab 5.2: 5)",
           .min = 0,
           .max = kMaxCycles});
  v.field("input_queue_packets", input_queue_packets,
          {.unit = "packets", .doc = "FIFO at every input [ART]", .min = 1, .max = kMaxQueue});
  v.field("output_queue_packets", output_queue_packets,
          {.unit = "packets",
           .doc = "buffer at every output; a packet is granted only when there is room, and the room "
                  "counts "
                  "as taken while the packet flies [ART]",
           .min = 1,
           .max = kMaxQueue});
  v.field("header_bytes", header_bytes,
          {.unit = "bytes",
           .doc = "address, command, byte mask and routing of every packet [ART]",
           .min = 1,
           .max = 1024});
  v.field("response_flit_bytes", response_flit_bytes,
          {.unit = "bytes per interconnect cycle",
           .doc = "width of the links from partitions to cores if it differs; 0: flit_bytes",
           .max = 4096});
  v.choice("virtual_output_queues", virtual_output_queues, {"none", "responses", "both"},
           "of which direction an input offers the first packet of its queue for each output (virtual output "
           "queues "
           "that share the input's buffer), so that none waits for a packet in front of it that goes "
           "elsewhere; none: "
           "the head of the queue alone");
  v.field("cluster_cores", cluster_cores,
          {.unit = "cores",
           .doc = "neighbouring cores that share one port of the crossbar, taking turns "
                  "([WarpTM] Tab 6.1: 1; its "
                  "Quadro FX 5800 has a concentration of 3)",
           .min = 1,
           .max = 256});
  v.field("coalesced_reads", coalesced_reads,
          {.unit = "reads",
           .doc = "reads of the same sectors of a line, by cores of a GPC (dispatch.gpc.tpcs), that share "
                  "one way to L2 and its "
                  "answer, at most (Hopper: L2 request coalescer); 1: none. Loads through L1 only, and with "
                  "core.memory_model=scoped only; mechanisms that span the GPU switch it off",
           .min = 1,
           .max = 256});
  v.field("coalescer_entries", coalescer_entries,
          {.unit = "reads",
           .doc = "on their way to L2 that a GPC's coalescer remembers",
           .min = 1,
           .max = 65536});
  v.field("perturb_seed", perturb_seed,
          {.doc = "seed of a random order among inputs, instead of round robin, in both directions; each "
                  "input's own order is kept ([GPUDet] §5.2: the nondeterministic baseline); 0: none",
           .use = base::KeyUse::kTest});
  v.field("perturb_cycles", perturb_cycles,
          {.unit = "interconnect cycles",
           .doc = "longest extra wait of a packet at the head of its input queue, random by perturb_seed; 0: "
                  "only the order of packets that meet is random",
           .max = 10'000,
           .use = base::KeyUse::kTest});
}

void L2Config::visit(base::ConfigVisitor& v) {
  v.field("size_kib", size_kib,
          {.unit = "KiB per partition",
           .doc = "capacity of one slice ([AWARE] Tab 5.3, [WarpTM] Tab 6.1, [GPUDet] Tab 5.2: 128)",
           .min = 1,
           .max = 65'536});
  v.field("banks", banks,
          {.unit = "banks per partition",
           .doc = "banks of a slice, each with its own queue and MSHRs, serving one request per cycle; lines "
                  "go round "
                  "them ([ART]: 2 x 64 KB)",
           .min = 1,
           .max = 64});
  v.field("line_bytes", line_bytes,
          {.unit = "bytes", .doc = "line size ([AWARE] Tab 5.3: 128)", .min = 32, .max = sim::kMaxLineBytes});
  v.field(
      "sector_bytes", sector_bytes,
      {.unit = "bytes",
       .doc = "part of a line that is fetched, valid and written back by itself (Turing: 32); 0: whole lines",
       .min = 0,
       .max = sim::kMaxLineBytes});
  v.field("ways", ways,
          {.doc = "associativity ([WarpTM] Tab 6.1, [GPUDet] Tab 5.2: 8; [AWARE] Tab 5.3: 8, MP and "
                  "AWARE 16)",
           .min = 1,
           .max = 1024});
  replacement.visit(v, "replacement", cache::kReplacementDoc);
  v.field(
      "latency_cycles", latency_cycles,
      {.unit = "L2 cycles",
       .doc = "from the access to its response leaving ([GPUDet] Tab 5.2: 220 core cycles for L2 and DRAM "
              "together, of "
              "which [ART] 120 in the L2)",
       .min = 0,
       .max = kMaxCycles});
  v.field("mshr_entries", mshr_entries,
          {.unit = "lines per bank", .doc = "lines being fetched at once [ART]", .min = 1, .max = 4096});
  v.field(
      "mshr_targets", mshr_targets,
      {.unit = "requests per line", .doc = "requests that wait for one fetch [ART]", .min = 1, .max = 4096});
  v.field("request_queue", request_queue,
          {.unit = "requests per bank", .doc = "queue from the crossbar [ART]", .min = 1, .max = kMaxQueue});
  v.field("response_queue", response_queue,
          {.unit = "responses",
           .doc = "queue to the crossbar, behind the latency pipeline of one response per cycle [ART]",
           .min = 1,
           .max = kMaxQueue});
  v.field("dram_queue", dram_queue,
          {.unit = "lines",
           .doc = "fetches and write-backs waiting for the DRAM [ART]",
           .min = 2,
           .max = kMaxQueue});
  v.field(
      "dram_access_bytes", dram_access_bytes,
      {.unit = "bytes",
       .doc = "most that one DRAM transaction moves; sizes are powers of two then, and addresses multiples "
              "of them, as many memories ask for; 0: adjacent sectors of a line go in one transaction, "
              "whatever their number and address",
       .min = 0,
       .max = sim::kMaxLineBytes});
  const auto sectors = [&v](const char* key, std::uint32_t& value, const char* doc) {
    v.field(
        key, value,
        {.unit = "sectors per L2 cycle and bank", .doc = doc, .max = sim::kMaxLineBytes / sim::kSectorBytes});
  };
  sectors("read_sectors_per_cycle", read_sectors_per_cycle,
          "width of the data array for reads: a request that reads more sectors keeps its bank for further "
          "cycles "
          "(needs sector_bytes); 0: a request a cycle, whatever it reads");
  sectors("write_sectors_per_cycle", write_sectors_per_cycle, "the same for writes");
  v.field("atomic_lanes_per_cycle", atomic_lanes_per_cycle,
          {.unit = "lanes per L2 cycle",
           .doc = "throughput of a partition's atomic unit on different addresses (default: the words of one "
                  "32-byte flit). The publication calls its simulator's atomics optimistic ([KiloTM] §4.3) "
                  "and gives no figure",
           .min = 1,
           .max = 32});
  v.field(
      "atomic_same_address_cycles", atomic_same_address_cycles,
      {.unit = "L2 cycles per operation",
       .doc = "time between operations on one address; 1: the publications' simulator serves lanes of one "
              "address as one access each [ART], about Fermi's throughput but for compare-and-swap "
              "([KiloTM] §4.3); 0: no limit but atomic_lanes_per_cycle",
       .min = 0,
       .max = 1000});
  v.choice("atomic_combine", atomic_combine, {"none", "reductions", "all"},
           "same-address lanes of one warp's integer atomic that count as one operation: none; add, min, "
           "max, and, "
           "or, xor without a result (red); the same with or without a result. Results do not depend on it");
  v.field("atomic_results_stream", atomic_results_stream,
          {.doc = "true: an atomic's old values leave as its lanes are performed, so that its response is "
                  "ready when the first "
                  "is, and cores take as long over them as core.lsu.atomic_return_cycles says; false: it is "
                  "ready when the "
                  "last is"});
  v.field("atomic_same_line_cycles", atomic_same_line_cycles,
          {.unit = "L2 cycles",
           .doc = "from the beginning of an atomic to that of the next one on its line, whatever words they "
                  "are on: until the first has written back. The bank waits; 0: no limit",
           .max = 64});
  v.choice(
      "write_miss", write_miss, {"fetch", "byte_mask"},
      "a write to a part of a sector that is not present: fetch it first; or keep a mask of the bytes that "
      "are "
      "present, fetch the sector when others are read, and write it back with byte enables, which the memory "
      "behind must take ([GPUDet:S18])");
  v.field("sector_statistics", sector_statistics,
          {.doc = "no hardware: counts the sectors of requests, as profilers of the hardware do"});
  visit_halves(v);
}

void L2Config::visit_halves(base::ConfigVisitor& v) {
  v.field(
      "halves", halves,
      {.doc =
           "2: partitions of the first and of the second half of the numbers are in two halves of the chip, "
           "cores in turns by pairs; a read of a line whose home is in the other half leaves a copy in "
           "its own, which later reads hit until somebody writes the line; 1: all are as far",
       .min = 1,
       .max = 2});
  v.field("far_cycles", far_cycles,
          {.unit = "L2 cycles",
           .doc = "what an access takes longer if it must go to the other half (halves 2): reads without a "
                  "copy, writes, "
                  "atomics",
           .max = kMaxCycles});
  v.field("await_invalidation", await_invalidation,
          {.doc = "true: a write from the home's half, of sectors that have a copy in the other one, "
                  "takes far_cycles longer, and later accesses to these sectors wait until the copy is gone; "
                  "nobody waits for copies that atomics end (needs halves 2 and far_cycles); false: copies "
                  "go without time"});
  v.field(
      "copies_take_ways", copies_take_ways,
      {.doc = "true: a copy takes a way of a set, as a line does (needs halves 2), so that lines that both "
              "halves read take two; false: copies take no room"});
  v.field(
      "far_turns", far_turns,
      {.doc = "true: what crosses to the other half takes a turn of the slice of its own half as well, an "
              "atomic as long as at home, anything else a cycle (needs halves 2); false: it passes there "
              "without time"});
}

void DramConfig::visit(base::ConfigVisitor& v) {
  v.field("capacity_mib", capacity_mib,
          {.unit = "MiB per channel",
           .doc = "memory for allocations and kernels' code where addresses are dense (GTX 480: 1536 MiB "
                  "over 6 channels, each two devices of 1 Gb: H5GQ1H24AFR of [WarpTM] Tab 6.1)",
           .min = 1,
           .max = 1'048'576});
  v.choice(
      "addresses", addresses, {"auto", "sparse", "dense"},
      "addresses sent to a channel's memory: sparse: allocations from 256 MiB of the device up, code near "
      "2^47, no capacity; dense: all below capacity_mib, allocations from 0 up, code from the end down; "
      "auto: sparse for Heddle's own DRAM channel, dense for any other memory");
  const auto timing = [&v](const char* key, std::uint32_t& value, double min, const char* doc) {
    v.field(key, value, {.unit = "DRAM cycles", .doc = doc, .min = min, .max = kMaxCycles});
  };
  timing("tCL", t_cl, 1, "read command to first data ([AWARE] Tab 5.3, [GPUDet] Tab 5.2: 12)");
  timing("tRCD", t_rcd, 1, "activate to column command ([AWARE] Tab 5.3, [GPUDet] Tab 5.2: 12)");
  timing("tRCDWR", t_rcdwr, 0, "activate to write command if it differs (GDDR5 data sheets); 0: tRCD");
  timing("tRP", t_rp, 1, "precharge to activate ([AWARE] Tab 5.3, [GPUDet] Tab 5.2: 12)");
  timing("tRAS", t_ras, 1, "activate to precharge ([AWARE] Tab 5.3, [GPUDet] Tab 5.2: 28)");
  timing("tRC", t_rc, 1, "activate to activate of one bank ([AWARE] Tab 5.3, [GPUDet] Tab 5.2: 40)");
  timing("tRRD", t_rrd, 1, "activate to activate of different banks ([AWARE] Tab 5.3, [GPUDet] Tab 5.2: 6)");
  timing("tRRDL", t_rrdl, 0, "activate to activate in one bank group; 0: tRRD");
  timing("tFAW", t_faw, 0,
         "window with at most four activates; 0: none (23 ns for the H5GQ1H24AFR of [WarpTM] Tab 6.1: 22 "
         "cycles "
         "at 924 MHz, less than tRRD asks for)");
  timing("t32AW", t_32aw, 0, "window with at most 32 activates (GDDR5 data sheets); 0: none");
  timing("tWL", t_wl, 0, "write command to first data ([GPUDet] Tab 5.2: 4)");
  timing("tCDLR", t_cdlr, 0, "last written data to read command ([GPUDet] Tab 5.2: 5)");
  timing("tCDLRL", t_cdlrl, 0, "last written data to read command in the same bank group; 0: tCDLR");
  timing("tWR", t_wr, 0, "last written data to precharge of the bank ([GPUDet] Tab 5.2: 12)");
  timing("tRTP", t_rtp, 0, "read command to precharge of the bank (the burst's two cycles [ART])");
  timing("tRTPL", t_rtpl, 0, "read command to precharge in the same bank group ([ART]: 2)");
  timing("tRTW", t_rtw, 0,
         "read command to write command; 0: tCL + burst + 2 - tWL, two cycles to turn the bus round [ART]");
  timing("tCCD", t_ccd, 1, "column command to column command (burst of 64 B at 32 B/cycle [ART]: 2)");
  timing("tCCDL", t_ccdl, 0, "column command to column command in the same bank group ([ART]: 3); 0: tCCD");
  timing("tPPD", t_ppd, 0, "precharge to precharge (GDDR5 data sheets); 0: none");
  timing("tREFI", t_refi, 0,
         "average time between refreshes of all banks (8192 in 32 ms at 924 MHz: 3604); 0: no refresh");
  timing("tRFC", t_rfc, 0,
         "refresh to activate (65 ns for the H5GQ1H24AFR of [WarpTM] Tab 6.1: 60 cycles at 924 MHz)");
  v.field("bytes_per_cycle", bytes_per_cycle,
          {.unit = "bytes per DRAM cycle",
           .doc = "data bus of one channel ([GPUDet] Tab 5.2: 32; 177 GB/s over 6 channels at 924 MHz)",
           .min = 1,
           .max = 4096});
  v.field("burst_bytes", burst_bytes,
          {.unit = "bytes",
           .doc = "moved by one column command: burst 8 x 4 B x 2 devices [ART]",
           .min = 1,
           .max = 4096});
  v.field("banks", banks,
          {.doc = "banks of one channel, any number ([ART]: 16)", .min = 1, .max = kMostBanks});
  v.field("bank_groups", bank_groups,
          {.doc = "groups of banks, for the rules whose names end in L; bank b is in group b mod bank_groups "
                  "([ART]: 4)",
           .min = 1,
           .max = 256});
  v.field("row_bytes", row_bytes,
          {.unit = "bytes",
           .doc = "row of one bank over the channel's devices; a multiple of l2.line_bytes [ART]",
           .min = 32,
           .max = 1'048'576});
  v.field(
      "bank_interleave_bytes", bank_interleave_bytes,
      {.unit = "bytes",
       .doc = "consecutive channel addresses that stay in one bank; a multiple of l2.line_bytes. row_bytes: "
              "consecutive rows are in consecutive banks",
       .min = 32,
       .max = 1'048'576});
  v.field(
      "bank_skew", bank_skew,
      {.doc =
           "each turn round the banks starts one bank further than the one before: arrays at multiples of a "
           "turn do not meet in the same banks"});
  v.field("queue_depth", queue_depth,
          {.unit = "requests",
           .doc = "request queue the scheduler looks at ([WarpTM] Tab 6.1, [GPUDet] Tab 5.2: 32)",
           .min = 1,
           .max = 4096});
  scheduler.visit(v, "scheduler", "which request of a bank goes next");
  page_policy.visit(v, "page_policy", "how long a row stays open");
  v.field("starvation_limit_cycles", starvation_limit_cycles,
          {.unit = "DRAM cycles",
           .doc = "a request that has waited this long goes before all others (schedulers fr_fcfs and "
                  "fr_fcfs_cap); 0: always in order",
           .min = 0,
           .max = 1e9});
  v.field(
      "latency_cycles", latency_cycles,
      {.unit = "DRAM cycles",
       .doc = "controller pipeline, added to every response ([WarpTM] Tab 6.1: scheduler latency 200 core "
              "cycles at 1400 MHz = 143 ns = 132 cycles at 924 MHz)",
       .min = 0,
       .max = kMaxCycles});
  v.field("perturb_seed", perturb_seed,
          {.doc = "seed of random times of the channels' first refreshes, within tREFI ([GPUDet] §2.2); 0: "
                  "all after "
                  "tREFI",
           .use = base::KeyUse::kTest});
}

void MemoryConfig::visit(base::ConfigVisitor& v) {
  v.field(
      "partitions", partitions,
      {.doc = "memory partitions, any number ([AWARE] Tab 5.3, [GPUDet] Tab 5.2: 6)", .min = 1, .max = 1024});
  v.field("partition_interleave_bytes", partition_interleave_bytes,
          {.unit = "bytes",
           .doc = "consecutive global addresses that stay in one partition; a power of two, at least one L2 "
                  "line [ART]",
           .min = 32,
           .max = 1'048'576});
  address_map.visit(v, "address_map", "which partition consecutive addresses go to");
  v.section("crossbar", crossbar, "network between cores and partitions, one crossbar per direction");
  v.section("l2", l2, "one L2 slice per partition");
  v.section("dram", dram, "one DRAM channel per partition");
}

void MemoryConfig::validate() const {
  require_power_of_two("partition_interleave_bytes", partition_interleave_bytes);
  require_power_of_two("l2.line_bytes", l2.line_bytes);
  require(crossbar.coalesced_reads == 1 || crossbar.cluster_cores == 1, "crossbar.coalesced_reads",
          "cores of a cluster take turns for one link, and are not coalesced besides",
          "set memory.crossbar.cluster_cores=1, or memory.crossbar.coalesced_reads=1");
  require(partition_interleave_bytes >= l2.line_bytes, "partition_interleave_bytes",
          "smaller than an L2 line: a line would lie in two partitions",
          "use a multiple of memory.l2.line_bytes (" + std::to_string(l2.line_bytes) + ")");
  const std::uint64_t set_bytes = std::uint64_t{l2.line_bytes} * l2.ways * l2.banks;
  require(
      l2.size_kib * std::uint64_t{1024} % set_bytes == 0, "l2.size_kib",
      "not a whole number of sets of " + std::to_string(l2.ways) + " ways of " +
          std::to_string(l2.line_bytes) + " bytes in each of " + std::to_string(l2.banks) + " banks",
      "use other ways, banks or line_bytes, or a multiple of " + std::to_string(set_bytes) + " bytes in KiB");
  require(
      l2.sector_bytes == 0 || (l2.sector_bytes >= sim::kSectorBytes && l2.line_bytes % l2.sector_bytes == 0 &&
                               std::has_single_bit(l2.sector_bytes)),
      "l2.sector_bytes",
      std::to_string(l2.sector_bytes) + " bytes do not make up a line of " + std::to_string(l2.line_bytes) +
          " bytes",
      "use 0 for whole lines, or a power of two from " + std::to_string(sim::kSectorBytes) +
          " to memory.l2.line_bytes");
  require(l2.sector_bytes != 0 || (l2.read_sectors_per_cycle == 0 && l2.write_sectors_per_cycle == 0),
          l2.read_sectors_per_cycle != 0 ? "l2.read_sectors_per_cycle" : "l2.write_sectors_per_cycle",
          "counts sectors, and lines have none", "set memory.l2.sector_bytes, or leave it at 0");
  require(!l2.await_invalidation || (l2.halves == 2 && l2.far_cycles != 0), "l2.await_invalidation",
          l2.halves == 1 ? "has no effect: L2 in one half has no copies"
                         : "has no effect: copies are gone after far_cycles, and these are 0",
          "set memory.l2.halves=2 and memory.l2.far_cycles, or memory.l2.await_invalidation=false");
  require(!l2.copies_take_ways || (l2.halves == 2 && l2.ways > 1), "l2.copies_take_ways",
          l2.halves == 1 ? "has no effect: L2 in one half has no copies"
                         : "leaves no copy: the line itself takes the only way of its set",
          "set memory.l2.halves=2 and more memory.l2.ways, or memory.l2.copies_take_ways=false");
  require(!l2.far_turns || l2.halves == 2, "l2.far_turns",
          "has no effect: nothing crosses in an L2 in one half",
          "set memory.l2.halves=2, or memory.l2.far_turns=false");
  const std::uint32_t smallest = l2.sector_bytes == 0 ? l2.line_bytes : l2.sector_bytes;
  require(l2.dram_access_bytes == 0 ||
              (std::has_single_bit(l2.dram_access_bytes) && l2.dram_access_bytes >= smallest &&
               l2.dram_access_bytes <= l2.line_bytes),
          "l2.dram_access_bytes",
          std::to_string(l2.dram_access_bytes) + " bytes is no size in which sectors of " +
              std::to_string(smallest) + " bytes and lines of " + std::to_string(l2.line_bytes) +
              " can be moved",
          "use 0 for runs of any length, or a power of two from memory.l2.sector_bytes (memory.l2.line_bytes "
          "without sectors) to memory.l2.line_bytes");
  dram.validate();
  const auto whole_lines = [&](const std::string& key, std::uint32_t bytes) {
    require(
        bytes % l2.line_bytes == 0, key,
        std::to_string(bytes) + " bytes are not a whole number of L2 lines: a line would be in two places",
        "use a multiple of memory.l2.line_bytes (" + std::to_string(l2.line_bytes) + ")");
  };
  whole_lines("dram.bank_interleave_bytes", dram.bank_interleave_bytes);
  whole_lines("dram.row_bytes", dram.row_bytes);
}

AddressMap MemoryConfig::map() const {
  return {partitions, partition_interleave_bytes, address_map.entry().make(partitions)};
}

void DramConfig::validate() const {
  require(bank_groups <= banks, "dram.bank_groups", "more groups than banks",
          "use at most memory.dram.banks (" + std::to_string(banks) + ")");
  require(t_rc >= t_ras, "dram.tRC", "smaller than tRAS: a row would be reopened before it may close",
          "data sheets have tRC >= tRAS + tRP");
  require(t_cl + burst_cycles() + 2 >= t_wl, "dram.tWL",
          "larger than tCL + burst + 2: written data would arrive after a later read's",
          "use a write latency of at most tCL");
  require(t_rtw == 0 || t_rtw + t_wl >= t_cl + burst_cycles(), "dram.tRTW",
          "written data would meet the data of the read before it on the bus",
          "use at least tCL + burst - tWL (" + std::to_string(t_cl + burst_cycles() - std::min(t_wl, t_cl)) +
              ")");
  // The longest time that a refresh may have to wait for the banks, plus its own duration.
  const std::uint64_t longest = std::uint64_t{t_rc} + t_ras + std::max(t_rcd, t_rcdwr) + t_wl +
                                burst_cycles() + t_wr + t_rp + t_ppd + t_rfc;
  require(t_refi == 0 || t_refi > longest, "dram.tREFI", "no time between refreshes",
          "use more than " + std::to_string(longest) + ", or 0 for none");
}

}  // namespace heddle::memory
