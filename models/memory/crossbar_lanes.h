// One direction of the crossbar: input queues, arbitration, links, output buffers. Plain C++.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/config.h"
#include "memory/ring.h"
#include "sim/ids.h"
#include "sim/index_set.h"

namespace tlm {
class tlm_generic_payload;
}

namespace heddle::memory {

/// Counters of one direction. Waiting times are sums over packets, in interconnect cycles.
struct CrossbarCounters {
  std::uint64_t packets = 0;             ///< granted
  std::uint64_t bytes = 0;               ///< of granted packets, header included
  std::uint64_t link_busy_cycles = 0;    ///< sum over output links
  std::uint64_t input_wait_cycles = 0;   ///< push to grant
  std::uint64_t output_wait_cycles = 0;  ///< arrival at the output to acceptance by the receiver
};

/// Moves opaque packets (the payload pointer is never looked at) from inputs to outputs.
///
/// A packet at the head of its input queue asks for its output. An output whose link is free and whose buffer
/// has a place grants one asking input per cycle, round robin. A granted packet holds its input and its
/// output link for ceil(bytes / flit_bytes) cycles and arrives latency_cycles after that. Packets from one
/// input to one output never overtake each other.
class CrossbarLanes {
 public:
  using Payload = tlm::tlm_generic_payload;
  static constexpr sim::Cycle kNever = ~sim::Cycle{0};

  CrossbarLanes(unsigned inputs, unsigned outputs, const CrossbarConfig& config);

  [[nodiscard]] bool can_accept(unsigned input) const { return !inputs_[input].queue.full(); }
  /// Enqueues; the packet takes part in the arbitration of cycle `now` if that has not happened yet.
  void push(unsigned input, unsigned output, std::uint32_t bytes, Payload* payload, sim::Cycle now);

  /// Arbitration of cycle `now`. Returns the inputs that sent a packet, in output order.
  const std::vector<unsigned>& arbitrate(sim::Cycle now);

  /// Offers every packet that has arrived to its receiver: send(output, payload) returns true if the receiver
  /// is done with it, false if it will say so later through complete(). At most one packet per output is on
  /// offer.
  template <class Send>
  void deliver(sim::Cycle now, Send send) {
    occupied_.for_each([&](unsigned output) {
      Output& out = outputs_[output];
      if (out.offered || out.buffer.front().ready > now) return;
      out.offered = true;
      if (send(output, out.buffer.front().payload)) complete(output, now);
    });
  }
  /// The receiver took the packet on offer; its place is free again.
  void complete(unsigned output, sim::Cycle now);
  [[nodiscard]] bool offered(unsigned output) const { return outputs_[output].offered; }
  /// The packet on offer; only while offered().
  [[nodiscard]] Payload* offer(unsigned output) const { return outputs_[output].buffer.front().payload; }

  /// Earliest cycle after `now` at which deliver() or arbitrate() can do something without a push() or
  /// complete() in between; kNever if there is none.
  [[nodiscard]] sim::Cycle next_cycle(sim::Cycle now) const;
  [[nodiscard]] bool idle() const { return in_flight_ == 0; }
  [[nodiscard]] const CrossbarCounters& counters() const { return counters_; }

 private:
  struct Waiting {
    Payload* payload = nullptr;
    std::uint32_t output = 0;
    std::uint32_t bytes = 0;
    sim::Cycle pushed = 0;
  };
  struct Flying {
    Payload* payload = nullptr;
    sim::Cycle ready = 0;
  };
  struct Input {
    Ring<Waiting> queue;
    sim::Cycle link_free = 0;
  };
  struct Output {
    Ring<Flying> buffer;   ///< packets in flight and arrived: a place is a credit
    sim::IndexSet asking;  ///< inputs whose head packet goes here and whose link is free
    unsigned last = 0;     ///< input granted last
    sim::Cycle link_free = 0;
    bool offered = false;
  };
  void ask(unsigned input);

  std::uint32_t flit_bytes_;
  std::uint32_t latency_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  sim::IndexSet busy_inputs_;  ///< link was taken; looked at again when it is free
  sim::IndexSet asked_;        ///< outputs with asking inputs
  sim::IndexSet occupied_;     ///< outputs with a non-empty buffer
  std::vector<unsigned> granted_;
  std::uint64_t in_flight_ = 0;
  CrossbarCounters counters_;
};

}  // namespace heddle::memory
