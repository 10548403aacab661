#include "memory/dram_channel.h"

#include <algorithm>
#include <string>
#include <utility>

#include "memory/line_bytes.h"
#include "memory/protocol_error.h"
#include "memory/stat_ratio.h"

namespace heddle::memory {

DramChannel::DramChannel(const sc_core::sc_module_name& name, const DramConfig& config,
                         sim::ClockDomain& clock, base::StatGroup& stats)
    : sc_module(name),
      dram_tsock("dram_tsock"),
      config_(config),
      shortest_(std::min(config.t_cl, config.t_wl) + config.burst_cycles() + config.latency_cycles),
      clock_(clock, sim::on_tick<&DramChannel::tick>(this)),
      scheduler_(config),
      requests_(config.queue_depth),
      responses_(std::size_t{config.latency_cycles} + config.queue_depth) {
  for (std::uint32_t id = config.queue_depth; id-- > 0;) free_ids_.push_back(id);
  dram_tsock.bind(*this);
  declare(stats);
}

void DramChannel::declare(base::StatGroup& stats) {
  const DramCounters& c = scheduler_.counters();
  stats.counter("reads", "requests", "read requests served", &c.reads);
  stats.counter("writes", "requests", "write requests served", &c.writes);
  stats.counter("read_bytes", "bytes", "bytes read", &read_bytes_);
  stats.counter("write_bytes", "bytes", "bytes written", &write_bytes_);
  stats.counter("row_hits", "requests", "requests that found their row open", &c.row_hits);
  stats.counter("row_misses", "requests", "requests that found their bank closed", &c.row_misses);
  stats.counter("row_conflicts", "requests", "requests that found another row open", &c.row_conflicts);
  stats.counter("activates", "commands", "rows opened", &c.activates);
  stats.counter("precharges", "rows", "rows closed, for refreshes too", &c.precharges);
  stats.counter("refreshes", "commands", "refreshes of all banks, up to the newest request", &c.refreshes);
  stats.counter("data_cycles", "DRAM cycles", "cycles the data bus was taken", &c.data_cycles);
  stats.counter("queue_cycles", "DRAM cycles", "arrival to last column command, summed over requests",
                &c.queue_cycles);
  stats.counter("requests", "requests", "requests served", &c.served);
  declare_ratio(stats, "average_queue", "DRAM cycles", "mean time from arrival to the last column command",
                "queue_cycles", "requests");
  stats.counter("starved", "requests",
                "requests that had waited for the starvation limit when they were served", &c.starved);
  stats.counter("late_ends", "requests", "requests that found the queue full", &late_end_reqs_);
  stats.counter("late_end_cycles", "DRAM cycles", "time those requests waited outside the queue, summed",
                &late_end_req_cycles_);
  stats.before_reading([this] { advance(clock_.domain().cycle()); });
}

bool DramChannel::idle() const {
  return scheduler_.empty() && responses_.empty() && response_ == nullptr && held_.payload == nullptr;
}

// ---- requests ----

// Delays are relative to the kernel's time, which model time may be ahead of.

base::Cycle DramChannel::cycle_after(const sc_core::sc_time& delay) const {
  // A caller that does not know about model time being ahead of the kernel's arrives now, not in the past.
  return clock_.domain().first_edge_near(clock_.domain().manager().kernel_time() + delay.value());
}

sc_core::sc_time DramChannel::delay_until(base::Cycle cycle) const {
  const std::uint64_t time = clock_.domain().edge_time_near(cycle);
  const std::uint64_t kernel = clock_.domain().manager().kernel_time();
  return sc_core::sc_time::from_value(time > kernel ? time - kernel : 0);
}

tlm::tlm_response_status DramChannel::check(const tlm::tlm_generic_payload& payload) const {
  if (payload.get_data_length() == 0 || payload.get_data_ptr() == nullptr ||
      payload.get_streaming_width() < payload.get_data_length())
    return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0)
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_sync_enum DramChannel::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) return begin_request(payload, phase, delay);
  if (phase == tlm::END_RESP) {
    if (response_ != &payload) protocol_error("dram_channel", "END_RESP without BEGIN_RESP", name());
    const base::Cycle now = clock_.domain().cycle();
    advance(now);
    response_ended(payload, cycle_after(delay));
    hand_out(now);
    wake_for_deadline(now);
    return tlm::TLM_COMPLETED;
  }
  protocol_error("dram_channel", "unexpected phase", name());
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum DramChannel::begin_request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
  if (held_.payload != nullptr) protocol_error("dram_channel", "BEGIN_REQ before END_REQ", name());
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  tlm::tlm_response_status status = check(payload);
  if (status == tlm::TLM_OK_RESPONSE &&
      !scheduler_.map().in_one_row(payload.get_address(), payload.get_data_length()))
    status = tlm::TLM_BURST_ERROR_RESPONSE;
  if (status != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(status);
    return tlm::TLM_COMPLETED;
  }
  payload.acquire();
  base::Cycle arrival = cycle_after(delay);
  phase = tlm::END_REQ;
  if (response_ != nullptr) {  // the end of that response may change what is sent next
    const base::Cycle now = clock_.domain().cycle();
    advance(now);
    if (scheduler_.full()) {
      held_ = {&payload, arrival};
      wake_for_deadline(now);
      phase = tlm::BEGIN_REQ;
      return tlm::TLM_ACCEPTED;
    }
    enqueue(payload, arrival);
    return tlm::TLM_UPDATED;
  }
  advance(arrival);
  if (scheduler_.full()) {
    // Nothing can arrive before this request's END_REQ, so everything until there is a free entry is known.
    const base::Cycle asked = arrival;
    while (scheduler_.full()) {
      const base::Cycle cycle = std::max(scheduler_.planned(), resumed_);
      step(cycle);
      arrival = std::max(arrival, cycle);
    }
    ++late_end_reqs_;
    late_end_req_cycles_ += arrival - asked;
    delay = delay_until(arrival);
  }
  enqueue(payload, arrival);
  hand_out(0);  // responses are known before they are due
  wake_for_deadline(arrival);
  return tlm::TLM_UPDATED;
}

