// The base class of partition units: modules that a mechanism inserts between the crossbar and a memory
// partition.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "base/ring.h"
#include "base/stats.h"
#include "memory/address_map.h"
#include "sim/clock.h"
#include "sim/memory_socket.h"
#include "sim/watchdog.h"

namespace heddle::memory {

struct PartitionUnitQueues {
  std::uint32_t requests = 8;   ///< requests and messages that wait for the unit
  std::uint32_t l2 = 8;         ///< requests that wait for the L2
  std::uint32_t responses = 8;  ///< responses that wait for the unit (not those to its own requests)
  std::uint32_t answers = 8;    ///< responses that wait for the crossbar
};

/// The position of a unit in the GPU.
struct PartitionUnitSite {
  base::PartitionId partition;
  const AddressMap& map;
  sim::ClockDomain&
      clock;  ///< L2 frequency, rank kPartitionUnit; a unit with another one makes a domain of that rank
  base::StatGroup& stats;  ///< partition<i>.unit
};

/// A module with two sockets of the memory protocol:
///
///   crossbar --crossbar_tsock--> unit --l2_isock--> MemoryPartition
///
/// Requests, responses and debug accesses that the unit does not take are forwarded within the caller's call,
/// with the back-pressure of the receiver. A unit that takes nothing therefore changes no timing. What it
/// takes waits in queues for its cycle function:
///
///   * messages, all of them;
///   * requests for which takes_request() is true, and responses for which takes_response() is;
///   * responses to its own requests (own_request()), which always find a free entry.
///
/// A unit may answer requests and messages itself, in any order and at any time, forward what it took, send
/// requests of its own, and messages that no core has asked for (notify()). One request per cycle goes to the L2 and one response to the crossbar, in the
/// order in which the unit issued them. Forwarded traffic queues behind them, so that a later request never
/// overtakes one that the unit has sent.
///
/// Obligations of a unit. Every request and every message that is not posted is answered exactly once. Taking
/// a request must not depend on anything that arrives later through crossbar_tsock, because the requests
/// behind it wait. A unit that holds ordinary requests takes all later ones that may be to the same address.
/// The host sees device memory as the L2 holds it, so a sender of posted messages that lead to writes must
/// wait for an answer before its kernel ends.
///
/// Watchdog: a unit that is processing messages or requests of its own may still change memory, so no hang is
/// declared meanwhile, nor in a window in which it received a message. Ordinary requests that it holds are
/// covered by their waiting senders. MemoryWatch finds a unit that holds something and does nothing.
class PartitionUnit : public sc_core::sc_module,
                      public sim::HangVeto,
                      public sim::MemoryTargetOwner,
                      public sim::MemoryInitiatorOwner {
 public:
  using Payload = tlm::tlm_generic_payload;

  sim::MemoryTargetSocket crossbar_tsock;
  sim::MemoryInitiatorSocket l2_isock;

  /// Nothing waits here, and nothing of the unit's own is in flight.
  [[nodiscard]] bool idle() const;

  /// Since when (model time) the unit has held requests or messages without waiting for anything behind it
  /// and without doing anything; kNotWaiting: it has not.
  [[nodiscard]] std::uint64_t silent_since() const;
  static constexpr std::uint64_t kNotWaiting = ~std::uint64_t{0};
  [[nodiscard]] std::uint64_t messages_held() const { return messages_held_; }
  [[nodiscard]] std::uint64_t requests_held() const { return requests_held_; }
  /// What the unit waits for, for the report of a silent unit; may be empty.
  [[nodiscard]] virtual std::string describe() const { return {}; }

  // sim::HangVeto
  [[nodiscard]] bool old_writes_performed() const override { return !works(); }
  void begin_window() override { messages_before_ = messages_; }
  [[nodiscard]] bool repeated() const override { return !works() && messages_ == messages_before_; }
  [[nodiscard]] bool settled() const override { return repeated(); }

  tlm::tlm_sync_enum memory_nb_transport_fw(unsigned port, Payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum memory_nb_transport_bw(unsigned port, Payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) override;
  unsigned memory_transport_dbg(unsigned, Payload& payload) override {
    return l2_isock->transport_dbg(payload);
  }
  bool memory_direct(unsigned, Payload& payload, tlm::tlm_dmi& dmi) override {
    return l2_isock->get_direct_mem_ptr(payload, dmi);
  }

 protected:
  static constexpr base::Cycle kNever = base::kNever;

  /// Accepts messages of `owner`.
  PartitionUnit(const sc_core::sc_module_name& name, sim::MessageOwner owner,
                const PartitionUnitQueues& queues, const PartitionUnitSite& site);

  // ---- decisions at arrival. These may read the unit's state, but not change what cycle() sees ----

  [[nodiscard]] virtual bool understands(const Payload& message) {
    return sim::memory_message(message).owner == owner_;
  }
  /// Whether an ordinary request has to wait for the unit.
  [[nodiscard]] virtual bool takes_request(const Payload&) { return false; }
  /// Whether a response to a core has to wait for the unit.
  [[nodiscard]] virtual bool takes_response(const Payload&) { return false; }

  // ---- the unit's work ----

  /// One cycle. Returns the next one in which it has to run if nothing arrives or moves until then, or
  /// kNever.
  virtual base::Cycle cycle(base::Cycle now) = 0;
  /// The L2 has accepted a request of send(), or one that passed and had to queue behind these: it precedes all that the
  /// L2 accepts later at that address.
  virtual void accepted(const Payload&) {}
  /// Whether the unit is working although it holds neither message nor request: see "Watchdog".
  [[nodiscard]] virtual bool busy() const { return false; }

  // ---- for cycle() ----

  /// The oldest request or message that waits for the unit; null: none.
  [[nodiscard]] Payload* request() const { return taken_.empty() ? nullptr : taken_.front(); }
  /// Removes it from its queue. The unit holds it, with its reference, until answer(), finish() or send().
  Payload& take_request();
  /// The oldest response that waits for the unit; null: none.
  [[nodiscard]] Payload* response() { return returned_.empty() ? nullptr : returned_.front(); }
  /// Removes it from its queue. A response to the unit's own request must be passed to release() after
  /// reading, any other one to respond().
  Payload& take_response();

  [[nodiscard]] bool can_send() const { return !to_l2_.full(); }
  /// To the L2: a request of the unit's own, or one that it took. The reference goes with it.
  void send(Payload& request);
  [[nodiscard]] bool can_respond() const { return !to_crossbar_.full(); }
  /// To the core: the answer to a request or message that the unit holds.
  void answer(Payload& payload, tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE);
  /// To the core: a response that the unit took.
  void respond(Payload& response);
  /// A posted message has been processed.
  void finish(Payload& posted);
  /// A message to a client of a core's memory port that has not asked for it now; for notify().
  [[nodiscard]] sim::MemoryTransaction& notice(base::CoreId core, std::uint8_t client, std::uint8_t kind);
  void notify(sim::MemoryTransaction& notice);
  /// A request of the unit's own, for send(). Its response comes back through response().
  [[nodiscard]] sim::MemoryTransaction& own_request(sim::MemoryOp op, std::uint64_t address, unsigned bytes);

  [[nodiscard]] base::PartitionId partition() const { return partition_; }
  [[nodiscard]] sim::ClockMember& clock() { return clock_; }

 private:
  /// One direction of one side: a packet that found its queue full, so its END is delayed.
  struct Held {
    Payload* payload = nullptr;
    bool taken = false;  ///< it waits for the unit; otherwise it passes
    base::Cycle since = 0;
  };
  /// The packet between BEGIN and END on the far side.
  struct Offered {
    Payload* payload = nullptr;
    bool passing = false;  ///< the near side waits for the same END
  };
  struct Counters {
    std::uint64_t passed = 0;
    std::uint64_t taken = 0;
    std::uint64_t late_ends = 0;
    std::uint64_t late_end_cycles = 0;
  };

  void declare(base::StatGroup& stats);
  void tick();
  tlm::tlm_sync_enum begin_request(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum begin_response(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void queue_request(Payload& payload, bool take);
  void queue_response(Payload& payload, bool take);
  [[nodiscard]] bool has_room_for_request(bool take) const { return take ? !taken_.full() : !to_l2_.full(); }
  [[nodiscard]] bool has_room_for_response(bool take) const {
    return take ? responses_taken_ < queues_.responses : !to_crossbar_.full();
  }
  bool send_request(base::Cycle now);
  bool send_response(base::Cycle now);
  bool accept_held_request(base::Cycle now);
  bool accept_held_response(base::Cycle now);
  void moved();
  /// The unit may be about to change memory.
  [[nodiscard]] bool works() const { return messages_held_ != 0 || own_outstanding_ != 0 || busy(); }

  base::PartitionId partition_;
  sim::MessageOwner owner_;
  PartitionUnitQueues queues_;
  sim::ClockMember clock_;
  sim::MemoryPool pool_;

  base::Ring<Payload*> taken_;
  base::Ring<Payload*> to_l2_;
  Held held_request_;
  Offered at_l2_;
  base::Cycle request_sent_ = kNever;    ///< unit cycle in which the unit last gave the L2 a request
  base::Cycle request_passed_ = kNever;  ///< and in which a forwarded one was last sent

  base::GrowingRing<Payload*> returned_;
  std::uint32_t responses_taken_ = 0;  ///< in returned_, without those to the unit's own requests
  base::Ring<Payload*> to_crossbar_;
  Held held_response_;
  Offered at_crossbar_;
  base::Cycle response_sent_ = kNever;

  std::uint64_t messages_ = 0;  ///< taken
  std::uint64_t messages_before_ = 0;
  std::uint64_t messages_held_ = 0;    ///< taken and neither answered nor finished
  std::uint64_t requests_held_ = 0;    ///< the same for ordinary requests, without those that were forwarded
  std::uint64_t own_outstanding_ = 0;  ///< from send() to take_response()
  std::uint64_t last_moved_ = 0;       ///< model time

  Counters requests_;
  Counters responses_;
  std::uint64_t answers_ = 0;
  std::array<std::uint64_t, 3> own_{};  ///< by MemoryOp: read, write, atomic
};

/// Makes the unit of one partition and binds both of its sides (something else may be inserted in between).
/// Called once per partition during elaboration; the GPU owns the result.
using PartitionUnitFactory = std::function<std::unique_ptr<PartitionUnit>(
    const PartitionUnitSite& site, sim::MemoryInitiatorSocket& crossbar, sim::MemoryTargetSocket& l2)>;

}  // namespace heddle::memory
