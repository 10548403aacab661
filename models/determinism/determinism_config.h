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
  bool constant_flush = true;
  bool assertions = true;
  LogConfig log;
  ZBufferConfig zbuffer;
  LockCommitConfig lock;

  void visit(base::ConfigVisitor& v);
};

}  // namespace heddle::determinism
