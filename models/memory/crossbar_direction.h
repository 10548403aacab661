// One direction of the crossbar: input queues, arbitration, links, output buffers. Plain C++.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/divisor.h"
#include "base/ids.h"
#include "base/perturbation.h"
#include "memory/config.h"
#include "memory/port_set.h"
#include "memory/request_coalescer.h"
#include "memory/virtual_output_queues.h"

namespace heddle::memory {

/// Counters of one direction. Waiting times are sums over packets, in interconnect cycles.
struct CrossbarCounters {
  std::uint64_t packets = 0;             ///< granted
  std::uint64_t flits = 0;               ///< of granted packets; each occupies an output link for one cycle
  std::uint64_t bytes = 0;               ///< of granted packets, header included
  std::uint64_t input_wait_cycles = 0;   ///< push to grant
  std::uint64_t output_wait_cycles = 0;  ///< arrival at the output to acceptance by the receiver
};

/// Moves opaque packets (the payload pointer is never dereferenced, but by a coalescer) from inputs to outputs.
///
/// An input is a queue. `share` neighbouring inputs have one link into the crossbar (concentration). Whenever
/// the link is free it picks the head packet of one of their queues, round robin, and keeps it until it is
/// granted. That packet requests its output. An output whose link is free and whose buffer has a free entry
/// grants one requesting link per cycle, round robin. A granted packet of ceil(bytes / flit_bytes) flits
/// occupies its input and its output link for one cycle per flit, and arrives latency_cycles after the last
/// one. Packets from one input to one output never overtake each other.
///
/// With virtual output queues the packets that request their outputs are, of the chosen queue, the first one for each
/// output. Outputs grant in turns: the one after the other is the first of a cycle. Otherwise a packet waits for those
/// in front of it, wherever they go, and random traffic gets three fifths of the links' rate (Karol et al., 1987).
///
/// The order in which several inputs push within one cycle does not matter.
///
/// With a coalescer a packet that is first in its link may end there: it has taken the link's time, and is not granted.
///
/// With perturb_seed the choices among inputs are random, and a packet that is first in its link waits for a
/// random number of cycles, up to perturb_cycles. Order within an input stays.
class CrossbarDirection {
 public:
  using Payload = tlm::tlm_generic_payload;

  /// `stream`: which random numbers of perturb_seed.
  CrossbarDirection(unsigned inputs, unsigned share, unsigned outputs, const CrossbarConfig& config,
                    unsigned stream = 0);

  /// Packets that are first in their link are shown to it; `answers` brings the answers to those that it keeps, to output c
  /// from input first_input + c.
  void coalesce(RequestCoalescer& coalescer, const CrossbarDirection& answers, unsigned first_input) {
    coalescer_ = &coalescer;
    answers_ = &answers;
    first_answer_input_ = first_input;
  }
  [[nodiscard]] bool can_accept(unsigned input) const { return free_entries(input) != 0; }
  [[nodiscard]] bool queued(unsigned input) const { return queues_[input].size != 0; }
  /// Of the input's queue.
  [[nodiscard]] unsigned free_entries(unsigned input) const { return input_capacity_ - queues_[input].size; }
  /// Cycle in which the first packet on the way to an output arrives; kNever: there is none.
  [[nodiscard]] base::Cycle first_arrival(unsigned output) const {
    return outputs_[output].buffer.size == 0 ? base::kNever : first(output).ready;
  }
  /// For receivers that run ahead: hand(output, cycle, payload) for each packet on its way that is going to be offered in a cycle
  /// of [from, before), if those before it are accepted, and has not been handed over yet. The receiver's answers are to be known
  /// (answered()) when their cycles come. `from`: the first cycle that has not been.
  template <class Hand>
  void hand_over(base::Cycle from, base::Cycle before, Hand hand) {
    occupied().for_each([&](unsigned output) {
      Output& out = outputs_[output];
      if (out.offered || out.refused) return;
      for (; out.handed < out.buffer.size; ++out.handed) {
        const Flying& packet =
            flying_[std::size_t{output} * output_capacity_ + out.buffer.at(out.handed, output_capacity_)];
        const base::Cycle cycle =
            std::max({packet.ready, from, out.handed == 0 ? base::Cycle{0} : out.last_handed + 1});
        if (cycle >= before) return;
        out.last_handed = cycle;
        hand(output, cycle, packet.payload);
      }
    });
  }
  /// The receiver's answer to the first packet handed over that it has not answered. After one that is refused no other one has
  /// been handed over.
  void answered(unsigned output, bool accepted) {
    Output& out = outputs_[output];
    if (accepted) {
      ++out.accepted;
      return;
    }
    out.handed = out.accepted + 1;
    out.refused = true;
  }
  /// What has been handed over and has not been answered is not.
  void hand_back() {
    for (Output& out : outputs_) out.handed = 0;
  }
  /// Whether the packet on offer has been handed over, and then whether it is accepted. Once for each, in the cycle in which it
  /// is offered.
  [[nodiscard]] std::optional<bool> take_answer(unsigned output) {
    Output& out = outputs_[output];
    if (out.handed == 0) return std::nullopt;
    --out.handed;
    if (out.accepted != 0) {
      --out.accepted;
      return true;
    }
    if (!out.refused) throw std::logic_error("crossbar: a receiver that runs ahead has not answered in time");
    out.refused = false;
    return false;
  }
  /// No packet of the input's queue is granted in a cycle before this one, of those from `from` on; `before` at most.
  [[nodiscard]] base::Cycle earliest_grant(unsigned input, base::Cycle from, base::Cycle before) const;
  /// A packet that is granted in a cycle arrives so many cycles later, or more.
  [[nodiscard]] base::Cycle shortest_trip() const { return base::Cycle{1} + latency_; }
  /// Enqueues the packet. It takes part in the arbitration of cycle `now` unless that has already been done.
  void push(unsigned input, unsigned output, std::uint32_t bytes, Payload* payload, base::Cycle now);

