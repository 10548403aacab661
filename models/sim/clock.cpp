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
  period_units_ = units_per_thousand_seconds / common;
  period_cycles_ = frequency_khz_ * 1'000'000 / common;
  step_units_ = period_units_ / period_cycles_;
  step_remainder_ = period_units_ % period_cycles_;
  seen_ = edge(0);
  after_seen_ = edge(1);
  if (process_ != nullptr) return;
  manager_.domains_.push_back(this);
  std::stable_sort(manager_.domains_.begin(), manager_.domains_.end(),
                   [](const ClockDomain* a, const ClockDomain* b) { return a->rank_ < b->rank_; });
}

ClockDomain::Edge ClockDomain::edge(base::Cycle k) const {
  // Split so that nothing overflows: the remainder's product stays below 2^63 for any frequency in kHz.
  const std::uint64_t rest = k % period_cycles_ * period_units_ + period_cycles_ / 2;
  return {k, k / period_cycles_ * period_units_ + rest / period_cycles_, rest % period_cycles_};
}

void ClockDomain::step(Edge& edge) const {
  ++edge.k;
  edge.time += step_units_;
  edge.remainder += step_remainder_;
  if (edge.remainder >= period_cycles_) {
    edge.remainder -= period_cycles_;
    ++edge.time;
  }
}

std::uint64_t ClockDomain::edge_time(base::Cycle k) const { return edge(k).time; }

base::Cycle ClockDomain::first_edge_at(std::uint64_t time) const {
  // The smallest j with round(j * units / cycles) >= the part of the time that is no whole number of periods.
  const std::uint64_t rest = time % period_units_ * period_cycles_, half = period_cycles_ / 2;
  const std::uint64_t j = rest <= half ? 0 : (rest - half + period_units_ - 1) / period_units_;
  return time / period_units_ * period_cycles_ + j;
}

base::Cycle ClockDomain::find_cycle(std::uint64_t now) const {
  // Time mostly advances by a few edges between two questions.
  for (unsigned steps = 0; seen_.time <= now && steps < 4; ++steps) {
    if (now < after_seen_.time) return seen_.k;
    seen_ = after_seen_;
    step(after_seen_);
  }
  base::Cycle k = now / period_units_ * period_cycles_ + now % period_units_ * period_cycles_ / period_units_;
  while (edge_time(k + 1) <= now) ++k;
  while (k > 0 && edge_time(k) > now) --k;
  seen_ = edge(k);
  after_seen_ = edge(k + 1);
  return k;
}

std::uint64_t ClockDomain::now_of_process() const {
  const LogicalProcess* const running = LogicalProcess::running();
  return running == nullptr ? manager_.now() : time_of(running->now_);
}

base::Cycle ClockDomain::next_possible() const {
  const std::uint64_t now = this->now();
  const base::Cycle k = cycle();
  if (seen_.time < now) return k + 1;
  // An edge at this very instant still counts if our rank's turn has not come yet.
  const LogicalProcess* const running = process_ == nullptr ? nullptr : LogicalProcess::running();
  const int rank_done = running != nullptr     ? rank_of(running->now_)
                        : manager_.now_ == now ? manager_.rank_done_
                                               : -1;
  const bool turn_passed =
      rank_done >= static_cast<int>(rank_) || (last_fired_ != base::kNever && last_fired_ >= k);
  return turn_passed ? k + 1 : k;
}

