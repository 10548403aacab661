#include "sim/clock.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sim/windows.h"

namespace heddle::sim {
namespace {

/// Resolution units per second (10^12 at the default resolution of 1 ps).
std::uint64_t units_per_second() {
  static const auto units =
      static_cast<std::uint64_t>(std::llround(1.0 / sc_core::sc_get_time_resolution().to_seconds()));
  return units;
}

std::uint64_t kernel_now() { return sc_core::sc_time_stamp().value(); }

}  // namespace

// ---- Domain
// -----------------------------------------------------------------------------------------------------------

ClockDomain::ClockDomain(ClockManager& manager, std::string name, double frequency_mhz, ClockRank rank,
                         const LogicalProcess* process)
    : manager_(manager),
      name_(std::move(name)),
      frequency_khz_(static_cast<std::uint64_t>(std::llround(frequency_mhz * 1e3))),
      rank_(rank),
      process_(process) {
  const std::uint64_t units_per_thousand_seconds = units_per_second() * 1000;
  const std::uint64_t common = std::gcd(units_per_thousand_seconds, frequency_khz_ * 1'000'000);
  period_units_ = base::Divisor(units_per_thousand_seconds / common);
  period_cycles_ = base::Divisor(frequency_khz_ * 1'000'000 / common);
  step_units_ = period_cycles_.quotient(period_units_.value());
  step_remainder_ = period_cycles_.remainder(period_units_.value());
  seen_ = edge(0);
  after_seen_ = edge(1);
  if (process_ != nullptr) return;
  manager_.domains_.push_back(this);
  std::stable_sort(manager_.domains_.begin(), manager_.domains_.end(),
                   [](const ClockDomain* a, const ClockDomain* b) { return a->rank_ < b->rank_; });
}

ClockDomain::Edge ClockDomain::edge(base::Cycle k) const {
  // Split so that nothing overflows: the remainder's product stays below 2^63 for any frequency in kHz.
  const std::uint64_t cycles = period_cycles_.value();
  const std::uint64_t periods = period_cycles_.quotient(k);
  const std::uint64_t rest = (k - periods * cycles) * period_units_.value() + cycles / 2;
  const std::uint64_t units = period_cycles_.quotient(rest);
  return {k, periods * period_units_.value() + units, rest - units * cycles};
}

ClockDomain::Edge ClockDomain::behind(const Edge& known, base::Cycle cycles) const {
  const std::uint64_t rest = known.remainder + cycles * step_remainder_;
  const std::uint64_t units = period_cycles_.quotient(rest);
  return {known.k + cycles, known.time + cycles * step_units_ + units, rest - units * period_cycles_.value()};
}

void ClockDomain::step(Edge& edge) const {
  ++edge.k;
  edge.time += step_units_;
  edge.remainder += step_remainder_;
  if (edge.remainder >= period_cycles_.value()) {
    edge.remainder -= period_cycles_.value();
    ++edge.time;
  }
}

std::uint64_t ClockDomain::edge_time(base::Cycle k) const { return edge(k).time; }

std::uint64_t ClockDomain::edge_time_near(base::Cycle k) const {
  const Edge& now = present();
  return k - now.k < kNearEdges ? behind(now, k - now.k).time : edge(k).time;
}

base::Cycle ClockDomain::first_edge_near(std::uint64_t time) const {
  const Edge& now = present();
  if (time <= now.time) return now.k;
  if (!firing_ && time <= after_seen_.time) return now.k + 1;
  return first_edge_at(time);
}

base::Cycle ClockDomain::first_edge_at(std::uint64_t time) const {
  // The smallest j with round(j * units / cycles) >= the part of the time that is no whole number of periods.
  const std::uint64_t units = period_units_.value(), cycles = period_cycles_.value();
  const std::uint64_t periods = period_units_.quotient(time);
  const std::uint64_t rest = (time - periods * units) * cycles, half = cycles / 2;
  const std::uint64_t j = rest <= half ? 0 : period_units_.quotient(rest - half + units - 1);
  return periods * cycles + j;
}

base::Cycle ClockDomain::find_cycle(std::uint64_t now) const {
  // Time mostly advances by few edges between two questions, or by many.
  constexpr std::uint64_t kFew = 8;
  if (seen_.time <= now && now - seen_.time < kFew * step_units_) {
    do {
      seen_ = after_seen_;
      step(after_seen_);
    } while (after_seen_.time <= now);
    return seen_.k;
  }
  const std::uint64_t units = period_units_.value(), cycles = period_cycles_.value();
  const std::uint64_t periods = period_units_.quotient(now);
  const base::Cycle k = periods * cycles + period_units_.quotient((now - periods * units) * cycles);
  seen_ = edge(k);  // at most one too early or too late: times are rounded
  if (seen_.time > now) seen_ = edge(k - 1);
  after_seen_ = seen_;
  for (step(after_seen_); after_seen_.time <= now; step(after_seen_)) seen_ = after_seen_;
  return seen_.k;
}

std::uint64_t ClockDomain::now_of_process() const {
  const LogicalProcess* const running = LogicalProcess::running();
  return running == nullptr ? manager_.now() : time_of(running->now_);
}

const ClockDomain::Edge& ClockDomain::next_possible() const {
  const std::uint64_t now = this->now();
  const base::Cycle k = cycle();
  if (seen_.time < now) return after_seen_;
  // An edge at this very instant still counts if our rank's turn has not come yet.
  const LogicalProcess* const running = process_ == nullptr ? nullptr : LogicalProcess::running();
  const int rank_done = running != nullptr     ? rank_of(running->now_)
                        : manager_.now_ == now ? manager_.rank_done_
                                               : -1;
  const bool turn_passed =
      rank_done >= static_cast<int>(rank_) || (last_fired_ != base::kNever && last_fired_ >= k);
  return turn_passed ? after_seen_ : seen_;
}

void ClockDomain::want(const Edge& wanted) {
  if (firing_) return;  // fire() looks at everything that is wanted when it ends
  if (next_time_ <= wanted.time) return;
  next_ = wanted;
  next_time_ = next_.time;
  if (process_ == nullptr)
    manager_.want(next_time_);
  else if (LogicalProcess::running() == nullptr)  // it looks at its domains itself
    manager_.want(*process_, *this);
}

void ClockDomain::passed(base::Cycle k) const {
  throw std::logic_error(name_ + ": woken for cycle " + std::to_string(k) + ", and has run cycle " +
                         std::to_string(last_fired_) + ": it may not have run ahead so far");
}

void ClockDomain::make_due(ClockMember& member) {
  if (member.state_ == ClockMember::State::kNear) {
    near_[member.slot_].remove(member);
    if (near_[member.slot_].first == nullptr) near_bits_ &= ~(std::uint64_t{1} << member.slot_);
  }
  member.state_ = ClockMember::State::kDue;
  due_.append(member);
}

void ClockDomain::put_to_sleep(ClockMember& member, base::Cycle cycle) {
  if (cycle - last_fired_ < kNearCycles) {
    member.state_ = ClockMember::State::kNear;
    member.slot_ = static_cast<std::uint8_t>(cycle % kNearCycles);
    near_[member.slot_].append(member);
    near_bits_ |= std::uint64_t{1} << member.slot_;
  } else {
    member.state_ = ClockMember::State::kFar;
    member.ticket_ = ++ticket_;
    far_.push({cycle, member.ticket_, &member});
  }
}

void ClockDomain::drop_void() {
  while (!far_.empty()) {
    const Sleeper& top = far_.top();
    if (top.member->state_ == ClockMember::State::kFar && top.member->ticket_ == top.ticket) return;
    far_.pop();
  }
}

base::Cycle ClockDomain::next_wanted() {
  if (due_.first != nullptr) return last_fired_ + 1;
  drop_void();
  base::Cycle next = far_.empty() ? base::kNever : far_.top().cycle;
  if (near_bits_ != 0) {
    const auto from = static_cast<int>((last_fired_ + 1) % kNearCycles);
    next = std::min(
        next, last_fired_ + 1 + static_cast<base::Cycle>(std::countr_zero(std::rotr(near_bits_, from))));
  }
  return next;
}

ClockDomain::MemberList ClockDomain::take_due() {
  MemberList list = std::exchange(due_, {});
  const auto slot = static_cast<unsigned>(last_fired_ % kNearCycles);
  if ((near_bits_ >> slot & 1u) != 0) {
    near_bits_ &= ~(std::uint64_t{1} << slot);
    MemberList& near = near_[slot];
    for (ClockMember* member = near.first; member != nullptr; member = member->behind_)
      member->state_ = ClockMember::State::kDue;
    list.append(near);
    near = {};
  }
  if (far_.empty()) return list;
  for (drop_void(); !far_.empty() && far_.top().cycle <= last_fired_; drop_void()) {
    ClockMember& member = *far_.top().member;
    member.state_ = ClockMember::State::kDue;
    list.append(member);
    far_.pop();
  }
  return list;
}

void ClockDomain::fire() {
  firing_ = true;
  last_fired_ = next_.k;
  const bool sleepers = (near_bits_ >> (last_fired_ % kNearCycles) & 1u) != 0 || !far_.empty();
  const MemberList running = sleepers ? take_due() : std::exchange(due_, {});
  for (ClockMember* member = running.first; member != nullptr;) {
    ClockMember* const behind = member->behind_;
    ++runs_;
    member->tick_.call(member->tick_.owner);
    member = behind;
  }
  firing_ = false;
  const base::Cycle next = next_wanted();
  if (next == base::kNever) {
    next_time_ = ~std::uint64_t{0};
    return;
  }
  if (next == next_.k + 1)
    step(next_);
  else if (next - next_.k < kNearEdges)
    next_ = behind(next_, next - next_.k);
  else
    next_ = edge(next);
  next_time_ = next_.time;
}

void ClockDomain::give_members(ClockDomain& to) {
  for (ClockMember* const member : members_) member->domain_ = &to;
}

void ClockDomain::move_wishes() {
  std::vector<std::pair<ClockMember*, base::Cycle>> wishes;
  const auto take = [&](const MemberList& list, base::Cycle cycle) {
    for (ClockMember* member = list.first; member != nullptr; member = member->behind_)
      wishes.emplace_back(member, cycle);
  };
  take(std::exchange(due_, {}), next_.k);
  for (; near_bits_ != 0; near_bits_ &= near_bits_ - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(near_bits_));
    take(std::exchange(near_[slot], {}), last_fired_ + 1 + (slot - (last_fired_ + 1)) % kNearCycles);
  }
  for (; !far_.empty(); far_.pop()) {
    const Sleeper& sleeper = far_.top();
    if (sleeper.member->state_ == ClockMember::State::kFar && sleeper.member->ticket_ == sleeper.ticket)
      wishes.emplace_back(sleeper.member, sleeper.cycle);
  }
  next_time_ = ~std::uint64_t{0};
  for (const auto& [member, cycle] : wishes) {
    ClockDomain& to = *member->domain_;
    to.put_to_sleep(*member, cycle);
    to.want(to.edge(cycle));
  }
}

