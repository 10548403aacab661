// ld.const and ld.param in the load/store unit: the distinct addresses of an operation, which the constant cache serves one
// a call. Times are core cycles.
#pragma once

#include <cstdint>

#include "base/stats.h"
#include "core/memory/constant_cache.h"
#include "core/memory/load_data_path.h"
#include "core/memory/lsu_stall.h"
#include "core/memory/memory_instruction.h"
#include "core/memory/pending_request_table.h"

namespace heddle::core {

class ConstantAccessStage {
 public:
  /// All of them outlive the stage. `port` is the load/store unit's.
  ConstantAccessStage(const ConstantCacheConfig& config, PendingRequestTable& requests,
                      const LoadDataPath& loads, ConstantPort& port)
      : uniform_at_issue_(config.uniform_at_issue),
        latency_cycles_(config.latency_cycles),
        requests_(requests),
        load_path_(loads),
        port_(port) {}
  void declare(base::StatGroup& stats) {
    stats.counter("constant_accesses", "addresses", "distinct addresses read by ld.const and ld.param",
                  &accesses_);
  }

  /// Serves the operation's next access or sends for it; otherwise says what it waits for, to be asked again.
  LsuStall access(MemoryInstruction& op, Cycle cycle) { return access(op, cycle, latency_cycles_ - 1); }
  /// Whether the operation asks the cache as it issues, not in the queue (core.constant_cache.uniform_at_issue).
  [[nodiscard]] bool at_issue(const MemoryInstruction& op) const {
    return uniform_at_issue_ && op.constant && op.instruction->codes.pipe == isa::CodePipe::kUniformMove &&
           op.access_count == 1;
  }
  LsuStall access_at_issue(MemoryInstruction& op, Cycle cycle) { return access(op, cycle, 1); }
  /// A value that was sent for.
  void take(const ConstantValue& value);

 private:
  /// `hit`: cycles until the value of one that hits the first level is there.
  LsuStall access(MemoryInstruction& op, Cycle cycle, Cycle hit);

  bool uniform_at_issue_;
  std::uint32_t latency_cycles_;
  PendingRequestTable& requests_;
  const LoadDataPath& load_path_;
  ConstantPort& port_;
  std::uint64_t accesses_ = 0;
};

}  // namespace heddle::core
