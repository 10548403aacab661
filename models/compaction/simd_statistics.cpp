#include "compaction/simd_statistics.h"

#include "base/config.h"
#include "isa/instruction.h"

namespace heddle::compaction {

void SimdStatisticsConfig::visit(base::ConfigVisitor& v) {
  v.field("simd_statistics", enabled,
          {.unit = "", .doc = "count issues by the number of lanes that execute, in fours (coreN.simd)"});
}

core::CoreUnit simd_statistics_core_unit() {
  return {"simd_statistics", "statistics of SIMD efficiency: issues by lanes",
          base::ConfigOption::fields<SimdStatisticsConfig>("simd_statistics"),
          [](const core::CoreConfig& config) -> core::CoreExtensionFactory {
            if (!config.units.get<SimdStatisticsConfig>("simd_statistics").enabled) return nullptr;
            return [](const core::CoreExtensionSite& site) {
              return std::make_unique<SimdStatistics>("simd", site);
            };
          }};
}

SimdStatistics::SimdStatistics(const sc_core::sc_module_name& name, const core::CoreExtensionSite& site)
    : sc_module(name) {
  const std::vector<std::string> buckets{"w1_4",   "w5_8",   "w9_12",  "w13_16",
                                         "w17_20", "w21_24", "w25_28", "w29_32"};
  base::StatGroup& stats = site.stats.child("simd", "how full warps are when they issue");
  stats.counters("issued", "warp-instructions", "by lanes that execute", buckets, issued_.data());
  stats.counter("no_lanes", "warp-instructions", "whose guard held for no lane", &none_);
  stats.counters("memory", "warp-instructions", "of these, loads, stores and atomics", buckets,
                 memory_.data());
  stats.counter("mixed", "warp-instructions", "with lanes of several home warps", &mixed_);
  stats.counter("home_warps", "home warps", "of these instructions, summed", &home_warps_);
}

void SimdStatistics::tap(core::IssueTapRequest& request) {
  if (request.op == core::IssueTapRequest::Op::kInterest) {
    request.wanted = true;
    return;
  }
  const isa::Instruction& instruction = *request.instruction;
  const base::LaneMask lanes = instruction.op == isa::Opcode::kBranch ? request.mask : request.exec;
  if (lanes.none()) {
    ++none_;
    return;
  }
  const unsigned bucket = (lanes.count() - 1) / kBucketLanes;
  ++issued_[bucket];
  if (instruction.unit == isa::Unit::kMemory) ++memory_[bucket];
  const std::uint32_t homes = request.operands->homes(lanes);
  if (homes == 1) return;
  ++mixed_;
  home_warps_ += homes;
}

}  // namespace heddle::compaction
