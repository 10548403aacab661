#include "core/observe/hang_probe.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/observe/register_hash.h"

namespace heddle::core {

void copy_lanes(const isa::RegisterLayout& layout, LaneMask lanes, const std::byte* from, std::byte* to) {
  if (lanes == LaneMask::all()) {
    std::memcpy(to, from, layout.bytes());
    return;
  }
  const auto copy = [&](std::size_t offset, std::size_t bytes) {
    lanes.for_each(
        [&](unsigned lane) { std::memcpy(to + offset + lane * bytes, from + offset + lane * bytes, bytes); });
  };
  constexpr std::size_t kNarrow = 4;
  constexpr std::size_t kWide = 8;
  for (std::uint32_t row = 0; row < layout.rows32; ++row) copy(layout.offset32(row), kNarrow);
  for (std::uint32_t row = 0; row < layout.rows64; ++row) copy(layout.offset64(row), kWide);
  for (std::uint32_t p = 0; p < layout.predicates; ++p) {
    std::uint32_t now = 0;
    std::uint32_t then = 0;
    std::memcpy(&now, from + layout.offset_predicate(p), sizeof now);
    std::memcpy(&then, to + layout.offset_predicate(p), sizeof then);
    then = (then & ~lanes.bits()) | (now & lanes.bits());
    std::memcpy(to + layout.offset_predicate(p), &then, sizeof then);
  }
}

void HangProbe::start() {
  active_ = true;
  frozen_ = false;
  disturbed_ = false;
  passed_.assign(passed_.size(), false);
  splits_.assign(seen_.size() * kLanes, Split{});
  for (Seen& seen : seen_) {
    seen.lanes = seen.elsewhere = LaneMask{};
    seen.unknown.clear();
  }
}

void HangProbe::visit(const Visit& visit) {
  if (frozen_) return;
  // A load on its way leaves a stale value in its register: if that is live, the visit says nothing.
  for (const PendingLoad& load : visit.pending) {
    if ((load.lanes & visit.mask).none()) continue;
    for (unsigned i = 0; i < load.instruction->write_count; ++i)
      if (std::find(visit.live.begin(), visit.live.end(), load.instruction->writes[i]) != visit.live.end())
        return;
  }
  Split& split = at(visit.warp, visit.mask);
  if (std::has_single_bit(++split.visits_seen) || !seen_[visit.warp.value()].lanes.contains(visit.mask))
    remember(visit);
  compare(visit, split);
}

void HangProbe::remember(const Place& place) {
  Seen& seen = seen_[place.warp.value()];
  seen.registers.resize(place.layout.bytes());
  copy_lanes(place.layout, place.mask, place.registers.data(), seen.registers.data());
  seen.lanes |= place.mask;
  place.mask.for_each([&](unsigned lane) { seen.pc[lane] = place.pc; });
  for (Seen::Unknown& unknown : seen.unknown) unknown.lanes = LaneMask::difference(unknown.lanes, place.mask);
  std::erase_if(seen.unknown, [](const Seen::Unknown& unknown) { return unknown.lanes.none(); });
  for (const PendingLoad& load : place.pending)
    if (const LaneMask lanes = load.lanes & place.mask; lanes.any())
      for (unsigned i = 0; i < load.instruction->write_count; ++i)
        seen.unknown.push_back({load.instruction->writes[i], lanes});
}

void HangProbe::compare(const Visit& visit, Split& split) {
  if (split.repeated || split.spoiled) return;
  // A visit is compared register by register and given up at the first difference; the whole state is only
  // hashed when it is remembered.
  const bool renewing = !split.sampled || split.visits + 1 >= split.renew;
  bool same = split.sampled && split.pc == visit.pc;
  std::size_t position = 0;
  fresh_.clear();
  const auto differs = [&](const Hash& hash) {
    same = same && split.signature[position++] == hash.value();
    if (renewing) fresh_.push_back(hash.value());
    return !same && !renewing;
  };
  Hash hash;
  hash.add(visit.mask.bits());
  hash.add(visit.control_digest);
  bool stop = differs(hash);
  for (std::size_t i = 0; i < visit.live.size() && !stop; ++i) {
    hash_register(hash, visit.live[i], visit.mask, visit.layout, visit.registers);
    stop = differs(hash);
  }
  if (same) {
    split.repeated = true;
    return;
  }
  ++split.visits;
  if (!renewing) return;
  if (split.sampled) split.renew *= 2;
  split.sampled = true;
  split.visits = 0;
  split.pc = visit.pc;
  split.signature = fresh_;
}

}  // namespace heddle::core
