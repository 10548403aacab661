// A request whose line is there: what it reads and writes, and its response.
#include <algorithm>
#include <bit>
#include <cstring>

#include "memory/l2_bank.h"
#include "memory/line_bytes.h"

namespace heddle::memory {
namespace {

/// Writes the enabled bytes; returns whether a value changed. Enable bytes are 0 or 0xff, so they work as a
/// mask, eight bytes at a time.
bool write_enabled(const tlm::tlm_generic_payload& payload, unsigned char* to) {
  const unsigned bytes = payload.get_data_length();
  const unsigned char* const from = payload.get_data_ptr();
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  const unsigned pattern = payload.get_byte_enable_length();
  if (enables == nullptr || pattern == 0) {
    const bool changed = std::memcmp(to, from, bytes) != 0;
    std::memcpy(to, from, bytes);
    return changed;
  }
  std::uint64_t different = 0;
  unsigned i = 0;
  if (pattern >= bytes) {
    for (; i + 8 <= bytes; i += 8) {
      std::uint64_t old = 0, value = 0, mask = 0;
      std::memcpy(&old, to + i, 8);
      std::memcpy(&value, from + i, 8);
      std::memcpy(&mask, enables + i, 8);
      const std::uint64_t merged = (old & ~mask) | (value & mask);
      different |= merged ^ old;
      std::memcpy(to + i, &merged, 8);
    }
  }
  for (; i < bytes; ++i) {
    if (enables[i % pattern] == 0) continue;
    different |= to[i] ^ from[i];
    to[i] = from[i];
  }
  return different != 0;
}

/// For --deterministic-check: says whether the watched word is written, and for which core.
void note_store(sim::StoreWatch& stores, const tlm::tlm_generic_payload& payload,
                const sim::MemoryExtension& ext) {
  if (!stores.covers(payload.get_address(), payload.get_data_length())) return;
  bool written = false;
  if (ext.op == sim::MemoryOp::kAtomic) {
    const std::uint64_t bytes = isa::type_bytes(ext.atomic_type);
    for (unsigned i = 0; i < ext.atomic_count; ++i)
      written = written || stores.covers(payload.get_address() + ext.atomics[i].offset, bytes);
  } else {
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    const unsigned pattern = payload.get_byte_enable_length();
    for (unsigned b = 0; b < payload.get_data_length(); ++b)
      if (enables == nullptr || pattern == 0 || enables[b % pattern] != 0)
        written = written || stores.covers(payload.get_address() + b, 1);
  }
  if (written) stores.performed(ext.core);
}

/// For the watchdog's log: records the payload's bytes before they change.
class LoggedChange {
 public:
  LoggedChange(sim::MemoryLog& log, const tlm::tlm_generic_payload& payload, const unsigned char* at)
      : log_(log), payload_(payload) {
    if (log_.active()) std::memcpy(before_, at, payload.get_data_length());
  }
  /// `unknown`: not all of the old bytes were present.
  void done(const unsigned char* at, bool unknown) const {
    if (!log_.active()) return;
    const unsigned bytes = payload_.get_data_length();
    if (unknown) log_.unknown(payload_.get_address(), bytes);
    log_.changed(sim::MemoryLog::Space::kDevice, 0, payload_.get_address(), before_, at, bytes);
  }

