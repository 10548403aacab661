// What a core's transaction unit does under ideal transactional memory (ideal_memory.h) instead of logs and commits.
#include "core/core_state.h"
#include "tm/comparison/ideal_memory.h"

#include <algorithm>

#include "tm/transaction_unit.h"

namespace heddle::tm {

IdealMemory::Owner TransactionUnit::ideal_owner(WarpId id, unsigned lane) const {
  const std::uint64_t warp = site_.core.value() * std::uint64_t{warps_.size()} + id.value();
  return static_cast<IdealMemory::Owner>(warp * base::kLanes + lane);
}

void TransactionUnit::begin_ideal(WarpId id) {
  warp(id).attempt.for_each([&](unsigned lane) { shared_.ideal->begin(ideal_owner(id, lane)); });
  if (ideal_stores_) ideal_stores_->begin(id);
}

void TransactionUnit::append_ideal(WarpId id, bool write, LaneMask lanes, const LaneAddresses& address,
                                   const std::array<std::uint32_t, base::kLanes>& values, unsigned bytes) {
  Warp& of = warp(id);
  (write ? of.writers : of.readers) |= lanes;
  if (!write) return;
  const unsigned count = std::min(bytes, static_cast<unsigned>(kWordBytes));
  lanes.for_each([&](unsigned lane) {
    shared_.ideal->write(ideal_owner(id, lane), address[lane], values[lane], count);
  });
  if (ideal_stores_) ideal_stores_->append(id, lanes, address, count);
}

/// A load's own bytes are known at once.
void TransactionUnit::read_own_ideal(Held& held) {
  const WarpId id = warp_of(held);
  held.lanes.for_each([&](unsigned lane) {
    for (unsigned b = 0; b < held.words * kWordBytes; ++b)
      if ((held.wanted[lane] >> b & 1u) != 0 &&
          shared_.ideal->own(ideal_owner(id, lane), held.word_address[lane] + b, held.data[lane][b]))
        held.known[lane] |= static_cast<std::uint16_t>(1u << b);
  });
}

/// Before words leave for L2: who writes one from now on dooms the attempt, and who has written one before may be on the way
/// there.
void TransactionUnit::watch_ideal(Held& held) {
  const WarpId id = warp_of(held);
  shared_.ideal->advance(site_.services.clock.cycle());
  held.matched.for_each([&](unsigned lane) {
    for (unsigned word = 0; word < held.words; ++word) {
      const std::uint64_t address = held.word_address[lane] + word * kWordBytes;
      shared_.ideal->read(ideal_owner(id, lane), address);
      if (!ideal_stores_) continue;
      if (const auto late = shared_.ideal->on_its_way(address)) held.late.push_back({lane, word, *late});
    }
  });
}

/// Over what L2 has answered, what had been committed before it was asked.
void TransactionUnit::read_late_ideal(const Held& held, unsigned lane, unsigned word, std::uint32_t& value) {
  for (const LateWord& late : held.late) {
    if (late.lane != lane || late.word != word) continue;
    for (unsigned byte = 0; byte < kWordBytes; ++byte)
      if ((late.bytes.which >> byte & 1u) != 0)
        value = (value & ~(0xffu << 8 * byte)) | (late.bytes.value & 0xffu << 8 * byte);
  }
}

void TransactionUnit::commit_ideal(WarpId id) {
  Warp& of = warp(id);
  of.phase = Phase::kIds;
  of.commit.begin({}, {}, {}, {}, false);
  const Cycle cycle = site_.services.clock.cycle();
  of.attempt.for_each([&](unsigned lane) { shared_.ideal->ask(ideal_owner(id, lane), cycle); });
  ideal_.emplace_back(id, cycle);
  wake_core();
}

/// Outcomes of the cycle before.
void TransactionUnit::decide_ideal(Cycle cycle) {
  shared_.ideal->advance(cycle);
  while (!ideal_.empty() && ideal_.front().second < cycle) {
    const WarpId id = ideal_.front().first;
    ideal_.pop_front();
    Warp& of = warp(id);
    of.trivial = LaneMask{};
    of.attempt.for_each([&](unsigned lane) {
      const Cid cid = shared_.ideal->outcome(ideal_owner(id, lane));
      if (cid == 0) {
        stats_.false_conflicts += shared_.ideal->failed_falsely(ideal_owner(id, lane)) ? 1 : 0;
        return;
      }
      of.last_cid[lane] = cid;
      of.trivial |= lane_bit(lane);
    });
    if ((of.trivial & of.faulted).any()) std::rethrow_exception(of.fault);
    if (ideal_stores_) {
      ideal_stores_->pack(id, of.trivial & of.writers, *shared_.ideal);
      of.trivial.for_each([&](unsigned lane) { shared_.ideal->packed(ideal_owner(id, lane)); });
      of.phase = Phase::kTransfer;
      if (ideal_stores_->waiting(id)) continue;
    }
    of.phase = Phase::kResolved;
    resolved(id);
  }
  if (!ideal_.empty()) again_ = true;
}

/// A packet a cycle. Their data is that of their arrival (IdealMemory::value).
void TransactionUnit::send_ideal_store(Cycle cycle) {
  const IdealStores::Packet* const next = ideal_stores_->next();
  if (next == nullptr) return;
  again_ = true;
  core::PortRequest request;
  request.client = port_client_;
  port_isock.call(request);
  if (!request.room) return;
  const WarpId id = next->warp;
  const std::uint32_t line_bytes = site_.config.l1d.line_bytes;
  sim::MemoryTransaction& store = site_.services.pool.allocate(sim::MemoryOp::kWrite, next->line, line_bytes);
  for (std::uint32_t byte = 0; byte < line_bytes; ++byte)
    if (next->bytes[byte]) store.enables[byte] = TLM_BYTE_ENABLED;
  store.extension.tag = id.value();
  store.extension.issued_at = cycle;
  ++shared_.stores_out;
  request.op = core::PortRequest::Op::kSend;
  request.transaction = &store;
  port_isock.call(request);
  if (!ideal_stores_->sent()) return;
  warp(id).phase = Phase::kResolved;
  resolved(id);
}

void TransactionUnit::ideal_store_performed(WarpId id) {
  if (ideal_stores_->performed(id)) wake_from_outside(id);  // a fence waits
  if (--shared_.stores_out == 0 && shared_.on_stores_performed) shared_.on_stores_performed();
}

}  // namespace heddle::tm
