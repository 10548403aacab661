// The network between cores and memory partitions.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "base/page_marks.h"
#include "base/stats.h"
#include "memory/address_map.h"
#include "memory/crossbar_direction.h"
#include "memory/request_coalescer.h"
#include "memory/request_times.h"
#include "sim/clock.h"
#include "sim/memory_socket.h"

namespace heddle::sim {
class LogicalProcess;
class Windows;
}  // namespace heddle::sim

namespace heddle::memory {

/// One crossbar for requests, one for responses (CrossbarDirection says how a packet travels), one SC_METHOD for
/// both.
///
/// A request from core_tsock[c] goes to the partition that holds its address. The crossbar writes ext.core
/// and ext.partition, so a core need not know the address map. A message goes to the partition that its
/// sender has named, a response to core_tsock[ext.core].
///
/// `cluster_cores` neighbouring cores share one port: one link in each direction and one output buffer. Each
/// core has its own input queue. CrossbarDirection describes the arbitration. A core that does not accept its
/// response blocks those behind it for its whole cluster.
///
/// BEGIN_REQ and BEGIN_RESP are answered with END_REQ / END_RESP at once while the input queue has a free
/// entry, otherwise later. The delay argument is not used by this protocol and must be zero.
///
/// Cores belong to a clock domain of lower rank, partitions to one of higher rank (sim/clock.h), so what
/// happens in one instant does not depend on the order in which cores or partitions run.
class Crossbar : public sc_core::sc_module, public sim::MemoryTargetOwner, public sim::MemoryInitiatorOwner {
 public:
  sc_core::sc_vector<sim::MemoryTargetSocket> core_tsock;          ///< one per core
  sc_core::sc_vector<sim::MemoryInitiatorSocket> partition_isock;  ///< one per partition

  /// `stats` is the crossbar's own group.
  Crossbar(const sc_core::sc_module_name& name, unsigned cores, unsigned partitions,
           const CrossbarConfig& config, const AddressMap& map, sim::ClockDomain& clock,
           base::StatGroup& stats);

  /// Declares the counters of messages. Called once, before simulation starts, if messages may be sent.
  void declare_messages();

  // For a Lookahead (sim/windows.h).
  /// The processes are the cores, then the partitions. Before anything runs. `service`: from the arrival of a request at its
  /// partition to its answer it takes at least so long (resolution units).
  void run_ahead(sim::Windows& windows, std::uint64_t service);
  /// Everything before `floor` has happened. Processes learn what is on its way to them (Windows::arrive()). The earliest turn at
  /// which a packet may arrive that is not on its way yet.
  sim::Turn begin_window(sim::Turn floor);
  /// In this window: the earliest turn at which the network may do something to the core of which that does not know. Nothing
  /// but answers comes to a core (where cores run ahead there are no partition units), and what it asks takes the trip to L2, L2's
  /// latency and the trip back.
  [[nodiscard]] sim::Turn reach_of_core(unsigned core);
  [[nodiscard]] sim::Turn reach_of_partition(unsigned partition);
  /// Nobody runs ahead any more.
  void end_windows() {
    requests_.hand_back();
    responses_.hand_back();
  }

  /// No packet queued or in flight.
  [[nodiscard]] bool idle() const;

  /// Zero-time access to device memory at global addresses (images, results), through the partitions'
  /// transport_dbg. Returns the number of bytes transferred.
  std::uint64_t debug_read(std::uint64_t address, unsigned char* to, std::uint64_t bytes);
  std::uint64_t debug_write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes);
  /// Pages that debug accesses have written past the partitions since the last call (base::PageMarks::take).
  void take_written(std::vector<std::uint64_t>& pages) { written_.take(pages); }

