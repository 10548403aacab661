#include "memory/l2_bank.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "memory/line_bytes.h"

namespace heddle::memory {
namespace {

void remark_fetch(const L2Request& request) {
  sim::MemoryExtension& extension = *request.extension;
  if (extension.core == sim::kUnitInitiator) extension.message.words[kFetchedWord] = 1;
}

}  // namespace

L2Bank::L2Bank(const L2Config& config, const L2Geometry& geometry, L2Shared& shared)
    : geometry_(geometry),
      latency_cycles_(config.latency_cycles),
      read_sectors_(config.read_sectors_per_cycle),
      write_sectors_(config.write_sectors_per_cycle),
      mshr_targets_(config.mshr_targets),
      counts_sectors_(config.sector_statistics),
      far_turns_(config.far_turns),
      shared_(shared),
      array_(config, geometry),
      written_(config.write_miss == WriteMiss::kByteMask, config.sets_per_bank() * config.ways,
               config.line_bytes),
      far_(config, config.sets_per_bank() * config.ways),
      requests_(config.request_queue),
      mshrs_(config.mshr_entries),
      ready_(config.mshr_entries) {
  for (std::uint32_t m = config.mshr_entries; m-- > 0;) {
    free_mshrs_.push_back(m);
  }
}

void L2Bank::accept(const L2Request& request) {
  array_.prefetch(request.line);
  shared_.counters.bank_conflicts += has_work();
  requests_.push_back(request);
}

bool L2Bank::tick(base::Cycle now) {
  if (now < free_at_) {
    waits_for_unit_ = false;
    return stall(busy_with_, now);
  }
  if (shared_.responses.full()) return stall(L2Stall::kResponses, now);
  if (ready_.empty() && still_stalled()) return false;
  if (!(ready_.empty() ? serve_request(now) : serve_target(now))) return false;
  end_stall(now);
  return true;
}

void L2Bank::wait(Mshr& mshr, const L2Request& request) {
  base::Ring<L2Request>& targets = mshr.targets;
  if (targets.full()) {  // most MSHRs of a large L2 are never used, or by few requests at a time
    base::Ring<L2Request> larger(
        std::min<std::size_t>(mshr_targets_, std::max<std::size_t>(2, 2 * targets.size())));
    for (std::size_t i = 0; i < targets.size(); ++i) larger.push_back(targets[i]);
    targets = std::move(larger);
  }
  remark_fetch(request);
  targets.push_back(request);
}

bool L2Bank::serve_target(base::Cycle now) {
  const std::uint32_t m = ready_.front();
  Mshr& mshr = mshrs_[m];
  if (!perform(mshr.targets.front(), mshr.frame, now)) return false;
  mshr.targets.pop_front();
  if (!mshr.targets.empty() && missing(mshr.targets.front(), mshr.frame) == 0) return true;
  ready_.pop_front();
  mshr.ready = false;
  if (mshr.targets.empty()) {  // so nothing is pending
    free_mshrs_.push_back(m);
    array_.set_owner(mshr.frame, CacheArray::kNone);
  }
  return true;
}

bool L2Bank::serve_request(base::Cycle now) {
  const L2Request& request = requests_.front();
  if (!request.well_formed) {
    request.payload->set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    respond(request, CacheArray::kNone, now);
  } else if (request.touched ==
             0) {  // a write without enabled bytes, or a read that wants no sector: a fence's message
    request.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    respond(request, CacheArray::kNone, now);
    if (far_turns_ && request.extension->to_partition) take_far_turn(request, now);
    if (request.extension->op == sim::MemoryOp::kRead)
      ++shared_.counters.sectorless_reads;
    else
      ++shared_.counters.hits[request.kind()];
  } else {
    const std::uint32_t frame = array_.find(request.line);
    if (!(frame == CacheArray::kNone ? serve_absent(request, now) : serve_present(request, frame, now)))
      return false;
  }
  if (counts_sectors_)
    shared_.counters.sectors[request.kind()] += static_cast<unsigned>(std::popcount(request.touched));
  shared_.counters.bank_wait_cycles += now - request.accepted;
  requests_.pop_front();
  return true;
}

bool L2Bank::serve_present(const L2Request& request, std::uint32_t frame, base::Cycle now) {
  const SectorMask absent = missing(request, frame);
  const std::uint32_t m = array_.owner(frame);
  // A request must not overtake those that wait for sectors it touches.
  if (m != CacheArray::kNone && (absent != 0 || (queued(mshrs_[m]) & request.touched) != 0))
    return join(request, frame, absent, now);
  if (absent != 0) {
    if (!fetch(request, frame, absent, now)) return false;
    ++shared_.counters.sector_misses[request.kind()];
    return true;
  }
  if (!perform(request, frame, now)) return false;
  ++shared_.counters.hits[request.kind()];
  return true;
}

bool L2Bank::serve_absent(const L2Request& request, base::Cycle now) {
  const SectorMask absent = request.needed;
  if (absent != 0 && free_mshrs_.empty()) return stall(L2Stall::kMshrs, now);
  const std::uint32_t frame = array_.victim(request.line);
  if (frame == CacheArray::kNone) return stall(L2Stall::kSet, now);
  const bool write_back = array_.dirty(frame) != 0;
  if (shared_.transfers.space() < (write_back ? 1u : 0u) + (absent != 0 ? 1u : 0u))
    return stall(L2Stall::kDramQueue, now);
  if (write_back) queue_write_back(frame);
  shared_.counters.far.copies_replaced += array_.is_copy(frame);
  vacate(frame);
  array_.assign(frame, request.line);
  shared_.held.add(request.line);
  if (written_.on()) written_.clear(frame);
  if (absent != 0) return fetch(request, frame, absent, now);
  ++shared_.counters.misses[request.kind()];
  if (request.extension->op == sim::MemoryOp::kWrite) ++shared_.counters.writes_without_fetch;
  return perform(request, frame, now);
}

void L2Bank::vacate(std::uint32_t frame) {
  if (array_.empty(frame)) return;
  if (array_.is_copy(frame)) {
    far_.lose_copy(array_.find(array_.line(frame)));
  } else {
    shared_.held.remove(array_.line(frame));
    if (far_.copies_take_ways() && far_.place(frame) != FarHalf::kNoPlace) array_.forget(far_.place(frame));
    far_.clear(frame);
  }
}

void L2Bank::place_copy(const L2Request& request, std::uint32_t frame) {
  const std::uint32_t place = far_.place(frame);
  if (far_.copy(frame) == 0) {
    if (place == FarHalf::kNoPlace) return;
    array_.forget(place);
    far_.set_place(frame, FarHalf::kNoPlace);
  } else if (request.extension->op == sim::MemoryOp::kRead && far_.is_far(request)) {
    if (place == FarHalf::kNoPlace) {
      const std::uint32_t other = array_.victim_beside(frame);
      const bool write_back = other != CacheArray::kNone && array_.dirty(other) != 0;
      if (other == CacheArray::kNone || (write_back && shared_.transfers.full())) {
        far_.lose_copy(frame);
        return;
      }
      if (write_back) queue_write_back(other);
      shared_.counters.far.copies_replaced += array_.is_copy(other);
      vacate(other);
      array_.assign_copy(other, array_.line(frame));
      far_.set_place(frame, other);
    }
    array_.touch(far_.place(frame));
  }
}

bool L2Bank::fetch(const L2Request& request, std::uint32_t frame, SectorMask absent, base::Cycle now) {
  if (free_mshrs_.empty()) return stall(L2Stall::kMshrs, now);
  if (shared_.transfers.full()) return stall(L2Stall::kDramQueue, now);
  const std::uint32_t m = free_mshrs_.back();
  free_mshrs_.pop_back();
  array_.set_owner(frame, m);
  Mshr& mshr = mshrs_[m];
  mshr.frame = frame;
  mshr.pending = 0;
  wait(mshr, request);
  queue_fetch(frame, absent);
  ++shared_.counters.misses[request.kind()];
  return true;
}

bool L2Bank::join(const L2Request& request, std::uint32_t frame, SectorMask absent, base::Cycle now) {
  Mshr& mshr = mshrs_[array_.owner(frame)];
  // Sectors already requested, or overwritten before they would be used, are not fetched. So every fetched
  // sector is awaited by a target that needs it, and a fill never overwrites newer data.
  const SectorMask more = absent & ~mshr.pending & ~overwritten(mshr);
  if (mshr.targets.size() == mshr_targets_) return stall(L2Stall::kTargets, now);
  if (more != 0 && shared_.transfers.full()) return stall(L2Stall::kDramQueue, now);
  wait(mshr, request);
  if (more != 0) {
    queue_fetch(frame, more);
    ++shared_.counters.misses[request.kind()];
    ++shared_.counters.sector_misses[request.kind()];
  } else {
    ++shared_.counters.merged[request.kind()];
  }
  return true;
}

void L2Bank::queue_fetch(std::uint32_t frame, SectorMask sectors) {
  mshrs_[array_.owner(frame)].pending |= sectors;
  LineTransfer& out = shared_.transfers.push_back();
  out.line = array_.line(frame);
  out.frame = frame;
  out.write = false;
  out.sectors = sectors;
  ++shared_.counters.fetches;
}

void L2Bank::queue_write_back(std::uint32_t frame) {
  LineTransfer& out = shared_.transfers.push_back();
  out.line = array_.line(frame);
  out.frame = frame;
  out.write = true;
  out.sectors = array_.dirty(frame);
  copy_bytes(out.data.data(), array_.data(frame), geometry_.line_bytes());
  const auto partly = static_cast<SectorMask>(out.sectors & ~array_.valid(frame));
  out.masked = partly != 0;
  if (out.masked) {
    ++shared_.counters.masked_write_backs;
    const std::uint32_t sector = geometry_.sector_bytes();
    for (std::uint32_t first = 0; first < geometry_.line_bytes(); first += sector) {
      const bool whole = (partly >> (first / sector) & 1u) == 0;
      for (std::uint32_t i = first; i < first + sector; ++i)
        out.enables[i] = whole ? TLM_BYTE_ENABLED : written_.at(frame)[i];
    }
  }
  ++shared_.counters.write_backs;
}

void L2Bank::fill(std::uint32_t frame, unsigned first, unsigned count, const unsigned char* from) {
  if (written_.on()) {
    const std::uint32_t sector = geometry_.sector_bytes();
    written_.copy(frame, first * sector, from, array_.data(frame) + first * sector, count * sector, false);
  }
  const auto sectors = static_cast<SectorMask>(((1u << count) - 1u) << first);
  array_.add_valid(frame, sectors);
  const std::uint32_t m = array_.owner(frame);
  Mshr& mshr = mshrs_[m];
  mshr.pending &= static_cast<SectorMask>(~sectors);
  if (mshr.ready || missing(mshr.targets.front(), frame) != 0) return;
  mshr.ready = true;
  ready_.push_back(m);
}

SectorMask L2Bank::queued(const Mshr& mshr) {
  SectorMask sectors = 0;
  for (std::size_t i = 0; i < mshr.targets.size(); ++i) sectors |= mshr.targets[i].touched;
  return sectors;
}

SectorMask L2Bank::overwritten(const Mshr& mshr) {
  SectorMask sectors = 0;
  for (std::size_t i = 0; i < mshr.targets.size(); ++i) sectors |= mshr.targets[i].covered;
  return sectors;
}

// ---- stalls: accounted when they end, so that a blocked bank need not be visited every cycle ----

bool L2Bank::stall(L2Stall cause, base::Cycle now) {
  if (stalled_ && stall_cause_ == cause) return false;
  end_stall(now);
  stalled_ = true;
  stall_cause_ = cause;
  stalled_since_ = now;
  return false;
}

void L2Bank::end_stall(base::Cycle now) {
  if (!stalled_) return;
  stalled_ = false;
  shared_.counters.stall_cycles[static_cast<unsigned>(stall_cause_)] += now - stalled_since_;
}

base::Cycle L2Bank::timer() const {
  if (!stalled_ || (stall_cause_ != L2Stall::kAtomicUnit && stall_cause_ != L2Stall::kDataArray))
    return base::kNever;
  return waits_for_unit_ ? shared_.atomic_unit.free_at() : free_at_;
}

// ---- debug access ----

std::vector<base::CoreId> L2Bank::waiting_for(std::uint64_t line) const {
  std::vector<base::CoreId> cores;
  const std::uint32_t frame = array_.find(line);
  const std::uint32_t m = frame == CacheArray::kNone ? CacheArray::kNone : array_.owner(frame);
  if (m == CacheArray::kNone) return cores;
  const base::Ring<L2Request>& targets = mshrs_[m].targets;
  for (std::size_t i = 0; i < targets.size(); ++i) cores.push_back(targets[i].extension->core);
  return cores;
}

bool L2Bank::debug_absent(std::uint64_t line) const { return array_.find(line) == CacheArray::kNone; }

SectorMask L2Bank::debug_valid(std::uint64_t line) const {
  const std::uint32_t frame = array_.find(line);
  return frame == CacheArray::kNone ? SectorMask{0} : array_.valid(frame);
}

void L2Bank::debug_copy(std::uint64_t line, std::uint32_t offset, unsigned char* to, unsigned bytes) {
  std::memcpy(to, array_.data(array_.find(line)) + offset, bytes);
}

void L2Bank::debug_write(std::uint64_t line, std::uint32_t offset, const unsigned char* from,
                         unsigned bytes) {
  const std::uint32_t frame = array_.find(line);
  if (frame != CacheArray::kNone) std::memcpy(array_.data(frame) + offset, from, bytes);
}

void L2Bank::debug_overlay(std::uint64_t line, std::uint32_t offset, unsigned char* to, unsigned bytes) {
  const std::uint32_t frame = array_.find(line);
  if (written_.on() && frame != CacheArray::kNone)
    written_.copy(frame, offset, array_.data(frame) + offset, to, bytes, true);
}

void L2Bank::debug_forget() {
  std::vector<std::uint32_t> frames;
  array_.for_each_unowned([&](std::uint32_t frame) { frames.push_back(frame); });
  for (const std::uint32_t frame : frames) {
    vacate(frame);
    if (!array_.empty(frame)) array_.forget(frame);
  }
}

}  // namespace heddle::memory
