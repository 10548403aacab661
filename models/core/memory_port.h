// A core's connection to the crossbar: request queue towards it, response queue from it, and the four phases
// of the memory protocol (sim/memory_payload.h). One request is sent and one response taken per core cycle.
#pragma once

#include <deque>
#include <systemc>

#include "core/config.h"
#include "sim/clock.h"
#include "sim/memory_socket.h"
#include "sim/stats.h"

namespace heddle::core {

class MemoryPort : public sc_core::sc_module, private sim::MemoryInitiatorOwner {
 public:
  /// `clock` is woken whenever a response arrives or a blocked request is accepted.
  MemoryPort(const sc_core::sc_module_name& name, const LsuConfig& config, sim::ClockMember& clock,
             sim::StatGroup& stats);

  sim::MemoryInitiatorSocket memory_isock{"memory_isock", this};

  [[nodiscard]] bool can_send() const { return requests_.size() < config_.port_queue_packets; }
  /// Takes over the caller's reference.
  void send(sim::MemoryTransaction& transaction) { requests_.push_back(&transaction); }
  /// The oldest response, or nullptr; the caller gets the reference and must release() the payload.
  tlm::tlm_generic_payload* receive();
  /// One core cycle: puts the oldest request on the socket unless one is still there.
  void tick();

  /// Something to do next cycle without anybody waking the core.
  [[nodiscard]] bool busy() const { return !responses_.empty() || (!requests_.empty() && !request_held_); }
  [[nodiscard]] bool idle() const { return requests_.empty() && responses_.empty() && !request_held_; }

 private:
  tlm::tlm_sync_enum memory_nb_transport_bw(unsigned port, tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase, sc_core::sc_time& delay) override;

  LsuConfig config_;
  sim::ClockMember& clock_;
  std::deque<sim::MemoryTransaction*> requests_;
  std::deque<tlm::tlm_generic_payload*> responses_;
  tlm::tlm_generic_payload* held_response_ =
      nullptr;                 ///< between BEGIN_RESP and END_RESP: our queue was full
  bool request_held_ = false;  ///< between BEGIN_REQ and END_REQ
  std::uint64_t requests_sent_ = 0;
  std::uint64_t responses_taken_ = 0;
  std::uint64_t responses_held_ = 0;
};

}  // namespace heddle::core
