#include "memory/crossbar_direction.h"

#include "memory/request_coalescer.h"

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
      waiting_(std::size_t{inputs} * input_capacity_),
      links_((inputs + share - 1) / share),
      outputs_(outputs),
      flying_(std::size_t{outputs} * output_capacity_),
      link_words_(PortSet::words_for(static_cast<unsigned>(links_.size()))),
      output_words_(PortSet::words_for(outputs)),
      sets_(link_words_ + 2 * output_words_ + std::size_t{outputs} * link_words_),
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
  waiting_[std::size_t{input} * input_capacity_ + queue.at(queue.size++, input_capacity_)] = {
      payload, output, bytes, flits, now};
  ++in_flight_;
  const unsigned l = share_ == 1 ? input : input / share_;
  Link& link = links_[l];
  ++link.waiting;
  if (link.asking != kNone) {
    if (!virtual_outputs_ || link.asking != input) return;
    ask(l, output);
    next_arbitration_ = std::min(next_arbitration_, std::max(outputs_[output].link_free, now));
    return;
  }
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

void CrossbarDirection::take_up(unsigned l, base::Cycle now) {
  Link& link = links_[l];
  unsigned input = perturbation_.on() ? link.first + perturbation_.below(link.count) : link.last;
  if (share_ != 1) {
    do {
      if (++input == link.first + link.count) input = link.first;
    } while (queues_[input].size == 0);
  }
  link.last = input;
  if (coalescer_ != nullptr && keep(l, input, now)) return;
  link.asking = input;
  if (!virtual_outputs_) {
    ask(l, head(input).output);
    return;
  }
  for (std::uint32_t i = 0; i < queues_[input].size; ++i) ask(l, waiting(input, i).output);
}

void CrossbarDirection::ask_no_more(unsigned l, unsigned input) {
  for (std::uint32_t i = 0; i < queues_[input].size; ++i) {
    const unsigned output = waiting(input, i).output;
    asking(output).erase(l);
    if (asking(output).empty()) asked().erase(output);
  }
}

CrossbarDirection::Waiting CrossbarDirection::take(unsigned input, unsigned output) {
  std::uint32_t i = 0;
  while (virtual_outputs_ && waiting(input, i).output != output) ++i;
  const Waiting packet = waiting(input, i);
  for (; i != 0; --i) waiting(input, i) = waiting(input, i - 1);
  queues_[input].pop(input_capacity_);
  return packet;
}

bool CrossbarDirection::keep(unsigned l, unsigned input, base::Cycle now) {
  const Waiting& packet = head(input);
  const unsigned answers = first_answer_input_ + input;
  switch (coalescer_->take(*packet.payload, coalescer_->waiting(input) < answers_->free_entries(answers))) {
    case RequestCoalescer::Way::kGoes:
      return false;
    case RequestCoalescer::Way::kWaits:
      pending().insert(l);
      next_arbitration_ = std::min(next_arbitration_, now + 1);
      return true;
    case RequestCoalescer::Way::kStays:
      break;
  }
  Link& link = links_[l];
  link.free = now + packet.flits;
  link.delayed = false;
  queues_[input].pop(input_capacity_);
  --in_flight_;
  granted_.push_back(input);
  if (--link.waiting != 0) {
    pending().insert(l);
    next_arbitration_ = std::min(next_arbitration_, link.free);
  }
  return true;
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
  if (virtual_outputs_ && asking(output).empty())
    return;  // the link that asked has gone elsewhere in this cycle
  if (out.link_free > now) {
    next_arbitration_ = std::min(next_arbitration_, out.link_free);
    return;
  }
  grant(output, now);
}

void CrossbarDirection::grant(unsigned output, base::Cycle now) {
  Output& out = outputs_[output];
  const PortSet askers = asking(output);
  const unsigned l = askers.next_cyclic(
      perturbation_.on() ? perturbation_.below(static_cast<unsigned>(links_.size())) : out.last);
  out.last = l;
  askers.erase(l);

  Link& link = links_[l];
  const unsigned input = link.asking;
  if (virtual_outputs_) ask_no_more(l, input);
  const Waiting packet = take(input, output);
  link.free = out.link_free = now + packet.flits;
  link.asking = kNone;
  link.delayed = false;
  const base::Cycle ready = now + packet.flits + latency_;
  if (out.buffer.size == 0) {
    occupied().insert(output);
    next_delivery_ = std::min(next_delivery_, ready);
  }
  flying_[std::size_t{output} * output_capacity_ + out.buffer.at(out.buffer.size++, output_capacity_)] = {
      packet.payload, ready};
  granted_.push_back(input);
  if (--link.waiting != 0) {
    pending().insert(l);
    next_arbitration_ = std::min(next_arbitration_, link.free);
  }
  if (askers.empty())
    asked().erase(output);
  else
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
  if (!asking(output).empty()) next_arbitration_ = std::min(next_arbitration_, std::max(out.link_free, now));
}

}  // namespace heddle::memory
