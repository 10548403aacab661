#include "sim/windows.h"

#include <algorithm>
#include <utility>

namespace heddle::sim {
namespace {

constexpr auto kLater = [](const auto& a, const auto& b) {
  if (a.time != b.time) return a.time > b.time;
  return a.process != b.process ? a.process > b.process : a.order > b.order;
};

}  // namespace

thread_local LogicalProcess* LogicalProcess::running_ = nullptr;

LogicalProcess::LogicalProcess(ClockManager& manager, unsigned number, double frequency_mhz)
    : clock_(manager, "core_clock" + std::to_string(number), frequency_mhz, ClockRank::kCore, this),
      number_(number) {}

void LogicalProcess::run(std::uint64_t reach) {
  running_ = this;
  stopped_ = false;
  try {
    do {
      clock_.fire();
    } while (!stopped_ && clock_.next_time_ <= reach);
  } catch (...) {
    fault_ = std::current_exception();
  }
  running_ = nullptr;
}

Windows::Windows(ClockManager& manager, unsigned processes, double frequency_mhz, Lookahead& lookahead,
                 unsigned threads, unsigned delay_seed)
    : manager_(manager),
      lookahead_(lookahead),
      next_edges_(processes, ClockManager::kNever),
      workers_(std::min(threads, processes), delay_seed) {
  for (unsigned i = 0; i < processes; ++i)
    processes_.push_back(std::make_unique<LogicalProcess>(manager, i, frequency_mhz));
  manager_.windows_ = this;
}

Windows::~Windows() { manager_.windows_ = nullptr; }

std::uint64_t Windows::floor() const {
  std::uint64_t earliest = ClockManager::kNever;
  for (const std::uint64_t edge : next_edges_) earliest = std::min(earliest, edge);
  return earliest;
}

void Windows::run(std::uint64_t& limit) {
  const std::uint64_t kernel = sc_core::sc_time_stamp().value();
  while (true) {
    manager_.before_ = next_time();
    manager_.run_domains(limit);
    if (manager_.pause_wanted_) return;
    const std::uint64_t edge = floor();
    if (next_call() < edge) {
      run_calls();
      if (std::exchange(manager_.look_again_, false)) limit = manager_.horizon();
      continue;
    }
    if (edge == ClockManager::kNever || (edge > kernel && edge >= limit)) return;
    run_window(edge, limit);
  }
}

void Windows::run_calls() {
  const std::uint64_t time = next_call();
  manager_.now_ = time;
  manager_.rank_done_ = static_cast<int>(ClockRank::kCore);
  do {
    std::ranges::pop_heap(calls_, kLater);
    const Call call = calls_.back();
    calls_.pop_back();
    if (call.stops) --processes_[call.process]->waits_;
    call.effect(call.owner, call.what);
  } while (next_call() == time);
}

void Windows::run_instant(std::uint64_t time) {
  manager_.now_ = time;
  manager_.rank_done_ = static_cast<int>(ClockRank::kCore);
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (next_edges_[i] != time) continue;
    ClockDomain& clock = processes_[i]->clock_;
    clock.fire();
    next_edges_[i] = clock.next_time_;
  }
}

void Windows::run_window(std::uint64_t floor, std::uint64_t limit) {
  const std::uint64_t farthest = std::min(lookahead_.begin_window(floor), std::max(floor, limit - 1));
  ++counters_.windows;
  if (farthest <= floor) return run_instant(floor);
  runs_.clear();
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (next_edges_[i] > farthest) continue;
    LogicalProcess* const process = processes_[i].get();
    if (process->waits_ != 0) continue;
    const std::uint64_t reach = std::min(farthest, std::max(floor, lookahead_.reach(process->number_)));
    if (next_edges_[i] > reach) continue;
    process->reach_ = reach;
    runs_.push_back(process);
  }
  counters_.runs += runs_.size();
  if (runs_.size() == 1) {
    runs_.front()->run(runs_.front()->reach_);
  } else {
    const bool parallel = workers_.run(static_cast<unsigned>(runs_.size()), [](void* self, unsigned i) {
      LogicalProcess& process = *static_cast<Windows*>(self)->runs_[i];
      process.run(process.reach_);
    }, this);
    counters_.parallel += parallel ? 1u : 0u;
  }
  for (LogicalProcess* process : runs_) {
    next_edges_[process->number_] = process->clock_.next_time_;
    if (process->fault_) std::rethrow_exception(std::exchange(process->fault_, nullptr));
    for (const Call& call : process->calls_) {
      calls_.push_back(call);
      std::ranges::push_heap(calls_, kLater);
    }
    process->calls_.clear();
  }
}

}  // namespace heddle::sim