void ClockDomain::begin_at(Turn turn) {
  const base::Cycle k = first_edge_at(time_of(turn));
  const bool passed = edge_time(k) == time_of(turn) && static_cast<int>(rank_) < rank_of(turn);
  last_fired_ = passed ? k : k - 1;
}

// ---- Member
// -----------------------------------------------------------------------------------------------------------

void ClockMember::again() {
  state_ = State::kDue;
  domain_->due_.append(*this);
}

void ClockMember::sleep_until(base::Cycle cycle) {
  if (cycle <= domain_->last_fired_ + 1 || domain_->manager_.keep_awake_)
    again();
  else
    domain_->put_to_sleep(*this, cycle);
}

void ClockMember::park() {
  state_ = State::kParked;
  if (domain_->manager_.keep_awake_) again();
}

void ClockMember::wake() {
  if (state_ == State::kDue && domain_->process_ == nullptr) return;
  if (domain_->firing_) {  // fire() looks at everything that is wanted when it ends
    if (state_ != State::kDue) domain_->make_due(*this);
    return;
  }
  // All that are due run at one edge: the next possible one, which is the same for each of them.
  const ClockDomain::Edge& next = domain_->next_possible();
  if (domain_->process_ != nullptr && domain_->last_fired_ != base::kNever && next.k <= domain_->last_fired_)
    domain_->passed(next.k);
  if (state_ == State::kDue) return;
  domain_->make_due(*this);
  domain_->want(next);
}

