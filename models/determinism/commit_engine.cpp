#include "determinism/commit_engine.h"

#include <stdexcept>

#include "determinism/lock_commit.h"
#include "determinism/z_buffer_commit.h"

namespace heddle::determinism {

CommitEngine::CommitEngine(const sc_core::sc_module_name& name, const CommitSite& site)
    : sc_module(name), pool_(site.pool), map_(site.map), client_(site.port.add_client("entries")) {
  port_isock.bind(site.port.request_tsock[static_cast<unsigned>(client_)]);
  site.port.response_isock[static_cast<unsigned>(client_)].bind(response_tsock);
  site.stats.counter("entries", "entries", "of store buffers, accepted", &entries_);
  site.stats.counter("acks", "entries", "acknowledged", &acks_);
  site.stats.counter("refused", "entries", "offers while the engine could take none", &refused_);
}

void CommitEngine::serve(CommitRequest& request) {
  switch (request.op) {
    case CommitRequest::Op::kSend:
      send(request);
      ++(request.accepted ? entries_ : refused_);
      if (request.accepted && partial_words(request.mask) != 0)
        throw std::logic_error("an entry divides a word, and there is one depth for it");
      break;
    case CommitRequest::Op::kTick:
      tick(request.cycle);
      break;
    case CommitRequest::Op::kResetDepths:
      reset_depths(request.cycle);
      break;
  }
  request.due = due();
}

void CommitEngine::take_response(core::PortResponse& response) {
  receive(static_cast<sim::MemoryTransaction&>(*response.payload), response.cycle);
}

bool CommitEngine::room() { return port_isock.room(client_); }

void CommitEngine::put(sim::MemoryTransaction& transaction, base::Cycle cycle) {
  transaction.extension.issued_at = cycle;
  port_isock.send(client_, transaction);
}

void CommitEngine::report(CommitAck::Kind kind, std::uint32_t wave_slot) {
  ack_isock.call({kind, wave_slot, due()});
}

std::unique_ptr<CommitEngine> make_commit_engine(const sc_core::sc_module_name& name, CommitEngineKind kind,
                                                 const ZBufferConfig& z_buffer, const LockCommitConfig& lock,
                                                 const CommitSite& site) {
  if (kind == CommitEngineKind::kLock) return std::make_unique<LockCommit>(name, lock, site);
  return std::make_unique<ZBufferCommit>(name, z_buffer, site);
}

}  // namespace heddle::determinism
