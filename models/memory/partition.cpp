#include "memory/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "memory/line_bytes.h"
#include "memory/protocol_error.h"

namespace heddle::memory {
namespace {

/// The key that may help with a memory that refuses a request.
const char* advice(tlm::tlm_response_status status) {
  if (status == tlm::TLM_ADDRESS_ERROR_RESPONSE)
    return "\n  memory.dram.capacity_mib is to be the size of each channel's memory, memory.dram.addresses "
           "dense";
  if (status == tlm::TLM_BURST_ERROR_RESPONSE)
    return "\n  memory.l2.dram_access_bytes makes sizes powers of two, at multiples of themselves";
  if (status == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE)
    return "\n  memory.l2.write_miss=fetch writes whole sectors back, without byte enables";
  return "";
}

}  // namespace

MemoryPartition::MemoryPartition(const sc_core::sc_module_name& name, const L2Config& config,
                                 const AddressMap& map, sim::ClockDomain& clock,
                                 sim::ProgressMonitor& progress, base::StatGroup& stats)
    : sc_module(name),
      crossbar_tsock("crossbar_tsock", this),
      dram_isock("dram_isock"),
      config_(config),
      map_(map),
      clock_(clock, sim::on_tick<&MemoryPartition::tick>(this)),
      slice_(config, map, progress) {
  dram_isock.bind(*this);
  declare(stats.child("l2", "L2 slice and atomic unit"));
}

void MemoryPartition::declare(base::StatGroup& l2) {
  memory::declare(l2, slice_.counters(), config_);
  l2.counter("late_ends", "requests", "requests that found the request queue full", &late_end_reqs_);
  l2.counter("late_end_cycles", "L2 cycles", "time those requests waited outside the queue, summed",
             &late_end_req_cycles_);
  l2.counter("dram_read_bytes", "bytes", "bytes fetched", &dram_read_bytes_);
  l2.counter("dram_write_bytes", "bytes", "bytes written back", &dram_write_bytes_);
}

bool MemoryPartition::idle() const {
  return slice_.idle() && held_request_.payload == nullptr && response_ == nullptr && in_flight_.empty();
}

// ---- crossbar side ----

tlm::tlm_sync_enum MemoryPartition::memory_nb_transport_fw(unsigned, tlm::tlm_generic_payload& payload,
                                                           tlm::tlm_phase& phase, sc_core::sc_time&) {
  clock_.wake();
  if (phase == tlm::BEGIN_REQ) {
    if (held_request_.payload != nullptr) protocol_error("partition", "BEGIN_REQ before END_REQ", name());
    if (const sim::MemoryExtension& ext = sim::memory_extension(payload); ext.op == sim::MemoryOp::kMessage)
      protocol_error(
          "partition",
          fmt::format("a message of '{}' from core {}, and no partition unit is bound here to take it",
                      sim::name_of(ext.message.owner), ext.core.value()),
          name());
    payload.acquire();
    if (sim::memory_extension(payload).op != sim::MemoryOp::kRead) written_.mark(payload.get_address());
    const L2Request request = slice_.decode(payload, clock_.domain().cycle());
    if (!slice_.can_accept(request)) {
      held_request_ = request;
      return tlm::TLM_ACCEPTED;
    }
    slice_.accept(request);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  if (phase == tlm::END_RESP) {
    if (response_ != &payload) protocol_error("partition", "END_RESP without BEGIN_RESP", name());
    response_ = nullptr;
    payload.release();
    return tlm::TLM_COMPLETED;
  }
  protocol_error("partition", "unexpected phase on the forward path", name());
  return tlm::TLM_COMPLETED;
}

void MemoryPartition::send_response(tlm::tlm_generic_payload* payload) {
  slice_.pop_response();
  response_ = payload;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (crossbar_tsock->nb_transport_bw(*payload, phase, delay) != tlm::TLM_ACCEPTED) {
    response_ = nullptr;
    payload->release();
  }
}

bool MemoryPartition::accept_held(base::Cycle now) {
  if (!slice_.can_accept(held_request_)) return false;
  tlm::tlm_generic_payload& payload = *held_request_.payload;
  ++late_end_reqs_;
  late_end_req_cycles_ += now - held_request_.accepted;
  held_request_.accepted = now;
  slice_.accept(held_request_);
  held_request_.payload = nullptr;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  crossbar_tsock->nb_transport_bw(payload, phase, delay);
  return true;
}

// ---- DRAM side. Delays on this link are relative to the kernel's time; model time may be ahead of it. ----

/// First cycle in which an event that the DRAM announces for that time takes effect. Modules behind the L2
/// run after it within an instant (sim/clock.h), so an event announced for the time of an edge takes effect
/// at the next edge, as if it were announced then.
base::Cycle MemoryPartition::cycle_after(const sc_core::sc_time& delay) const {
  const sim::ClockDomain& clock = clock_.domain();
  const std::uint64_t time = clock.manager().kernel_time() + delay.value();
  return time > clock.now() ? clock.first_edge_near(time + 1) : clock.first_edge_at(time);
}

void MemoryPartition::send_transfer() {
  const SectorTransfer transfer = slice_.transfer();
  const std::uint64_t channel = channel_map_.channel(transfer.address);
  DramTransaction& t = pool_.allocate(transfer.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                                      channel, transfer.bytes);
  if (transfer.write) {
    copy_bytes(t.data.data(), transfer.data, transfer.bytes);
    if (transfer.enables != nullptr) {
      copy_bytes(t.enables.data(), transfer.enables, transfer.bytes);
      t.set_byte_enable_ptr(t.enables.data());
      t.set_byte_enable_length(transfer.bytes);
    }
    dram_write_bytes_ += transfer.bytes;
  } else {
    if (transfer.data != nullptr) t.set_data_ptr(transfer.data);  // straight into the cache
    dram_read_bytes_ += transfer.bytes;
  }
  slice_.pop_transfer(transfer);
  t.local = transfer.address;
  t.channel = channel;
  t.sent = clock_.domain().now();
  t.frame = transfer.frame;
  t.answered = false;
  t.position = in_flight_.size();
  in_flight_.push_back(&t);

  dram_request_ = &t;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  const sc_core::sc_time at = clock_.domain().ahead();
  sc_core::sc_time delay = at;
  if (!memory_has_a_clock_) clock_.domain().kernel_changed();  // it may be any module
  switch (dram_isock->nb_transport_fw(t, phase, delay)) {
    case tlm::TLM_ACCEPTED:
      break;  // END_REQ arrives on the backward path
    case tlm::TLM_UPDATED:
      if (delay == at)
        dram_request_ = nullptr;
      else
        request_ended(delay);
      if (phase == tlm::BEGIN_RESP) {
        arrived(t, delay);
        phase = tlm::END_RESP;
        dram_isock->nb_transport_fw(t, phase, delay);
      } else if (phase != tlm::END_REQ) {
        protocol_error("partition", "BEGIN_REQ answered with an unexpected phase", name());
      }
      break;
    case tlm::TLM_COMPLETED:
      request_ended(delay);
      arrived(t, delay);
      break;
  }
}

void MemoryPartition::request_ended(const sc_core::sc_time& delay) {
  dram_request_ = nullptr;
  dram_request_free_ = cycle_after(delay);
}

tlm::tlm_sync_enum MemoryPartition::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  clock_.wake();
  if (phase == tlm::END_REQ) {
    if (dram_request_ != &payload)
      protocol_error("partition", "END_REQ without BEGIN_REQ from the DRAM", name());
    request_ended(delay);
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::BEGIN_RESP) {
    if (dram_request_ == &payload) request_ended(delay);  // BEGIN_RESP implies END_REQ
    arrived(payload, delay);
    return tlm::TLM_COMPLETED;  // END_RESP at the time of BEGIN_RESP
  }
  protocol_error("partition", "unexpected phase from the DRAM", name());
  return tlm::TLM_ACCEPTED;
}

void MemoryPartition::arrived(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
  auto* const t = static_cast<DramTransaction*>(&payload);
  if (!payload.is_response_ok())
    protocol_error("partition",
                   fmt::format("the DRAM answered {} to a {} of {} bytes at channel address 0x{:x}{}",
                               payload.get_response_string(), t->is_write() ? "write" : "read",
                               t->get_data_length(), t->channel, advice(payload.get_response_status())),
                   name());
  const base::Cycle cycle = std::max(cycle_after(delay), earliest_arrival_);
  t->answered = true;
  ++answers_;
  last_answer_ = clock_.domain().now();
  arrivals_.push(*t, cycle);
}

void MemoryPartition::take_arrivals(base::Cycle now) {
  while (arrivals_.next() <= now) {
    DramTransaction* const t = &arrivals_.pop();
    if (t->is_read())
      slice_.fill(
          {.address = t->local, .bytes = t->get_data_length(), .data = t->get_data_ptr(), .frame = t->frame});
    else
      slice_.write_done(t->local);
    in_flight_[t->position] = in_flight_.back();  // the order in this list does not matter
    in_flight_[t->position]->position = t->position;
    in_flight_.pop_back();
    t->release();
  }
}

// ---- time ----

void MemoryPartition::tick() {
  const base::Cycle now = clock_.cycle();
  // Reverse pipeline order: entries freed downstream are available upstream in the same cycle.
  bool progress = false;
  if (response_ == nullptr) {
    if (tlm::tlm_generic_payload* const payload = slice_.response(now)) {
      send_response(payload);
      progress = true;
    }
  }
  earliest_arrival_ = now + 1;
  if (arrivals_.next() <= now) {
    take_arrivals(now);
    progress = true;
  }
  if (slice_.has_work()) progress |= slice_.tick(now);
  if (dram_request_ == nullptr && now >= dram_request_free_ && slice_.has_transfer()) {
    send_transfer();
    progress = true;
  }
  if (held_request_.payload != nullptr) progress |= accept_held(now);
  const base::Cycle next = next_cycle(now, progress);
  if (next == base::kNever)
    clock_.park();
  else
    clock_.sleep_until(next);
}

/// The next cycle in which something can happen without a call from outside (which runs tick() again).
base::Cycle MemoryPartition::next_cycle(base::Cycle now, bool progress) const {
  if (progress && (slice_.has_work() || held_request_.payload != nullptr)) return now + 1;
  base::Cycle next = arrivals_.next();
  if (dram_request_ == nullptr && slice_.has_transfer()) next = std::min(next, dram_request_free_);
  if (response_ == nullptr) next = std::min(next, slice_.response_timer());
  if (slice_.has_work()) next = std::min(next, slice_.atomic_timer());
  return std::max(next, now + 1);
}

// ---- outstanding requests ----

const DramTransaction* MemoryPartition::oldest_unanswered() const {
  const DramTransaction* oldest = nullptr;
  for (const DramTransaction* t : in_flight_)
    if (!t->answered && (oldest == nullptr || t->sent < oldest->sent)) oldest = t;
  return oldest;
}

std::uint64_t MemoryPartition::silent_since() const {
  const DramTransaction* const oldest = oldest_unanswered();
  return oldest == nullptr ? kNotWaiting : std::max(oldest->sent, last_answer_);
}

ChannelWait MemoryPartition::channel_wait() const {
  ChannelWait wait;
  for (const DramTransaction* t : in_flight_) wait.outstanding += t->answered ? 0 : 1;
  wait.queued = slice_.queued_transfers();
  wait.answered = answers_;
  wait.last_answer = last_answer_;
  wait.no_end_request = dram_request_ != nullptr;
  if (const DramTransaction* const oldest = oldest_unanswered()) {
    wait.local = oldest->local;
    wait.channel = oldest->channel;
    wait.bytes = oldest->get_data_length();
    wait.write = oldest->is_write();
    wait.sent = oldest->sent;
    if (!wait.write) wait.cores = slice_.waiting_for(oldest->local);
  }
  return wait;
}

// ---- debug access ----

unsigned MemoryPartition::debug_sector(tlm::tlm_command command, std::uint64_t local, unsigned char* data,
                                       unsigned bytes) {
  const auto holds = [&](const DramTransaction& t) {
    return t.local <= local && local + bytes <= t.local + t.get_data_length();
  };
  if (command == tlm::TLM_WRITE_COMMAND) {
    slice_.debug_write(local, data, bytes);
    for (DramTransaction* t : in_flight_)
      if (holds(*t)) std::memcpy(t->get_data_ptr() + (local - t->local), data, bytes);
  } else {
    return debug_read(local, data, bytes);
  }
  return debug_memory(command, local, data, bytes);
}

unsigned MemoryPartition::debug_read(std::uint64_t local, unsigned char* data, unsigned bytes) {
  if (slice_.debug_read(local, data, bytes)) return bytes;
  const auto write_back = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const DramTransaction* t) {
    return t->is_write() && t->local <= local && local + bytes <= t->local + t->get_data_length();
  });
  unsigned moved = bytes;
  if (write_back == in_flight_.end() || (*write_back)->get_byte_enable_ptr() != nullptr)
    moved = debug_memory(tlm::TLM_READ_COMMAND, local, data, bytes);
  if (write_back != in_flight_.end()) {  // a line has one at a time
    const DramTransaction& t = **write_back;
    for (unsigned b = 0; b < bytes; ++b) {
      const std::uint64_t at = local - t.local + b;
      if (t.get_byte_enable_ptr() == nullptr || t.enables[at] == TLM_BYTE_ENABLED) data[b] = t.data[at];
    }
  }
  slice_.debug_overlay(local, data, bytes);
  return moved;
}