// ---- Manager
// ----------------------------------------------------------------------------------------------------------

ClockManager::ClockManager(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_METHOD(run);
  dont_initialize();
  sensitive << run_event_;
}

ClockManager::Next ClockManager::next() const {
  Next next;
  for (ClockDomain* domain : domains_) {
    const std::uint64_t time = domain->next_time_;
    if (time < next.time) {
      next.others = next.time;
      next.time = time;
      next.domain = domain;
    } else {
      next.others = std::min(next.others, time);
    }
  }
  return next;
}

void ClockManager::want(const LogicalProcess& process, const ClockDomain& domain) {
  const Turn turn = domain.next_turn();
  windows_->wanted(process, turn);
  before_ = std::min(before_, turn);
  want(time_of(turn));
}

std::uint64_t ClockManager::next_time() const {
  std::uint64_t next =
      windows_ == nullptr || windows_->next_turn() == kNoTurn ? kNever : time_of(windows_->next_turn());
  for (const ClockDomain* domain : domains_) next = std::min(next, domain->next_time_);
  return next;
}

std::uint64_t ClockManager::horizon() const {
  const std::uint64_t kernel = kernel_now();
  if (quantum_ == 0 || sc_core::sc_pending_activity_at_current_time()) return kernel;
  std::uint64_t limit = kernel + quantum_;
  if (sc_core::sc_pending_activity_at_future_time())
    limit = std::min<std::uint64_t>(limit, kernel + sc_core::sc_time_to_pending_activity().value());
  return limit;
}

