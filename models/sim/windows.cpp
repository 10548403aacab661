#include "sim/windows.h"

#include <utility>

namespace heddle::sim {
namespace {

constexpr auto kLater = [](const auto& a, const auto& b) {
  if (a.turn != b.turn) return a.turn > b.turn;
  return a.process != b.process ? a.process > b.process : a.order > b.order;
};

}  // namespace

thread_local LogicalProcess* LogicalProcess::running_ = nullptr;

ClockDomain& LogicalProcess::add_domain(ClockDomain& common, const std::string& name) {
  // The constructor is for nobody else.
  domains_.emplace_back(new ClockDomain(common.manager(), name, common.frequency_mhz(), common.rank(), this));
  ClockDomain& made = *domains_.back();
  const auto rank = [](const auto& domain) { return domain->rank(); };
  std::ranges::stable_sort(domains_, {}, rank);
  commons_.push_back(&common);
  std::ranges::stable_sort(commons_, {}, rank);
  return made;
}

ClockDomain& LogicalProcess::next() const {
  ClockDomain* next = domains_.front().get();
  for (std::size_t i = 1; i < domains_.size(); ++i)
    if (domains_[i]->next_turn() < next->next_turn()) next = domains_[i].get();
  return *next;
}

void LogicalProcess::take_arrival() {
  const Arrival arrival = arrivals_[arrived_++];
  arrival.effect(arrival.owner, arrival.what);
  if (arrived_ == arrivals_.size())
    forget_arrivals();
  else
    next_arrival_ = arrivals_[arrived_].turn;
}

unsigned LogicalProcess::run_next(ClockDomain& next) {
  if (next_arrival_ < next.next_turn()) {
    take_arrival();
    return 0;
  }
  next.fire();
  return 1;
}

void LogicalProcess::run() {
  running_ = this;
  stopped_ = false;
  std::uint32_t edges = 0;
  std::uint32_t fired = 0;
  try {
    ClockDomain* domain = &next();
    now_ = std::min(next_arrival_, domain->next_turn());
    do {
      fired += run_next(*domain);
      ++edges;
      domain = &next();
      now_ = std::min(next_arrival_, domain->next_turn());
    } while (now_ < end_ && !stopped_);
  } catch (...) {
    fault_ = std::current_exception();
  }
  edges_ = edges;
  fired_ = fired;
  running_ = nullptr;
}

Windows::Windows(ClockManager& manager, unsigned processes, Lookahead& lookahead, unsigned threads,
                 AheadGain::Policy ahead, unsigned delay_seed)
    : manager_(manager),
      lookahead_(lookahead),
      next_edges_(processes, kNoTurn),
      wanting_(processes),
      workers_(std::min(threads, processes), delay_seed),
      gain_(workers_.threads() == 1 ? ThreadGain::Policy::kNever
            : delay_seed != 0       ? ThreadGain::Policy::kAlways
                                    : ThreadGain::Policy::kMeasured),
      ahead_gain_(ahead) {
  for (unsigned i = 0; i < processes; ++i) processes_.push_back(std::make_unique<LogicalProcess>(i));
  manager_.windows_ = this;
}

Windows::~Windows() { manager_.windows_ = nullptr; }

void Windows::arrive(unsigned process, Turn turn, LogicalProcess::Effect effect, void* owner, void* what) {
  LogicalProcess& to = *processes_[process];
  to.arrivals_.push_back({turn, effect, owner, what});
  if (to.next_arrival_ == kNoTurn) to.next_arrival_ = turn;
  want_before(process, turn);
}

// ---- One after another ----

std::uint64_t Windows::work() const {
  std::uint64_t runs = fired_;
  for (const ClockDomain* const common : commons_) runs += common->runs_;
  return runs;
}

WindowCounters Windows::counters() const {
  WindowCounters all = counters_;
  for (const ClockDomain* const common : commons_) all.in_order += common->runs_;
  return all;
}

void Windows::look() {
  windows_left_ = AheadGain::kWindows;
  if (!ahead_ && !joined_) return;  // they are about to meet
  ahead_ = lookahead_.lets_run_ahead() && ahead_gain_.look(work(), {fired_, process_runs_});
  look_at_ = fired_ + AheadGain::kEdges;
}

void Windows::join() {
  Turn from = turn_at(manager_.now_, ClockRank::kCore) + static_cast<Turn>(manager_.rank_done_ + 1);
  for (const auto& process : processes_) {
    process->forget_arrivals();
    for (const auto& domain : process->domains_) from = std::max(from, domain->turn_behind_last());
  }
  lookahead_.end_windows();
  if (from != 0) {
    manager_.now_ = time_of(from);
    manager_.rank_done_ = rank_of(from) - 1;
  }
  for (ClockDomain* const common : commons_) common->begin_at(from);
  for (const auto& process : processes_)
    for (std::size_t i = 0; i < process->domains_.size(); ++i) {
      process->domains_[i]->give_members(*process->commons_[i]);
      process->domains_[i]->move_wishes();
    }
  std::ranges::fill(next_edges_, kNoTurn);
  wanting_.clear();
  floor_ = kNoTurn;
  joined_ = true;
  ++counters_.joins;
}

void Windows::part() {
  joined_ = false;
  const Turn from = turn_at(manager_.now_, ClockRank::kCore) + static_cast<Turn>(manager_.rank_done_ + 1);
  for (const auto& process : processes_)
    for (const auto& domain : process->domains_) {
      domain->begin_at(from);
      domain->give_members(*domain);
    }
  for (ClockDomain* const common : commons_) common->move_wishes();
}

bool Windows::run_joined(std::uint64_t& limit) {
  const auto first = [this] {
    std::uint64_t time = ~std::uint64_t{0};
    for (const ClockDomain* const domain : manager_.domains_) time = std::min(time, domain->next_time_);
    return time;
  };
  const std::uint64_t begin = first();
  if (begin == ~std::uint64_t{0}) return false;
  const std::uint64_t end = begin + ahead_gain_.stretch();
  manager_.before_ = turn_at(end, ClockRank::kCore);
  manager_.run_domains(limit);
  if (first() < end) return false;  // model time may not run so far
  look();
  if (ahead_) part();
  return true;
}

// ---- Ahead ----

void Windows::run(std::uint64_t& limit) {
  if (commons_.empty())
    for (const auto& process : processes_)
      for (ClockDomain* const common : process->commons_)
        if (std::ranges::find(commons_, common) == commons_.end()) commons_.push_back(common);
  ahead_gain_.begin();
  run_turns(limit);
  ahead_gain_.end();
}

void Windows::run_turns(std::uint64_t& limit) {
  const std::uint64_t kernel = sc_core::sc_time_stamp().value();
  while (true) {
    if (joined_) {
      if (!run_joined(limit)) return;
      continue;
    }
    run_rest(limit);
    if (!ahead_ && calls_.empty() && floor_ >= reached_ && !manager_.pause_wanted_) {
      join();
      continue;
    }
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
      run_window(std::max(floor_ + 1, std::min(end, turn_at(limit, ClockRank::kCore))),
                 std::max(floor_ + 1, turn_at(limit, ClockRank::kCore)));
    if (--windows_left_ == 0 || fired_ >= look_at_) look();
  }
}

void Windows::run_rest(std::uint64_t& limit) {
  manager_.before_ = next_turn();
  const std::uint64_t before = manager_.edges_;
  manager_.run_domains(limit);
  const std::uint64_t edges = manager_.edges_ - before;
  counters_.add(edges, edges);
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
  wanting_.for_each([this](unsigned i) {
    if (next_edges_[i] != floor_) return;
    fired_ += processes_[i]->run_next(processes_[i]->next());
    ++process_runs_;
    counters_.add(1, 1);
    set_next_edge(i, processes_[i]->next_turn());
  });
  floor_ = kNoTurn;
  wanting_.for_each([this](unsigned i) { floor_ = std::min(floor_, next_edges_[i]); });
}

bool Windows::share_processes() {
  std::uint64_t expected = 0;
  for (const LogicalProcess* const process : runs_) expected += process->edges_;
  const bool pays = gain_.begin(runs_.size() < 2 ? 0 : expected);
  if (!pays || runs_.size() < 2) return false;
  workers_.run(
      static_cast<unsigned>(runs_.size()),
      [](void* self, unsigned i) {
        LogicalProcess& process = *static_cast<Windows*>(self)->runs_[i];
        process.run();
      },
      this);
  return true;
}

void Windows::run_processes() {
  if (share_processes())
    ++counters_.parallel;
  else
    for (LogicalProcess* const process : runs_) process->run();
  std::uint64_t edges = 0;
  std::uint64_t longest = 0;
  for (const LogicalProcess* const process : runs_) {
    edges += process->edges_;
    fired_ += process->fired_;
    longest = std::max<std::uint64_t>(longest, process->edges_);
  }
  gain_.end(edges);
  counters_.add(edges, longest);
}

void Windows::run_window(Turn end, Turn horizon) {
  if (!ahead_) {  // they are to meet there
    end = std::min(end, reached_);
    horizon = std::min(horizon, reached_);
  }
  runs_.clear();
  Turn next_floor = kNoTurn;
  wanting_.for_each([&](unsigned i) {
    if (next_edges_[i] < end) {
      LogicalProcess* const process = processes_[i].get();
      if (process->waits_ == 0) {
        process->end_ = std::min(horizon, std::max(floor_ + 1, lookahead_.reach(i)));
        if (next_edges_[i] < process->end_) {
          reached_ = std::max(reached_, process->end_);
          runs_.push_back(process);
          return;
        }
      }
    }
    next_floor = std::min(next_floor, next_edges_[i]);
  });
  counters_.runs += runs_.size();
  process_runs_ += runs_.size();
  run_processes();
  std::exception_ptr fault;
  for (LogicalProcess* process : runs_) {
    const Turn next = process->next_turn();
    set_next_edge(process->number_, next);
    next_floor = std::min(next_floor, next);
    if (process->fault_ && !fault) fault = process->fault_;
    for (const Call& call : process->calls_) {
      calls_.push_back(call);
      std::ranges::push_heap(calls_, kLater);
    }
    process->calls_.clear();
  }
  floor_ = next_floor;
  if (fault) std::rethrow_exception(fault);
}

}  // namespace heddle::sim