/// The rest of the payload's bytes to the memory, with the payload itself.
unsigned MemoryPartition::debug_pass_on(tlm::tlm_generic_payload& payload, std::uint64_t local, unsigned done,
                                        unsigned bytes) {
  const std::uint64_t address = payload.get_address();
  unsigned char* const data = payload.get_data_ptr();
  const unsigned length = payload.get_data_length();
  payload.set_address(channel_map_.channel(local));
  payload.set_data_ptr(data + done);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  const unsigned moved = debug_transport(payload);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(length);
  payload.set_streaming_width(length);
  return moved;
}

unsigned MemoryPartition::debug_memory(tlm::tlm_command command, std::uint64_t local, unsigned char* data,
                                       unsigned bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(channel_map_.channel(local));
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  return debug_transport(payload);
}

unsigned MemoryPartition::debug_transport(tlm::tlm_generic_payload& payload) {
  const std::uint64_t channel = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  const unsigned moved = dram_isock->transport_dbg(payload);
  if (moved != bytes)  // a host copy that silently loses data would be found much later
    protocol_error("partition",
                   fmt::format("transport_dbg of the DRAM moved {} of {} bytes at channel address 0x{:x}",
                               moved, bytes, channel),
                   name());
  return moved;
}

bool MemoryPartition::memory_direct(unsigned, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  if (!in_flight_.empty()) return false;
  const std::uint64_t global = payload.get_address(), local = map_.local(global);
  const std::uint64_t channel = channel_map_.channel(local);
  payload.set_address(channel);
  const bool shown = dram_isock->get_direct_mem_ptr(payload, dmi) && dmi.is_read_write_allowed();
  payload.set_address(global);
  if (!shown) return false;
  constexpr std::uint64_t kRegion = HeldLines::kRegionBytes;
  const std::uint64_t region = local / kRegion * kRegion;
  const std::uint64_t below = std::min<std::uint64_t>(channel - dmi.get_start_address(), local - region);
  const std::uint64_t above =
      std::min<std::uint64_t>(dmi.get_end_address() - channel, region + kRegion - 1 - local);
  if (channel_map_.channel(local - below) != channel - below ||
      channel_map_.channel(local + above) != channel + above ||
      !slice_.debug_absent(local - below, below + above + 1))
    return false;
  dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (channel - below - dmi.get_start_address()));
  dmi.set_start_address(local - below);
  dmi.set_end_address(local + above);
  return true;
}

