#include "memory/crossbar_direction.h"

namespace heddle::memory {

CrossbarDirection::CrossbarDirection(unsigned inputs, unsigned share, unsigned outputs,
                                     const CrossbarConfig& config, unsigned stream)
    : flit_bytes_(config.flit_bytes),
      latency_(config.latency_cycles),
      share_(share),
      virtual_outputs_(config.virtual_output_queues != VirtualOutputs::kNone),
      input_capacity_(config.input_queue_packets),
      output_capacity_(config.output_queue_packets),
      queues_(inputs),
      waiting_(virtual_outputs_ ? 0 : std::size_t{inputs} * input_capacity_),
      virtual_queues_(virtual_outputs_ ? inputs : 0, outputs, input_capacity_),
      links_((inputs + share - 1) / share),
      outputs_(outputs),
      flying_(std::size_t{outputs} * output_capacity_),
      link_words_(PortSet::words_for(static_cast<unsigned>(links_.size()))),
      output_words_(PortSet::words_for(outputs)),
      sets_(2 * link_words_ + 2 * output_words_ + std::size_t{outputs} * link_words_),
      perturbation_(config.perturb_seed, stream),
      perturb_cycles_(config.perturb_cycles) {
  for (unsigned l = 0; l < links_.size(); ++l) {
    Link& link = links_[l];
    link.first = l * share;
    link.count = std::min(share, inputs - link.first);
    link.last = link.first + link.count - 1;
  }
  for (Output& out : outputs_) out.last = static_cast<unsigned>(links_.size()) - 1;
  granted_.reserve(outputs);
}

void CrossbarDirection::push(unsigned input, unsigned output, std::uint32_t bytes, Payload* payload,
                             base::Cycle now) {
  Fifo& queue = queues_[input];
  const auto flits = std::max(
      1u, static_cast<std::uint32_t>(flit_bytes_.quotient(std::uint64_t{bytes} + flit_bytes_.value() - 1)));
  const WaitingPacket packet{payload, output, bytes, flits, now};
  bool asks = true;
  if (virtual_outputs_) {
    asks = virtual_queues_.push(input, packet);
    ++queue.size;
  } else {
    waiting_[std::size_t{input} * input_capacity_ + queue.at(queue.size++, input_capacity_)] = packet;
  }
  ++in_flight_;
  const unsigned l = share_ == 1 ? input : input / share_;
  Link& link = links_[l];
  ++link.waiting;
  // With virtual output queues it may ask beside the others of its queue.
  if (link.asking != kNone && !(virtual_outputs_ && asks && link.asking == input)) return;
  // Arbitration chooses among the inputs, so the order of pushes within a cycle does not matter.
  pending().insert(l);
  next_arbitration_ = std::min(next_arbitration_, std::max(link.free, now));
}

bool CrossbarDirection::delay(unsigned l, base::Cycle now) {
  Link& link = links_[l];
  if (link.delayed) return false;
  link.delayed = true;
  link.free = now + perturbation_.below(perturb_cycles_ + 1);
  return link.free > now;
}

unsigned CrossbarDirection::choose_input(Link& link) {
  unsigned input = perturbation_.on() ? link.first + perturbation_.below(link.count) : link.last;
  if (share_ != 1) {
    do {
      if (++input == link.first + link.count) input = link.first;
    } while (queues_[input].size == 0);
  }
  return link.last = input;
}

void CrossbarDirection::take_up(unsigned l, base::Cycle now) {
  if (virtual_outputs_) return offer(l, now);
  Link& link = links_[l];
  const unsigned input = choose_input(link);
  if (coalescer_ != nullptr) {
    const RequestCoalescer::Way found = way(l, input, head(input), now);
    if (found == RequestCoalescer::Way::kStays) leave(l, input, take(input, head(input).output), now);
    if (found != RequestCoalescer::Way::kGoes) return;
  }
  link.asking = input;
  ask(l, head(input).output);
}

void CrossbarDirection::offer(unsigned l, base::Cycle now) {
  using Seen = VirtualOutputQueues::Seen;
  using Way = RequestCoalescer::Way;
  Link& link = links_[l];
  if (link.asking == kNone) {
    link.asking = choose_input(link);
    able().insert(l);
  }
  const unsigned input = link.asking;
  WaitingPacket left;
  const bool leaves = virtual_queues_.look_at_new(input, left, [&](const WaitingPacket& packet, bool again) {
    if (coalescer_ != nullptr && !again) {
      const Way found = way(l, input, packet, now);
      if (found != Way::kGoes) return found == Way::kWaits ? Seen::kLater : Seen::kLeaves;
    }
    ask(l, packet.output);
    return Seen::kAsks;
  });
  if (!leaves) return;
  --queues_[input].size;
  leave(l, input, left, now);
}

void CrossbarDirection::ask_no_more(unsigned l, unsigned input) {
  asked().for_each([&](unsigned output) {
    const PortSet askers = asking(output);
    if (!askers.contains(l)) return;
    virtual_queues_.renew(input, output);
    askers.erase(l);
    if (askers.empty()) asked().erase(output);
  });
}

WaitingPacket CrossbarDirection::take(unsigned input, unsigned output) {
  Fifo& queue = queues_[input];
  if (virtual_outputs_) {
    --queue.size;
    return virtual_queues_.take(input, output);
  }
  const WaitingPacket packet = head(input);
  queue.pop(input_capacity_);
  return packet;
}

RequestCoalescer::Way CrossbarDirection::way(unsigned l, unsigned input, const WaitingPacket& packet,
                                             base::Cycle now) {
  const unsigned answers = first_answer_input_ + input;
  const RequestCoalescer::Way found =
      coalescer_->take(*packet.payload, coalescer_->waiting(input) < answers_->free_entries(answers));
  if (found == RequestCoalescer::Way::kWaits) {
    pending().insert(l);
    next_arbitration_ = std::min(next_arbitration_, now + 1);
  }
  return found;
}

void CrossbarDirection::leave(unsigned l, unsigned input, const WaitingPacket& packet, base::Cycle now) {
  --in_flight_;
  granted_.push_back(input);
  sent(l, packet.flits, now);
}

void CrossbarDirection::sent(unsigned l, std::uint32_t flits, base::Cycle now) {
  Link& link = links_[l];
  if (virtual_outputs_) {
    able().erase(l);
    if (link.count != 1) ask_no_more(l, link.asking);
  }
  link.free = now + flits;
  link.asking = kNone;
  link.delayed = false;
  if (--link.waiting == 0) return;
  pending().insert(l);
  next_arbitration_ = std::min(next_arbitration_, link.free);
}

const std::vector<unsigned>& CrossbarDirection::arbitrate(base::Cycle now) {
  granted_.clear();
  if (now < next_arbitration_) return granted_;
  next_arbitration_ = base::kNever;
  pending().for_each([&](unsigned l) {
    if (links_[l].free > now || (perturbation_.on() && delay(l, now))) {
      next_arbitration_ = std::min(next_arbitration_, links_[l].free);
      return;
    }
    pending().erase(l);
    take_up(l, now);
  });
  if (!virtual_outputs_) {
    asked().for_each([&](unsigned output) { try_to_grant(output, now); });
    return granted_;
  }
  // A link that asks for several outputs goes to the first of them that can grant: each is that in turn.
  const auto first = static_cast<unsigned>(now % outputs_.size());
  asked().for_each([&](unsigned output) {
    if (output >= first) try_to_grant(output, now);
  });
  asked().for_each([&](unsigned output) {
    if (output < first) try_to_grant(output, now);
  });
  return granted_;
}

void CrossbarDirection::try_to_grant(unsigned output, base::Cycle now) {
  const Output& out = outputs_[output];
  if (out.buffer.size == output_capacity_) return;  // complete() will retry
  if (virtual_outputs_ && !wanted(output)) return;  // those that asked are sending something else
  if (out.link_free > now) {
    next_arbitration_ = std::min(next_arbitration_, out.link_free);
    return;
  }
  grant(output, now);
}

void CrossbarDirection::grant(unsigned output, base::Cycle now) {
  Output& out = outputs_[output];
  const PortSet askers = asking(output);
  const unsigned last =
      perturbation_.on() ? perturbation_.below(static_cast<unsigned>(links_.size())) : out.last;
  const unsigned l = virtual_outputs_ ? askers.next_cyclic(last, able()) : askers.next_cyclic(last);
  out.last = l;
  askers.erase(l);

  const unsigned input = links_[l].asking;
  const WaitingPacket packet = take(input, output);
  out.link_free = now + packet.flits;
  const base::Cycle ready = now + packet.flits + latency_;
  if (out.buffer.size == 0) {
    occupied().insert(output);
    next_delivery_ = std::min(next_delivery_, ready);
  }
  flying_[std::size_t{output} * output_capacity_ + out.buffer.at(out.buffer.size++, output_capacity_)] = {
      packet.payload, ready};
  granted_.push_back(input);
  sent(l, packet.flits, now);
  if (askers.empty())
    asked().erase(output);
  else if (wanted(output))
    next_arbitration_ = std::min(next_arbitration_, out.link_free);

  ++counters_.packets;
  counters_.flits += packet.flits;
  counters_.bytes += packet.bytes;
  counters_.input_wait_cycles += now - packet.pushed;
}

base::Cycle CrossbarDirection::earliest_grant(unsigned input, base::Cycle from, base::Cycle before) const {
  const unsigned l = share_ == 1 ? input : input / share_;
  const Link& link = links_[l];
  base::Cycle earliest = std::max(from, link.free);
  if (link.asking != input || virtual_outputs_) return std::min(earliest, before);
  const unsigned output = head(input).output;
  const Output& out = outputs_[output];
  earliest = std::max(earliest, out.link_free);
  if (perturbation_.on()) return std::min(earliest, before);
  // Those whose turn comes before are granted first.
  const PortSet askers =
      const_cast<CrossbarDirection*>(this)->asking(output);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  for (unsigned first = askers.next_cyclic(out.last); first != l && earliest < before;
       first = askers.next_cyclic(first))
    earliest += head(links_[first].asking).flits;
  return std::min(earliest, before);
}

void CrossbarDirection::complete(unsigned output, base::Cycle now) {
  Output& out = outputs_[output];
  counters_.output_wait_cycles += now - std::min(now, first(output).ready);
  out.buffer.pop(output_capacity_);
  out.offered = false;
  --in_flight_;
  if (out.buffer.size == 0)
    occupied().erase(output);
  else
    next_delivery_ = std::min(next_delivery_, first(output).ready);
  if (wanted(output)) next_arbitration_ = std::min(next_arbitration_, std::max(out.link_free, now));
}

}  // namespace heddle::memory
