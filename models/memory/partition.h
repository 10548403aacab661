// A memory partition: an L2 slice with its atomic unit between the crossbar and one DRAM channel.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/page_marks.h"
#include "base/stats.h"
#include "memory/address_map.h"
#include "memory/arrival_queue.h"
#include "memory/channel_map.h"
#include "memory/config.h"
#include "memory/dram_pool.h"
#include "memory/l2_slice.h"
#include "memory/memory_watch.h"
#include "sim/clock.h"
#include "sim/memory_socket.h"
#include "sim/progress.h"

namespace heddle::memory {

/// L2Slice describes what is modelled; this shell adds sockets and time (one SC_METHOD in the L2's clock
/// domain).
///
/// crossbar_tsock speaks the memory protocol with global addresses. A BEGIN_REQ that finds the request queue
/// full gets its END_REQ once an entry is free.
///
/// dram_isock speaks the TLM-2.0 base protocol with the addresses of a ChannelMap: one line or some adjacent
/// sectors of one per transaction, no byte enables but with WriteMiss::kByteMask, at most one request between BEGIN_REQ and
/// END_REQ. Any base-protocol target works: timing annotations and early completion are honoured, transactions may
/// complete in any order, and payload fields that the standard allows others to change (address, DMI hint,
/// extensions) are not read again. The partition answers BEGIN_RESP with TLM_COMPLETED at once. A response
/// that is not TLM_OK_RESPONSE is an SC_REPORT_ERROR.
class MemoryPartition : public sc_core::sc_module,
                        public sim::MemoryTargetOwner,
                        public tlm::tlm_bw_transport_if<> {
 public:
  sim::MemoryTargetSocket crossbar_tsock;
  tlm::tlm_initiator_socket<> dram_isock;

  /// `stats` is the partition's own group; the slice's counters go to its child "l2".
  MemoryPartition(const sc_core::sc_module_name& name, const L2Config& config, const AddressMap& map,
                  sim::ClockDomain& clock, sim::ProgressMonitor& progress, base::StatGroup& stats);

  /// The addresses the memory uses. Called before simulation starts; sparse if not called.
  void set_channel_map(const ChannelMap& map) { channel_map_ = map; }
  /// The memory is a member of a clock domain, and schedules no kernel events.
  void memory_has_a_clock() { memory_has_a_clock_ = true; }

  /// Since when (model time) requests to the memory have waited without any response; kNotWaiting: none
  /// waits.
  [[nodiscard]] std::uint64_t silent_since() const;
  static constexpr std::uint64_t kNotWaiting = ~std::uint64_t{0};
  [[nodiscard]] ChannelWait channel_wait() const;

  /// Pages of what requests and debug accesses, but for direct ones, have written since the last call (base::PageMarks::take).
  void take_written(std::vector<std::uint64_t>& pages) { written_.take(pages); }
  /// Nothing queued, in flight or being written back.
  [[nodiscard]] bool idle() const;
  /// Between launches: what the slice holds is in the memory, and the slice is empty, in zero time and without a count. Lines
  /// that are being fetched stay.
  void make_cold();

  tlm::tlm_sync_enum memory_nb_transport_fw(unsigned port, tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  /// Global addresses of this partition, within one interleave chunk; coherent with the L2 at any time.
  unsigned memory_transport_dbg(unsigned port, tlm::tlm_generic_payload& payload) override;
  /// What the memory has shown and nothing else holds newer bytes of, within some KiB.
  bool memory_direct(unsigned port, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}  ///< nobody keeps any

 private:
  void tick();
  [[nodiscard]] base::Cycle cycle_after(const sc_core::sc_time& delay) const;
  void send_response(tlm::tlm_generic_payload* payload);
  void take_arrivals(base::Cycle now);
  void send_transfer();
  void request_ended(const sc_core::sc_time& delay);
  bool accept_held(base::Cycle now);
  void arrived(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  [[nodiscard]] const DramTransaction* oldest_unanswered() const;
  [[nodiscard]] base::Cycle next_cycle(base::Cycle now, bool progress) const;
  /// Within one sector.
  unsigned debug_sector(tlm::tlm_command command, std::uint64_t local, unsigned char* data, unsigned bytes);
  unsigned debug_read(std::uint64_t local, unsigned char* data, unsigned bytes);
  /// Of the memory behind the slice alone.
  unsigned debug_pass_on(tlm::tlm_generic_payload& payload, std::uint64_t local, unsigned done,
                         unsigned bytes);
  unsigned debug_transport(tlm::tlm_generic_payload& payload);
  unsigned debug_memory(tlm::tlm_command command, std::uint64_t local, unsigned char* data, unsigned bytes);
  void declare(base::StatGroup& stats);

  L2Config config_;
  AddressMap map_;
  ChannelMap channel_map_;
  sim::ClockMember clock_;
  L2Slice slice_;
  base::PageMarks written_;

  L2Request held_request_;                        ///< its END_REQ is delayed; without a payload: none
  tlm::tlm_generic_payload* response_ = nullptr;  ///< between BEGIN_RESP and END_RESP

  bool memory_has_a_clock_ = false;
  DramPool pool_;
  std::vector<DramTransaction*> in_flight_;  ///< begun and not yet given to the slice
  DramTransaction* dram_request_ = nullptr;  ///< between BEGIN_REQ and END_REQ
  base::Cycle dram_request_free_ = 0;        ///< first cycle at which an annotated END_REQ takes effect
  ArrivalQueue arrivals_;                    ///< by the first cycle in which they take effect
  base::Cycle earliest_arrival_ = 0;         ///< the next cycle in which they are looked at
  std::uint64_t answers_ = 0;
  std::uint64_t last_answer_ = 0;  ///< model time

  std::uint64_t late_end_reqs_ = 0;
  std::uint64_t late_end_req_cycles_ = 0;
  std::uint64_t dram_read_bytes_ = 0;
  std::uint64_t dram_write_bytes_ = 0;
};

}  // namespace heddle::memory
