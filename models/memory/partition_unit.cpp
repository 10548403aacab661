#include "memory/partition_unit.h"

#include <fmt/format.h>

#include "memory/protocol_error.h"

namespace heddle::memory {
namespace {

bool is_message(const tlm::tlm_generic_payload& payload) {
  return static_cast<const sim::MemoryTransaction&>(payload).extension.op == sim::MemoryOp::kMessage;
}
bool is_own(tlm::tlm_generic_payload& payload) {
  return sim::memory_extension(payload).core == sim::kUnitInitiator;
}

}  // namespace

PartitionUnit::PartitionUnit(const sc_core::sc_module_name& name, sim::MessageOwner owner,
                             const PartitionUnitQueues& queues, const PartitionUnitSite& site)
    : sc_module(name),
      crossbar_tsock("crossbar_tsock", this),
      l2_isock("l2_isock", this),
      partition_(site.partition),
      owner_(owner),
      queues_(queues),
      clock_(site.clock, sim::on_tick<&PartitionUnit::tick>(this)),
      taken_(queues.requests),
      to_l2_(queues.l2),
      to_crossbar_(queues.answers) {
  declare(site.stats);
}

void PartitionUnit::declare(base::StatGroup& stats) {
  const auto side = [](base::StatGroup& group, const Counters& c, const std::string& what) {
    group.counter("passed", "packets", what + " that passed", &c.passed);
    group.counter("taken", "packets", what + " that the unit took, messages and its own not among them",
                  &c.taken);
    group.counter("late_ends", "packets", what + " that found their queue full", &c.late_ends);
    group.counter("late_end_cycles", "unit cycles", "time those waited outside the queue, summed",
                  &c.late_end_cycles);
  };
  side(stats.child("requests", "from the crossbar"), requests_, "requests");
  side(stats.child("responses", "from the L2"), responses_, "responses");
  stats.counter("messages", "packets", "messages from cores", &messages_);
  stats.counter("answers", "packets", "requests and messages that the unit answered itself", &answers_);
  stats.counters("l2_requests", "requests", "the unit's own", {"read", "write", "atomic"}, own_.data());
}

void PartitionUnit::moved() { last_moved_ = clock_.domain().manager().now(); }

bool PartitionUnit::idle() const {
  return taken_.empty() && to_l2_.empty() && returned_.empty() && to_crossbar_.empty() &&
         at_l2_.payload == nullptr && at_crossbar_.payload == nullptr && held_request_.payload == nullptr &&
         held_response_.payload == nullptr && requests_held_ == 0 && !works();
}

std::uint64_t PartitionUnit::silent_since() const {
  const bool holds = messages_held_ + requests_held_ != 0;
  const bool waits = own_outstanding_ != 0 || !to_l2_.empty() || !to_crossbar_.empty() ||
                     at_l2_.payload != nullptr || at_crossbar_.payload != nullptr;
  return holds && !waits ? last_moved_ : kNotWaiting;
}

// ---- requests: from the crossbar to the L2 ----

tlm::tlm_sync_enum PartitionUnit::memory_nb_transport_fw(unsigned, Payload& payload, tlm::tlm_phase& phase,
                                                         sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) return begin_request(payload, phase, delay);
  if (phase != tlm::END_RESP)
    protocol_error("partition_unit", "unexpected phase on the forward path", name());
  if (at_crossbar_.payload != &payload)
    protocol_error("partition_unit", "END_RESP without BEGIN_RESP", name());
  at_crossbar_.payload = nullptr;
  clock_.wake();
  if (at_crossbar_.passing) return l2_isock->nb_transport_fw(payload, phase, delay);
  payload.release();
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum PartitionUnit::begin_request(Payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  if (held_request_.payload != nullptr || (at_l2_.payload != nullptr && at_l2_.passing))
    protocol_error("partition_unit", "BEGIN_REQ before END_REQ", name());
  const base::Cycle now = clock_.domain().cycle();
  const bool message = is_message(payload);
  if (message && !understands(payload))
    protocol_error("partition_unit",
                   fmt::format("a message of '{}' from core {}: this unit is not for it",
                               sim::name_of(sim::memory_message(payload).owner),
                               sim::memory_extension(payload).core.value()),
                   name());
  const bool take = message || takes_request(payload);
  if (!take && at_l2_.payload == nullptr && to_l2_.empty() && request_sent_ != now) {
    ++requests_.passed;
    request_passed_ = now;
    const tlm::tlm_sync_enum status = l2_isock->nb_transport_fw(payload, phase, delay);
    if (status == tlm::TLM_ACCEPTED) at_l2_ = {&payload, true};
    return status;
  }
  clock_.wake();
  payload.acquire();
  if (!has_room_for_request(take)) {
    held_request_ = {&payload, take, now};
    return tlm::TLM_ACCEPTED;
  }
  queue_request(payload, take);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void PartitionUnit::queue_request(Payload& payload, bool take) {
  moved();
  if (!take) {
    ++requests_.passed;
    to_l2_.push_back(&payload);
    return;
  }
  if (is_message(payload)) {
    ++messages_;
    ++messages_held_;
  } else {
    ++requests_.taken;
    ++requests_held_;
  }
  taken_.push_back(&payload);
}

PartitionUnit::Payload& PartitionUnit::take_request() {
  Payload& payload = *taken_.front();
  taken_.pop_front();
  moved();
  return payload;
}

sim::MemoryTransaction& PartitionUnit::own_request(sim::MemoryOp op, std::uint64_t address, unsigned bytes) {
  sim::MemoryTransaction& request = pool_.allocate(op, address, bytes);
  request.extension.core = sim::kUnitInitiator;
  request.extension.partition = partition_;
  return request;
}

void PartitionUnit::send(Payload& payload) {
  if (is_message(payload)) protocol_error("partition_unit", "the L2 understands no messages", name());
  if (is_own(payload)) {
    ++own_outstanding_;
    ++own_[static_cast<unsigned>(sim::memory_extension(payload).op)];
  } else {
    --requests_held_;
  }
  to_l2_.push_back(&payload);
  moved();
}

bool PartitionUnit::send_request(base::Cycle now) {
  // If one passed in this cycle, the link is taken; the next one queues behind ours.
  if (at_l2_.payload != nullptr || to_l2_.empty() || request_passed_ == now) return false;
  Payload& payload = *to_l2_.front();
  to_l2_.pop_front();
  request_sent_ = now;
  at_l2_ = {&payload, false};
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (l2_isock->nb_transport_fw(payload, phase, delay) != tlm::TLM_ACCEPTED) {
    at_l2_.payload = nullptr;
    accepted(payload);
    payload.release();
  }
  return true;
}

bool PartitionUnit::accept_held_request(base::Cycle now) {
  if (held_request_.payload == nullptr || !has_room_for_request(held_request_.taken)) return false;
  Payload& payload = *held_request_.payload;
  ++requests_.late_ends;
  requests_.late_end_cycles += now - held_request_.since;
  held_request_.payload = nullptr;
  queue_request(payload, held_request_.taken);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  crossbar_tsock->nb_transport_bw(payload, phase, delay);
  return true;
}

// ---- responses: from the L2 to the crossbar ----

tlm::tlm_sync_enum PartitionUnit::memory_nb_transport_bw(unsigned, Payload& payload, tlm::tlm_phase& phase,
                                                         sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_RESP) return begin_response(payload, phase, delay);
  if (phase != tlm::END_REQ)
    protocol_error("partition_unit", "unexpected phase on the backward path", name());
  if (at_l2_.payload != &payload) protocol_error("partition_unit", "END_REQ without BEGIN_REQ", name());
  at_l2_.payload = nullptr;
  clock_.wake();
  if (at_l2_.passing) return crossbar_tsock->nb_transport_bw(payload, phase, delay);
  moved();
  accepted(payload);
  payload.release();
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum PartitionUnit::begin_response(Payload& payload, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
  if (held_response_.payload != nullptr || (at_crossbar_.payload != nullptr && at_crossbar_.passing))
    protocol_error("partition_unit", "BEGIN_RESP before END_RESP", name());
  const base::Cycle now = clock_.domain().cycle();
  const bool own = is_own(payload);
  const bool take = !own && takes_response(payload);
  if (!own && !take && at_crossbar_.payload == nullptr && to_crossbar_.empty() && response_sent_ != now) {
    ++responses_.passed;
    const tlm::tlm_sync_enum status = crossbar_tsock->nb_transport_bw(payload, phase, delay);
    if (status == tlm::TLM_ACCEPTED) at_crossbar_ = {&payload, true};
    return status;
  }
  clock_.wake();
  payload.acquire();
  if (!own && !has_room_for_response(take)) {
    held_response_ = {&payload, take, now};
    return tlm::TLM_ACCEPTED;
  }
  if (own)
    returned_.push_back(&payload);
  else
    queue_response(payload, take);
  moved();
  phase = tlm::END_RESP;
  return tlm::TLM_UPDATED;
}

void PartitionUnit::queue_response(Payload& payload, bool take) {
  moved();
  if (take) {
    ++responses_.taken;
    ++responses_taken_;
    returned_.push_back(&payload);
  } else {
    ++responses_.passed;
    to_crossbar_.push_back(&payload);
  }
}

PartitionUnit::Payload& PartitionUnit::take_response() {
  Payload& payload = *returned_.front();
  returned_.pop_front();
  if (!is_own(payload)) {
    --responses_taken_;
  } else {
    --own_outstanding_;
    if (!payload.is_response_ok())
      protocol_error("partition_unit", "the L2 answered the unit with " + payload.get_response_string(),
                     name());
  }
  moved();
  return payload;
}

void PartitionUnit::answer(Payload& payload, tlm::tlm_response_status status) {
  if (sim::memory_extension(payload).posted())
    protocol_error("partition_unit", "a posted message has no answer", name());
  ++answers_;
  --(is_message(payload) ? messages_held_ : requests_held_);
  payload.set_response_status(status);
  to_crossbar_.push_back(&payload);
  moved();
}

void PartitionUnit::respond(Payload& response) {
  if (is_own(response))
    protocol_error("partition_unit", "a response to the unit itself goes to no core", name());
  to_crossbar_.push_back(&response);
  moved();
}

sim::MemoryTransaction& PartitionUnit::notice(base::CoreId core, std::uint8_t client, std::uint8_t kind) {
  sim::MemoryTransaction& notice = pool_.allocate_message(partition_, owner_, kind);
  notice.extension.core = core;
  notice.extension.client = client;
  return notice;
}

void PartitionUnit::notify(sim::MemoryTransaction& notice) {
  notice.set_response_status(tlm::TLM_OK_RESPONSE);
  to_crossbar_.push_back(&notice);
  moved();
}

void PartitionUnit::finish(Payload& posted) {
  if (!sim::memory_extension(posted).posted())
    protocol_error("partition_unit", "its sender waits for an answer", name());
  --messages_held_;
  posted.release();
  moved();
}

bool PartitionUnit::send_response(base::Cycle now) {
  if (at_crossbar_.payload != nullptr || to_crossbar_.empty()) return false;
  Payload& payload = *to_crossbar_.front();
  to_crossbar_.pop_front();
  response_sent_ = now;
  at_crossbar_ = {&payload, false};
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (crossbar_tsock->nb_transport_bw(payload, phase, delay) != tlm::TLM_ACCEPTED) {
    at_crossbar_.payload = nullptr;
    payload.release();
  }
  return true;
}

bool PartitionUnit::accept_held_response(base::Cycle now) {
  if (held_response_.payload == nullptr || !has_room_for_response(held_response_.taken)) return false;
  Payload& payload = *held_response_.payload;
  ++responses_.late_ends;
  responses_.late_end_cycles += now - held_response_.since;
  held_response_.payload = nullptr;
  queue_response(payload, held_response_.taken);
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  l2_isock->nb_transport_fw(payload, phase, delay);
  return true;
}

// ---- time ----

void PartitionUnit::tick() {
  const base::Cycle now = clock_.cycle();
  const base::Cycle wanted = cycle(now);
  bool moves = last_moved_ == clock_.domain().manager().now();
  moves |= send_request(now);
  moves |= send_response(now);
  moves |= accept_held_request(now);
  moves |= accept_held_response(now);
  // The queue waits although its receiver is free: resume in the next cycle.
  moves |= at_l2_.payload == nullptr && !to_l2_.empty();
  moves |= at_crossbar_.payload == nullptr && !to_crossbar_.empty();
  if (moves)
    clock_.again();
  else if (wanted == kNever)
    clock_.park();
  else
    clock_.sleep_until(wanted);
}

}  // namespace heddle::memory
