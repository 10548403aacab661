#include "sim/watchdog.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::sim {
namespace {

constexpr std::uint32_t kFirstWindow = 4;  ///< checks a first probe lasts if it finds nothing
constexpr std::uint32_t kLongestWindow =
    64;  ///< a lap of a spin loop longer than half of this goes unnoticed
constexpr std::uint32_t kLongestPause = 128;  ///< checks without a probe after one that found nothing

}  // namespace

Watchdog::Watchdog(const sc_core::sc_module_name& name, Settings settings, ClockDomain& clock,
                   const ProgressMonitor& progress)
    : sc_module(name),
      settings_(settings),
      clock_(clock, on_tick<&Watchdog::check>(this)),
      progress_(progress) {}

void Watchdog::begin(Cycle cycle_limit) {
  active_ = true;
  state_ = State::kQuiet;
  limit_at_ = cycle_limit == 0 ? ~Cycle{0} : clock_.domain().cycle() + cycle_limit;
  changes_seen_ = ~std::uint64_t{0};
  pause_ = 0;
  next_pause_ = 1;
  window_limit_ = kFirstWindow;
  clock_.wake();
}

void Watchdog::end() {
  if (state_ == State::kProbing || state_ == State::kConfirming)
    for (Watched* core : cores_) core->stop_probe();
  active_ = false;
}

bool Watchdog::all(bool (Watched::*predicate)() const) const {
  return std::all_of(cores_.begin(), cores_.end(),
                     [predicate](const Watched* core) { return (core->*predicate)(); });
}

void Watchdog::fall_back(bool widen) {
  for (Watched* core : cores_) core->stop_probe();
  state_ = State::kQuiet;
  if (widen) {
    next_pause_ = std::min(next_pause_ * 2, kLongestPause);
    window_limit_ = std::min(window_limit_ * 2, kLongestWindow);
  }
  pause_ = widen ? next_pause_ : 0;
}

void Watchdog::advance() {
  const bool changed = progress_.changes() != changes_seen_;
  changes_seen_ = progress_.changes();
  switch (state_) {
    case State::kQuiet:
      if (changed) {
        pause_ = 0;
      } else if (pause_ > 0) {
        --pause_;
      } else {
        for (Watched* core : cores_) core->next_write_generation();
        state_ = State::kDraining;
      }
      break;
    case State::kDraining:
      if (changed) {
        state_ = State::kQuiet;
      } else if (all(&Watched::old_writes_performed)) {
        for (Watched* core : cores_) core->start_probe();
        window_ = 0;
        state_ = State::kProbing;
      }
      break;
    case State::kProbing:
      if (changed) {
        fall_back(false);
      } else if (all(&Watched::stuck)) {
        for (Watched* core : cores_) core->next_write_generation();
        state_ = State::kConfirming;
      } else if (++window_ >= window_limit_) {
        fall_back(true);
      }
      break;
    case State::kConfirming:
      if (changed || !all(&Watched::stuck)) {
        fall_back(false);
      } else if (all(&Watched::old_writes_performed)) {
        on_hang();
      }
      break;
  }
}

void Watchdog::check() {
  if (!active_) {
    clock_.park();
    return;
  }
  const Cycle now = clock_.cycle();
  if (on_check) on_check();
  if (now >= limit_at_) {
    on_cycle_limit();
    clock_.park();
    return;
  }
  if (settings_.enabled) advance();
  clock_.sleep_until(std::min(now + settings_.check_cycles, limit_at_));
}

std::string describe_warps(const std::vector<StuckWarp>& warps) {
  std::string text;
  // Warps whose own lanes block each other first: they are the cause, the others only wait for them.
  std::vector<const StuckWarp*> order;
  for (const StuckWarp& warp : warps)
    if (!warp.waiting.empty()) order.push_back(&warp);
  for (const StuckWarp& warp : warps)
    if (warp.waiting.empty()) order.push_back(&warp);
  constexpr std::size_t kShown = 6;
  for (std::size_t i = 0; i < order.size() && i < kShown; ++i) {
    const StuckWarp& warp = *order[i];
    text += fmt::format("\n  {}: lanes {} {} at {}\n      {}", warp.warp, warp.lanes, warp.activity,
                        warp.place, warp.source);
    for (const StuckWarp::Waiting& waiting : warp.waiting)
      text += fmt::format("\n    lanes {} {} at {}\n      {}", waiting.lanes, waiting.how, waiting.place,
                          waiting.source);
  }
  if (order.size() > kShown) text += fmt::format("\n  and {} more warps", order.size() - kShown);
  return text;
}

std::string describe_hang(const std::string& kernel, Cycle cycles, const std::vector<StuckWarp>& stuck,
                          std::uint64_t ctas_waiting) {
  const bool simt =
      std::any_of(stuck.begin(), stuck.end(), [](const StuckWarp& w) { return !w.waiting.empty(); });
  const bool spinning =
      std::any_of(stuck.begin(), stuck.end(), [](const StuckWarp& w) { return !w.at_barrier; });
  std::string kind;
  std::string remedy;
  const bool meeting =
      std::any_of(stuck.begin(), stuck.end(), [](const StuckWarp& w) { return w.at_warp_sync; });
  if (meeting && !spinning) {
    kind = "lanes wait at a .sync instruction for others of their warp";
    remedy =
        "all lanes that a member mask names must execute the same instruction with the same mask, and in the "
        "same place unless it is bar.warp.sync; name those lanes only that come there";
  } else if (simt) {
    kind = spinning ? "SIMT-induced deadlock" : "SIMT-induced deadlock at a barrier";
    remedy =
        "lanes of one warp wait for each other: the held-back lanes run only after the scheduled ones have "
        "left the loop or "
        "barrier, and those wait for the held-back ones.\n  Write the kernel in SIMT-safe form (release "
        "inside the loop; tb/workloads/README.md shows how).";
  } else if (!spinning) {
    kind = "barrier deadlock";
    remedy =
        "every warp waits at a barrier that too few threads reach; check barrier numbers and thread counts";
  } else {
    kind = ctas_waiting != 0 ? "starvation: resident CTAs spin while others were never started"
                             : "livelock: warps spin on values nobody will write";
    remedy = ctas_waiting != 0
                 ? "launch no more CTAs than fit at once, or do not wait for CTAs of higher number"
                 : "no running thread can change the values that the loops test; look for a lost release or "
                   "signal";
  }
  std::string text =
      fmt::format("kernel {} hangs: {} (no progress; diagnosed at cycle {})", kernel, kind, cycles);
  if (ctas_waiting != 0) text += fmt::format("\n  {} CTAs have not been started", ctas_waiting);

  text += describe_warps(stuck);
  return text + "\n  " + remedy;
}

}  // namespace heddle::sim
