#include "memory/l2_slice.h"

#include <algorithm>
#include <cstring>

namespace heddle::memory {
namespace {

unsigned kind(const tlm::tlm_generic_payload& payload) {
  return static_cast<unsigned>(payload.get_extension<sim::MemoryExtension>()->op);
}

}  // namespace

const std::vector<std::string>& l2_stall_names() {
  static const std::vector<std::string> names{"mshrs",      "targets",   "set",
                                              "dram_queue", "responses", "atomic_unit"};
  return names;
}

L2Slice::L2Slice(const L2Config& config, const AddressMap& map, sim::ProgressMonitor& progress)
    : config_(config),
      map_(map),
      progress_(progress),
      line_mask_(config.line_bytes - 1),
      array_(config),
      atomic_unit_(config.atomic_lanes_per_cycle),
      requests_(config.request_queue),
      mshrs_(config.mshr_entries),
      ready_(config.mshr_entries),
      transfers_(config.dram_queue),
      // The latency pipeline holds one response per cycle; the queue proper comes behind it.
      responses_(std::size_t{config.latency_cycles} + config.response_queue) {
  for (std::uint32_t m = config.mshr_entries; m-- > 0;) {
    mshrs_[m].targets = Ring<Target>(config.mshr_targets);
    free_mshrs_.push_back(m);
  }
}

void L2Slice::accept(Payload& payload, sim::Cycle now) { requests_.push_back({&payload, now}); }

bool L2Slice::tick(sim::Cycle now) {
  if (!has_work()) return false;
  if (now < pipe_free_) return stall(L2Stall::kAtomicUnit, now);
  if (responses_.full()) return stall(L2Stall::kResponses, now);
  if (!ready_.empty()) {
    end_stall(now);
    serve_target(now);
    return true;
  }
  return serve_request(now);
}

void L2Slice::serve_target(sim::Cycle now) {
  const std::uint32_t m = ready_.front();
  Mshr& mshr = mshrs_[m];
  const Target target = mshr.targets.front();
  mshr.targets.pop_front();
  perform(target, mshr.frame, now);
  if (!mshr.targets.empty()) return;
  ready_.pop_front();
  free_mshrs_.push_back(m);
  array_.release(mshr.frame);
}

bool L2Slice::serve_request(sim::Cycle now) {
  const Target request = requests_.front();
  if (!well_formed(*request.payload)) {
    request.payload->set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    respond(request, now);
    requests_.pop_front();
    end_stall(now);
    return true;
  }
  const std::uint64_t line = line_of(map_.local(request.payload->get_address()));
  const std::uint32_t frame = array_.find(line);
  if (frame == CacheArray::kNone) {
    if (!serve_miss(request, line, now)) return false;
  } else if (array_.reserved(frame)) {
    Mshr& mshr = mshrs_[array_.owner(frame)];
    if (mshr.targets.full()) return stall(L2Stall::kTargets, now);
    mshr.targets.push_back(request);
    ++counters_.merged[kind(*request.payload)];
  } else {
    ++counters_.hits[kind(*request.payload)];
    perform(request, frame, now);
  }
  requests_.pop_front();
  end_stall(now);
  return true;
}

bool L2Slice::serve_miss(const Target& request, std::uint64_t line, sim::Cycle now) {
  const bool fetch = !covers_line(*request.payload);
  if (fetch && free_mshrs_.empty()) return stall(L2Stall::kMshrs, now);
  const std::uint32_t frame = array_.victim(line);
  if (frame == CacheArray::kNone) return stall(L2Stall::kSet, now);
  const bool write_back = array_.dirty(frame);
  if (transfers_.space() < (write_back ? 1u : 0u) + (fetch ? 1u : 0u)) return stall(L2Stall::kDramQueue, now);

  if (write_back) {
    LineTransfer& out = transfers_.push_back();
    out.line = array_.line(frame);
    out.write = true;
    std::memcpy(out.data.data(), array_.data(frame), config_.line_bytes);
    ++counters_.write_backs;
  }
  ++counters_.misses[kind(*request.payload)];
  if (!fetch) {
    ++counters_.writes_without_fetch;
    // The old value is in the DRAM only; a write that covers the line is reported as a change whatever it
    // was.
    array_.install(frame, line);
    std::memcpy(array_.data(frame), request.payload->get_data_ptr(), config_.line_bytes);
    array_.mark_dirty(frame);
    progress_.memory_changed();
    request.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    respond(request, now);
    return true;
  }
  const std::uint32_t m = free_mshrs_.back();
  free_mshrs_.pop_back();
  array_.reserve(frame, line, m);
  Mshr& mshr = mshrs_[m];
  mshr.frame = frame;
  mshr.filled = false;
  mshr.targets.push_back(request);
  LineTransfer& out = transfers_.push_back();
  out.line = line;
  out.write = false;
  ++counters_.fetches;
  return true;
}

void L2Slice::perform(const Target& target, std::uint32_t frame, sim::Cycle now) {
  Payload& payload = *target.payload;
  sim::MemoryExtension& ext = sim::memory_extension(payload);
  unsigned char* const at = array_.data(frame) + (map_.local(payload.get_address()) & line_mask_);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  array_.touch(frame);
  sim::Cycle done = now;
  switch (ext.op) {
    case sim::MemoryOp::kRead:
      std::memcpy(payload.get_data_ptr(), at, payload.get_data_length());
      break;
    case sim::MemoryOp::kWrite:
      if (write(payload, at)) progress_.memory_changed();
      array_.mark_dirty(frame);
      break;
    case sim::MemoryOp::kAtomic: {
      const AtomicUnit::Result result = atomic_unit_.execute(ext, at, payload.get_data_length());
      if (!result.ok) payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
      if (result.changed) {
        progress_.memory_changed();
        array_.mark_dirty(frame);
      }
      counters_.atomic_lanes += ext.atomic_count;
      counters_.atomic_busy_cycles += result.cycles;
      pipe_free_ = now + result.cycles;
      done = pipe_free_ - 1;
      break;
    }
  }
  respond(target, done);
}

void L2Slice::respond(const Target& target, sim::Cycle done) {
  const sim::Cycle ready = done + config_.latency_cycles;
  responses_.push_back({target.payload, ready});
  ++counters_.responses;
  counters_.service_cycles += ready - target.accepted;
}

// Enable bytes are 0 or 0xff (TLM_BYTE_DISABLED, TLM_BYTE_ENABLED), so they work as a mask, eight bytes at a
// time.
bool L2Slice::write(Payload& payload, unsigned char* to) const {
  const unsigned bytes = payload.get_data_length();
  const unsigned char* from = payload.get_data_ptr();
  const unsigned char* enables = payload.get_byte_enable_ptr();
  const unsigned pattern = payload.get_byte_enable_length();
  if (enables == nullptr || pattern == 0) {
    const bool changed = std::memcmp(to, from, bytes) != 0;
    std::memcpy(to, from, bytes);
    return changed;
  }
  bool changed = false;
  unsigned i = 0;
  if (pattern >= bytes) {
    for (; i + 8 <= bytes; i += 8) {
      std::uint64_t old, value, mask;
      std::memcpy(&old, to + i, 8);
      std::memcpy(&value, from + i, 8);
      std::memcpy(&mask, enables + i, 8);
      const std::uint64_t merged = (old & ~mask) | (value & mask);
      changed |= merged != old;
      std::memcpy(to + i, &merged, 8);
    }
  }
  for (; i < bytes; ++i) {
    if (enables[i % pattern] == 0) continue;
    changed |= to[i] != from[i];
    to[i] = from[i];
  }
  return changed;
}

bool L2Slice::covers_line(const Payload& payload) const {
  if (kind(payload) != static_cast<unsigned>(sim::MemoryOp::kWrite)) return false;
  if (payload.get_data_length() != config_.line_bytes) return false;
  const unsigned char* enables = payload.get_byte_enable_ptr();
  const unsigned pattern = std::min(payload.get_byte_enable_length(), config_.line_bytes);
  if (enables == nullptr || pattern == 0) return true;
  unsigned char all = 0xff;
  for (unsigned i = 0; i < pattern; ++i) all &= enables[i];
  return all == 0xff;
}

bool L2Slice::well_formed(const Payload& payload) const {
  const unsigned bytes = payload.get_data_length();
  return bytes != 0 && (payload.get_address() & line_mask_) + bytes <= config_.line_bytes;
}

// ---- stalls: accounted when they end, so that nobody has to look at a blocked slice every cycle ----

bool L2Slice::stall(L2Stall cause, sim::Cycle now) {
  if (stalled_ && stall_cause_ == cause) return false;
  end_stall(now);
  stalled_ = true;
  stall_cause_ = cause;
  stalled_since_ = now;
  return false;
}

void L2Slice::end_stall(sim::Cycle now) {
  if (!stalled_) return;
  stalled_ = false;
  counters_.stall_cycles[static_cast<unsigned>(stall_cause_)] += now - stalled_since_;
}

// ---- responses and timers ----

L2Slice::Payload* L2Slice::response(sim::Cycle now) const {
  return !responses_.empty() && responses_.front().ready <= now ? responses_.front().payload : nullptr;
}

sim::Cycle L2Slice::atomic_timer() const {
  return has_work() && stalled_ && stall_cause_ == L2Stall::kAtomicUnit ? pipe_free_ : kNever;
}

bool L2Slice::idle() const {
  return requests_.empty() && responses_.empty() && transfers_.empty() && writing_.empty() &&
         free_mshrs_.size() == mshrs_.size();
}

// ---- DRAM side ----

const LineTransfer* L2Slice::transfer() const {
  if (transfers_.empty()) return nullptr;
  const LineTransfer& next = transfers_.front();
  const bool busy = std::find(writing_.begin(), writing_.end(), next.line) != writing_.end();
  return busy ? nullptr : &next;
}

void L2Slice::pop_transfer() {
  if (transfers_.front().write) writing_.push_back(transfers_.front().line);
  transfers_.pop_front();
}

void L2Slice::fill(std::uint64_t line, const unsigned char* data) {
  const std::uint32_t frame = array_.find(line);
  std::memcpy(array_.data(frame), data, config_.line_bytes);
  const std::uint32_t m = array_.owner(frame);
  mshrs_[m].filled = true;
  ready_.push_back(m);
}

void L2Slice::write_done(std::uint64_t line) {
  const auto it = std::find(writing_.begin(), writing_.end(), line);
  if (it == writing_.end()) return;
  *it = writing_.back();  // the order in this list means nothing
  writing_.pop_back();
}

// ---- debug access ----

bool L2Slice::debug_read(std::uint64_t local, unsigned char* to, unsigned bytes) {
  const std::uint64_t line = line_of(local);
  const std::uint64_t offset = local & line_mask_;
  const std::uint32_t frame = array_.find(line);
  if (frame != CacheArray::kNone && (array_.valid(frame) || mshrs_[array_.owner(frame)].filled)) {
    std::memcpy(to, array_.data(frame) + offset, bytes);
    return true;
  }
  for (std::size_t i = transfers_.size(); i-- > 0;) {
    const LineTransfer& out = transfers_[i];
    if (!out.write || out.line != line) continue;
    std::memcpy(to, out.data.data() + offset, bytes);
    return true;
  }
  return false;
}

void L2Slice::debug_write(std::uint64_t local, const unsigned char* from, unsigned bytes) {
  const std::uint64_t line = line_of(local);
  const std::uint64_t offset = local & line_mask_;
  const std::uint32_t frame = array_.find(line);
  if (frame != CacheArray::kNone) std::memcpy(array_.data(frame) + offset, from, bytes);
  for (std::size_t i = 0; i < transfers_.size(); ++i)
    if (transfers_[i].write && transfers_[i].line == line)
      std::memcpy(transfers_[i].data.data() + offset, from, bytes);
}

}  // namespace heddle::memory
