#include "core/cta/launch_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace heddle::core {

LaunchGroup::LaunchGroup(std::vector<GroupedLaunch>& launches, Cores& cores, Cycle now, Cycle overhead,
                         const MakePolicy& make)
    : cores_(cores),
      began_(now),
      overhead_(overhead),
      owner_(cores.size()),
      resident_(cores.size()),
      room_(cores.size()),
      got_(cores.size()),
      held_(cores.size()) {
  for (GroupedLaunch& each : launches) {
    Grid& grid = grids_.emplace_back();
    grid.of = &each;
    grid.policy = make();
    grid.total = each.launch->shape.ctas();
    grid.first_cta = each.launch->shape.first_cta;
  }
  for (auto& core : cores_) core->begin(grids_.front().of->launch);
}

Cycle LaunchGroup::may_begin(const Grid& grid) const {
  Cycle at = began_ + grid.of->ready;
  for (const std::size_t each : grid.of->after) {
    if (!grids_.at(each).ended) return kNever;
    at = std::max(at, grids_[each].of->end + grid.of->behind);
  }
  return at;
}

void LaunchGroup::leave(std::size_t core) {
  cores_[core]->end();
  if (on_left) on_left(core, owner_[core]);
}

void LaunchGroup::start(std::size_t number, const CtaChoice& choice, Cycle now) {
  Grid& grid = grids_[number];
  if (choice.core >= room_.size() || room_[choice.core] == 0 || choice.cta >= grid.total ||
      choice.cta < grid.first_waiting || grid.ahead.contains(choice.cta))
    throw std::logic_error(fmt::format(
        "dispatch policy: CTA {} of {} cannot start on core {} in this cycle: there is no room, or "
        "it has started",
        choice.cta, grid.total, choice.core));
  if (owner_[choice.core] != number) {
    leave(choice.core);
    owner_[choice.core] = number;
    cores_[choice.core]->begin(grid.of->launch);
  }
  const CtaSlot slot = cores_[choice.core]->start(grid.first_cta + choice.cta, choice.slot);
  room_[choice.core] = 0;
  got_[choice.core] = 1;
  ++resident_[choice.core];
  ++started_;
  if (grid.given++ == 0) grid.of->begin = now - overhead_;
  if (choice.cta == grid.first_waiting)
    while (grid.ahead.erase(++grid.first_waiting) != 0) {
    }
  else
    grid.ahead.insert(choice.cta);
  grid.policy->started(choice, slot);
}

bool LaunchGroup::give(std::size_t number, Cycle now) {
  Grid& grid = grids_[number];
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    const std::size_t owner = owner_[core];
    const bool free =
        resident_[core] == 0 && (owner == number || grids_[owner].ended || !grids_[owner].begun ||
                                 grids_[owner].given == grids_[owner].total);
    room_[core] = got_[core] != 0 || held_[core] != 0 ? 0
                  : owner == number                   ? cores_[core]->room()
                  : free                              ? grid.of->ctas_per_core
                                                      : 0;
  }
  bool gave = false;
  while (grid.given < grid.total) {
    const std::optional<CtaChoice> choice = grid.policy->next(room_);
    if (!choice) break;
    start(number, *choice, now);
    gave = true;
  }
  grid.policy->end_cycle(gave);
  return gave;
}

void LaunchGroup::end_if_done(Grid& grid, Cycle now) {
  if (!grid.begun || grid.ended || grid.of->done != grid.total || !grid.policy->may_end()) return;
  grid.ended = true;
  grid.of->end = now;
  grid.policy->end();
  ++ended_;
}

Cycle LaunchGroup::dispatch(Cycle now, const std::function<bool(std::size_t core)>& held) {
  std::ranges::fill(got_, 0);
  for (std::size_t core = 0; core < cores_.size(); ++core) held_[core] = held(core) ? 1 : 0;
  for (Grid& grid : grids_) end_if_done(grid, now);
  Cycle next = kNever;
  bool gave = false;
  for (std::size_t i = 0; i < grids_.size(); ++i) {
    Grid& grid = grids_[i];
    if (grid.ended) continue;
    if (!grid.first_start) {
      const Cycle at = may_begin(grid);
      if (at == kNever) continue;
      grid.first_start = std::max(at, now) + overhead_;
    }
    if (now < *grid.first_start) {
      next = std::min(next, *grid.first_start);
      continue;
    }
    if (!grid.begun) {
      grid.begun = true;
      grid.policy->begin(grid.total, static_cast<std::uint32_t>(cores_.size()));
    }
    if (const Cycle due = grid.policy->cycle(now); due != kNever) next = std::min(next, due);
    if (grid.given < grid.total && give(i, now) && grid.given < grid.total) gave = true;
  }
  return gave ? now + 1 : next;
}

void LaunchGroup::done(const CtaDone& done) {
  --resident_[done.core];
  Grid& grid = grids_[owner_[done.core]];
  ++grid.of->done;
  grid.policy->done({done.core, done.linear_id - grid.first_cta, done.slot}, done.slot);
}

void LaunchGroup::end(Cycle now) {
  for (Grid& grid : grids_) {
    if (grid.ended) continue;
    if (grid.begun) grid.policy->end();
    if (grid.given == 0) grid.of->begin = now;
    grid.of->end = now;
  }
  for (std::size_t core = 0; core < cores_.size(); ++core) leave(core);
}

std::uint64_t LaunchGroup::waiting() const {
  std::uint64_t sum = 0;
  for (const Grid& grid : grids_)
    if (grid.begun) sum += grid.total - grid.given;
  return sum;
}

std::size_t LaunchGroup::active() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(grids_, [](const Grid& grid) { return grid.begun && !grid.ended; }));
}

bool LaunchGroup::will_begin() const {
  return std::ranges::any_of(grids_,
                             [this](const Grid& grid) { return !grid.begun && may_begin(grid) != kNever; });
}

const LaunchContext* LaunchGroup::oldest() const {
  const auto found = std::ranges::find_if(grids_, [](const Grid& grid) { return grid.begun && !grid.ended; });
  return (found == grids_.end() ? grids_.front() : *found).of->launch;
}

}  // namespace heddle::core
