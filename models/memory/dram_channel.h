// A DRAM channel: the device behind one memory partition.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/ring.h"
#include "base/stats.h"
#include "memory/config.h"
#include "memory/dram_scheduler.h"
#include "memory/sparse_memory.h"
#include "sim/clock.h"

namespace heddle::memory {

/// A TLM-2.0 base-protocol target over channel-local addresses; DramScheduler describes what is modelled.
///
/// nb_transport: BEGIN_REQ is answered with END_REQ at the time at which the request queue has a free entry;
/// it may be annotated. BEGIN_RESP is latency_cycles after the request's last data cycle and may be annotated
/// too. One response is between BEGIN_RESP and END_RESP at a time. Annotated delays of the initiator are
/// honoured. A request must lie within one row of one bank (TLM_BURST_ERROR_RESPONSE otherwise); byte enables
/// are supported. A value is read or written when the last column command issues. b_transport adds the
/// latency of a row miss of an idle device. transport_dbg takes any range.
///
/// DMI is for debug accesses alone: nothing may be queued or unanswered while they use it. A grant is a page of the memory, and is
/// never invalidated. A page that was never written has none for reading.
///
/// Evaluated lazily. The scheduler's commands depend only on the requests, so they are computed when the next
/// request arrives, when a response may be due, or when state is read. Known responses are sent at once,
/// annotated with their times. The channel runs cycle by cycle only when an initiator delays END_RESP.
class DramChannel : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
 public:
  tlm::tlm_target_socket<> dram_tsock;

  /// `stats` is the channel's own group.
  DramChannel(const sc_core::sc_module_name& name, const DramConfig& config, sim::ClockDomain& clock,
              base::StatGroup& stats);

  /// No request queued and no response outstanding.
  [[nodiscard]] bool idle() const;

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;

 private:
  /// A request in the scheduler.
  struct Request {
    tlm::tlm_generic_payload* payload = nullptr;
    unsigned char* stored = nullptr;  ///< its bytes in memory_, if allocated and contiguous
  };
  struct Response {
    tlm::tlm_generic_payload* payload = nullptr;
    base::Cycle ready = 0;
  };
  struct Held {
    tlm::tlm_generic_payload* payload = nullptr;
    base::Cycle arrival = 0;
  };

  void tick();
  tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay);
  [[nodiscard]] tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const;
  void enqueue(tlm::tlm_generic_payload& payload, base::Cycle arrival);
  void advance(base::Cycle end);
  void step(base::Cycle cycle);
  void hand_out(base::Cycle now);
  void end_held_request(base::Cycle now);
  void response_ended(tlm::tlm_generic_payload& payload, base::Cycle cycle);
  [[nodiscard]] base::Cycle next_activation(base::Cycle now);
  void wake_for_deadline(base::Cycle now);
  void finish(const DramCommand& command);
  void access(const Request& request);
  [[nodiscard]] base::Cycle cycle_after(const sc_core::sc_time& delay) const;
  [[nodiscard]] sc_core::sc_time delay_until(base::Cycle cycle) const;
  void declare(base::StatGroup& stats);

  DramConfig config_;
  base::Cycle shortest_;  ///< from a column command to its response
  sim::ClockMember clock_;
  DramScheduler scheduler_;
  SparseMemory memory_;
  std::vector<Request> requests_;  ///< by request id
  std::vector<std::uint32_t> free_ids_;
  Held held_;                                     ///< its END_REQ is delayed
  base::Ring<Response> responses_;                ///< not yet sent, by time; full: scheduling pauses
  tlm::tlm_generic_payload* response_ = nullptr;  ///< between BEGIN_RESP and END_RESP
  base::Cycle response_free_ = 0;          ///< the next may begin: END_RESP of the previous one, annotated
  base::Cycle resumed_ = 0;                ///< end of the last pause: nothing is issued before it
  base::Cycle activation_ = base::kNever;  ///< cycle for which the clock has been scheduled

  std::uint64_t read_bytes_ = 0;
  std::uint64_t write_bytes_ = 0;
  std::uint64_t late_end_reqs_ = 0;
  std::uint64_t late_end_req_cycles_ = 0;
};

}  // namespace heddle::memory