void DramChannel::enqueue(tlm::tlm_generic_payload& payload, base::Cycle arrival) {
  const std::uint32_t id = free_ids_.back();
  free_ids_.pop_back();
  requests_[id] = {&payload, memory_.storage(payload.get_address(), payload.get_data_length())};
  scheduler_.push({.id = id,
                   .write = payload.is_write(),
                   .address = payload.get_address(),
                   .bytes = payload.get_data_length(),
                   .arrival = arrival});
}

// ---- time ----

/// Computes the commands of the cycles before `end`.
void DramChannel::advance(base::Cycle end) {
  while (!responses_.full()) {
    const base::Cycle cycle = std::max(scheduler_.planned(), resumed_);
    if (cycle >= end) return;
    step(cycle);
  }
}

/// Issues the next command, for which `cycle` is planned.
void DramChannel::step(base::Cycle cycle) {
  if (const DramCommand* const command = scheduler_.issue_of(cycle); command != nullptr && command->last)
    finish(*command);
}

void DramChannel::finish(const DramCommand& command) {
  const Request& request = requests_[command.id];
  free_ids_.push_back(command.id);
  access(request);
  // Bursts follow each other on the data bus, so these are in order of time.
  responses_.push_back({request.payload, command.data_end + config_.latency_cycles});
}

/// Sends the responses that are known, annotated with their times, until the initiator delays an END_RESP.
void DramChannel::hand_out(base::Cycle now) {
  while (response_ == nullptr && !responses_.empty()) {
    const Response response = responses_.front();
    if (responses_.full()) resumed_ = now;
    responses_.pop_front();
    response_ = response.payload;
    const base::Cycle begin = std::max({response.ready, response_free_, now});
    response_free_ = begin + 1;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    const sc_core::sc_time at = delay_until(begin);
    sc_core::sc_time delay = at;
    if (dram_tsock->nb_transport_bw(*response.payload, phase, delay) == tlm::TLM_ACCEPTED) return;
    response_ended(*response.payload, delay == at ? begin : cycle_after(delay));
  }
}

void DramChannel::response_ended(tlm::tlm_generic_payload& payload, base::Cycle cycle) {
  response_ = nullptr;
  response_free_ = std::max(response_free_, cycle);
  payload.release();
}

