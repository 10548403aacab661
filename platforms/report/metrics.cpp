#include "report/metrics.h"

#include <limits>

namespace heddle::report {
namespace {

using Values = std::span<const double>;

double quotient(double part, double whole) { return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN(); }

double itself(Values v, const Machine&) { return v[0]; }
double first_by_second(Values v, const Machine&) { return quotient(v[0], v[1]); }
/// Of v[0], counted in all cores, for each core cycle of each core.
double by_core_cycles(Values v, const Machine& m) { return quotient(v[0], v[1] * m.cores); }
/// v[1] are the cycles; clocks other than the core's have fewer or more of them.
double by_cycles_of(double count, double cycles, double mhz, const Machine& m, double units) {
  return quotient(count, cycles * mhz / m.core_mhz * units);
}

constexpr Shown kFirst{.first = true, .axis = true, .hidden = false};
constexpr Shown kColumn{.first = true, .axis = false, .hidden = false};
constexpr Shown kOnRequest{};
constexpr const char* kCycles = "total.cycles";

std::vector<Metric> make() {
  return {
      {"cycles", "Cycles", "core cycles", "core cycles of all launches", Better::kLess, kFirst, {kCycles}, itself},
      {"ipc", "IPC", "per cycle", "warp instructions per core cycle, of the whole GPU", Better::kMore, kFirst, {"total.ipc"}, itself},
      {"simd_efficiency", "SIMD efficiency", "share", "active lanes of issued warp instructions, of 32", Better::kMore, kColumn, {"total.simd_efficiency"}, itself},
      {"l1d_hits", "L1D hits", "share", "load line accesses that found all their bytes in L1D", Better::kMore, kColumn, {"total.l1d.rate"}, itself},
      {"l2_hits", "L2 hits", "share", "requests that found their line in L2; joining a fetch under way is no hit", Better::kMore, kColumn, {"total.l2.rate"}, itself},
      {"dram_gbs", "DRAM", "GB/s", "bytes read from and written to DRAM, by time", Better::kNeither, kColumn, {"total.dram.gigabytes_per_second"}, itself},
      {"energy_uj", "Energy", "uJ", "dynamic energy of counted events, for ratios between runs only (models/energy)", Better::kLess, kFirst, {"total.energy.dynamic_femtojoules"},
       [](Values v, const Machine&) { return v[0] * 1e-9; }},
      {"issued", "Slots that issue", "share", "issue slots in which an instruction issued", Better::kMore, kOnRequest, {"total.issue_slots.by_cause.issued", "total.issue_slots.all"}, first_by_second},
      {"warp_instructions", "Warp instructions", "", "warp instructions issued", Better::kLess, kOnRequest, {"total.warp_instructions"}, itself},
      {"thread_instructions", "Thread instructions", "", "active lanes summed over issued instructions", Better::kNeither, kOnRequest, {"total.thread_instructions"}, itself},
      {"thread_ipc", "Thread IPC", "per cycle", "thread instructions per core cycle, of the whole GPU", Better::kMore, kOnRequest, {"total.thread_instructions", kCycles}, first_by_second},
      {"intensity", "Intensity", "per byte", "thread instructions per byte of DRAM traffic", Better::kMore, kOnRequest,
       {"total.thread_instructions", "total.dram.read_bytes", "total.dram.write_bytes"}, [](Values v, const Machine&) { return quotient(v[0], v[1] + v[2]); }},
      {"divergence", "Divergent branches", "share", "branches whose lanes went to more than one place", Better::kLess, kOnRequest, {"core.branch_unit.divergences", "core.branch_unit.branches"}, first_by_second},
      {"load_latency", "Load latency", "core cycles", "of warp loads and atomics, from issue to write-back, on average", Better::kLess, kOnRequest, {"core.lsu.load_latency_sum", "core.lsu.load_latency_count"}, first_by_second},
      {"dram_bytes", "DRAM traffic", "bytes", "bytes read from and written to DRAM", Better::kLess, kOnRequest, {"total.dram.read_bytes", "total.dram.write_bytes"},
       [](Values v, const Machine&) { return v[0] + v[1]; }},
      {"row_hits", "DRAM row hits", "share", "requests that found their row open", Better::kMore, kOnRequest, {"total.dram.row_hit_rate"}, itself},
      {"core_active", "Cores active", "share", "core cycles in which a core had something to do", Better::kNeither, kOnRequest, {"core.issue.active_cycles", kCycles}, by_core_cycles, true},
      {"occupancy", "Occupancy", "share", "warps on the cores by the warps that fit onto them", Better::kNeither, kOnRequest, {"core.occupancy.warp_cycles", kCycles},
       [](Values v, const Machine& m) { return quotient(v[0], v[1] * m.cores * m.max_warps); }, true},
      {"fetch_busy", "Fetch in use", "share", "core cycles in which the fetch unit was used", Better::kNeither, kOnRequest, {"core.fetch.fetches", kCycles}, by_core_cycles, true},
      {"register_busy", "Register reads", "share", "operand rows read, of those that the banks' ports can read", Better::kNeither, kOnRequest, {"core.register_file.reads", kCycles},
       [](Values v, const Machine& m) { return quotient(v[0], v[1] * m.cores * m.register_ports); }, true},
      {"lsu_busy", "Load/store lines", "share", "line accesses per core cycle of the load/store units, which make one a cycle", Better::kNeither, kOnRequest, {"core.lsu.line_accesses", kCycles}, by_core_cycles, true},
      {"shared_busy", "Shared memory in use", "share", "passes over the banks per core cycle, at most one", Better::kNeither, kOnRequest, {"core.shared_memory.accesses", kCycles, "core.shared_memory.conflict_passes"},
       [](Values v, const Machine& m) { return quotient(v[0] + v[2], v[1] * m.cores); }, true},
      {"request_links", "Crossbar, requests", "share", "interconnect cycles in which links to partitions carried a flit", Better::kNeither, kOnRequest, {"crossbar.requests.flits", kCycles},
       [](Values v, const Machine& m) { return by_cycles_of(v[0], v[1], m.interconnect_mhz, m, m.partitions); }, true},
      {"response_links", "Crossbar, responses", "share", "interconnect cycles in which links to cores carried a flit", Better::kNeither, kOnRequest, {"crossbar.responses.flits", kCycles},
       [](Values v, const Machine& m) { return by_cycles_of(v[0], v[1], m.interconnect_mhz, m, m.response_links); }, true},
      {"l2_busy", "L2 in use", "share", "requests performed by L2 cycles of all banks", Better::kNeither, kOnRequest, {"partition.l2.responses", kCycles},
       [](Values v, const Machine& m) { return by_cycles_of(v[0], v[1], m.l2_mhz, m, m.partitions * m.l2_banks); }, true},
      {"dram_busy", "DRAM in use", "share", "DRAM cycles in which the data buses were taken", Better::kNeither, kOnRequest, {"partition.dram.data_cycles", kCycles},
       [](Values v, const Machine& m) { return by_cycles_of(v[0], v[1], m.dram_mhz, m, m.partitions); }, true},
  };
}

}  // namespace

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> all = make();
  return all;
}

}  // namespace heddle::report
