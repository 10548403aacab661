#include "sim/watchdog.h"

#include <algorithm>

namespace heddle::sim {
namespace {

constexpr std::uint32_t kFirstWindow = 4;     ///< checks a first probe lasts if it finds nothing
constexpr std::uint32_t kLongestWindow = 64;  ///< a lap of a loop longer than half of this goes unnoticed
/// A window of so many checks is not void because lanes have not come to a loop in it.
constexpr std::uint32_t kPatience = 16;
constexpr std::uint32_t kLongestPause = 128;  ///< checks without a probe after one that found nothing
/// Checks without a lane that exits before memory that keeps changing may be a sign of a hang, too.
constexpr std::uint32_t kFirstBusyPause = 32;
constexpr std::uint32_t kLongestBusyPause = 4096;
/// Cycles without anything new, while lanes are passed over, that count as a hang: longer than any memory access or pause takes.
constexpr base::Cycle kLong = 500'000;

}  // namespace

Watchdog::Watchdog(const sc_core::sc_module_name& name, Settings settings, ClockDomain& clock,
                   ProgressMonitor& progress)
    : sc_module(name),
      settings_(settings),
      clock_(clock, on_tick<&Watchdog::check>(this)),
      progress_(progress) {}

void Watchdog::begin(base::Cycle cycle_limit) {
  active_ = true;
  state_ = State::kQuiet;
  limit_at_ = cycle_limit == 0 ? base::kNever : clock_.domain().cycle() + cycle_limit;
  changes_seen_ = ~std::uint64_t{0};
  advances_seen_ = ~std::uint64_t{0};
  pause_ = 0;
  next_pause_ = 1;
  busy_checks_ = 0;
  busy_pause_ = kFirstBusyPause;
  window_limit_ = kFirstWindow;
  clock_.wake();
}

void Watchdog::end() {
  timing_ = false;
  end_window();
  active_ = false;
}

bool Watchdog::all(bool (HangVeto::*predicate)() const) const {
  return std::ranges::all_of(vetoes_, [predicate](const HangVeto* each) { return (each->*predicate)(); });
}

bool Watchdog::all_in_loops() const {
  return std::ranges::all_of(probes_, [](const LaneProbe* core) { return core->all_in_loops(); });
}

void Watchdog::begin_window(bool busy) {
  busy_ = busy;
  changed_ = false;
  if (timing_)
    progress_.log.next_window();
  else
    progress_.log.start();
  for (HangVeto* each : vetoes_) each->next_write_generation();
  state_ = State::kDraining;
}

void Watchdog::end_window() {
  if (state_ != State::kQuiet && state_ != State::kDraining)
    for (LaneProbe* core : probes_) core->stop_probe();
  if (!timing_) progress_.log.stop();
  state_ = State::kQuiet;
}

void Watchdog::fall_back(bool widen) {
  end_window();
  if (widen) {
    next_pause_ = std::min(next_pause_ * 2, kLongestPause);
    window_limit_ = std::min(window_limit_ * 2, kLongestWindow);
  }
  if (busy_ && !timing_) busy_pause_ = std::min(std::max(busy_pause_, busy_checks_) * 2, kLongestBusyPause);
  if (busy_) busy_checks_ = 0;
  pause_ = widen && !timing_ ? next_pause_ : 0;
}

void Watchdog::advance() {
  const bool changed = progress_.changes() != changes_seen_;
  const bool advanced = progress_.advances() != advances_seen_;
  changes_seen_ = progress_.changes();
  advances_seen_ = progress_.advances();
  if (advanced) {
    busy_checks_ = 0;
    busy_pause_ = kFirstBusyPause;
  } else {
    ++busy_checks_;
  }
  if (timing_ && (advanced || progress_.log.news() || clock_.cycle() - timed_from_ >= 2 * kLong)) {
    timing_ = false;
    return fall_back(true);
  }
  if (state_ == State::kQuiet) {
    if (timing_ || busy_checks_ >= busy_pause_)
      begin_window(/*busy=*/true);
    else if (changed)
      pause_ = 0;
    else if (pause_ > 0)
      --pause_;
    else
      begin_window(/*busy=*/false);
    return;
  }
  // What changes while old writes drain is no part of the window's argument.
  if (state_ != State::kDraining) changed_ = changed_ || changed;
  if (advanced || (changed && !busy_)) return fall_back(false);
  if (progress_.log.overflown()) return fall_back(true);
  switch (state_) {
    case State::kQuiet:
      break;
    case State::kDraining:
      if (!all(&HangVeto::old_writes_performed)) break;
      start_window();
      window_ = 0;
      state_ = State::kProbing;
      break;
    case State::kProbing:
      probe();
      break;
    case State::kConfirming:
      confirm();
      break;
  }
}

void Watchdog::probe() {
  // Repetition is the cheaper argument: the other one waits for the window's end.
  starves_ = starves();
  const bool at_end = ++window_ >= window_limit_ || starves_;
  const bool explorable =
      at_end && all(&HangVeto::settled) && (starves_ || window_limit_ >= kPatience || all_in_loops());
  if (explorable || (!changed_ && all(&HangVeto::repeated))) {
    for (HangVeto* each : vetoes_) each->next_write_generation();
    for (LaneProbe* core : probes_) core->freeze_probe();
    state_ = State::kConfirming;
  } else if (at_end) {
    fall_back(true);
  }
}

void Watchdog::confirm() {
  const bool repeated = !changed_ && all(&HangVeto::repeated);
  if (!repeated && !all(&HangVeto::settled)) return fall_back(true);
  if (!all(&HangVeto::old_writes_performed)) return;
  if (repeated || on_prove(!changed_)) return on_hang();
  if (starves_) return on_passed_over();
  if (!timing_ && passes_over()) begin_timing();
  fall_back(true);
}

bool Watchdog::passes_over() const {
  return std::ranges::any_of(probes_, [](const LaneProbe* core) { return core->passes_over(); });
}

void Watchdog::start_window() {
  for (HangVeto* each : vetoes_) each->begin_window();
  for (LaneProbe* core : probes_) core->start_probe();
}

void Watchdog::begin_timing() {
  timing_ = true;
  timed_from_ = clock_.cycle();
  progress_.log.expect_nothing_new();
}

bool Watchdog::starves() const {
  return timing_ && clock_.cycle() - timed_from_ >= kLong && all(&HangVeto::repeated) && passes_over();
}

void Watchdog::check() {
  if (!active_) {
    clock_.park();
    return;
  }
  const base::Cycle now = clock_.cycle();
  if (on_check) on_check();
  if (now >= limit_at_) {
    on_cycle_limit();
    clock_.park();
    return;
  }
  if (settings_.enabled) advance();
  clock_.sleep_until(std::min(now + settings_.check_cycles, limit_at_));
}

}  // namespace heddle::sim
