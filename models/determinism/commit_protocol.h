// Between a core's store buffer and the core's commit engine ([GPUDet] §4.4): entries of the logs go out, and
// acknowledgements come back. Both engines serve it: the one that sends COLOR_UPDATEs to the Z-buffer units, and the
// one that locks chunks.
//
//   store buffer --commit_isock--> engine --port--> memory port
//   store buffer <--ack_tsock----- engine
//
// Within the core's cycle only. The engine is called
//   * kTick in the cycle that its last answer or CommitAck named as `due`, before that cycle's kSend; further ones do no
//     harm;
//   * kSend for an entry. Not accepted: nothing has happened; the same or another one may be offered in the next cycle, or,
//     if the answer says `until_ack`, one of this wavefront after its next CommitAck.
// Entries of one wavefront are offered in log order; the engine keeps their order for each chunk. Every accepted entry
// is acknowledged once, when its words (or their losers' verdict) are at the point of coherence: from then on whatever
// reaches L2 finds them.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "core/protocols/protocol_of.h"
#include "determinism/chunk.h"
#include "determinism/depth.h"

namespace heddle::determinism {

struct CommitRequest {
  enum class Op : std::uint8_t {
    kSend,  ///< an entry: `wave_slot`, `chunk`, `data`, `mask`, `depth`
    kTick,  ///< one core cycle
    kResetDepths,  ///< quantum number overflow, nothing is outstanding: every depth of the GPU that this engine may have
    ///< written becomes kNoDepth; CommitAck::Kind::kDepthsReset tells when. (Z-buffer units are reset
    ///< through their own socket, z_buffer_unit.h: this engine then has nothing to do.)
  };
  Op op = Op::kTick;
  base::Cycle cycle = 0;  ///< of the core
  std::uint32_t wave_slot = 0;
  std::uint64_t chunk = 0;  ///< byte address, a multiple of kChunkBytes
  const ChunkData* data = nullptr;
  ByteMask mask{};  ///< of every word all four bytes or none
  Depth depth = 0;  ///< DepthFormat::depth()

  // Answer
  bool accepted = false;   ///< kSend: the engine has copied the entry
  bool until_ack = false;  ///< kSend, not accepted: nothing of this wavefront before its next CommitAck
  base::Cycle due = base::kNever;  ///< when kTick is wanted; kNever: not until a CommitAck says so
};
using CommitProtocol = core::ProtocolOf<CommitRequest>;

/// From the engine, in the core's cycle.
struct CommitAck {
  enum class Kind : std::uint8_t {
    kEntry,        ///< an entry of `wave_slot` (Z_ACK)
    kDepthsReset,  ///< answer to kResetDepths; may come within the call
    kDue,          ///< nothing but a new `due`
  };
  Kind kind = Kind::kEntry;
  std::uint32_t wave_slot = 0;
  base::Cycle due = base::kNever;  ///< as CommitRequest::due
};
using CommitAckProtocol = core::ProtocolOf<CommitAck>;

}  // namespace heddle::determinism

HEDDLE_SOCKETS_ELSEWHERE(heddle::determinism::CommitProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::determinism::CommitAckProtocol);
