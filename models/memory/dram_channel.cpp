#include "memory/dram_channel.h"

#include <algorithm>
#include <string>
#include <utility>

#include "memory/clock_edges.h"
#include "memory/stat_ratio.h"

namespace heddle::memory {
namespace {

void protocol_error(const char* what, const char* module) {
  SC_REPORT_ERROR("/heddle/memory/dram_channel", (std::string(module) + ": " + what).c_str());
}

tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_OK_RESPONSE;
  if (payload.get_data_length() == 0 || payload.get_data_ptr() == nullptr ||
      payload.get_streaming_width() < payload.get_data_length())
    return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0)
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace

DramChannel::DramChannel(const sc_core::sc_module_name& name, const DramConfig& config,
                         sim::ClockDomain& clock, sim::StatGroup& stats)
    : sc_module(name),
      dram_tsock("dram_tsock"),
      config_(config),
      clock_(clock, sim::on_tick<&DramChannel::tick>(this)),
      scheduler_(config),
      payloads_(config.queue_depth),
      responses_(std::size_t{config.latency_cycles} + config.queue_depth) {
  for (std::uint32_t id = config.queue_depth; id-- > 0;) free_ids_.push_back(id);
  dram_tsock.bind(*this);
  declare(stats);
}

void DramChannel::declare(sim::StatGroup& stats) {
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
}

bool DramChannel::idle() const {
  return scheduler_.empty() && responses_.empty() && response_ == nullptr && held_.payload == nullptr;
}

// ---- requests ----

// Delays are relative to the kernel's time, which model time may be ahead of.

sim::Cycle DramChannel::cycle_after(const sc_core::sc_time& delay) const {
  return first_edge_at(clock_.domain(), (sc_core::sc_time_stamp() + delay).value());
}

sc_core::sc_time DramChannel::delay_until(sim::Cycle cycle) const {
  const std::uint64_t time = clock_.domain().edge_time(cycle), kernel = sc_core::sc_time_stamp().value();
  return sc_core::sc_time::from_value(time > kernel ? time - kernel : 0);
}

tlm::tlm_sync_enum DramChannel::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) {
    if (held_.payload != nullptr) protocol_error("BEGIN_REQ before END_REQ", name());
    tlm::tlm_response_status status = check(payload);
    const bool ignore = payload.get_command() == tlm::TLM_IGNORE_COMMAND;
    if (status == tlm::TLM_OK_RESPONSE && !ignore &&
        !scheduler_.map().in_one_row(payload.get_address(), payload.get_data_length()))
      status = tlm::TLM_BURST_ERROR_RESPONSE;
    if (status != tlm::TLM_OK_RESPONSE || ignore) {
      payload.set_response_status(status);
      return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    const sim::Cycle arrival = cycle_after(delay);
    clock_.wake();
    if (scheduler_.full()) {
      held_ = {&payload, arrival};
      return tlm::TLM_ACCEPTED;
    }
    enqueue(payload, arrival);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  if (phase == tlm::END_RESP) {
    if (response_ != &payload) protocol_error("END_RESP without BEGIN_RESP", name());
    response_ended(payload, delay);
    clock_.wake();
    return tlm::TLM_COMPLETED;
  }
  protocol_error("unexpected phase", name());
  return tlm::TLM_COMPLETED;
}

void DramChannel::enqueue(tlm::tlm_generic_payload& payload, sim::Cycle arrival) {
  const std::uint32_t id = free_ids_.back();
  free_ids_.pop_back();
  payloads_[id] = &payload;
  scheduler_.push({.id = id,
                   .write = payload.is_write(),
                   .address = payload.get_address(),
                   .bytes = payload.get_data_length(),
                   .arrival = arrival});
}

// ---- time ----

void DramChannel::tick() {
  const sim::Cycle now = clock_.cycle();
  send_response(now);
  if (!responses_.full()) {
    if (const auto command = scheduler_.tick(now); command && command->last) finish(*command);
  }
  if (held_.payload != nullptr && !scheduler_.full()) {
    tlm::tlm_generic_payload& payload = *std::exchange(held_.payload, nullptr);
    const sim::Cycle arrival = std::max(held_.arrival, now);
    ++late_end_reqs_;
    late_end_req_cycles_ += arrival - held_.arrival;
    enqueue(payload, arrival);
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = delay_until(arrival);  // an annotated BEGIN_REQ may be later than this cycle
    dram_tsock->nb_transport_bw(payload, phase, delay);
  }

  sim::Cycle next = responses_.full() ? DramScheduler::kNever : scheduler_.next_cycle(now);
  if (response_ == nullptr && !responses_.empty())
    next = std::min(next, std::max({responses_.front().ready, response_free_, now + 1}));
  if (next == DramScheduler::kNever)
    clock_.park();
  else
    clock_.sleep_until(next);
}

void DramChannel::finish(const DramCommand& command) {
  tlm::tlm_generic_payload& payload = *payloads_[command.id];
  free_ids_.push_back(command.id);
  access(payload);
  // A write issued after a read may have its data on the bus earlier: keep the queue ordered by time.
  Response response{&payload, command.data_end + config_.latency_cycles};
  responses_.push_back(response);
  for (std::size_t i = responses_.size() - 1; i > 0 && responses_[i - 1].ready > responses_[i].ready; --i)
    std::swap(responses_[i - 1], responses_[i]);
}

void DramChannel::send_response(sim::Cycle now) {
  if (response_ != nullptr || now < response_free_ || responses_.empty() || responses_.front().ready > now)
    return;
  tlm::tlm_generic_payload& payload = *responses_.front().payload;
  responses_.pop_front();
  response_ = &payload;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = clock_.domain().manager().ahead();
  if (dram_tsock->nb_transport_bw(payload, phase, delay) != tlm::TLM_ACCEPTED) response_ended(payload, delay);
}

void DramChannel::response_ended(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
  response_ = nullptr;
  if (delay > clock_.domain().manager().ahead()) response_free_ = cycle_after(delay);
  payload.release();
}

// ---- values ----

void DramChannel::access(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  unsigned char* const data = payload.get_data_ptr();
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  if (payload.is_write()) {
    if (enables == nullptr)
      memory_.write(address, data, bytes);
    else
      memory_.write_enabled(address, data, bytes, enables, payload.get_byte_enable_length());
    write_bytes_ += bytes;
  } else {
    if (enables == nullptr) {
      memory_.read(address, data, bytes);
    } else {
      for (unsigned i = 0; i < bytes; ++i)
        if (enables[i % payload.get_byte_enable_length()] != 0) memory_.read(address + i, data + i, 1);
    }
    read_bytes_ += bytes;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void DramChannel::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_response_status(check(payload));
  if (!payload.is_response_ok() || payload.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  const std::uint64_t bursts = (payload.get_data_length() + config_.burst_bytes - 1) / config_.burst_bytes;
  const std::uint64_t cycles = config_.t_rcd + (payload.is_write() ? config_.t_wl : config_.t_cl) +
                               bursts * config_.burst_cycles() + config_.latency_cycles;
  access(payload);
  delay += sc_core::sc_time::from_value(clock_.domain().edge_time(cycles));
}

unsigned DramChannel::transport_dbg(tlm::tlm_generic_payload& payload) {
  const unsigned bytes = payload.get_data_length();
  if (payload.is_write())
    memory_.write(payload.get_address(), payload.get_data_ptr(), bytes);
  else if (payload.is_read())
    memory_.read(payload.get_address(), payload.get_data_ptr(), bytes);
  else
    return 0;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return bytes;
}

bool DramChannel::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.allow_none();
  return false;
}

}  // namespace heddle::memory
