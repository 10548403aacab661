// Memory port: what leaves a core for memory, and what comes back.
#pragma once

#include <cstdint>
#include <optional>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"
#include "sim/memory_payload.h"

namespace heddle::core {

/// Blocks of a core that use its memory port: those that every core has; MemoryPort::add_client() numbers further
/// ones.
enum class PortClient : std::uint8_t { kData, kInstruction, kConstant };
inline constexpr unsigned kPortClients = 3;  ///< that every core has
inline constexpr unsigned kMostPortClients = 32;

struct PortRequest {
  enum class Op : std::uint8_t {
    kRoom,     ///< may something be sent?
    kSend,     ///< `transaction` goes to memory (room was announced); the port takes over the reference
    kDeliver,  ///< the core's memory stage begins: one response goes to the client it belongs to
    kTick,     ///< the core's memory stage ends: the oldest request is put on the crossbar
  };
  Op op = Op::kRoom;
  PortClient client = PortClient::kData;
  sim::MemoryTransaction* transaction = nullptr;
  Cycle cycle = 0;

  // Answer
  bool delivered = false;  ///< kDeliver: a response went to `client`
  bool room = false;       ///< it has room
};
using PortProtocol = ProtocolOf<PortRequest>;

/// Towards the memory port.
class MemoryAccessPort : public sim::BlockInitiator<PortProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = PortRequest::Op;

  /// A client that was refused keeps its turn while it asks in every cycle.
  [[nodiscard]] bool room(PortClient client) { return call({.op = Op::kRoom, .client = client}).room; }
  void send(PortClient client, sim::MemoryTransaction& transaction) {
    call({.op = Op::kSend, .client = client, .transaction = &transaction});
  }
  /// Whether a response went to a client, and to which.
  [[nodiscard]] std::optional<PortClient> deliver(Cycle cycle) {
    PortRequest request{.op = Op::kDeliver, .cycle = cycle};
    call(request);
    return request.delivered ? std::optional(request.client) : std::nullopt;
  }
  void tick(Cycle cycle) { call({.op = Op::kTick, .cycle = cycle}); }
};

/// A response for a client, which must not keep the payload beyond the call.
struct PortResponse {
  tlm::tlm_generic_payload* payload = nullptr;
  Cycle cycle = 0;
};
using PortResponseProtocol = ProtocolOf<PortResponse>;

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::PortProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::core::PortResponseProtocol);
