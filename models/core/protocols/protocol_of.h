// The block sockets inside a core: every exchange is one b_transport call in zero time. The caller fills the request
// part of the payload, the block fills the answer part. Callers use the port beside the protocol (sim/block_socket.h).
#pragma once

#include <tlm>

#include "sim/block_socket.h"

namespace heddle::core {

/// Protocol traits of a payload type.
template <class Request>
struct ProtocolOf {
  using tlm_payload_type = Request;
  using tlm_phase_type = tlm::tlm_phase;
};

}  // namespace heddle::core