void MemoryPartition::make_cold() {
  std::vector<unsigned char> bytes(slice_.sector_bytes());
  const auto size = static_cast<unsigned>(bytes.size());
  for (const std::uint64_t sector : slice_.debug_dirty()) {
    debug_sector(tlm::TLM_READ_COMMAND, sector, bytes.data(), size);
    debug_sector(tlm::TLM_WRITE_COMMAND, sector, bytes.data(), size);
  }
  slice_.debug_forget();
}

unsigned MemoryPartition::memory_transport_dbg(unsigned, tlm::tlm_generic_payload& payload) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return 0;
  const unsigned bytes = payload.get_data_length();
  if (payload.is_write()) written_.mark(payload.get_address(), bytes);
  unsigned done = 0;
  while (done < bytes) {
    const std::uint64_t local = map_.local(payload.get_address() + done);
    const std::uint32_t sector = slice_.sector_bytes();
    const auto in_sector = static_cast<unsigned>(sector - local % sector);
    const unsigned left = bytes - done;
    unsigned char* const data = payload.get_data_ptr() + done;
    // The memory alone has what L2 does not hold and nothing is on its way for: in one piece, as large copies of hosts are.
    const bool alone = left > in_sector && in_flight_.empty() &&
                       map_.local(payload.get_address() + bytes - 1) == local + left - 1 &&
                       channel_map_.channel(local + left - 1) == channel_map_.channel(local) + left - 1 &&
                       slice_.debug_absent(local, left);
    const unsigned piece = alone ? left : std::min(left, in_sector);
    const unsigned moved = alone ? debug_pass_on(payload, local, done, piece)
                                 : debug_sector(payload.get_command(), local, data, piece);
    done += moved;
    if (moved != piece) break;
  }
  if (done == bytes) payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return done;
}

}  // namespace heddle::memory
