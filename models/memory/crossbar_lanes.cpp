#include "memory/crossbar_lanes.h"

#include <algorithm>

namespace heddle::memory {

CrossbarLanes::CrossbarLanes(unsigned inputs, unsigned outputs, const CrossbarConfig& config)
    : flit_bytes_(config.flit_bytes),
      latency_(config.latency_cycles),
      inputs_(inputs),
      outputs_(outputs),
      busy_inputs_(inputs),
      asked_(outputs),
      occupied_(outputs) {
  for (Input& in : inputs_) in.queue = Ring<Waiting>(config.input_queue_packets);
  for (Output& out : outputs_) {
    out.buffer = Ring<Flying>(config.output_queue_packets);
    out.asking = sim::IndexSet(inputs);
    out.last = inputs - 1;
  }
  granted_.reserve(outputs);
}

void CrossbarLanes::ask(unsigned input) {
  const unsigned output = inputs_[input].queue.front().output;
  outputs_[output].asking.insert(input);
  asked_.insert(output);
}

void CrossbarLanes::push(unsigned input, unsigned output, std::uint32_t bytes, Payload* payload,
                         sim::Cycle now) {
  Input& in = inputs_[input];
  const bool was_empty = in.queue.empty();
  in.queue.push_back({payload, output, bytes, now});
  ++in_flight_;
  if (was_empty && !busy_inputs_.contains(input)) ask(input);
}

const std::vector<unsigned>& CrossbarLanes::arbitrate(sim::Cycle now) {
  granted_.clear();
  busy_inputs_.for_each([&](unsigned input) {
    if (inputs_[input].link_free > now) return;
    busy_inputs_.erase(input);
    if (!inputs_[input].queue.empty()) ask(input);
  });
  asked_.for_each([&](unsigned output) {
    Output& out = outputs_[output];
    if (out.link_free > now || out.buffer.full()) return;
    const unsigned input = *out.asking.next_cyclic(out.last);
    out.last = input;
    out.asking.erase(input);
    if (out.asking.empty()) asked_.erase(output);

    Input& in = inputs_[input];
    const Waiting packet = in.queue.front();
    in.queue.pop_front();
    const std::uint32_t flits = std::max(1u, (packet.bytes + flit_bytes_ - 1) / flit_bytes_);
    in.link_free = out.link_free = now + flits;
    busy_inputs_.insert(input);
    out.buffer.push_back({packet.payload, now + flits + latency_});
    occupied_.insert(output);
    granted_.push_back(input);

    ++counters_.packets;
    counters_.bytes += packet.bytes;
    counters_.link_busy_cycles += flits;
    counters_.input_wait_cycles += now - packet.pushed;
  });
  return granted_;
}

void CrossbarLanes::complete(unsigned output, sim::Cycle now) {
  Output& out = outputs_[output];
  counters_.output_wait_cycles += now - std::min(now, out.buffer.front().ready);
  out.buffer.pop_front();
  out.offered = false;
  if (out.buffer.empty()) occupied_.erase(output);
  --in_flight_;
}

sim::Cycle CrossbarLanes::next_cycle(sim::Cycle now) const {
  sim::Cycle next = kNever;
  const auto at = [&](sim::Cycle cycle) { next = std::min(next, std::max(cycle, now + 1)); };
  occupied_.for_each([&](unsigned output) {
    const Output& out = outputs_[output];
    if (!out.offered) at(out.buffer.front().ready);
  });
  // An output without a free place is woken by complete().
  asked_.for_each([&](unsigned output) {
    if (!outputs_[output].buffer.full()) at(outputs_[output].link_free);
  });
  busy_inputs_.for_each([&](unsigned input) {
    if (!inputs_[input].queue.empty()) at(inputs_[input].link_free);
  });
  return next;
}

}  // namespace heddle::memory
