#include "simt/clocked_splits.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/error.h"

namespace heddle::simt {

base::ConfigOption ClockedSplits::option() {
  return base::ConfigOption::section<sim::ClockedTwinConfig>(
      kBlock, "the branch unit of aware and multi_path as a clocked block (models/simt/README.md)");
}

std::unique_ptr<ControlFlow> ClockedSplits::make(const MechanismSite& site, std::uint32_t groups_per_warp,
                                                 std::unique_ptr<SplitControl> control,
                                                 std::unique_ptr<SplitUnit> rtl) {
  const auto& config = site.config.clocked_block(kBlock);
  if (!config.clocked()) return control;
  if (site.schedulers > kMostSchedulers)
    throw base::InputError(
        "core.control_flow.split_unit.timing",
        "the clocked branch unit serves at most " + std::to_string(kMostSchedulers) + " schedulers",
        "Set core.scheduler.count to fewer, or timing=ideal.");
  return std::make_unique<ClockedSplits>(
      Shape{site.warps, site.schedulers, groups_per_warp, config.stall_seed}, std::move(control), site.path,
      std::move(rtl), config.impl == sim::Implementation::kBoth);
}

ClockedSplits::ClockedSplits(const Shape& shape, std::unique_ptr<SplitControl> control,
                             const std::string& path, std::unique_ptr<SplitUnit> rtl, bool both)
    : control_(std::move(control)),
      path_(path),
      stalls_(shape.stall_seed, base::stream_of(path)),
      groups_per_warp_(shape.groups_per_warp),
      latches_(shape.schedulers + 1),
      warps_(shape.warps),
      groups_(std::size_t{shape.warps} * shape.groups_per_warp),
      last_(shape.schedulers) {
  if (control_->work() == nullptr) throw std::logic_error("ClockedSplits: a control that counts no work");
  if (rtl)
    twin_.emplace(std::move(rtl), both, path, [this](WarpId warp) { return control_->contents_of(warp); });
}

void ClockedSplits::register_stats(base::StatGroup& stats) {
  control_->register_stats(stats);
  stats.counter("events", "events", "served by the clocked branch unit", &events_);
  stats.counter("wait_cycles", "event-cycles",
                "events in front of the clocked branch unit, summed over cycles", &wait_cycles_);
  stats.counter("busy_cycles", "core cycles",
                "in which the clocked branch unit could not serve another event", &busy_cycles_);
}

// ---- Clock

void ClockedSplits::clock_up_to(Cycle now) {
  while (cycle_ < now) {
    // Without events nothing happens until the unit has something to do by itself.
    if (waiting_ == 0 && !twin_) cycle_ = std::max(cycle_, std::min(now, own_due_));
    if (twin_ && waiting_ == 0 && !awaits() && cycle_ > settled_ && now - cycle_ > kIdleEdges)
      cycle_ = now - kIdleEdges;
    if (cycle_ < now) edge();
  }
}

ClockedSplits::Latch::iterator ClockedSplits::next_of(std::uint32_t requester) {
  Latch& latch = latches_[requester];
  const bool is_list = requester + 1 == latches_.size();
  return std::find_if(latch.begin(),
                      is_list ? latch.end() : latch.begin() + std::min<std::ptrdiff_t>(1, std::ssize(latch)),
                      [this](const Event& event) {
                        const Warp& warp = warps_[event.request.warp.value()];
                        return event.ticket == warp.served && cycle_ >= warp.answered;
                      });
}

std::optional<std::uint32_t> ClockedSplits::turn(const std::vector<Latch::iterator>& events) const {
  const auto count = static_cast<std::uint32_t>(latches_.size());
  for (std::uint32_t i = 1; i <= count && cycle_ >= free_; ++i) {
    const std::uint32_t requester = (last_ + i) % count;
    const bool own = requester + 1 == count && own_due_ <= cycle_ && cycle_ >= answered_;
    if (own || events[requester] != latches_[requester].end()) return requester;
  }
  return std::nullopt;
}

void ClockedSplits::edge() {
  wait_cycles_ += waiting_;
  if (waiting_ != 0 || awaits()) settled_ = cycle_ + kSettling;
  std::vector<Latch::iterator> events;
  SplitPins pins;
  for (std::uint32_t r = 0; r < latches_.size(); ++r) {
    Latch& latch = latches_[r];
    auto event = next_of(r);
    if (event != latch.end() && stalls_.on() && stalls_.below(kEventsPerStall) == 0) event = latch.end();
    if (event != latch.end()) pins.events[r] = &event->pins;
    events.push_back(event);
  }
  auto served = turn(events);
  if (twin_) served = twin_->clock(pins, served, cycle_);
  if (served) {
    last_ = *served;
    Latch& latch = latches_[*served];
    if (events[*served] == latch.end()) {
      Event tick;
      tick.request.event = ControlFlowEvent::kTick;
      serve(tick);
    } else {
      Event event = std::move(*events[*served]);
      latch.erase(events[*served]);
      --waiting_;
      --wait_cycles_;
      ++warps_[event.request.warp.value()].served;
      serve(event);
    }
  }
  ++cycle_;
  if (twin_) hear();
}

void ClockedSplits::hear() {
  const auto answer = twin_->answer(cycle_);
  if (!answer) return;
  Warp& warp = warps_[answer->warp.value()];
  warp.front = answer->split;
  if (twin_->both()) return;
  warp.answered = cycle_;
  std::vector<GroupUpdate> updates = std::exchange(warp.updates, {});
  if (updates.empty() || warp.served - 1 < warp.silent) return;
  GroupUpdate& update = updates.front();
  switch (answer->state) {
    case SplitAnswer::State::kEnded:
      update.change = GroupChange::kVanished;
      break;
    case SplitAnswer::State::kBarrier:
      update.change = GroupChange::kBlocked;
      update.cause = BlockCause::kBarrier;
      break;
    case SplitAnswer::State::kRuns:
      if (update.change != GroupChange::kSchedulable) update.change = GroupChange::kMoved;
      update.pc = answer->pc;
      update.watch = answer->watch;
      update.mask = answer->mask;
      break;
  }
  told_.push_back({cycle_, answer->warp, std::move(updates)});
}

void ClockedSplits::serve(Event& event) {
  ++events_;
  event.request.cycle = cycle_;
  event.request.lane_target = event.targets.empty() ? nullptr : event.targets.data();
  event.request.filled = event.filled ? &*event.filled : nullptr;
  SplitWork& work = *control_->work();
  work.begin();
  failed_ = true;
  control_->serve(event.request);
  failed_ = false;
  if (event.request.event == ControlFlowEvent::kTick && control_->idle_tick()) work.nothing();
  own_due_ = event.request.due;
  Warp& warp = warps_[event.request.warp.value()];
  const sim::BlockCost charged = cost(work);
  free_ = cycle_ + charged.interval;
  answered_ = cycle_ + charged.answer;
  warp.answered = answered_;
  busy_cycles_ += charged.interval;
  if (event.by_group) group(event.request.group).asks = false;
  std::vector<GroupUpdate> updates = changes(event);
  if (twin_) twin_->expect(answered_, control_->answer_of(event.request.warp));
  if (twin_ && !twin_->both()) {
    free_ = 0;
    warp.answered = kNever;
    warp.updates = std::move(updates);
    return;
  }
  const bool own = event.request.event == ControlFlowEvent::kTick;
  if ((own ? warp.served : event.ticket) < warp.silent || updates.empty()) return;
  told_.push_back({answered_, event.request.warp, std::move(updates)});
}

std::vector<GroupUpdate> ClockedSplits::changes(const Event& event) {
  bool answered = !event.by_group;
  std::vector<GroupUpdate> updates;
  for (const GroupUpdate& update : event.request.updates) {
    answered = answered || (update.group == event.request.group && update.change != GroupChange::kHeld);
    Group& of = group(update.group);
    // It waits for its own event, whose answer says so too.
    if (of.asks && update.change == GroupChange::kHeld) continue;
    if (of.asks) throw std::logic_error("ClockedSplits: an event moves a group that waits for its own");
    updates.push_back(update);
  }
  if (!answered) throw std::logic_error("ClockedSplits: no answer for the group that asks");
  return updates;
}

void ClockedSplits::end_launch(Cycle now) {
  if (failed_) return;  // the launch has, and its events are not answered any more
  clock_up_to(now);
  for (const Cycle last = cycle_ + kMostToEnd; waiting_ != 0 || awaits(); edge())
    if (cycle_ > last) throw std::logic_error("split_unit: an event is not answered");
  told_.clear();
  for (Warp& warp : warps_) warp.answered = 0;
  cycle_ = settled_ = now;
  free_ = answered_ = 0;
}

// ---- Events

void ClockedSplits::post(ControlFlowRequest& request) {
  Event event;
  event.request = request;
  const auto kind = request.event;
  event.by_group = kind == ControlFlowEvent::kAdvance || kind == ControlFlowEvent::kTransfer ||
                   kind == ControlFlowEvent::kExit || kind == ControlFlowEvent::kBarrierArrive;
  event.request.updates = {};
  if (request.lane_target != nullptr)
    event.targets.assign(request.lane_target, request.lane_target + base::kLanes);
  if (request.filled != nullptr) event.filled = *request.filled;
  Warp& warp = warps_[request.warp.value()];
  event.ticket = warp.posted++;
  if (kind == ControlFlowEvent::kLaunch) {
    warp.live = request.mask;
    event.request.group = GroupId{request.warp.value() * groups_per_warp_};
  }
  if (kind == ControlFlowEvent::kExit) warp.live = LaneMask::difference(warp.live, request.mask);
  if (kind == ControlFlowEvent::kTransfer) control_->foresee(request);
  if (twin_) {
    if (request.call_depth >= twin_->frames() && request.taken.any())
      throw base::InputError(
          path_,
          "this kernel calls functions deeper than the RTL of split_unit goes, " +
              std::to_string(twin_->frames()) + " deep",
          "Use impl: model, or build rtl/split_unit/split_unit.cmake with a larger Frames.");
    event.pins = control_->event_of(event.request);
    if (event.by_group) event.pins.split = warp.front;
  }
  if (kind == ControlFlowEvent::kExit && warp.live.none())
    end_warp(request.warp);
  else if (event.by_group || kind == ControlFlowEvent::kLaunch)
    hold(event);
  const auto list = static_cast<std::uint32_t>(latches_.size()) - 1;
  Latch& latch = latches_[event.by_group ? request.warp.value() % list : list];
  if (event.by_group && !latch.empty()) throw std::logic_error("split_unit: a scheduler's latch is taken");
  latch.push_back(std::move(event));
  ++waiting_;
}

void ClockedSplits::hold(const Event& event) {
  const ControlFlowRequest& request = event.request;
  Group& of = group(request.group);
  if (request.event == ControlFlowEvent::kLaunch)
    of = {true, request.mask, Hold::kNothing, false};
  else
    of.asks = true;
  GroupUpdate update{.group = request.group,
                     .change = GroupChange::kBlocked,
                     .pc = request.next,
                     .mask = of.mask,
                     .cause = BlockCause::kUnit,
                     .hold = of.hold};
  if (request.event == ControlFlowEvent::kExit) update.mask = LaneMask::difference(of.mask, request.mask);
  answer(update);
}

void ClockedSplits::end_warp(WarpId id) {
  Warp& warp = warps_[id.value()];
  warp.silent = warp.posted;
  std::erase_if(told_, [id](const Told& told) { return told.warp == id; });
  for (std::uint32_t i = 0; i < groups_per_warp_; ++i) {
    const GroupId number{id.value() * groups_per_warp_ + i};
    if (std::exchange(group(number), {}).known) answer({number, GroupChange::kVanished});
  }
}

void ClockedSplits::tell(ControlFlowRequest& request) {
  if (told_.empty() || told_.front().cycle > request.cycle) return;
  request.warp = told_.front().warp;
  for (const GroupUpdate& update : told_.front().updates) {
    Group& of = group(update.group);
    of.known = update.change != GroupChange::kVanished;
    if (update.change != GroupChange::kHeld) of.mask = update.mask;
    of.hold = update.hold;
    answer(update);
  }
  told_.pop_front();
}

void ClockedSplits::handle(ControlFlowRequest& request) {
  switch (request.event) {
    case ControlFlowEvent::kBeginLaunch:
      return;
    case ControlFlowEvent::kEndLaunch:
      return end_launch(request.cycle);
    case ControlFlowEvent::kConvergence:
      refuse(request);
    case ControlFlowEvent::kTick:
      clock_up_to(request.cycle);
      tell(request);
      break;
    default:
      clock_up_to(request.cycle);
      post(request);
  }
  for (std::uint32_t s = 0; s + 1 < latches_.size(); ++s)
    request.busy |= static_cast<std::uint8_t>(unsigned{!latches_[s].empty()} << s);
  if (own_due_ != kNever) request.due = std::max(own_due_, request.cycle) + 1;
  // The core is woken in each cycle until the last answer, whose cycle the RTL does not say ahead.
  const bool answers = twin_ && !twin_->both() ? awaits() : answered_ > request.cycle;
  if (waiting_ != 0 || answers) request.due = std::min(request.due, request.cycle + 1);
  if (!told_.empty()) request.due = std::min(request.due, std::max(told_.front().cycle, request.cycle));
}

}  // namespace heddle::simt