void ClockManager::run() {
  scheduled_ = kNever;
  kernel_ = kernel_now();
  running_ = true;
  try {
    run_instants();
  } catch (...) {
    running_ = false;
    throw;
  }
  running_ = false;
  if (pause_wanted_) {
    if (kernel_now() >= now_) {
      pause_wanted_ = false;
      sc_core::sc_pause();
    } else {
      schedule(now_);
      return;
    }
  }
  const std::uint64_t next = next_time();
  if (next != kNever) schedule(next);
}

void ClockManager::run_instants() {
  std::uint64_t limit = horizon();
  if (windows_ != nullptr)
    windows_->run(limit);
  else
    run_domains(limit);
}

void ClockManager::run_domains(std::uint64_t& limit) {
  const std::uint64_t kernel = kernel_;
  while (true) {
    const Next next = this->next();
    if (next.time == kNever || next.domain->next_turn() >= before_) return;
    // Whatever ends it, an instant ends whole.
    if (next.time != now_ && (pause_wanted_ || (next.time > kernel && next.time >= limit))) return;
    if (next.others == next.time) {
      run_instant(next.time);
    } else {
      // Mostly one domain has several edges before any other wants one.
      const std::uint64_t end = std::min({next.others, limit, time_of(before_)});
      std::uint64_t time = next.time;
      others_changed_ = false;
      do {
        now_ = time;
        rank_done_ = static_cast<int>(next.domain->rank_);
        ++edges_;
        next.domain->fire();
        time = next.domain->next_time_;
      } while (time < end && !others_changed_ && !pause_wanted_ && !look_again_);
    }
    if (look_again_) {
      look_again_ = false;
      limit = horizon();
    }
  }
}

void ClockManager::run_instant(std::uint64_t time) {
  for (ClockDomain* domain : domains_) {
    if (domain->next_time_ != time) continue;
    if (domain->next_turn() >= before_) return;
    now_ = time;
    rank_done_ = static_cast<int>(domain->rank_);
    ++edges_;
    domain->fire();
  }
}

void ClockDomain::kernel_changed() {
  if (process_ == nullptr || LogicalProcess::running() == nullptr) manager_.kernel_changed();
}

void ClockManager::schedule(std::uint64_t time) {
  scheduled_ = time;
  const std::uint64_t kernel = kernel_now();
  if (time <= kernel)
    run_event_.notify(sc_core::SC_ZERO_TIME);
  else
    run_event_.notify(sc_core::sc_time::from_value(time - kernel));
}

void ClockManager::pause() {
  pause_wanted_ = true;
  if (!running_) schedule(std::max(now_, kernel_now()));
}

}  // namespace heddle::sim
