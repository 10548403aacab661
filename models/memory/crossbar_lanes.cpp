#include "memory/crossbar_lanes.h"

namespace heddle::memory {

CrossbarLanes::CrossbarLanes(unsigned inputs, unsigned share, unsigned outputs, const CrossbarConfig& config)
    : flit_bytes_(config.flit_bytes),
      latency_(config.latency_cycles),
      share_(share),
      queues_(inputs, Ring<Waiting>(config.input_queue_packets)),
      links_((inputs + share - 1) / share),
      outputs_(outputs),
      pending_(static_cast<std::uint32_t>(links_.size())),
      asked_(outputs),
      occupied_(outputs) {
  for (unsigned l = 0; l < links_.size(); ++l) {
    Link& link = links_[l];
    link.first = l * share;
    link.count = std::min(share, inputs - link.first);
    link.last = link.first + link.count - 1;
  }
  for (Output& out : outputs_) {
    out.buffer = Ring<Flying>(config.output_queue_packets);
    out.asking = sim::IndexSet(static_cast<std::uint32_t>(links_.size()));
    out.last = static_cast<unsigned>(links_.size()) - 1;
  }
  granted_.reserve(outputs);
}

void CrossbarLanes::push(unsigned input, unsigned output, std::uint32_t bytes, Payload* payload,
                         sim::Cycle now) {
  queues_[input].push_back({payload, output, bytes, now});
  ++in_flight_;
  const unsigned l = share_ == 1 ? input : input / share_;
  Link& link = links_[l];
  ++link.waiting;
  if (link.asking != kNone) return;
  // The arbitration chooses among the inputs, so that the order of pushes within a cycle means nothing.
  pending_.insert(l);
  next_arbitration_ = std::min(next_arbitration_, std::max(link.free, now));
}

void CrossbarLanes::take_up(unsigned l) {
  Link& link = links_[l];
  unsigned input = link.last;
  do {
    if (++input == link.first + link.count) input = link.first;
  } while (queues_[input].empty());
  link.last = link.asking = input;
  const unsigned output = queues_[input].front().output;
  outputs_[output].asking.insert(l);
  asked_.insert(output);
}

const std::vector<unsigned>& CrossbarLanes::arbitrate(sim::Cycle now) {
  granted_.clear();
  if (now < next_arbitration_) return granted_;
  next_arbitration_ = kNever;
  pending_.for_each([&](unsigned l) {
    if (links_[l].free > now) {
      next_arbitration_ = std::min(next_arbitration_, links_[l].free);
      return;
    }
    pending_.erase(l);
    take_up(l);
  });
  asked_.for_each([&](unsigned output) {
    Output& out = outputs_[output];
    if (out.buffer.full()) return;  // complete() brings us back
    if (out.link_free > now) {
      next_arbitration_ = std::min(next_arbitration_, out.link_free);
      return;
    }
    grant(output, now);
  });
  return granted_;
}

void CrossbarLanes::grant(unsigned output, sim::Cycle now) {
  Output& out = outputs_[output];
  const unsigned l = *out.asking.next_cyclic(out.last);
  out.last = l;
  out.asking.erase(l);

  Link& link = links_[l];
  const unsigned input = link.asking;
  const Waiting packet = queues_[input].front();
  queues_[input].pop_front();
  const std::uint64_t flits =
      std::max<std::uint64_t>(1, flit_bytes_.quotient(packet.bytes + flit_bytes_.value() - 1));
  link.free = out.link_free = now + flits;
  link.asking = kNone;
  const sim::Cycle ready = now + flits + latency_;
  if (out.buffer.empty()) {
    occupied_.insert(output);
    next_delivery_ = std::min(next_delivery_, ready);
  }
  out.buffer.push_back({packet.payload, ready});
  granted_.push_back(input);
  if (--link.waiting != 0) {
    pending_.insert(l);
    next_arbitration_ = std::min(next_arbitration_, link.free);
  }
  if (out.asking.empty())
    asked_.erase(output);
  else
    next_arbitration_ = std::min(next_arbitration_, out.link_free);

  ++counters_.packets;
  counters_.flits += flits;
  counters_.bytes += packet.bytes;
  counters_.input_wait_cycles += now - packet.pushed;
}

void CrossbarLanes::complete(unsigned output, sim::Cycle now) {
  Output& out = outputs_[output];
  counters_.output_wait_cycles += now - std::min(now, out.buffer.front().ready);
  out.buffer.pop_front();
  out.offered = false;
  --in_flight_;
  if (out.buffer.empty())
    occupied_.erase(output);
  else
    next_delivery_ = std::min(next_delivery_, out.buffer.front().ready);
  if (!out.asking.empty()) next_arbitration_ = std::min(next_arbitration_, std::max(out.link_free, now));
}

}  // namespace heddle::memory
