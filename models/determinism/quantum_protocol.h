// Between the quantum sequencer and the quantum units of the cores ([GPUDet] §4.2).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "core/protocols/protocol_of.h"

namespace heddle::determinism {

/// Why a wavefront's parallel mode ended ([GPUDet] §4.2).
enum class EndReason : std::uint8_t {
  kNone,    ///< it has not
  kCount,   ///< it has executed as many instructions as a quantum has
  kAtomic,  ///< its next instruction must execute in serial mode
  kFence,
  kBarrier,  ///< all of it waits
  kExit,
  kLogFull,  ///< its next store might not fit into the log
};
inline constexpr unsigned kEndReasons = static_cast<unsigned>(EndReason::kLogFull) + 1;
inline constexpr std::array<const char*, kEndReasons> kEndReasonNames{"none",    "count", "atomic",  "fence",
                                                                      "barrier", "exit",  "log_full"};

/// A wavefront at the end of a quantum.
struct WaveRecord {
  std::uint32_t core = 0;
  std::uint32_t wave_slot = 0;
  std::uint64_t cta = 0;
  std::uint32_t count = 0;  ///< instructions in the quantum, those of CTAs before in the slot included
  EndReason reason = EndReason::kNone;
};

/// Sequencer to unit, in the system's turn of an instant.
struct QuantumRequest {
  enum class Op : std::uint8_t {
    kParallel,  ///< a quantum begins: wavefronts may issue
    kSettle,    ///< decide what has to be decided; `again` asks for the next cycle
    kAskSlot,   ///< of a CTA slot whose CTA has ended: `below_quota`
    kCommit,    ///< of quantum `quantum`; unless `idle` kCommitted tells the end
    kEndCommit,  ///< logs are empty, caches forget; `atomics`, `partial_logs` say whether it has work in serial mode
    kSerialLogs,     ///< its logs with partial words are written; kSerialDone tells the end
    kSerialAtomics,  ///< its atomics execute; kSerialDone tells the end
    kEndQuantum,     ///< adds to `records`, if that is there
    kResetDepths,    ///< that its commit engine has written; kDepthsReset tells the end
  };
  Op op = Op::kSettle;
  base::Cycle cycle = 0;  ///< of the core
  std::uint32_t quantum = 0;
  base::CtaSlot slot{};
  std::vector<WaveRecord>* records = nullptr;
  bool watch = false;  ///< kParallel: kCommit and kEndQuantum are to give digests

  // Answer
  bool again = false;
  bool below_quota = false;
  bool idle = false;
  bool atomics = false;
  bool partial_logs = false;
  bool host_calls = false;   ///< kEndCommit: some of the atomics are calls of the host
  std::uint64_t issued = 0;  ///< kEndQuantum: instructions, in both modes
  /// kEndQuantum: of the states of the wavefronts, and of all that they have stored in the quantum.
  std::uint64_t digest = 0;
  /// kEndQuantum: of what wavefronts were and did, without anything that a fence's time decides.
  std::uint64_t path_digest = 0;
  std::uint64_t log_digest = 0;  ///< kCommit: of all logs
};
using QuantumProtocol = core::ProtocolOf<QuantumRequest>;

/// Unit to sequencer.
struct QuantumReport {
  enum class Kind : std::uint8_t {
    kDirty,      ///< it wants kSettle
    kSlotEnded,  ///< all wavefronts of `slot` have ended their parallel modes, and some live
    kCommitted,
    kSerialDone,
    kDepthsReset,
    kAtomic,  ///< if watched: `warp` executes the instruction at `pc` in serial mode
  };
  Kind kind = Kind::kDirty;
  std::uint32_t core = 0;
  base::CtaSlot slot{};
  base::WarpId warp{};
  base::Pc pc{};
};
using QuantumReportProtocol = core::ProtocolOf<QuantumReport>;

}  // namespace heddle::determinism

HEDDLE_SOCKETS_ELSEWHERE(heddle::determinism::QuantumProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::determinism::QuantumReportProtocol);
