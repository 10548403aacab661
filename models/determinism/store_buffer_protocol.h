// Between a core's quantum unit and its store buffer.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"
#include "determinism/depth.h"

namespace heddle::determinism {

struct StoreBufferRequest {
  enum class Op : std::uint8_t {
    kAsk,       ///< of `warp`, see the answer
    kParallel,  ///< a quantum begins; `watch`: kAsk is to give digests of logs
    kCommit,  ///< all logs go to the commit engine, but those that are committed serially; kCommitted tells the end
    kEndCommit,  ///< the logs are empty again, but those; L1 and constant cache forget what is not the core's own
    kSerialLog,    ///< the log of `warp` is written to memory, entry by entry; kSerialDone tells the end
    kResetDepths,  ///< of what the commit engine has written (quantum overflow); kDepthsReset tells the end
  };
  Op op = Op::kAsk;
  base::WarpId warp{};
  std::uint32_t quantum = 0;  ///< kCommit
  base::Cycle cycle = 0;      ///< kResetDepths: of the core
  bool watch = false;         ///< kParallel

  // Answer of kAsk
  bool quiet = false;         ///< no memory operation of the warp is on its way, appends included
  bool has_partial = false;   ///< its log is committed serially
  std::uint32_t entries = 0;  ///< of its log
  std::uint64_t digest = 0;   ///< of all that was appended to its log in this quantum
};
using StoreBufferProtocol = core::ProtocolOf<StoreBufferRequest>;

/// To the quantum unit, within the core's cycle.
struct StoreBufferEvent {
  enum class Kind : std::uint8_t {
    kBeginLaunch,  ///< of `launch`
    kStartCta,     ///< `cta` has its warp slots
    kQuiet,        ///< the last operation of `warp` is done
    kCommitted,
    kSerialDone,
    kDepthsReset,
  };
  Kind kind = Kind::kQuiet;
  const core::LaunchContext* launch = nullptr;
  const core::CtaContext* cta = nullptr;
  base::WarpId warp{};
};
using StoreBufferEventProtocol = core::ProtocolOf<StoreBufferEvent>;

}  // namespace heddle::determinism

HEDDLE_SOCKETS_ELSEWHERE(heddle::determinism::StoreBufferProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::determinism::StoreBufferEventProtocol);
