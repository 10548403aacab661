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

/// Before words leave for L2: who writes one from now on dooms the attempt.
void TransactionUnit::watch_ideal(const Held& held) {
  const WarpId id = warp_of(held);
  shared_.ideal->advance(site_.services.clock.cycle());
  held.matched.for_each([&](unsigned lane) {
    for (unsigned word = 0; word < held.words; ++word)
      shared_.ideal->read(ideal_owner(id, lane), held.word_address[lane] + word * kWordBytes);
  });
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
    of.phase = Phase::kResolved;
    resolved(id);
  }
  if (!ideal_.empty()) again_ = true;
}

}  // namespace heddle::tm
