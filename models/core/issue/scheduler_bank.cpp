#include "core/issue/scheduler_bank.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace heddle::core {

SchedulerBank::SchedulerBank(const CoreState& state)
    : state_(state), groups_(state), assigned_(state.config.occupancy.max_warps, false) {
  const SchedulerConfig& config = state.config.scheduler;
  for (std::uint32_t s = 0; s < config.count; ++s) {
    schedulers_.push_back(std::make_unique<WarpScheduler>(("scheduler" + std::to_string(s)).c_str(), config,
                                                          state.config.occupancy.max_warps,
                                                          state.groups_per_warp, state.services.twins));
    isocks_.push_back(std::make_unique<SchedulerPort>(("scheduler_isock" + std::to_string(s)).c_str()));
    tap_isocks_.push_back(
        std::make_unique<IssueTapPort>(("scheduler_tap_isock" + std::to_string(s)).c_str()));
    tap_isocks_.back()->bind(schedulers_.back()->issue_tap_tsock);
  }
  hear_of_memory_room_ = schedulers_.front()->hears_of_memory_room();
}

void SchedulerBank::bind(const std::vector<SchedulerInterposer*>& units) {
  for (std::uint32_t s = 0; s < schedulers_.size(); ++s) {
    sim::BlockInitiator<SchedulerProtocol>* from = isocks_[s].get();
    for (SchedulerInterposer* const unit : units) {
      from->bind(unit->port(s).scheduler_tsock);
      from = &unit->port(s).scheduler_isock;
    }
    from->bind(schedulers_[s]->scheduler_tsock);
  }
  std::ranges::copy_if(units, std::back_inserter(busy_units_), &SchedulerInterposer::may_be_busy);
}

bool SchedulerBank::may_be_busy() const { return state_.config.scheduler.clocked() || !busy_units_.empty(); }

void SchedulerBank::charge_busy_to(std::uint8_t cause) {
  if (state_.config.scheduler.clocked())
    for (const auto& scheduler : schedulers_) scheduler->charge_busy_to(cause);
  for (SchedulerInterposer* const unit : busy_units_) unit->charge_busy_to(cause);
}

std::vector<IssueTapPort*> SchedulerBank::taps() const {
  std::vector<IssueTapPort*> taps;
  for (const auto& socket : tap_isocks_) taps.push_back(socket.get());
  return taps;
}

void SchedulerBank::warp_starts(WarpId warp) {
  if (assigned_[warp.value()]) return;
  assigned_[warp.value()] = true;
  const CtaContext& cta = state_.ctas[state_.warp(warp).cta.value()];
  isocks_[state_.scheduler_of(warp)]->assign(warp, cta.order, state_.now);
}

void SchedulerBank::warp_leaves(const IssueTable::Group& last_group) {
  assigned_[last_group.warp.value()] = false;
  isocks_[last_group.scheduler]->leave(last_group.warp, state_.now);
}

}  // namespace heddle::core
