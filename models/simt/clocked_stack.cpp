#include "simt/clocked_stack.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace heddle::simt {

ClockedStack::ClockedStack(const Shape& shape, std::unique_ptr<StackUnit> unit, const std::string& path)
    : unit_(std::move(unit)),
      front_(shape.warps, shape.first_side, path),
      stalls_(shape.stall_seed, base::stream_of(path)),
      latches_(shape.schedulers + 1),
      warps_(shape.warps) {
  if (latches_.size() > StackPins::kMostRequesters)
    throw std::logic_error("simt_stack: more schedulers than the block can have");
}

void ClockedStack::register_stats(base::StatGroup& stats) {
  front_.register_stats(stats);
  stats.counter("events", "events", "served by the clocked stack", &events_);
  stats.counter("wait_cycles", "event-cycles",
                "events in front of the clocked stack's port, summed over cycles", &wait_cycles_);
  stats.counter("busy_cycles", "core cycles", "in which a request of the clocked stack's was under way",
                &busy_cycles_);
}

// ---- Clock

void ClockedStack::clock_up_to(Cycle now) {
  if (idle()) ahead_ = cycle_ > now ? cycle_ - now : 0;
  for (const Cycle until = now + ahead_; cycle_ < until;) {
    // Without requests the state stays as it is (rtl/simt_stack/formal).
    if (idle() && until - cycle_ > kIdleEdges) cycle_ = until - kIdleEdges;
    step();
  }
}

void ClockedStack::end_launch(Cycle now) {
  if (no_room_) return;  // the launch has failed, and its requests are not answered any more
  clock_up_to(now);
  for (const Cycle last = cycle_ + kMostToEnd; !idle(); step())
    if (cycle_ > last) throw std::logic_error("simt_stack: a request is not answered");
}

void ClockedStack::step() {
  if (active()) settled_ = cycle_ + kSettling;
  edge();
}

ClockedStack::Latch::iterator ClockedStack::next_of(std::uint32_t requester) {
  Latch& latch = latches_[requester];
  for (auto event = latch.begin(); event != latch.end(); ++event) {
    const std::uint32_t warp = event->requests.requests().front().warp.value();
    if (event->ticket == warps_[warp].answered && !event->asked) return event;
    if (requester + 1 != latches_.size()) break;  // a latch, not a list
  }
  return latch.end();
}

void ClockedStack::edge() {
  StackPins pins;
  for (std::uint32_t r = 0; r < latches_.size(); ++r) {
    const auto event = next_of(r);
    if (event == latches_[r].end()) continue;
    if (stalls_.on() && stalls_.below(kRequestsPerStall) == 0) continue;
    pins.requests[r] = event->requests.requests()[event->at];
  }
  const auto granted = unit_->grant(pins, cycle_);
  unit_->edge(pins, cycle_);
  for (const Latch& latch : latches_) wait_cycles_ += latch.size();
  if (active()) ++busy_cycles_;
  if (granted) {
    const auto event = next_of(*granted);
    if (++event->at == event->requests.requests().size()) {
      --wait_cycles_;
      ++events_;
      std::optional<Event>& of_warp = warps_[event->requests.requests().front().warp.value()].asked;
      of_warp = *event;
      latches_[*granted].erase(event);
    } else {
      event->asked = true;
    }
  }
  ++cycle_;
  take_answer();
}

void ClockedStack::take_answer() {
  const StackAnswer answer = unit_->answer();
  if (!answer.valid) return;
  no_room_ = answer.error != StackAnswer::Error::kNone;
  front_.check(answer);
  Warp& warp = warps_.at(answer.warp.value());
  if (warp.asked) {
    const Event event = *std::exchange(warp.asked, std::nullopt);
    return finish(event, answer);
  }
  for (Latch& latch : latches_)
    for (Event& event : latch)
      if (event.asked && event.requests.requests().front().warp == answer.warp) event.asked = false;
}

void ClockedStack::finish(const Event& event, const StackAnswer& last) {
  ++warps_[last.warp.value()].answered;
  --waiting_;
  const GroupUpdate update = front_.answered(event.kind, last);
  if (event.silent) return;
  --heard_;
  told_.push_back({last.warp, update});
}

// ---- Events

GroupUpdate ClockedStack::hold(const ControlFlowRequest& request) const {
  const GroupId group{request.warp.value()};
  GroupUpdate update{
      .group = group, .change = GroupChange::kBlocked, .pc = request.next, .cause = BlockCause::kUnit};
  switch (request.event) {
    case ControlFlowEvent::kLaunch:
      update.mask = request.mask;
      break;
    case ControlFlowEvent::kExit:
      if (front_.ends_warp(request)) return {group, GroupChange::kVanished};
      update.mask = LaneMask::difference(front_.top(request.warp), request.mask);
      break;
    case ControlFlowEvent::kBarrierArrive:
      update.cause = BlockCause::kBarrier;
      [[fallthrough]];
    default:
      update.mask = front_.top(request.warp);
  }
  return update;
}

void ClockedStack::post(ControlFlowRequest& request) {
  Warp& warp = warps_[request.warp.value()];
  const GroupUpdate update = hold(request);
  Event event{.kind = request.event, .requests = front_.ask(request)};
  event.ticket = warp.posted++;
  // The group waits at the barrier, whatever the stack says, and a warp without threads waits for nothing.
  event.silent = update.change == GroupChange::kVanished || update.cause == BlockCause::kBarrier;
  const bool of_cta =
      request.event == ControlFlowEvent::kLaunch || request.event == ControlFlowEvent::kBarrierRelease;
  const auto last = static_cast<std::uint32_t>(latches_.size()) - 1;
  Latch& latch = latches_[of_cta ? last : request.warp.value() % last];
  if (!of_cta && !latch.empty()) throw std::logic_error("simt_stack: a scheduler's latch is taken");
  latch.push_back(event);
  ++waiting_;
  if (!event.silent) ++heard_;
  answer(update);
}

void ClockedStack::handle(ControlFlowRequest& request) {
  if (request.event == ControlFlowEvent::kBeginLaunch) return;
  if (request.event == ControlFlowEvent::kEndLaunch) return end_launch(request.cycle);
  clock_up_to(request.cycle);
  if (request.event == ControlFlowEvent::kTick) {
    if (!told_.empty()) {
      request.warp = told_.front().warp;
      answer(told_.front().update);
      told_.pop_front();
    }
  } else if (StackRequests::serves(request)) {
    post(request);
  } else {
    refuse(request);
  }
  for (std::uint32_t s = 0; s + 1 < latches_.size(); ++s)
    request.busy |= static_cast<std::uint8_t>(unsigned{!latches_[s].empty()} << s);
  if (!told_.empty())
    request.due = request.cycle;
  else if (heard_ != 0 || request.busy != 0)
    request.due = request.cycle + 1;
}

void ClockedStack::inspect(ControlFlowRequest& request) const {
  const StackContents stack = unit_->read(request.warp);
  inspect_stack(stack.entries, stack.at_barrier, request);
}

}  // namespace heddle::simt