void ClockDomain::want(base::Cycle k) {
  if (firing_) return;  // fire() looks at everything that is wanted when it ends
  if (next_time_ != ~std::uint64_t{0} && next_.k <= k) return;
  next_ = edge(k);
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

void ClockDomain::add_sleeper(const Sleeper& sleeper) {
  if (sleeper.cycle - last_fired_ < kNearCycles) {
    near_[sleeper.cycle % kNearCycles].push_back(sleeper);
    near_bits_ |= std::uint64_t{1} << (sleeper.cycle % kNearCycles);
  } else {
    far_.push(sleeper);
  }
}

base::Cycle ClockDomain::next_wanted() const {
  if (!due_.empty()) return last_fired_ + 1;
  base::Cycle next = far_.empty() ? base::kNever : far_.top().cycle;
  if (near_bits_ != 0) {
    const auto from = static_cast<int>((last_fired_ + 1) % kNearCycles);
    next = std::min(
        next, last_fired_ + 1 + static_cast<base::Cycle>(std::countr_zero(std::rotr(near_bits_, from))));
  }
  return next;
}

bool ClockDomain::sleepers_due() const {
  return (near_bits_ >> (last_fired_ % kNearCycles) & 1u) != 0 ||
         (!far_.empty() && far_.top().cycle <= last_fired_);
}

void ClockDomain::run(ClockMember& member) {
  member.state_ = ClockMember::State::kDue;  // a wake() from now on until it has spoken means this edge
  member.tick_.call(member.tick_.owner);
}

void ClockDomain::run_all() {
  running_.swap(due_);
  const auto take = [this](const Sleeper& sleeper) {
    if (sleeper.member->state_ == ClockMember::State::kSleeping &&
        sleeper.member->ticket_ == sleeper.ticket) {
      sleeper.member->state_ = ClockMember::State::kDue;
      running_.push_back(sleeper.member);
    }
  };
  const std::uint64_t bit = std::uint64_t{1} << (last_fired_ % kNearCycles);
  if ((near_bits_ & bit) != 0) {
    near_bits_ &= ~bit;
    auto& slot = near_[last_fired_ % kNearCycles];
    for (const Sleeper& sleeper : slot) take(sleeper);
    slot.clear();
  }
  while (!far_.empty() && far_.top().cycle <= last_fired_) {
    take(far_.top());
    far_.pop();
  }
  runs_ += running_.size();
  for (ClockMember* member : running_) run(*member);
  running_.clear();
}

void ClockDomain::fire() {
  firing_ = true;
  last_fired_ = next_.k;
  if (due_.size() == 1 && !sleepers_due()) {  // of one core that is busy, all edges
    ClockMember& alone = *due_.front();
    due_.clear();
    ++runs_;
    run(alone);
  } else {
    run_all();
  }
  firing_ = false;
  const base::Cycle next = next_wanted();
  if (next == base::kNever) {
    next_time_ = ~std::uint64_t{0};
    return;
  }
  if (next == next_.k + 1)
    step(next_);
  else
    next_ = edge(next);
  next_time_ = next_.time;
}

void ClockDomain::give_members(ClockDomain& to) {
  for (ClockMember* const member : members_) member->domain_ = &to;
}

void ClockDomain::move_wishes() {
  const auto wish = [](ClockMember& member, base::Cycle cycle) {
    ClockDomain& to = *member.domain_;
    member.state_ = ClockMember::State::kSleeping;
    member.ticket_ = ++to.ticket_;
    to.add_sleeper({cycle, member.ticket_, &member});
    to.want(cycle);
  };
  const auto is_wish = [](const Sleeper& s) {
    return s.member->state_ == ClockMember::State::kSleeping && s.member->ticket_ == s.ticket;
  };
  std::vector<Sleeper> stay;
  const auto move = [&](const Sleeper& sleeper) {
    if (!is_wish(sleeper)) return;
    if (sleeper.member->domain_ == this)
      stay.push_back(sleeper);
    else
      wish(*sleeper.member, sleeper.cycle);
  };
  std::erase_if(due_, [&](ClockMember* member) {
    if (member->domain_ == this) return false;
    wish(*member, next_.k);
    return true;
  });
  for (; near_bits_ != 0; near_bits_ &= near_bits_ - 1) {
    auto& slot = near_[static_cast<unsigned>(std::countr_zero(near_bits_))];
    for (const Sleeper& sleeper : slot) move(sleeper);
    slot.clear();
  }
  for (; !far_.empty(); far_.pop()) move(far_.top());
  for (const Sleeper& sleeper : stay) add_sleeper(sleeper);
  if (due_.empty() && stay.empty()) next_time_ = ~std::uint64_t{0};
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
  domain_->due_.push_back(this);
}

void ClockMember::sleep_until(base::Cycle cycle) {
  if (cycle <= domain_->last_fired_ + 1 || domain_->manager_.keep_awake_) {
    again();
    return;
  }
  state_ = State::kSleeping;
  ticket_ = ++domain_->ticket_;
  domain_->add_sleeper({cycle, ticket_, this});
}

void ClockMember::park() {
  state_ = State::kParked;
  if (domain_->manager_.keep_awake_) again();
}

void ClockMember::wake() {
  if (state_ == State::kDue && domain_->process_ == nullptr) return;
  if (domain_->firing_) {  // fire() looks at everything that is wanted when it ends
    if (std::exchange(state_, State::kDue) != State::kDue) domain_->due_.push_back(this);
    return;
  }
  // All that are due run at one edge: the next possible one, which is the same for each of them.
  const base::Cycle next = domain_->next_possible();
  if (domain_->process_ != nullptr && domain_->last_fired_ != base::kNever && next <= domain_->last_fired_)
    domain_->passed(next);
  if (std::exchange(state_, State::kDue) == State::kDue) return;
  domain_->due_.push_back(this);
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
  const std::uint64_t kernel = kernel_now();
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
