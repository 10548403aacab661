// A core's commit engine: takes the entries of the store buffer (commit_protocol.h) to memory as a client of the core's
// memory port. The base of the two that there are.
#pragma once

#include <memory>
#include <systemc>

#include "base/stats.h"
#include "core/memory/memory_port.h"
#include "determinism/commit_protocol.h"
#include "determinism/config.h"
#include "memory/address_map.h"
#include "sim/block_socket.h"
#include "sim/memory_payload.h"

namespace heddle::determinism {

/// Where an engine is made. `port` and `pool` outlive it.
struct CommitSite {
  core::MemoryPort& port;
  sim::MemoryPool& pool;
  const memory::AddressMap& map;
  std::uint32_t wave_slots;  ///< of the core
  base::StatGroup& stats;    ///< the engine's own
};

class CommitEngine : public sc_core::sc_module {
  void serve(CommitRequest& request);
  void take_response(core::PortResponse& response);

 public:
  sim::BlockTarget<CommitProtocol, CommitEngine, &CommitEngine::serve> commit_tsock{"commit_tsock", this};
  sim::BlockInitiator<CommitAckProtocol> ack_isock{"ack_isock"};
  core::MemoryAccessPort port_isock{"port_isock"};
  sim::BlockTarget<core::PortResponseProtocol, CommitEngine, &CommitEngine::take_response> response_tsock{
      "response_tsock", this};

  /// Entries accepted and not acknowledged.
  [[nodiscard]] std::uint64_t outstanding() const { return entries_ - acks_; }

 protected:
  CommitEngine(const sc_core::sc_module_name& name, const CommitSite& site);

  /// kSend; the request's `accepted` is the answer.
  virtual void send(CommitRequest& request) = 0;
  virtual void tick(base::Cycle cycle) = 0;
  virtual void reset_depths(base::Cycle cycle) = 0;
  virtual void receive(sim::MemoryTransaction& response, base::Cycle cycle) = 0;
  /// When tick() is wanted.
  [[nodiscard]] virtual base::Cycle due() const = 0;

  /// Whether the port takes a transaction.
  [[nodiscard]] bool room();
  /// After room(). The reference goes to the port.
  void put(sim::MemoryTransaction& transaction, base::Cycle cycle);
  void acknowledge(std::uint32_t wave_slot) {
    ++acks_;
    report(CommitAck::Kind::kEntry, wave_slot);
  }
  void depths_are_reset() { report(CommitAck::Kind::kDepthsReset); }
  void due_changed() { report(CommitAck::Kind::kDue); }

  sim::MemoryPool& pool_;
  const memory::AddressMap map_;

 private:
  void report(CommitAck::Kind kind, std::uint32_t wave_slot = 0);

  core::PortClient client_;
  std::uint64_t entries_ = 0;
  std::uint64_t acks_ = 0;
  std::uint64_t refused_ = 0;
};

[[nodiscard]] std::unique_ptr<CommitEngine> make_commit_engine(const sc_core::sc_module_name& name,
                                                               CommitEngineKind kind,
                                                               const ZBufferConfig& z_buffer,
                                                               const LockCommitConfig& lock,
                                                               const CommitSite& site);

}  // namespace heddle::determinism