  /// Arbitration of cycle `now`. Returns the inputs that sent a packet, in output order, behind those whose packet the
  /// coalescer keeps.
  const std::vector<unsigned>& arbitrate(base::Cycle now);

  /// Offers every packet that has arrived to its receiver. send(output, payload) returns true if the receiver
  /// has accepted it, false if it will call complete() later. At most one packet per output is on offer, and
  /// one is offered per cycle.
  template <class Send>
  void deliver(base::Cycle now, Send send) {
    if (now < next_delivery_) return;
    next_delivery_ = base::kNever;
    occupied().for_each([&](unsigned output) {
      Output& out = outputs_[output];
      if (out.offered) return;
      const Flying& packet = first(output);
      if (packet.ready > now) {
        next_delivery_ = std::min(next_delivery_, packet.ready);
        return;
      }
      out.offered = true;
      if (send(output, packet.payload)) complete(output, now);
    });
  }
  /// The receiver took the packet on offer; its entry is free again.
  void complete(unsigned output, base::Cycle now);
  [[nodiscard]] bool offered(unsigned output) const { return outputs_[output].offered; }
  /// The packet on offer; only while offered().
  [[nodiscard]] Payload* offer(unsigned output) const { return first(output).payload; }

  /// Earliest cycle after `now` at which deliver() or arbitrate() can do something without a push() or
  /// complete() in between; kNever if there is none.
  [[nodiscard]] base::Cycle next_cycle(base::Cycle now) const {
    return std::max(std::min(next_delivery_, next_arbitration_), now + 1);
  }
  [[nodiscard]] bool idle() const { return in_flight_ == 0; }
  [[nodiscard]] const CrossbarCounters& counters() const { return counters_; }

