#include "core/observe/wait_tracer.h"

#include <algorithm>
#include <utility>

#include "core/observe/trace.h"

namespace heddle::core {
namespace {

bool at_scoreboard(WaitCause cause) {
  return cause == WaitCause::kScoreboardAlu || cause == WaitCause::kScoreboardMemory;
}

/// The one with most cycles: ready groups have several.
WaitCause cause_of(const GroupWait& wait) {
  return static_cast<WaitCause>(std::ranges::max_element(wait.by_cause) - wait.by_cause.begin());
}

}  // namespace

WaitTracer::WaitTracer(const CoreState& state)
    : state_(state), open_(state.groups.size()), last_(state.config.occupancy.max_warps) {}

void WaitTracer::begin_launch() {
  std::ranges::fill(open_, Open{});
  std::ranges::fill(last_, WriteBack{});
}

void WaitTracer::end_launch() {
  for (std::uint32_t group = 0; group < open_.size(); ++group) close(base::GroupId{group});
}

void WaitTracer::wrote_back(WarpId warp, const isa::Instruction& instruction) {
  last_[warp.value()] = {state_.now,
                         Pc{static_cast<std::uint32_t>(&instruction - state_.kernel().code.data())}};
}

void WaitTracer::waited(const GroupWait& wait) {
  const WarpId warp = state_.groups[wait.group].warp;
  Open& open = open_[wait.group.value()];
  const WaitCause cause = cause_of(wait);
  if (open.cycles != 0 && (!at_scoreboard(cause) || wait.pc != open.pc)) close(wait.group);
  const Open piece{wait.first, wait.cycles, wait.pc, warp, cause, kNoPc};
  if (!at_scoreboard(cause)) {
    if (wait.cycles != 0) show(wait.group, piece);
    return;
  }
  if (open.cycles == 0)
    open = piece;
  else
    open.cycles += wait.cycles;
  const WriteBack& last = last_[warp.value()];
  open.producer = last.at == state_.now ? last.pc : kNoPc;
}

void WaitTracer::close(base::GroupId group) {
  const Open wait = std::exchange(open_[group.value()], Open{});
  if (wait.cycles == 0) return;
  state_.profile->waited_on(wait.pc, wait.producer, wait.cycles);
  show(group, wait);
}

void WaitTracer::show(base::GroupId group, const Open& wait) const {
  if (state_.trace == nullptr) return;
  const WarpContext& warp = state_.warp(wait.warp);
  const TraceSite site{state_.id, wait.warp, wait.first, state_.ctas[warp.cta.value()].linear_id,
                       warp.warp_in_cta};
  if (state_.trace->wants_timeline(site))
    state_.trace->waits(
        site, group,
        {state_.profile->causes()[static_cast<unsigned>(wait.cause)], wait.pc, wait.producer, wait.cycles});
}

}  // namespace heddle::core
