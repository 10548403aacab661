// A core's connection to the crossbar: request queue towards it, response queue from it, and the four phases
// of the memory protocol (sim/memory_payload.h). Several blocks of the core share it (load/store unit,
// instruction cache, constant cache): each has a socket to send requests and one on which it receives its
// responses. Mechanisms add further clients (add_client). One request is put on the crossbar and one response
// delivered per core cycle.
//
// A client that was refused has an entry kept for it as long as it asks in every cycle, the one that
// waits longest first: otherwise the load/store unit, which asks first, would keep the instruction cache out
// for as long as warps spin on atomics.
#pragma once

#include <deque>
#include <string>
#include <systemc>
#include <vector>

#include "base/ring.h"
#include "base/stats.h"
#include "core/config.h"
#include "core/protocols/port_protocol.h"
#include "sim/block_socket.h"
#include "sim/clock.h"
#include "sim/memory_socket.h"

namespace heddle::core {

class MemoryPort : public sc_core::sc_module, private sim::MemoryInitiatorOwner {
 public:
  /// `clock` is woken whenever a response arrives or a blocked request is accepted.
  MemoryPort(const sc_core::sc_module_name& name, const MemoryPortConfig& config, sim::ClockMember& clock,
             base::StatGroup& stats);

 private:
  void serve(PortRequest& request);

 public:
  using RequestTarget = sim::BlockTarget<PortProtocol, MemoryPort, &MemoryPort::serve>;

  sim::MemoryInitiatorSocket memory_isock{"memory_isock", this};
  /// For the core, which runs the port's two stages: kDeliver and kTick.
  RequestTarget control_tsock{"control_tsock", this};
  // By PortClient. Sockets stay where they are made.
  std::deque<RequestTarget> request_tsock;
  std::deque<sim::BlockInitiator<PortResponseProtocol>> response_isock;

  /// A further client; its two sockets, <name>_tsock and <name>_isock of the module under construction, are to be
  /// bound. Before elaboration ends. What it sends names the answer as PortRequest::client. It sends during its
  /// core's cycle (when it is called by the core or another block, or gets a response), or before time starts.
  PortClient add_client(const std::string& name);

  /// Wire to the core: the request queue has room.
  [[nodiscard]] bool has_room() const { return requests_.size() < config_.request_queue_packets; }
  /// Wire to the core: nothing to deliver and nothing to send, its stages need not be run.
  [[nodiscard]] bool quiet() const {
    return responses_.empty() && (requests_.empty() || request_held_) && (refused_.empty() || !has_room());
  }
  /// Nothing is queued, and all requests have been answered: until its clients send again it changes nothing.
  [[nodiscard]] bool idle() const { return requests_.empty() && requests_sent_ == responses_taken_; }

 private:
  tlm::tlm_sync_enum memory_nb_transport_bw(unsigned port, tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void deliver(PortRequest& request);
  void tick();
  [[nodiscard]] bool room_for(PortClient client);

  MemoryPortConfig config_;
  sim::ClockMember& clock_;
  base::GrowingRing<sim::MemoryTransaction*> requests_;
  base::GrowingRing<tlm::tlm_generic_payload*> responses_;
  tlm::tlm_generic_payload* held_response_ =
      nullptr;                       ///< between BEGIN_RESP and END_RESP: our queue was full
  bool request_held_ = false;        ///< between BEGIN_REQ and END_REQ
  std::vector<PortClient> refused_;  ///< an entry is kept for each, the one that waits longest first
  std::uint32_t asked_ = 0;          ///< bit per client, since the last tick
  std::uint64_t order_ = 0;          ///< MemoryExtension::order of the last request
  std::uint64_t requests_sent_ = 0;
  std::uint64_t responses_taken_ = 0;
  std::uint64_t responses_held_ = 0;
};

}  // namespace heddle::core
