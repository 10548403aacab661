// Configuration of deterministic execution: section `determinism` of a platform file ([GPUDet]).
#pragma once

#include <cstdint>
#include <string>

#include "base/config.h"
#include "determinism/config.h"

namespace heddle::determinism {

/// When a barrier that all wavefronts of a CTA have reached lets them go on in the same quantum
/// ([GPUDet] §4.2.1).
enum class BtaRule : std::uint8_t {
  kThesis,     ///< always: CTAs talk through shared memory only
  kEmptyLogs,  ///< if no wavefront of the CTA has stored to global memory in this quantum
  kFlag,       ///< if the code can have stored nothing to global memory since the barrier before
};
enum class Repartition : std::uint8_t { kPerQuantum, kStatic };
/// Number of a CTA slot in the whole GPU ([GPUDet] §4.2.2).
enum class SlotOrder : std::uint8_t { kInterleaved, kCoreMajor };
enum class SerialMode : std::uint8_t { kCore, kWavefront };
/// Stores that write a part of a 32-bit word ([GPUDet] §4.6).
enum class ByteWrites : std::uint8_t { kTrap, kSerialLog };
enum class SearchCost : std::uint8_t { kMetaLines, kPerEntry };

/// One rule of those that determinism needs, left out: tests show that each is missed ([GPUDet:D1] to
/// [GPUDet:D13]).
enum class BrokenRule : std::uint8_t {
  kNone,
  kDrain,          ///< [GPUDet:D3]: a wavefront's parallel mode ends with its loads under way
  kFlush,          ///< [GPUDet:D8]: L1 keeps global lines over the commit
  kLogOrder,       ///< [GPUDet:D5]: log entries are sent as they arrive from memory
  kTailLatch,      ///< a load finds stores that are younger
  kMergeIntoL1,    ///< forwarded bytes go into the L1 line
  kForward,        ///< loads do not look into the log
  kSlotMapping,    ///< [GPUDet:D9]: CTAs go to slots as these become free
  kSerialOrder,    ///< [GPUDet:D10]: atomics as they become ready
  kSerialOverlap,  ///< [GPUDet:D11]: all cores at once
  kSplitOrder,     ///< splits of a warp in order of time
  kReleaseOrder,   ///< barriers let splits go on at once
  kConstantFlush,  ///< the constant cache keeps its lines over the commit
  // Of the Z-buffer units (ZBufferRules)
  kDepthLess,       ///< [GPUDet:Z1], [GPUDet:D6]: an entry whose depth is equal loses
  kAnyReady,        ///< [GPUDet:Z2]: requests to a chunk are scheduled in any order
  kLateWake,        ///< [GPUDet:Z2]: waiting requests are ready a clock after the release
  kSetFullBlocked,  ///< [GPUDet:Z3]: a request that finds all ways locked waits for an address
  kFifoOrder,       ///< [GPUDet:Z4]
  kEarlyAck,        ///< acknowledged when the colours enter the FIFO to L2 ([GPUDet:S2])
  kLockIgnored,     ///< a locked line hits
  kLosersWritten,   ///< words that fail the depth test are written, too
  kDepthReset,      ///< [GPUDet] §4.4.2: depths stay when the number of quanta overflows
  // Of the machine (a network that reorders: memory.crossbar.perturb_order)
  kCoalescerWinner,  ///< [GPUDet:D1]: of lanes that store to the same word now the highest wins, now the lowest
  kLogPipeline,      ///< [GPUDet:D2]: appends of stores wait, and searches of later loads pass them
  kParallelStores,  ///< [GPUDet:D7]: stores of parallel modes go to L2
  kCycleQuota,      ///< [GPUDet:D12]: quanta are counted in cycles
};

/// What accesses to logs cost.
enum class LogCost : std::uint8_t { kMemory, kNone };

struct LogConfig {
  std::string bloom_bits = "1024";
  std::uint32_t capacity = 8192;
  SearchCost search_cost = SearchCost::kMetaLines;
  LogCost cost = LogCost::kMemory;
  void visit(base::ConfigVisitor& v);
};

struct DeterminismConfig {
  bool enabled = false;
  std::uint32_t quantum_size = 200;
  bool bta = true;
  BtaRule bta_rule = BtaRule::kEmptyLogs;
  bool bta_strict = false;
  bool dwp = true;
  Repartition dwp_repartition = Repartition::kPerQuantum;
  SlotOrder slot_order = SlotOrder::kInterleaved;
  CommitEngineKind commit_engine = CommitEngineKind::kZBuffer;
  SerialMode serial_mode = SerialMode::kCore;
  ByteWrites byte_writes = ByteWrites::kTrap;
  std::uint32_t barrier_cycles = 0;
  std::uint32_t l1_flush_cycles = 0;
  std::uint32_t work_dist_cycles = 0;
  std::uint32_t wavefront_bits = 0;
  std::uint32_t livelock_quanta = 256;
  BrokenRule broken_rule = BrokenRule::kNone;
  bool assertions = true;
  LogConfig log;
  ZBufferConfig zbuffer;
  LockCommitConfig lock;

  void visit(base::ConfigVisitor& v);
  [[nodiscard]] bool broken(BrokenRule rule) const { return broken_rule == rule; }
  /// Of the Z-buffer units.
  [[nodiscard]] ZBufferRules z_rules() const;
};

}  // namespace heddle::determinism
