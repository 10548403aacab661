// Cores that run ahead of the rest of the machine, on one host thread or on several, with the same result: conservative
// parallel discrete-event simulation (Chandy and Misra 1979) in windows. Nothing is ever rolled back.
//
// A logical process is a core with a clock domain of its own. The rest of the machine (network, memory, dispatcher,
// watchdog) is run by the clock manager, on the thread that called the SystemC kernel. The two take turns:
//
//   1. The rest runs every instant before the earliest edge that some process wants, the floor.
//   2. Every process runs its own edges, from the one that it wants next up to the instant that the Lookahead allows: no
//      effect of the rest can reach it before that. Processes do not see each other, so they may run on any thread.
//
// Whatever a process does to the rest is deferred: its call is kept with its time, and has its effect when the rest has
// come to that instant, in the order of time and, at one instant, of the processes' numbers. A call whose answer decides
// what comes next either has an answer that is known in advance (the network's input queue has a free entry), or ends the
// window of its process (stop()). An edge at the floor is exact: all that happened before it has had its effect.
//
// So what is simulated depends neither on the number of threads nor on their speed. A process that is woken for an edge
// that it has passed is a fault of the Lookahead, and ends the simulation with std::logic_error.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "sim/clock.h"
#include "sim/worker_threads.h"

namespace heddle::sim {

/// How far a process may run ahead. Asked between windows; times in resolution units.
class Lookahead {
 public:
  /// A window begins: everything before `floor` has happened. Latest instant of an edge that any process may run; `floor`:
  /// no process runs ahead, and the edges at this instant are run one after another, their calls not deferred.
  [[nodiscard]] virtual std::uint64_t begin_window(std::uint64_t floor) = 0;
  /// The same of one process. What the rest does at an instant is seen by the edges behind it, so the earliest instant at
  /// which the rest may do something to the process is included.
  [[nodiscard]] virtual std::uint64_t reach(unsigned process) = 0;

 protected:
  ~Lookahead() = default;
};

class LogicalProcess {
 public:
  /// A call to the rest of the machine.
  using Effect = void (*)(void* owner, void* what);

  LogicalProcess(ClockManager& manager, unsigned number, double frequency_mhz);

  [[nodiscard]] ClockDomain& clock() { return clock_; }
  [[nodiscard]] unsigned number() const { return number_; }

  /// The process whose edge this thread runs; nullptr: none, calls have their effect at once.
  [[nodiscard]] static LogicalProcess* running() { return running_; }
  /// effect(owner, what) when the rest comes to the present instant. Only of the process that runs.
  void defer(Effect effect, void* owner, void* what) { keep(effect, owner, what, false); }
  /// The same, and no further edge before that.
  void defer_and_stop(Effect effect, void* owner, void* what) { keep(effect, owner, what, true); }
  /// This edge is the last one of the window.
  void stop() { stopped_ = true; }

 private:
  friend class Windows;
  struct Call {
    std::uint64_t time = 0;
    Effect effect = nullptr;
    void* owner = nullptr;
    void* what = nullptr;
    unsigned process = 0;
    std::uint32_t order = 0;  ///< among those of its process in a window
    bool stops = false;
  };
  void keep(Effect effect, void* owner, void* what, bool stops) {
    calls_.push_back({clock_.next_time_, effect, owner, what, number_, static_cast<std::uint32_t>(calls_.size()), stops});
    stopped_ |= stops;
    waits_ += stops ? 1u : 0u;
  }
  void run(std::uint64_t reach);

  static thread_local LogicalProcess* running_;
  ClockDomain clock_;
  unsigned number_;
  bool stopped_ = false;
  unsigned waits_ = 0;  ///< calls without effect yet, behind which nothing may run
  std::uint64_t reach_ = 0;
  std::vector<Call> calls_;  ///< of this window
  std::exception_ptr fault_;
};

/// The processes of one machine.
class Windows {
 public:
  struct Counters {
    std::uint64_t windows = 0;
    std::uint64_t runs = 0;      ///< of a process in a window
    std::uint64_t parallel = 0;  ///< windows that several threads had a part in
    std::uint64_t edges = 0;     ///< critical path: edges of the longest run, summed over windows
  };

  /// `threads` host threads, the caller's included, at least 1. `delay_seed`: see WorkerThreads.
  Windows(ClockManager& manager, unsigned processes, double frequency_mhz, Lookahead& lookahead,
          unsigned threads, unsigned delay_seed = 0);
  ~Windows();
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  [[nodiscard]] LogicalProcess& process(unsigned i) { return *processes_[i]; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] unsigned threads() const { return workers_.threads(); }

 private:
  friend class ClockManager;
  using Call = LogicalProcess::Call;

  /// Runs processes and the manager's domains in turns, as far as model time may run.
  void run(std::uint64_t& limit);
  [[nodiscard]] std::uint64_t floor() const;
  /// Of the earliest call that has had no effect yet.
  [[nodiscard]] std::uint64_t next_call() const {
    return calls_.empty() ? ClockManager::kNever : calls_.front().time;
  }
  [[nodiscard]] std::uint64_t next_time() const { return std::min(floor(), next_call()); }
  void run_window(std::uint64_t floor, std::uint64_t limit);
  void run_instant(std::uint64_t time);
  void run_calls();

  ClockManager& manager_;
  Lookahead& lookahead_;
  /// The rest has woken a process, which wants an edge then.
  void wanted(const LogicalProcess& process, std::uint64_t time) { next_edges_[process.number_] = time; }

  std::vector<std::unique_ptr<LogicalProcess>> processes_;
  std::vector<std::uint64_t> next_edges_;  ///< that they want; beside each other, since all are looked at often
  std::vector<LogicalProcess*> runs_;  ///< in this window
  std::vector<Call> calls_;            ///< heap, earliest first
  WorkerThreads workers_;
  Counters counters_;
};

}  // namespace heddle::sim
