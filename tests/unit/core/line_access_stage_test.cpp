// Which loads look into L1: by cache operator, scope and configuration. What accesses do is tested with L1 and memory (lsu_test.cpp).
#include "core/memory/line_access_stage.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <systemc>

#include "instruction.h"

namespace heddle::core::line_access_stage_test {
namespace {

using isa::CacheOp;
using isa::MemoryScope;

struct Case {
  std::string name;
  CacheOp cache_op = CacheOp::kDefault;
  MemoryScope scope = MemoryScope::kGpu;
  bool cache_global_loads = true;
  MemoryModel model = MemoryModel::kLegacy;
  bool bypasses = false;
  friend void PrintTo(const Case& which, std::ostream* out) { *out << which.name; }
};

/// Ports are made in modules only.
struct Ports : sc_core::sc_module {
  explicit Ports(const sc_core::sc_module_name& name) : sc_module(name) {}
  L1dPort l1d{"l1d"};
  MemoryAccessPort port{"port"};
};

class LineAccesses : public ::testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] static bool bypasses(const CoreConfig& config, CacheOp cache_op, MemoryScope scope) {
    sim::MemoryPool pool;
    PendingRequestTable requests(64);
    const LoadDataPath loads(config.l1d, base::CoreId{0}, nullptr);
    Ports ports("ports");
    const LineAccessStage stage(config, base::CoreId{0}, pool, requests, loads, nullptr, ports.l1d,
                                ports.port);
    isa::Instruction load = instruction({0}, {1}, isa::Opcode::kLoad);
    load.cache_op = cache_op;
    load.scope = scope;
    return stage.bypasses_l1(load);
  }
};

TEST_P(LineAccesses, a_load_looks_into_l1_or_not) {
  const Case& which = GetParam();
  CoreConfig config;
  config.l1d.cache_global_loads = which.cache_global_loads;
  config.memory_model = which.model;
  EXPECT_EQ(bypasses(config, which.cache_op, which.scope), which.bypasses);
}

TEST_P(LineAccesses, without_l1_all_pass_it) {
  CoreConfig config;
  config.l1d.enabled = false;
  EXPECT_TRUE(bypasses(config, GetParam().cache_op, GetParam().scope));
}

INSTANTIATE_TEST_SUITE_P(
    Of, LineAccesses,
    ::testing::Values(
        Case{.name = "weak"}, Case{.name = "weak_uncached", .cache_global_loads = false, .bypasses = true},
        Case{.name = "ca_uncached", .cache_op = CacheOp::kCacheAll, .cache_global_loads = false},
        Case{.name = "nc_uncached", .cache_op = CacheOp::kNonCoherent, .cache_global_loads = false},
        Case{.name = "cg", .cache_op = CacheOp::kCacheGlobal, .bypasses = true},
        Case{.name = "volatile", .cache_op = CacheOp::kVolatile, .bypasses = true},
        Case{.name = "strong_cta_legacy",
             .cache_op = CacheOp::kVolatile,
             .scope = MemoryScope::kCta,
             .bypasses = true},
        Case{.name = "strong_cta_scoped",
             .cache_op = CacheOp::kVolatile,
             .scope = MemoryScope::kCta,
             .model = MemoryModel::kScoped},
        Case{.name = "strong_cta_scoped_uncached",
             .cache_op = CacheOp::kVolatile,
             .scope = MemoryScope::kCta,
             .cache_global_loads = false,
             .model = MemoryModel::kScoped,
             .bypasses = true},
        Case{.name = "strong_gpu_scoped",
             .cache_op = CacheOp::kVolatile,
             .model = MemoryModel::kScoped,
             .bypasses = true}),
    [](const auto& which) { return which.param.name; });

}  // namespace
}  // namespace heddle::core::line_access_stage_test
