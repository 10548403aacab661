// How full warps are when they issue: the buckets W1-4, W5-8 ... W29-32 of [TBC] §3.6.1. The other cycles of that
// figure are causes of issue.slots. Costs no hardware: it is how the model is measured.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "core/core_extension.h"
#include "sim/block_socket.h"

namespace heddle::compaction {

/// For the registry of core units: key core.simd_statistics.
[[nodiscard]] core::CoreUnit simd_statistics_core_unit();

struct SimdStatisticsConfig {
  bool enabled = false;

  void visit(base::ConfigVisitor& v);
};

class SimdStatistics : public sc_core::sc_module, public core::CoreExtension {
 public:
  SimdStatistics(const sc_core::sc_module_name& name, const core::CoreExtensionSite& site);
  [[nodiscard]] std::vector<TapTarget*> taps() override { return {&tap_tsock}; }

 private:
  void tap(core::IssueTapRequest& request);

 public:
  sim::BlockTarget<core::IssueTapProtocol, SimdStatistics, &SimdStatistics::tap> tap_tsock{"tap_tsock", this};

 private:
  static constexpr unsigned kBucketLanes = 4;
  static constexpr unsigned kBuckets = base::kLanes / kBucketLanes;
  std::array<std::uint64_t, kBuckets> issued_{};
  std::uint64_t none_ = 0;
  std::array<std::uint64_t, kBuckets> memory_{};  ///< loads, stores and atomics
  std::uint64_t home_warps_ = 0, mixed_ = 0;
};

}  // namespace heddle::compaction
