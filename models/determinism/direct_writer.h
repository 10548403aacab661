// Writes entries of logs to memory without any depth: for logs that are committed serially ([GPUDet] §4.6), one after the
// other and each in order. Serves the protocol of commit engines.
#pragma once

#include <cstdint>
#include <systemc>

#include "base/stats.h"
#include "core/memory/memory_port.h"
#include "determinism/commit_protocol.h"
#include "sim/block_socket.h"
#include "sim/memory_payload.h"

namespace heddle::determinism {

class DirectWriter : public sc_core::sc_module {
 public:
  /// Becomes a client of the core's memory port.
  DirectWriter(const sc_core::sc_module_name& name, base::CoreId core, sim::MemoryPool& pool,
               core::MemoryPort& port);

 private:
  void serve(CommitRequest& request);
  void take_response(core::PortResponse& response);

 public:
  sim::BlockTarget<CommitProtocol, DirectWriter, &DirectWriter::serve> commit_tsock{"commit_tsock", this};
  sim::BlockInitiator<CommitAckProtocol> ack_isock{"ack_isock"};

 private:
  core::MemoryAccessPort port_isock_{"port_isock"};
  sim::BlockTarget<core::PortResponseProtocol, DirectWriter, &DirectWriter::take_response> response_tsock_{
      "response_tsock", this};
  base::CoreId core_;
  sim::MemoryPool& pool_;
  core::PortClient client_;
};

}  // namespace heddle::determinism
