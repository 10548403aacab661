#include "sim/windows.h"

#include <utility>

namespace heddle::sim {
namespace {

constexpr auto kLater = [](const auto& a, const auto& b) {
  if (a.turn != b.turn) return a.turn > b.turn;
  return a.process != b.process ? a.process > b.process : a.order > b.order;
};

/// To wake other threads costs as much as a microsecond: some cycles of cores.
constexpr std::uint64_t kWorthThreads = 12;

}  // namespace

thread_local LogicalProcess* LogicalProcess::running_ = nullptr;

ClockDomain& LogicalProcess::add_domain(ClockManager& manager, const std::string& name, double frequency_mhz,
                                        ClockRank rank) {
  // The constructor is for nobody else.
  domains_.emplace_back(new ClockDomain(manager, name, frequency_mhz, rank, this));
  ClockDomain& made = *domains_.back();
  std::ranges::stable_sort(domains_, {}, [](const auto& domain) { return domain->rank(); });
  return made;
}

ClockDomain& LogicalProcess::next() const {
  ClockDomain* next = domains_.front().get();
  for (std::size_t i = 1; i < domains_.size(); ++i)
    if (domains_[i]->next_turn() < next->next_turn()) next = domains_[i].get();
  return *next;
}

void LogicalProcess::run(Turn end) {
  running_ = this;
  stopped_ = false;
  try {
    if (domains_.size() == 1) {
      ClockDomain& domain = *domains_.front();
      now_ = domain.next_turn();
      do {
        domain.fire();
        now_ = domain.next_turn();
      } while (now_ < end && !stopped_);
    } else {
      for (ClockDomain* domain = &next(); !stopped_ && (now_ = domain->next_turn()) < end; domain = &next())
        domain->fire();
    }
  } catch (...) {
    fault_ = std::current_exception();
  }
  running_ = nullptr;
}

Windows::Windows(ClockManager& manager, unsigned processes, Lookahead& lookahead, unsigned threads,
                 unsigned delay_seed)
    : manager_(manager),
      lookahead_(lookahead),
      next_edges_(processes, kNoTurn),
      workers_(std::min(threads, processes), delay_seed) {
  for (unsigned i = 0; i < processes; ++i) processes_.push_back(std::make_unique<LogicalProcess>(i));
  manager_.windows_ = this;
}

Windows::~Windows() { manager_.windows_ = nullptr; }

void Windows::find_floor() {
  floor_ = kNoTurn;
  for (const Turn edge : next_edges_) floor_ = std::min(floor_, edge);
}

void Windows::run(std::uint64_t& limit) {
  const std::uint64_t kernel = sc_core::sc_time_stamp().value();
  while (true) {
    manager_.before_ = next_turn();
    manager_.run_domains(limit);
    const Turn next = next_turn();
    if (next == kNoTurn) return;
    const std::uint64_t time = time_of(next);
    // An instant ends whole.
    if (time != manager_.now_ && (manager_.pause_wanted_ || (time > kernel && time >= limit))) return;
    if (next_call() < floor_) {
      run_calls();
      if (std::exchange(manager_.look_again_, false)) limit = manager_.horizon();
      continue;
    }
    const Turn end = manager_.pause_wanted_ ? floor_ : lookahead_.begin_window(floor_);
    ++counters_.windows;
    if (end <= floor_)
      run_floor();
    else
      run_window(std::max(floor_ + 1, std::min(end, turn_at(limit, ClockRank::kCore))));
    find_floor();
  }
}

void Windows::run_calls() {
  const Turn turn = next_call();
  manager_.now_ = time_of(turn);
  manager_.rank_done_ = rank_of(turn);
  do {
    std::ranges::pop_heap(calls_, kLater);
    const Call call = calls_.back();
    calls_.pop_back();
    if (call.stops) --processes_[call.process]->waits_;
    call.effect(call.owner, call.what);
  } while (next_call() == turn);
}

void Windows::run_floor() {
  manager_.now_ = time_of(floor_);
  manager_.rank_done_ = rank_of(floor_);
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (next_edges_[i] != floor_) continue;
    processes_[i]->next().fire();
    next_edges_[i] = processes_[i]->next_turn();
  }
}

bool Windows::worth_threads() const {
  if (workers_.threads() == 1 || runs_.size() < 2) return false;
  const std::uint64_t period = processes_.front()->domains_.front()->edge_time(1);
  std::uint64_t time = runs_.size() * period;
  for (const LogicalProcess* const process : runs_)
    time += time_of(process->end_) - time_of(next_edges_[process->number_]);
  return time >= kWorthThreads * period;
}

void Windows::run_window(Turn end) {
  runs_.clear();
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (next_edges_[i] >= end) continue;
    LogicalProcess* const process = processes_[i].get();
    if (process->waits_ != 0) continue;
    process->end_ = std::min(end, std::max(floor_ + 1, lookahead_.reach(process->number_)));
    if (next_edges_[i] < process->end_) runs_.push_back(process);
  }
  counters_.runs += runs_.size();
  if (!worth_threads()) {
    for (LogicalProcess* const process : runs_) process->run(process->end_);
  } else {
    const bool parallel = workers_.run(
        static_cast<unsigned>(runs_.size()),
        [](void* self, unsigned i) {
          LogicalProcess& process = *static_cast<Windows*>(self)->runs_[i];
          process.run(process.end_);
        },
        this);
    counters_.parallel += parallel ? 1u : 0u;
  }
  std::exception_ptr fault;
  for (LogicalProcess* process : runs_) {
    next_edges_[process->number_] = process->next_turn();
    if (process->fault_ && !fault) fault = process->fault_;
    for (const Call& call : process->calls_) {
      calls_.push_back(call);
      std::ranges::push_heap(calls_, kLater);
    }
    process->calls_.clear();
  }
  if (fault) std::rethrow_exception(fault);
}

}  // namespace heddle::sim