 private:
  static constexpr unsigned kNone = ~0u;
  struct Flying {
    Payload* payload = nullptr;
    base::Cycle ready = 0;
  };
  /// A ring within one array that holds all rings, so that little memory is touched per packet.
  struct Fifo {
    std::uint32_t head = 0, size = 0;
    /// Position of the i-th item.
    [[nodiscard]] std::uint32_t at(std::uint32_t i, std::uint32_t capacity) const {
      const std::uint32_t slot = head + i;
      return slot >= capacity ? slot - capacity : slot;
    }
    void pop(std::uint32_t capacity) {
      head = at(1, capacity);
      --size;
    }
  };
  /// A link into the crossbar.
  struct Link {
    base::Cycle free = 0;
    unsigned first = 0, count = 0;  ///< its inputs
    unsigned waiting = 0;           ///< packets in their queues
    unsigned last = 0;              ///< input whose packet it picked last
    unsigned asking = kNone;        ///< input whose head packet requests its output
    bool delayed = false;           ///< perturbation: `free` includes the wait of its next packet
  };
  struct Output {
    base::Cycle link_free = 0;
    Fifo buffer;        ///< packets in flight and arrived: an entry is a credit
    unsigned last = 0;  ///< link granted last
    bool offered = false;
    bool refused = false;  ///< the last one handed over
    unsigned handed =
        0;  ///< packets in the buffer that the receiver has or will have before their cycle comes here
    unsigned accepted = 0;        ///< of them, by the receiver, which runs ahead
    base::Cycle last_handed = 0;  ///< cycle of the last one of those
  };
  [[nodiscard]] Flying& first(unsigned output) {
    return flying_[std::size_t{output} * output_capacity_ + outputs_[output].buffer.head];
  }
  /// The first packet of the input's queue; not with virtual output queues.
  [[nodiscard]] const WaitingPacket& head(unsigned input) const {
    return waiting_[std::size_t{input} * input_capacity_ + queues_[input].head];
  }
  [[nodiscard]] const Flying& first(unsigned output) const {
    return flying_[std::size_t{output} * output_capacity_ + outputs_[output].buffer.head];
  }
  // Links with packets of which none asks yet; outputs with asking links; outputs with a non-empty buffer;
  // links whose packet goes to an output.
  [[nodiscard]] PortSet pending() { return {&sets_[0], link_words_}; }
  [[nodiscard]] PortSet asked() { return {&sets_[link_words_], output_words_}; }
  [[nodiscard]] PortSet occupied() { return {&sets_[link_words_ + output_words_], output_words_}; }
  [[nodiscard]] PortSet asking(unsigned output) {
    return {&sets_[2 * link_words_ + 2 * output_words_ + std::size_t{output} * link_words_], link_words_};
  }
  /// Virtual output queues: links that may send. What the others ask for they ask for later.
  [[nodiscard]] PortSet able() { return {&sets_[link_words_ + 2 * output_words_], link_words_}; }
  /// Whether a link may send something to the output.
  [[nodiscard]] bool wanted(unsigned output) {
    return virtual_outputs_ ? asking(output).meets(able()) : !asking(output).empty();
  }
  /// Perturbation: how long the link's next packet waits. Whether it does now.
  [[gnu::noinline]] bool delay(unsigned link, base::Cycle now);
  /// The link's next packet asks for its output.
  void take_up(unsigned link, base::Cycle now);
  /// The link asks for the output, for a packet of the queue that it has chosen.
  void ask(unsigned link, unsigned output) {
    asking(output).insert(link);
    asked().insert(output);
  }
  /// Virtual output queues: the link's packets ask no longer, since its next one may come from another input.
  [[gnu::noinline]] void ask_no_more(unsigned link, unsigned input);
  /// Removes the packet of the input's queue that the output has granted.
  WaitingPacket take(unsigned input, unsigned output);
  /// Virtual output queues: of the link's chosen queue the first packet for each output asks.
  void offer(unsigned link, base::Cycle now);
  /// Whose turn it is on the link.
  unsigned choose_input(Link& link);
  /// The output has a requesting link; grants one if it can.
  void try_to_grant(unsigned output, base::Cycle now);
  /// What the coalescer says of a packet that is next on the link, of this input.
  [[gnu::noinline]] RequestCoalescer::Way way(unsigned link, unsigned input, const WaitingPacket& packet,
                                              base::Cycle now);
  /// The packet has been taken out for good.
  void leave(unsigned link, unsigned input, const WaitingPacket& packet, base::Cycle now);
  /// The link has sent a packet of that many flits.
  void sent(unsigned link, std::uint32_t flits, base::Cycle now);
  void grant(unsigned output, base::Cycle now);

  base::Divisor flit_bytes_;
  std::uint32_t latency_;
  unsigned share_;
  bool virtual_outputs_;
  std::uint32_t input_capacity_, output_capacity_;
  std::vector<Fifo> queues_;  ///< by input; of virtual output queues only the size
  std::vector<WaitingPacket> waiting_;
  VirtualOutputQueues virtual_queues_;  ///< in place of waiting_
  std::vector<Link> links_;
  std::vector<Output> outputs_;
  std::vector<Flying> flying_;
  unsigned link_words_, output_words_;  ///< of a set of links, of outputs
  std::vector<std::uint64_t> sets_;
  std::vector<unsigned> granted_;
  base::Perturbation perturbation_;
  std::uint32_t perturb_cycles_;
  // Before these cycles there is nothing to do.
  base::Cycle next_delivery_ = base::kNever;
  base::Cycle next_arbitration_ = base::kNever;
  std::uint64_t in_flight_ = 0;
  CrossbarCounters counters_;
  RequestCoalescer* coalescer_ = nullptr;
  const CrossbarDirection* answers_ = nullptr;
  unsigned first_answer_input_ = 0;
};

}  // namespace heddle::memory
