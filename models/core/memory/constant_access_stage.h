// ld.const and ld.param in the load/store unit: the distinct addresses of an operation, which the constant cache serves one
// a call. Times are core cycles.
#pragma once

#include <cstdint>

#include "base/stats.h"
#include "core/memory/address_resolver.h"
#include "core/memory/constant_cache.h"
#include "core/memory/load_data_path.h"
#include "core/memory/lsu_stall.h"
#include "core/memory/memory_instruction.h"
#include "core/memory/pending_request_table.h"
#include "host/allocation.h"

namespace heddle::core {

class ConstantAccessStage {
 public:
  /// All of them outlive the stage. `port` is the load/store unit's.
  ConstantAccessStage(const ConstantCacheConfig& config, AddressResolver& resolver,
                      const host::AllocationTable& allocations, PendingRequestTable& requests,
                      const LoadDataPath& loads, ConstantPort& port)
      : latency_cycles_(config.latency_cycles),
        resolver_(resolver),
        allocations_(allocations),
        requests_(requests),
        load_path_(loads),
        port_(port) {}
  void declare(base::StatGroup& stats) {
    stats.counter("constant_accesses", "addresses", "distinct addresses read by ld.const and ld.param",
                  &accesses_);
  }

  /// Fills in the operation's accesses, one a distinct address. Throws base::KernelFault for an address that is misaligned
  /// or out of bounds.
  void resolve(MemoryInstruction& op, const AccessContext& context);
  /// Serves the operation's next access or sends for it; otherwise says what it waits for, to be asked again.
  LsuStall access(MemoryInstruction& op, Cycle cycle);
  /// A value that was sent for.
  void take(const ConstantValue& value);

 private:
  std::uint32_t latency_cycles_;
  AddressResolver& resolver_;
  const host::AllocationTable& allocations_;
  PendingRequestTable& requests_;
  const LoadDataPath& load_path_;
  ConstantPort& port_;
  std::uint64_t accesses_ = 0;
};

}  // namespace heddle::core
