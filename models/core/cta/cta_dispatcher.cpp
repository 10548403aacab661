#include "core/cta/cta_dispatcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/logical_process.h"

namespace heddle::core {

CtaDispatcher::CtaDispatcher(const sc_core::sc_module_name& name, const DispatchConfig& config,
                             std::uint32_t cores, sim::ClockDomain& clock, sim::FaultLatch& faults,
                             base::StatGroup& stats, std::unique_ptr<CtaDispatchPolicy> instead)
    : sc_module(name),
      clock_(clock, sim::on_tick<&CtaDispatcher::tick>(this)),
      faults_(faults),
      policy_name_(instead ? "of a mechanism" : config.policy),
      config_(config),
      policy_(instead ? std::move(instead) : config.make()),
      room_(cores),
      overhead_cycles_(config.launch_overhead_cycles),
      ahead_done_(cores) {
  policy_->attach([this] { clock_.wake(); });
  for (std::uint32_t i = 0; i < cores; ++i) {
    cta_isocks.push_back(std::make_unique<CtaPort>(("cta_isock" + std::to_string(i)).c_str()));
    done_tsocks.push_back(std::make_unique<DoneTarget>(("done_tsock" + std::to_string(i)).c_str(), this));
  }
  stats.counter("started", "CTAs", "CTAs handed to cores", &started_);
  if (overhead_cycles_ != 0)
    stats.counter("launch_overhead_cycles", "core cycles", "of the launch, before its first CTA could start",
                  &counted_overhead_);
}

void CtaDispatcher::begin(const LaunchContext* launch) {
  total_ = launch->shape.ctas();
  first_cta_ = launch->shape.first_cta;
  threads_per_cta_ = launch->threads_per_cta();
  given_ = done_ = first_waiting_ = 0;
  ahead_.clear();
  policy_->begin(total_, static_cast<std::uint32_t>(cta_isocks.size()));
  begin_cycle_ = clock_.domain().cycle();
  first_start_ = begin_cycle_ + overhead_cycles_;
  counted_overhead_ += overhead_cycles_;
  for (auto& core : cta_isocks) core->begin(launch);
  clock_.wake();
}

void CtaDispatcher::begin_together(std::vector<GroupedLaunch>& launches,
                                   std::function<void(std::size_t core, std::size_t launch)> on_left) {
  begin_cycle_ = clock_.domain().cycle();
  counted_overhead_ += launches.size() * overhead_cycles_;
  group_.emplace(launches, cta_isocks, begin_cycle_, overhead_cycles_, [this] {
    auto policy = config_.make();
    policy->attach([this] { clock_.wake(); });
    return policy;
  });
  group_->on_left = std::move(on_left);
  clock_.wake();
}

void CtaDispatcher::dispatch_group() {
  const std::uint64_t before = group_->started();
  const Cycle next =
      group_->dispatch(clock_.cycle(), [this](std::size_t core) { return !ahead_done_[core].done.empty(); });
  started_ += group_->started() - before;
  if (group_->finished()) {
    end(clock_.cycle());
    on_finished();
    clock_.park();
  } else if (next == kNever) {
    clock_.park();
  } else {
    clock_.sleep_until(std::max(next, clock_.cycle() + 1));
  }
}

void CtaDispatcher::serve_done(CtaDone& done) {
  if (sim::LogicalProcess* const process = sim::LogicalProcess::running()) {
    std::deque<CtaDone>& ahead = ahead_done_[process->number()].done;
    ahead.push_back(done);
    process->defer_and_stop(
        [](void* self, void* what) {
          auto& of_core = *static_cast<std::deque<CtaDone>*>(what);
          CtaDone then = of_core.front();
          of_core.pop_front();
          static_cast<CtaDispatcher*>(self)->serve_done(then);
        },
        this, &ahead);
    return;
  }
  if (group_) {
    group_->done(done);
    clock_.wake();
    return;
  }
  ++done_;
  if (done_cycles_ != nullptr) done_cycles_->push_back(clock_.domain().cycle());
  policy_->done({done.core, done.linear_id - first_cta_, done.slot}, done.slot);
  clock_.wake();
}

void CtaDispatcher::end(Cycle cycle) {
  end_cycle_ = cycle;
  if (group_) {
    group_->end(cycle);
    group_.reset();
    return;
  }
  done_cycles_ = nullptr;
  policy_->end();
  for (auto& core : cta_isocks) core->end();
}

void CtaDispatcher::abandon() { end(clock_.domain().cycle()); }

void CtaDispatcher::ask_cores() {
  for (std::size_t i = 0; i < cta_isocks.size(); ++i)
    room_[i] = ahead_done_[i].done.empty() ? cta_isocks[i]->room() : 0;
}

void CtaDispatcher::check(const CtaChoice& choice) {
  if (choice.core < room_.size() && room_[choice.core] != 0 && choice.cta < total_ &&
      choice.cta >= first_waiting_ && !ahead_.contains(choice.cta))
    return;
  throw std::logic_error(fmt::format("dispatch policy {}: CTA {} of {} on core {} of {}, {}", policy_name_,
                                     choice.cta, total_, choice.core, room_.size(),
                                     choice.core >= room_.size() || choice.cta >= total_
                                         ? "which is not there"
                                     : room_[choice.core] == 0 ? "which has no room in this cycle"
                                                               : "which has started already"));
}

void CtaDispatcher::start(const CtaChoice& choice) {
  check(choice);
  const CtaSlot slot = cta_isocks[choice.core]->start(first_cta_ + choice.cta, choice.slot);
  room_[choice.core] = 0;
  ++given_;
  ++started_;
  last_start_ = clock_.cycle();
  if (choice.cta == first_waiting_)
    while (ahead_.erase(++first_waiting_) != 0) {
    }
  else
    ahead_.insert(choice.cta);
  policy_->started(choice, slot);
}

void CtaDispatcher::tick() {
  try {
    group_ ? dispatch_group() : dispatch();
  } catch (...) {
    faults_.raise(std::current_exception());
    clock_.park();
  }
}

void CtaDispatcher::dispatch() {
  if (total_ != 0 && clock_.cycle() < first_start_) {
    clock_.sleep_until(first_start_);
    return;
  }
  bool gave = false;
  const Cycle due = total_ != 0 ? policy_->cycle(clock_.cycle()) : kNever;
  if (given_ < total_) {
    ask_cores();
    while (given_ < total_) {
      const std::optional<CtaChoice> choice = policy_->next(room_);
      if (!choice) break;
      start(*choice);
      gave = true;
    }
    policy_->end_cycle(gave);
  }
  if (done_ == total_ && total_ != 0 && policy_->may_end() && (!may_end || may_end())) {
    end(clock_.cycle());
    total_ = given_ = done_ = 0;
    on_finished();
    clock_.park();
    return;
  }
  if (gave && given_ < total_)
    clock_.again();
  else if (due != kNever)
    clock_.sleep_until(std::max(due, clock_.cycle() + 1));
  else
    clock_.park();
}

}  // namespace heddle::core