  tlm::tlm_sync_enum memory_nb_transport_fw(unsigned port, tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum memory_nb_transport_bw(unsigned port, tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  unsigned memory_transport_dbg(unsigned port, tlm::tlm_generic_payload& payload) override;

 private:
  /// A packet that found its input queue full: its END is delayed.
  struct Held {
    tlm::tlm_generic_payload* payload = nullptr;
    base::Cycle since = 0;
  };
  struct Messages {
    std::uint64_t packets = 0;
    std::uint64_t flits = 0;
  };
  struct LateEnds {
    std::uint64_t count = 0;
    std::uint64_t cycles = 0;
  };

  /// A core or partition that runs ahead: what the network has yet to see of it, and for how much more it has room.
  struct alignas(64) Ahead {
    std::uint32_t sent = 0;
    std::uint32_t room = 0;
    sim::Turn grant = 0;  ///< without room: the first that may free an entry
  };
  [[nodiscard]] sim::Turn turn_of(base::Cycle edge) const {
    return sim::turn_at(clock_.domain().edge_time(edge), clock_.domain().rank());
  }
  [[nodiscard]] sim::Turn reach(Ahead& ahead, const CrossbarDirection& from_it, unsigned port,
                                bool held) const;
  /// No answer that has not been announced comes to the core before.
  [[nodiscard]] sim::Turn earliest_answer(unsigned core) const;
  /// The core sends a read, which may get the answer of one that is on its way: until when it runs on.
  void may_join(sim::LogicalProcess& process) const;
  /// The core has taken the answer.
  void answered(tlm::tlm_generic_payload& payload);
  /// Tells processes, of which `first` has output 0, what is on its way to them.
  template <void (Crossbar::*Comes)(tlm::tlm_generic_payload&)>
  void hand_over(CrossbarDirection& direction, unsigned first);
  void response_comes(tlm::tlm_generic_payload& payload);
  void request_comes(tlm::tlm_generic_payload& payload);
  /// In this window: of the first cycle that may free an entry of the input queue.
  [[nodiscard]] sim::Turn earliest_grant(const CrossbarDirection& from_it, unsigned port) const;
  /// What it sends has its effect later (sim/windows.h). `begin`: BEGIN_REQ or BEGIN_RESP.
  template <void (Crossbar::*Deferred)(tlm::tlm_generic_payload&, bool begin, bool accepted)>
  tlm::tlm_sync_enum defer(sim::LogicalProcess& process, Ahead& ahead, const CrossbarDirection& from_it,
                           unsigned port, tlm::tlm_generic_payload& payload, bool begin);
  void deferred_of_core(tlm::tlm_generic_payload& payload, bool begin, bool accepted);
  void deferred_of_partition(tlm::tlm_generic_payload& payload, bool begin, bool accepted);

  void tick();
  void push_request(unsigned core, tlm::tlm_generic_payload& payload, base::Cycle now);
  /// An answer to a read that has waited for another one's.
  struct Shared {
    unsigned partition = 0;
    unsigned core = 0;
    tlm::tlm_generic_payload* payload = nullptr;
  };
  /// Those that have come since the last cycle enter, in an order that does not depend on that of the partitions.
  void enter_shared(base::Cycle now);
  /// Of a response that enters from a partition, or for a core that shares one.
  void enter_response(unsigned input, unsigned core, tlm::tlm_generic_payload& payload, base::Cycle now);
  void push_response(unsigned partition, tlm::tlm_generic_payload& payload, base::Cycle now);
  /// Whether the receiver accepts it at once.
  bool offer_request(unsigned partition, tlm::tlm_generic_payload& payload);
  bool offer_response(unsigned core, tlm::tlm_generic_payload& payload);
  bool send_request(unsigned partition, tlm::tlm_generic_payload& payload);
  bool send_response(unsigned cluster, tlm::tlm_generic_payload& payload);
  void end_held_request(unsigned core, base::Cycle now);
  void end_held_response(unsigned partition, base::Cycle now);
  std::uint64_t debug_access(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                             std::uint64_t bytes);
  /// Of a partition, what it has shown last of its memory. Holds during one debug access.
  struct Direct {
    std::uint64_t first = 0, bytes = 0;  ///< local addresses
    unsigned char* data = nullptr;       ///< null: it does not show these
  };
  /// The bytes of the payload, by the pointer that the partition has shown or shows now; else null.
  unsigned char* direct(Direct& shown, unsigned partition, tlm::tlm_generic_payload& payload);
  void declare(base::StatGroup& group, const CrossbarCounters& counters, const LateEnds& late,
               unsigned links);
  static void count(Messages& messages, std::uint32_t bytes, std::uint32_t flit_bytes);

  [[nodiscard]] unsigned cluster_of(unsigned core) const {
    return cluster_cores_ == 1 ? core : core / cluster_cores_;
  }

  AddressMap map_;
  base::StatGroup& stats_;
  std::uint32_t request_flit_bytes_, response_flit_bytes_;
  unsigned cluster_cores_;
  sim::PacketSizes sizes_;
  sim::ClockMember clock_;
  RequestCoalescer coalescer_;
  std::vector<Shared> shared_;
  CrossbarDirection requests_;
  CrossbarDirection responses_;
  base::PageMarks written_;
  std::vector<Held> held_requests_;   ///< per core
  std::vector<Held> held_responses_;  ///< per partition
  unsigned held_ = 0;
  LateEnds late_requests_;
  LateEnds late_responses_;
  std::vector<Ahead> cores_ahead_, partitions_ahead_;
  sim::Windows* windows_ = nullptr;
  std::vector<RequestTimes> request_times_;  ///< by core; none without windows
  base::Cycle round_trip_ = 0;  ///< a request that enters is answered so many cycles later, or more
  /// Cores that wait for no answer run from one multiple of so many cycles to the next: together, and not far where many threads
  /// are to have equal shares.
  base::Cycle stretch_ = 1;
  // Of this window.
  base::Cycle window_edge_ = 0;  ///< the first cycle of the network that has not been
  /// The first one in which a packet may arrive that is granted in it or later.
  base::Cycle arrival_edge_ = 0;
  sim::Turn window_end_ = 0;   ///< its turn
  sim::Turn stretch_end_ = 0;  ///< that of the next multiple of stretch_
  Messages message_requests_;
  Messages message_answers_;
};

}  // namespace heddle::memory
