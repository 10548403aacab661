#include "tm/commit_port.h"

#include "tm/message_codec.h"

namespace heddle::tm {

CommitPort::CommitPort(core::MemoryPort& port, sim::MemoryPool& pool, const TransactionShared& shared,
                       CoreSignals& signals)
    : pool_(pool), shared_(shared), signals_(signals), client_(port.add_client("transactions")) {
  port_isock_.bind(port.request_tsock[static_cast<unsigned>(client_)]);
  port.response_isock[static_cast<unsigned>(client_)].bind(response_tsock_);
}

void CommitPort::tick(Cycle cycle) {
  if (waiting_.empty() || !room()) return;
  const auto& [partition, message] = waiting_.front();
  sim::MemoryTransaction& transaction = encode(pool_, base::PartitionId{partition}, message);
  transaction.extension.tag = message.group.warp;
  transaction.extension.issued_at = cycle;
  const auto kind = static_cast<unsigned>(message.kind);
  ++counters_.messages[kind];
  const std::uint32_t bytes = shared_.header_bytes + transaction.extension.message.request_bytes;
  counters_.bytes[kind] += bytes;
  counters_.flits[kind] += (bytes + shared_.flit_bytes - 1) / shared_.flit_bytes;
  write(transaction);
  waiting_.pop_front();
}

bool CommitPort::room() { return port_isock_.room(client_); }

void CommitPort::write(sim::MemoryTransaction& write) { port_isock_.send(client_, write); }

void CommitPort::take(core::PortResponse& response) {
  const sim::MemoryExtension& extension = sim::memory_extension(*response.payload);
  if (extension.op == sim::MemoryOp::kWrite) return on_written(WarpId{extension.tag});
  if (extension.message.kind == kNoticeKind)
    on_notice(decode_core_message(extension.message), extension.partition.value());
  else
    on_ids(WarpId{extension.tag}, extension.message.words[0]);
  signals_.wake();
}

}  // namespace heddle::tm