 private:
  sim::MemoryLog& log_;
  const tlm::tlm_generic_payload& payload_;
  unsigned char before_[sim::kMaxLineBytes];
};

/// Locks are acquired and released with compare-and-swap and exchange.
void remember_holders(sim::LockHolders& locks, const tlm::tlm_generic_payload& payload,
                      const sim::MemoryExtension& ext) {
  const bool cas = isa::compares(ext.atomic_op);
  if (ext.core == sim::kUnitInitiator) return;  // no lane holds what a unit has written
  if (!cas && ext.atomic_op != isa::AtomicOp::kExch) return;
  for (unsigned i = 0; i < ext.atomic_count; ++i) {
    const sim::LaneAtomic& lane = ext.atomics[i];
    const bool cast = ext.atomic_op == isa::AtomicOp::kCast;  // whose answer is whether it has written
    const bool written = cast ? lane.old != 0 && lane.operand != lane.compare
                              : lane.old != lane.operand && (!cas || lane.old == lane.compare);
    if (written)
      locks.took(payload.get_address() + lane.offset, ext.warp + static_cast<std::uint64_t>(lane.warp),
                 lane.lane, lane.operand);
  }
}

}  // namespace

bool L2Bank::perform(const L2Request& request, std::uint32_t frame, base::Cycle now) {
  tlm::tlm_generic_payload& payload = *request.payload;
  sim::MemoryExtension& ext = *request.extension;
  if (ext.op == sim::MemoryOp::kAtomic) {
    const AtomicUnit& unit = shared_.atomic_unit;
    waits_for_unit_ = now < unit.free_at();
    if (waits_for_unit_) return stall(L2Stall::kAtomicUnit, now);
    if (const base::Cycle turn = unit.turn(request.line); now < turn) [[unlikely]] {
      free_at_ = turn;
      busy_with_ = L2Stall::kAtomicUnit;
      return stall(L2Stall::kAtomicUnit, now);
    }
  }
  unsigned char* const at = array_.data(frame) + request.offset;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  array_.touch(frame);
  base::Cycle done = now;
  switch (ext.op) {
    case sim::MemoryOp::kRead:
      read(request, at);
      if (read_sectors_ != 0) occupy(request, read_sectors_, now);
      break;
    case sim::MemoryOp::kWrite: {
      if (shared_.progress.stores.on()) note_store(shared_.progress.stores, payload, ext);
      const LoggedChange logged(shared_.progress.log, payload, at);
      const bool changed = write_enabled(payload, at);
      // Only the DRAM has the old value of sectors that are not present: overwriting them counts as a change.
      const bool old_unknown = (request.touched & ~array_.valid(frame)) != 0;
      if (changed || old_unknown) shared_.progress.memory_changed();
      logged.done(at, old_unknown);
      array_.add_valid(frame, request.covered);
      array_.add_dirty(frame, request.touched);
      if (written_.on()) add_written(request, frame);
      if (write_sectors_ != 0) occupy(request, write_sectors_, now);
      break;
    }
    case sim::MemoryOp::kAtomic: {
      if (shared_.progress.stores.on()) note_store(shared_.progress.stores, payload, ext);
      const LoggedChange logged(shared_.progress.log, payload, at);
      const AtomicUnit::Result result =
          shared_.atomic_unit.execute(ext, at, payload.get_data_length(), request.line, now);
      if (!result.ok) payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
      if (result.changed) {
        shared_.progress.memory_changed();
        logged.done(at, false);
        remember_holders(shared_.progress.locks, payload, ext);
        array_.add_dirty(frame, request.touched);
      }
      shared_.counters.atomic_lanes += ext.atomic_count;
      shared_.counters.atomic_operations += result.operations;
      shared_.counters.atomic_busy_cycles += result.unit_cycles;
      free_at_ = now + result.bank_cycles;
      busy_with_ = L2Stall::kAtomicUnit;
      done = now + result.done_cycles - 1;
      break;
    }
    case sim::MemoryOp::kMessage:
      break;  // MemoryPartition rejects these
  }
  const bool crossed = respond(request, frame, done);
  if (far_turns_) {
    if (crossed && request.line != last_line_) take_far_turn(request, now);
    last_line_ = request.line;
  }
  return true;
}

void L2Bank::read(const L2Request& request, const unsigned char* from) const {
  unsigned char* const to = request.payload->get_data_ptr();
  const unsigned bytes = request.payload->get_data_length();
  const SectorMask wanted = request.extension->wanted_sectors;
  if (wanted == sim::kAllSectors) {
    copy_bytes(to, from, bytes);
    return;
  }
  for (unsigned first = 0; first < bytes; first += sim::kSectorBytes)
    if ((wanted >> (first / sim::kSectorBytes) & 1u) != 0)
      copy_bytes(to + first, from + first, std::min(sim::kSectorBytes, bytes - first));
}

void L2Bank::occupy(const L2Request& request, std::uint32_t per_cycle, base::Cycle now) {
  const auto sectors = static_cast<std::uint32_t>(std::popcount(request.touched));
  free_at_ = now + (sectors + per_cycle - 1) / per_cycle;
  busy_with_ = L2Stall::kDataArray;
}

void L2Bank::add_written(const L2Request& request, std::uint32_t frame) {
  written_.add(frame, request.offset, *request.payload);
  const std::uint32_t sector = geometry_.sector_bytes(), m = array_.owner(frame);
  // Those that are being fetched are when the fetch is done.
  const SectorMask pending = m == CacheArray::kNone ? SectorMask{0} : mshrs_[m].pending;
  for (auto left = static_cast<SectorMask>(request.touched & ~array_.valid(frame) & ~pending); left != 0;
       left &= left - 1) {
    const auto s = static_cast<unsigned>(std::countr_zero(left));
    if (written_.all(frame, s * sector, sector)) array_.add_valid(frame, static_cast<SectorMask>(1u << s));
  }
}

void L2Bank::take_far_turn(const L2Request& request, base::Cycle now) {
  const base::Cycle free = std::max(free_at_, now + 1);
  const bool atomic = request.extension->op == sim::MemoryOp::kAtomic;
  free_at_ = free + (atomic ? free - now : 1);
  busy_with_ = atomic ? L2Stall::kAtomicUnit : L2Stall::kDataArray;
}

bool L2Bank::respond(const L2Request& request, std::uint32_t frame, base::Cycle done) {
  base::Cycle ready = done + latency_cycles_;
  bool crossed = false;
  if (far_.on()) {
    const base::Cycle near = ready;
    const std::uint64_t before = shared_.counters.far.requests;
    if (frame != CacheArray::kNone)
      ready = far_.ready(request, frame, near, shared_.counters.far);
    else if (!request.extension->to_partition)
      ready = far_.ready(request, near);
    crossed = shared_.counters.far.requests != before;
    shared_.responses.push(request.payload, ready, ready != near);
    if (far_.copies_take_ways() && frame != CacheArray::kNone) place_copy(request, frame);
  } else {
    shared_.responses.push(request.payload, ready, false);
  }
  ++shared_.counters.responses;
  shared_.counters.service_cycles += ready - request.accepted;
  return crossed;
}

}  // namespace heddle::memory