void DramChannel::end_held_request(base::Cycle now) {
  if (held_.payload == nullptr || scheduler_.full()) return;
  tlm::tlm_generic_payload& payload = *std::exchange(held_.payload, nullptr);
  const base::Cycle arrival = std::max(held_.arrival, now);
  ++late_end_reqs_;
  late_end_req_cycles_ += arrival - held_.arrival;
  enqueue(payload, arrival);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = delay_until(arrival);  // an annotated BEGIN_REQ may be later than this cycle
  dram_tsock->nb_transport_bw(payload, phase, delay);
}

void DramChannel::tick() {
  const base::Cycle now = clock_.cycle();
  activation_ = now;
  advance(now + 1);
  hand_out(now);
  end_held_request(now);
  activation_ = next_activation(now);
  if (activation_ == base::kNever)
    clock_.park();
  else
    clock_.sleep_until(activation_);
}

/// When the channel must run even if nobody calls it.
base::Cycle DramChannel::next_activation(base::Cycle now) {
  const base::Cycle next = std::max(scheduler_.planned(), resumed_);
  if (scheduler_.empty() || responses_.full()) return base::kNever;
  if (held_.payload != nullptr)
    return std::max(next, now + 1);  // its END_REQ is for the cycle in which an entry is free
  if (response_ != nullptr) return base::kNever;
  return std::max(next + shortest_, now + 1);  // the first cycle for which there can be a response
}

/// Called after a change from outside. The commands of the cycles before `now` have been issued.
void DramChannel::wake_for_deadline(base::Cycle now) {
  if (now + shortest_ >= activation_ && held_.payload == nullptr)
    return;  // nothing issued from here on is due earlier
  if (next_activation(now) >= activation_) return;
  activation_ = now;
  clock_.wake();
}

// ---- values ----

void DramChannel::access(const Request& request) {
  tlm::tlm_generic_payload& payload = *request.payload;
  const std::uint64_t address = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  unsigned char* const data = payload.get_data_ptr();
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  if (payload.is_write()) {
    if (enables != nullptr)
      memory_.write_enabled(address, data, bytes, enables, payload.get_byte_enable_length());
    else if (request.stored != nullptr)
      copy_bytes(request.stored, data, bytes);
    else
      memory_.write(address, data, bytes);
    write_bytes_ += bytes;
  } else {
    if (enables != nullptr) {
      for (unsigned i = 0; i < bytes; ++i)
        if (enables[i % payload.get_byte_enable_length()] != 0) memory_.read(address + i, data + i, 1);
    } else if (request.stored != nullptr) {
      copy_bytes(data, request.stored, bytes);
    } else {
      memory_.read(address, data, bytes);
    }
    read_bytes_ += bytes;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void DramChannel::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const bool ignore = payload.get_command() == tlm::TLM_IGNORE_COMMAND;
  payload.set_response_status(ignore ? tlm::TLM_OK_RESPONSE : check(payload));
  if (ignore || !payload.is_response_ok()) return;
  const std::uint64_t bursts = (payload.get_data_length() + config_.burst_bytes - 1) / config_.burst_bytes;
  const std::uint64_t cycles = config_.t_rcd + (payload.is_write() ? config_.t_wl : config_.t_cl) +
                               bursts * config_.burst_cycles() + config_.latency_cycles;
  advance(clock_.domain().cycle());  // queued accesses that are due are performed first
  access({&payload, nullptr});
  delay += sc_core::sc_time::from_value(clock_.domain().edge_time(cycles));
}

unsigned DramChannel::transport_dbg(tlm::tlm_generic_payload& payload) {
  const unsigned bytes = payload.get_data_length();
  advance(clock_.domain().cycle());
  if (payload.is_write())
    memory_.write(payload.get_address(), payload.get_data_ptr(), bytes);
  else if (payload.is_read())
    memory_.read(payload.get_address(), payload.get_data_ptr(), bytes);
  else
    return 0;
  payload.set_dmi_allowed(true);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return bytes;
}

bool DramChannel::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t first = payload.get_address() & ~(SparseMemory::kPageBytes - 1);
  unsigned char* const page =
      payload.is_write() ? memory_.page(first) : memory_.storage(first, SparseMemory::kPageBytes);
  dmi.init();
  dmi.set_start_address(first);
  dmi.set_end_address(first + SparseMemory::kPageBytes - 1);
  if (page == nullptr) return false;
  dmi.set_dmi_ptr(page);
  dmi.allow_read_write();
  return true;
}

}  // namespace heddle::memory
