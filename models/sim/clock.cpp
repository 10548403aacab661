#include "sim/clock.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle::sim {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

/// Resolution units per second (10^12 at the default resolution of 1 ps).
std::uint64_t units_per_second() {
  static const auto units =
      static_cast<std::uint64_t>(std::llround(1.0 / sc_core::sc_get_time_resolution().to_seconds()));
  return units;
}

std::uint64_t now_units() { return sc_core::sc_time_stamp().value(); }

}  // namespace

ClockDomain::ClockDomain(ClockManager& manager, std::string name, double frequency_mhz, ClockRank rank)
    : manager_(manager),
      name_(std::move(name)),
      frequency_khz_(static_cast<std::uint64_t>(std::llround(frequency_mhz * 1e3))),
      rank_(rank),
      edge_((name_ + "_edge").c_str()) {
  const std::uint64_t units_per_thousand_seconds = units_per_second() * 1000;
  const std::uint64_t common = std::gcd(units_per_thousand_seconds, frequency_khz_ * 1'000'000);
  period_units_ = units_per_thousand_seconds / common;
  period_cycles_ = frequency_khz_ * 1'000'000 / common;
  manager_.domains_.push_back(this);
  std::stable_sort(manager_.domains_.begin(), manager_.domains_.end(),
                   [](const ClockDomain* a, const ClockDomain* b) { return a->rank_ < b->rank_; });
}

std::uint64_t ClockDomain::edge_time(Cycle k) const {
  // Split so that nothing overflows: the remainder's product stays below 2^63 for any frequency in kHz.
  return k / period_cycles_ * period_units_ +
         (k % period_cycles_ * period_units_ + period_cycles_ / 2) / period_cycles_;
}

Cycle ClockDomain::cycle() const {
  const std::uint64_t now = now_units();
  Cycle k = now / period_units_ * period_cycles_ + now % period_units_ * period_cycles_ / period_units_;
  while (edge_time(k + 1) <= now) ++k;
  while (k > 0 && edge_time(k) > now) --k;
  return k;
}

Cycle ClockDomain::next_possible() const {
  const std::uint64_t now = now_units();
  const Cycle k = cycle();
  if (edge_time(k) < now) return k + 1;
  // An edge at this very instant still counts if our rank's turn has not come yet.
  const bool turn_passed = (manager_.instant_ == now && manager_.rank_done_ >= static_cast<int>(rank_)) ||
                           (last_fired_ != kNever && last_fired_ >= k);
  return turn_passed ? k + 1 : k;
}

Cycle ClockDomain::wanted() {
  if (awake_ != 0 || !woken_.empty()) return next_possible();
  while (!sleepers_.empty()) {
    const Sleeper& top = sleepers_.top();
    if (top.member->state_ == ClockMember::State::kSleeping && top.member->sleep_ticket_ == top.ticket)
      return top.cycle;
    sleepers_.pop();  // woken earlier
  }
  return kNever;
}

void ClockDomain::fire(Cycle k) {
  last_fired_ = k;
  if (awake_ != 0) {
    awake_ = 0;
    edge_.notify();
  }
  for (ClockMember* member : woken_) {
    member->state_ = ClockMember::State::kAwake;
    member->own_event_.notify();
  }
  woken_.clear();
  while (!sleepers_.empty() && sleepers_.top().cycle <= k) {
    const Sleeper sleeper = sleepers_.top();
    sleepers_.pop();
    if (sleeper.member->state_ == ClockMember::State::kSleeping &&
        sleeper.member->sleep_ticket_ == sleeper.ticket) {
      sleeper.member->state_ = ClockMember::State::kAwake;
      sleeper.member->own_event_.notify();
    }
  }
}

ClockMember::ClockMember(ClockDomain& domain, const char* event_name)
    : domain_(domain), own_event_(event_name) {}

void ClockMember::again() {
  state_ = State::kAwake;
  if (domain_.awake_++ == 0 && !domain_.manager_.planning_)
    domain_.manager_.want(domain_.edge_time(domain_.last_fired_ + 1));
  sc_core::next_trigger(domain_.edge_);
}

void ClockMember::sleep_until(Cycle cycle) {
  if (cycle <= domain_.last_fired_ + 1) {
    again();
    return;
  }
  state_ = State::kSleeping;
  sleep_ticket_ = ++domain_.ticket_;
  domain_.sleepers_.push({cycle, sleep_ticket_, this});
  if (!domain_.manager_.planning_) domain_.manager_.want(domain_.edge_time(cycle));
  sc_core::next_trigger(own_event_);
}

void ClockMember::park() {
  state_ = State::kParked;
  sc_core::next_trigger(own_event_);
}

void ClockMember::wake() {
  if (state_ == State::kAwake || state_ == State::kWoken) return;
  state_ = State::kWoken;
  domain_.woken_.push_back(this);
  if (!domain_.manager_.planning_) domain_.manager_.want(domain_.edge_time(domain_.next_possible()));
}

ClockManager::ClockManager(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_METHOD(run);
  dont_initialize();
  sensitive << run_event_;
  SC_METHOD(plan);
  dont_initialize();
  sensitive << plan_event_;
}

void ClockManager::run() {
  const std::uint64_t now = now_units();
  if (now != instant_) {
    instant_ = now;
    rank_done_ = -1;
  }
  scheduled_ = kNever;
  const int already_done = rank_done_;
  for (ClockDomain* domain : domains_) {
    const int rank = static_cast<int>(domain->rank_);
    if (rank <= already_done) continue;
    if (rank_done_ != already_done && rank != rank_done_) break;  // later ranks: next delta cycle
    const Cycle k = domain->wanted();
    if (k == kNever || domain->edge_time(k) != now) continue;
    domain->fire(k);
    rank_done_ = rank;
  }
  planning_ = true;
  plan_event_.notify();
}

void ClockManager::plan() {
  planning_ = false;
  for (ClockDomain* domain : domains_) {
    const Cycle k = domain->wanted();
    if (k != kNever) want(domain->edge_time(k));
  }
}

void ClockManager::want(std::uint64_t time) {
  if (time >= scheduled_) return;
  scheduled_ = time;
  const std::uint64_t now = now_units();
  if (time <= now)
    run_event_.notify(sc_core::SC_ZERO_TIME);
  else
    run_event_.notify(sc_core::sc_time::from_value(time - now));
}

}  // namespace heddle::sim
