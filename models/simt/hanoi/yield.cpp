// YIELD: the turn of another path ([Hanoi] §VII, [Hanoi:A6]).
#include "simt/hanoi/rec_warp.h"

#include <algorithm>

namespace heddle::simt {

std::size_t HanoiRecWarp::siblings() const {
  if (ws_.size() < 2) return 0;
  LaneMask region = LaneMask::all();
  if (!rec_.empty()) {
    const Register& b = registers_[rec_.back().barrier];
    if (!b.valid) return 0;  // spilled: nothing says who belongs together ([Hanoi:A6])
    region = b.mask;
  }
  if (!region.contains(ws_.back().mask)) {
    // Outside of the innermost region it is a NOP, as published. Only a path of that region that has come back from a
    // barrier below the running one has its turn first: nothing else would ever let it go on.
    const Path& below = ws_[ws_.size() - 2];
    return below.back && (region & ws_.back().mask).none() && region.contains(below.mask) ? 1 : 0;
  }
  std::size_t count = 0;
  while (count + 1 < ws_.size() && region.contains(ws_[ws_.size() - 2 - count].mask)) ++count;
  return count;
}

std::size_t HanoiRecWarp::turns() const {
  if (ws_.empty()) return 0;
  if (config_.yield_frees()) return ws_.size() - 1;
  const std::size_t count = siblings();
  return config_.yield == HanoiYield::kSwap && count > 1 ? 1 : count;
}

void HanoiRecWarp::yield(HanoiEvent& event) {
  ++yields_;
  if (config_.yield_frees() && yields_ % config_.yield_releases == 0) {
    if (release_by_yield()) return;
    if (ws_.size() < 2) return;
    std::rotate(ws_.begin(), ws_.end() - 1, ws_.end());
    ++stats_.turns;
    event.cycles += static_cast<std::uint32_t>(ws_.size()) - 1;
    return;
  }
  const std::size_t count = siblings();
  if (count == 0) return;
  ++stats_.turns;
  const auto top = ws_.end() - 1;
  switch (config_.yield) {
    case HanoiYield::kSwap:
      std::iter_swap(top, top - 1);
      return;
    case HanoiYield::kExchange:
    case HanoiYield::kExchangeOfWarp: {
      const bool of_entry = config_.yield == HanoiYield::kExchange && !rec_.empty();
      std::uint32_t& turn = of_entry ? rec_.back().turn : turn_;
      turn = turn % static_cast<std::uint32_t>(count) + 1;
      std::iter_swap(top, top - turn);
      event.cycles += turn - 1;
      return;
    }
    case HanoiYield::kRotate:
      std::rotate(top - static_cast<std::ptrdiff_t>(count), top, ws_.end());
      event.cycles += static_cast<std::uint32_t>(count) - 1;
      return;
  }
}

bool HanoiRecWarp::release_by_yield() {
  for (std::uint32_t i = static_cast<std::uint32_t>(rec_.size()); i-- > 0;) {
    if (rec_[i].warpsync || rec_[i].dead) continue;
    const LaneMask lanes = arrived(i);
    if (lanes.none()) continue;
    Register& b = registers_[rec_[i].barrier];
    b.mask = LaneMask::difference(b.mask, lanes);
    release(rec_[i].pc, lanes);
    ++stats_.yield_releases;
    return true;
  }
  return false;
}

}  // namespace heddle::simt
