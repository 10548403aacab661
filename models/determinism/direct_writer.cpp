#include "determinism/direct_writer.h"

#include <cstring>

namespace heddle::determinism {

DirectWriter::DirectWriter(const sc_core::sc_module_name& name, base::CoreId core, sim::MemoryPool& pool,
                           core::MemoryPort& port)
    : sc_module(name), core_(core), pool_(pool), client_(port.add_client(basename())) {
  const auto number = static_cast<std::size_t>(client_);
  port_isock_.bind(port.request_tsock[number]);
  port.response_isock[number].bind(response_tsock_);
}

void DirectWriter::serve(CommitRequest& request) {
  if (request.op != CommitRequest::Op::kSend || !port_isock_.room(client_)) return;
  sim::MemoryTransaction& write = pool_.allocate(sim::MemoryOp::kWrite, request.chunk, kChunkBytes);
  write.extension.core = core_;
  write.extension.tag = request.wave_slot;
  write.extension.issued_at = request.cycle;
  std::memcpy(write.data.data(), request.data->data(), kChunkBytes);
  for (unsigned byte = 0; byte < kChunkBytes; ++byte)
    write.enables[byte] = request.mask.test(byte) ? 0xff : 0;
  port_isock_.send(client_, write);
  request.accepted = true;
}

void DirectWriter::take_response(core::PortResponse& response) {
  ack_isock.call({.wave_slot = sim::memory_extension(*response.payload).tag});
}

}  // namespace heddle::determinism
