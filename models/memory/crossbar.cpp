#include "memory/crossbar.h"

#include <algorithm>
#include <optional>
#include <string>

#include "memory/protocol_error.h"
#include "memory/stat_ratio.h"
#include "sim/windows.h"

namespace heddle::memory {
Crossbar::Crossbar(const sc_core::sc_module_name& name, unsigned cores, unsigned partitions,
                   const CrossbarConfig& config, const AddressMap& map, sim::ClockDomain& clock,
                   base::StatGroup& stats)
    : sc_module(name),
      core_tsock("core_tsock"),
      partition_isock("partition_isock"),
      map_(map),
      stats_(stats),
      request_flit_bytes_(config.flit_bytes),
      response_flit_bytes_(config.to_core_bytes()),
      cluster_cores_(config.cluster_cores),
      sizes_{config.header_bytes},
      clock_(clock, sim::on_tick<&Crossbar::tick>(this)),
      coalescer_(config, cores),
      requests_(cores, cluster_cores_, partitions, config.of_requests()),
      responses_(coalescer_.on() ? partitions + cores : partitions, 1, cluster_of(cores - 1) + 1,
                 config.of_responses(), 1),
      held_requests_(cores),
      held_responses_(partitions),
      cores_ahead_(cores),
      partitions_ahead_(partitions) {
  // sc_vector owns what its creator returns.
  core_tsock.init(cores, [this](const char* socket, std::size_t port) {
    return new sim::MemoryTargetSocket(socket, this, static_cast<unsigned>(port));
  });
  partition_isock.init(partitions, [this](const char* socket, std::size_t port) {
    return new sim::MemoryInitiatorSocket(socket, this, static_cast<unsigned>(port));
  });
  declare(stats.child("requests", "packets from cores to partitions"), requests_.counters(), late_requests_,
          partitions);
  declare(stats.child("responses", "packets from partitions to cores"), responses_.counters(),
          late_responses_, cluster_of(cores - 1) + 1);
  if (!coalescer_.on()) return;
  requests_.coalesce(coalescer_, responses_, partitions);
  base::StatGroup& group = stats.child("coalescer", "reads of a GPC that share an answer of L2");
  group.counter("joined", "packets", "reads that got the answer of another one", &coalescer_.joined);
  group.counter("table_full", "packets", "reads that went to L2 and could not be joined: the table was full",
                &coalescer_.table_full);
}

void Crossbar::declare(base::StatGroup& group, const CrossbarCounters& c, const LateEnds& late,
                       unsigned links) {
  group.counter("packets", "packets", "packets granted", &c.packets);
  group.counter("flits", "flits",
                "flits of granted packets; each takes one of " + std::to_string(links) +
                    " output links for an interconnect cycle",
                &c.flits);
  group.counter("bytes", "bytes", "bytes of granted packets, headers included", &c.bytes);
  group.counter("input_wait_cycles", "interconnect cycles",
                "from entering the input queue to the grant, summed", &c.input_wait_cycles);
  group.counter("output_wait_cycles", "interconnect cycles",
                "from arrival at the output to acceptance by the receiver, summed", &c.output_wait_cycles);
  group.counter("late_ends", "packets", "packets that found their input queue full", &late.count);
  group.counter("late_end_cycles", "interconnect cycles",
                "time those packets waited outside the queue, summed", &late.cycles);
  declare_ratio(group, "average_input_wait", "interconnect cycles", "mean time in the input queue",
                "input_wait_cycles", "packets");
}

void Crossbar::declare_messages() {
  const auto declare = [this](const char* group, const Messages& messages, const char* what) {
    stats_.child(group).counter("messages", "packets", std::string("of the packets: ") + what,
                                &messages.packets);
    stats_.child(group).counter("message_flits", "flits", "flits of those", &messages.flits);
  };
  declare("requests", message_requests_, "messages to partition units");
  declare("responses", message_answers_, "answers of partition units to messages");
}

void Crossbar::count(Messages& messages, std::uint32_t bytes, std::uint32_t flit_bytes) {
  ++messages.packets;
  messages.flits += std::max(1u, (bytes + flit_bytes - 1) / flit_bytes);
}

bool Crossbar::idle() const { return requests_.idle() && responses_.idle() && held_ == 0 && shared_.empty(); }

// ---- what cores call ----

tlm::tlm_sync_enum Crossbar::memory_nb_transport_fw(unsigned port, tlm::tlm_generic_payload& payload,
                                                    tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (sim::LogicalProcess* const process = sim::LogicalProcess::running()) {
    const bool begin = phase == tlm::BEGIN_REQ;
    sim::memory_extension(payload).core = base::CoreId{port};
    const tlm::tlm_sync_enum answer =
        defer<&Crossbar::deferred_of_core>(*process, cores_ahead_[port], requests_, port, payload, begin);
    if (answer == tlm::TLM_UPDATED) phase = tlm::END_REQ;
    if (begin && coalescer_.on() && sim::memory_extension(payload).op == sim::MemoryOp::kRead)
      may_join(*process);
    return answer;
  }
  const base::Cycle now = clock_.domain().cycle();
  if (phase == tlm::BEGIN_REQ) {
    if (held_requests_[port].payload != nullptr)
      protocol_error("crossbar", "BEGIN_REQ before END_REQ", name());
    payload.acquire();
    sim::MemoryExtension& ext = sim::memory_extension(payload);
    ext.core = base::CoreId{port};
    if (windows_ != nullptr) request_times_[port].entered(ext.order, now);
    if (ext.op != sim::MemoryOp::kMessage && !ext.to_partition)
      ext.partition = map_.partition(payload.get_address());
    else if (ext.partition.value() >= partition_isock.size())
      protocol_error("crossbar", "message to a partition that does not exist", name());
    clock_.wake();
    if (!requests_.can_accept(port)) {
      held_requests_[port] = {&payload, now};
      ++held_;
      return tlm::TLM_ACCEPTED;
    }
    push_request(port, payload, now);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  if (phase == tlm::END_RESP) {
    const unsigned cluster = cluster_of(port);
    if (!responses_.offered(cluster) || responses_.offer(cluster) != &payload)
      protocol_error("crossbar", "END_RESP without BEGIN_RESP", name());
    responses_.complete(cluster, now);
    answered(payload);
    payload.release();
    clock_.wake();
    return tlm::TLM_COMPLETED;
  }
  protocol_error("crossbar", "unexpected phase on the forward path", name());
  return tlm::TLM_COMPLETED;
}

// ---- cores and partitions that run ahead ----

void Crossbar::run_ahead(sim::Windows& windows, std::uint64_t service) {
  windows_ = &windows;
  request_times_.resize(core_tsock.size());
  const base::Cycle cycles = clock_.domain().first_edge_at(service);
  round_trip_ = requests_.shortest_trip() + (cycles == 0 ? 0 : cycles - 1) + responses_.shortest_trip();
  const base::Cycle trip = std::min(requests_.shortest_trip(), responses_.shortest_trip());
  stretch_ = std::max(trip, (round_trip_ - trip) * 2 / std::max(2u, windows.threads()));
}

void Crossbar::answered(tlm::tlm_generic_payload& payload) {
  sim::MemoryExtension& ext = sim::memory_extension(payload);
  if (coalescer_.on()) coalescer_.delivered(ext);
  if (windows_ != nullptr) request_times_[ext.core.value()].answered(ext.order);
}

sim::Turn Crossbar::begin_window(sim::Turn floor) {
  window_edge_ = clock_.domain().first_edge_at(sim::time_of(floor));
  if (turn_of(window_edge_) < floor) ++window_edge_;
  arrival_edge_ = window_edge_ + std::min(requests_.shortest_trip(), responses_.shortest_trip());
  window_end_ = turn_of(arrival_edge_);
  stretch_end_ = turn_of((arrival_edge_ + stretch_ - 1) / stretch_ * stretch_);
  // In a cluster, whether a packet waits behind one that is refused depends on other cores.
  if (cluster_cores_ == 1) hand_over<&Crossbar::response_comes>(responses_, 0);
  hand_over<&Crossbar::request_comes>(requests_, static_cast<unsigned>(core_tsock.size()));
  return window_end_;
}

template <void (Crossbar::*Comes)(tlm::tlm_generic_payload&)>
void Crossbar::hand_over(CrossbarDirection& direction, unsigned first) {
  direction.hand_over(
      window_edge_, arrival_edge_,
      [&](unsigned output, base::Cycle cycle, tlm::tlm_generic_payload* payload) {
        windows_->arrive(
            first + output, turn_of(cycle),
            [](void* self, void* what) {
              (static_cast<Crossbar*>(self)->*Comes)(*static_cast<tlm::tlm_generic_payload*>(what));
            },
            this, payload);
      });
}

void Crossbar::response_comes(tlm::tlm_generic_payload& payload) {
  const unsigned core = sim::memory_extension(payload).core.value();
  const bool accepted = offer_response(core, payload);
  if (!accepted) windows_->process(core).cancel_arrivals();
  responses_.answered(core, accepted);
}

void Crossbar::request_comes(tlm::tlm_generic_payload& payload) {
  const unsigned partition = sim::memory_extension(payload).partition.value();
  const bool accepted = offer_request(partition, payload);
  if (!accepted) windows_->process(static_cast<unsigned>(core_tsock.size()) + partition).cancel_arrivals();
  requests_.answered(partition, accepted);
}

sim::Turn Crossbar::reach(Ahead& ahead, const CrossbarDirection& from_it, unsigned port, bool held) const {
  const unsigned free_entries = from_it.free_entries(port);
  ahead.room = free_entries > ahead.sent ? free_entries - ahead.sent : 0;
  // The next grant lets in the packet outside the queue, or the next one.
  if (!held && ahead.room != 0) return window_end_;
  return ahead.grant = earliest_grant(from_it, port);
}

sim::Turn Crossbar::earliest_grant(const CrossbarDirection& from_it, unsigned port) const {
  return turn_of(from_it.earliest_grant(port, window_edge_, arrival_edge_));
}

sim::Turn Crossbar::earliest_answer(unsigned core) const {
  // A read that joins another one is answered when that is.
  if (coalescer_.on() &&
      (cores_ahead_[core].sent != 0 || requests_.queued(core) || coalescer_.following(core) != 0))
    return window_end_;
  // What enters from now on enters in the last cycle that has been, or later.
  const base::Cycle entered =
      std::min(request_times_[core].oldest(), window_edge_ - std::min<base::Cycle>(window_edge_, 1));
  return std::max(window_end_, std::min(stretch_end_, turn_of(entered + round_trip_)));
}

void Crossbar::may_join(sim::LogicalProcess& process) const {
  const base::Cycle enters = clock_.domain().first_edge_at(sim::time_of(process.turn()));
  process.limit(
      std::max(window_end_, turn_of(enters - std::min<base::Cycle>(enters, 1) + responses_.shortest_trip())));
}

sim::Turn Crossbar::reach_of_core(unsigned core) {
  const bool held = held_requests_[core].payload != nullptr;
  sim::Turn end = reach(cores_ahead_[core], requests_, core, held);
  if (!held && cores_ahead_[core].room != 0) end = earliest_answer(core);
  if (cluster_cores_ == 1) return end;
  const unsigned cluster = cluster_of(core);
  // Who accepts one may get another one then.
  const base::Cycle arrival =
      responses_.offered(cluster) ? window_edge_ : std::max(responses_.first_arrival(cluster), window_edge_);
  return arrival < arrival_edge_ ? std::min(end, turn_of(arrival)) : end;
}

sim::Turn Crossbar::reach_of_partition(unsigned partition) {
  return reach(partitions_ahead_[partition], responses_, partition,
               held_responses_[partition].payload != nullptr);
}

template <void (Crossbar::*Deferred)(tlm::tlm_generic_payload&, bool begin, bool accepted)>
tlm::tlm_sync_enum Crossbar::defer(sim::LogicalProcess& process, Ahead& ahead,
                                   const CrossbarDirection& from_it, unsigned port,
                                   tlm::tlm_generic_payload& payload, bool begin) {
  payload.acquire();
  if (!begin) {
    process.defer_and_stop(
        [](void* self, void* what) {
          (static_cast<Crossbar*>(self)->*Deferred)(*static_cast<tlm::tlm_generic_payload*>(what), false,
                                                    true);
        },
        this, &payload);
    return tlm::TLM_COMPLETED;
  }
  ++ahead.sent;
  if (ahead.room == 0) {  // the queue is full up to the next grant
    process.limit(ahead.grant);
    process.defer(
        [](void* self, void* what) {
          (static_cast<Crossbar*>(self)->*Deferred)(*static_cast<tlm::tlm_generic_payload*>(what), true,
                                                    false);
        },
        this, &payload);
    return tlm::TLM_ACCEPTED;
  }
  if (--ahead.room == 0) process.limit(ahead.grant = earliest_grant(from_it, port));
  process.defer(
      [](void* self, void* what) {
        (static_cast<Crossbar*>(self)->*Deferred)(*static_cast<tlm::tlm_generic_payload*>(what), true, true);
      },
      this, &payload);
  return tlm::TLM_UPDATED;
}

void Crossbar::deferred_of_core(tlm::tlm_generic_payload& payload, bool begin, bool accepted) {
  const unsigned core = sim::memory_extension(payload).core.value();
  if (begin) --cores_ahead_[core].sent;
  tlm::tlm_phase phase = begin ? tlm::BEGIN_REQ : tlm::END_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if ((memory_nb_transport_fw(core, payload, phase, delay) != tlm::TLM_ACCEPTED) != accepted)
    protocol_error("crossbar", "a core ran ahead on an answer that was wrong", name());
  payload.release();
}

void Crossbar::deferred_of_partition(tlm::tlm_generic_payload& payload, bool begin, bool accepted) {
  const unsigned partition = sim::memory_extension(payload).partition.value();
  if (begin) --partitions_ahead_[partition].sent;
  tlm::tlm_phase phase = begin ? tlm::BEGIN_RESP : tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const bool done = memory_nb_transport_bw(partition, payload, phase, delay) != tlm::TLM_ACCEPTED;
  if (begin && done != accepted)
    protocol_error("crossbar", "a partition ran ahead on an answer that was wrong", name());
  payload.release();
}

void Crossbar::push_request(unsigned core, tlm::tlm_generic_payload& payload, base::Cycle now) {
  const sim::MemoryExtension& ext = sim::memory_extension(payload);
  const std::uint32_t bytes = sizes_.request_bytes(payload, ext);
  if (ext.op == sim::MemoryOp::kMessage) count(message_requests_, bytes, request_flit_bytes_);
  requests_.push(core, ext.partition.value(), bytes, &payload, now);
}

void Crossbar::end_held_request(unsigned core, base::Cycle now) {
  Held& held = held_requests_[core];
  if (held.payload == nullptr) return;
  tlm::tlm_generic_payload& payload = *held.payload;
  ++late_requests_.count;
  late_requests_.cycles += now - held.since;
  held.payload = nullptr;
  --held_;
  push_request(core, payload, now);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  core_tsock[core]->nb_transport_bw(payload, phase, delay);
}

bool Crossbar::offer_response(unsigned core, tlm::tlm_generic_payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  return core_tsock[core]->nb_transport_bw(payload, phase, delay) != tlm::TLM_ACCEPTED;
}

bool Crossbar::send_response(unsigned cluster, tlm::tlm_generic_payload& payload) {
  const std::optional<bool> answer = responses_.take_answer(cluster);
  const unsigned core = cluster_cores_ == 1 ? cluster : sim::memory_extension(payload).core.value();
  if (!(answer ? *answer : offer_response(core, payload))) return false;
  answered(payload);
  payload.release();
  return true;
}

// ---- what partitions call ----

tlm::tlm_sync_enum Crossbar::memory_nb_transport_bw(unsigned port, tlm::tlm_generic_payload& payload,
                                                    tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (sim::LogicalProcess* const process = sim::LogicalProcess::running()) {
    const bool begin = phase == tlm::BEGIN_RESP;
    const tlm::tlm_sync_enum answer = defer<&Crossbar::deferred_of_partition>(
        *process, partitions_ahead_[port], responses_, port, payload, begin);
    if (answer == tlm::TLM_UPDATED) phase = tlm::END_RESP;
    return answer;
  }
  const base::Cycle now = clock_.domain().cycle();
  clock_.wake();
  if (phase == tlm::END_REQ) {
    if (!requests_.offered(port) || requests_.offer(port) != &payload)
      protocol_error("crossbar", "END_REQ without BEGIN_REQ", name());
    requests_.complete(port, now);
    payload.release();
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::BEGIN_RESP) {
    if (held_responses_[port].payload != nullptr)
      protocol_error("crossbar", "BEGIN_RESP before END_RESP", name());
    if (sim::memory_extension(payload).core.value() >= core_tsock.size())
      protocol_error("crossbar", "response for a core that does not exist", name());
    payload.acquire();
    if (!responses_.can_accept(port)) {
      held_responses_[port] = {&payload, now};
      ++held_;
      return tlm::TLM_ACCEPTED;
    }
    push_response(port, payload, now);
    phase = tlm::END_RESP;
    return tlm::TLM_UPDATED;
  }
  protocol_error("crossbar", "unexpected phase on the backward path", name());
  return tlm::TLM_ACCEPTED;
}

void Crossbar::push_response(unsigned partition, tlm::tlm_generic_payload& payload, base::Cycle now) {
  const sim::MemoryExtension& ext = sim::memory_extension(payload);
  enter_response(partition, ext.core.value(), payload, now);
  if (!coalescer_.on()) return;
  coalescer_.answered(payload, [&](unsigned core, tlm::tlm_generic_payload& follower) {
    shared_.push_back({partition, core, &follower});
  });
}

void Crossbar::enter_shared(base::Cycle now) {
  std::ranges::stable_sort(shared_, {}, &Shared::partition);  // a partition sends one response at a time
  for (const Shared& answer : shared_)
    enter_response(static_cast<unsigned>(partition_isock.size()) + answer.core, answer.core, *answer.payload,
                   now);
  shared_.clear();
}

void Crossbar::enter_response(unsigned input, unsigned core, tlm::tlm_generic_payload& payload,
                              base::Cycle now) {
  const sim::MemoryExtension& ext = sim::memory_extension(payload);
  const std::uint32_t bytes = sizes_.response_bytes(payload, ext);
  if (ext.op == sim::MemoryOp::kMessage) count(message_answers_, bytes, response_flit_bytes_);
  responses_.push(input, cluster_of(core), bytes, &payload, now);
}

void Crossbar::end_held_response(unsigned partition, base::Cycle now) {
  Held& held = held_responses_[partition];
  if (held.payload == nullptr) return;
  tlm::tlm_generic_payload& payload = *held.payload;
  ++late_responses_.count;
  late_responses_.cycles += now - held.since;
  held.payload = nullptr;
  --held_;
  push_response(partition, payload, now);
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  partition_isock[partition]->nb_transport_fw(payload, phase, delay);
}

bool Crossbar::offer_request(unsigned partition, tlm::tlm_generic_payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  return partition_isock[partition]->nb_transport_fw(payload, phase, delay) != tlm::TLM_ACCEPTED;
}

bool Crossbar::send_request(unsigned partition, tlm::tlm_generic_payload& payload) {
  const std::optional<bool> answer = requests_.take_answer(partition);
  if (!(answer ? *answer : offer_request(partition, payload))) return false;
  payload.release();
  return true;
}

// ---- time ----

void Crossbar::tick() {
  const base::Cycle now = clock_.cycle();
  if (!shared_.empty()) enter_shared(now);
  // Reverse pipeline order: an output entry freed here may be granted in the same cycle.
  responses_.deliver(
      now, [this](unsigned cluster, tlm::tlm_generic_payload* p) { return send_response(cluster, *p); });
  requests_.deliver(now,
                    [this](unsigned part, tlm::tlm_generic_payload* p) { return send_request(part, *p); });
  for (const unsigned input : responses_.arbitrate(now))
    if (held_ != 0 && input < held_responses_.size()) end_held_response(input, now);
  for (const unsigned core : requests_.arbitrate(now))
    if (held_ != 0) end_held_request(core, now);

  const base::Cycle next =
      shared_.empty() ? std::min(responses_.next_cycle(now), requests_.next_cycle(now)) : now + 1;
  if (next == base::kNever)
    clock_.park();
  else
    clock_.sleep_until(next);
}

}  // namespace heddle::memory
