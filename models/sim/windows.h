// Parts of the machine that run ahead of the rest, on one host thread or on several, with the same result: conservative
// parallel discrete-event simulation (Chandy and Misra 1979) in windows. Nothing is ever rolled back.
//
// A logical process is a part with clock domains of its own: a core; a memory partition with its DRAM channel. The rest of
// the machine (network, dispatcher, watchdog) is run by the clock manager, on the thread that called the SystemC kernel. The
// two take turns:
//
//   1. The rest runs every edge before the earliest one that some process wants, the floor.
//   2. Every process runs its own edges, from the one that it wants next up to where the Lookahead allows: no effect of the
//      rest can reach it before that. Processes do not see each other, so they may run on any thread.
//
// Whatever a process does to the rest is deferred: its call is kept with its time, and has its effect when the rest has
// come there, in the order of time, rank and, at one instant, of the processes' numbers. A call whose answer decides what
// comes next either has an answer that is known in advance (the network's input queue has a free entry), or ends the
// window of its process (stop()). An edge at the floor is exact: all that happened before it has had its effect.
//
// So what is simulated depends neither on the number of threads nor on their speed. A process that is woken for an edge
// that it has passed is a fault of the Lookahead, and ends the simulation with std::logic_error.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/clock.h"
#include "sim/worker_threads.h"

namespace heddle::sim {

/// How far a process may run ahead. Asked between windows.
class Lookahead {
 public:
  /// A window begins: everything before `floor` has happened. The first turn that no process may have; `floor`: none runs
  /// ahead, the edges of this turn are run one after another, and their calls are not deferred.
  [[nodiscard]] virtual Turn begin_window(Turn floor) = 0;
  /// The same of one process: the earliest turn at which the rest may do something to it.
  [[nodiscard]] virtual Turn reach(unsigned process) = 0;

 protected:
  ~Lookahead() = default;
};

class LogicalProcess {
 public:
  /// A call to the rest of the machine.
  using Effect = void (*)(void* owner, void* what);

  explicit LogicalProcess(unsigned number) : number_(number) {}
  LogicalProcess(const LogicalProcess&) = delete;
  LogicalProcess& operator=(const LogicalProcess&) = delete;

  /// A domain of its own. Before anything runs.
  ClockDomain& add_domain(ClockManager& manager, const std::string& name, double frequency_mhz,
                          ClockRank rank);
  [[nodiscard]] unsigned number() const { return number_; }

  /// The process whose edge this thread runs; nullptr: none, calls have their effect at once.
  [[nodiscard]] static LogicalProcess* running() { return running_; }
  /// effect(owner, what) when the rest comes to the present turn. Only of the process that runs.
  void defer(Effect effect, void* owner, void* what) { keep(effect, owner, what, false); }
  /// The same, and no further edge before that.
  void defer_and_stop(Effect effect, void* owner, void* what) { keep(effect, owner, what, true); }
  /// Keeps a fault until the rest has come to it (FaultLatch).
  void fail_later(std::exception_ptr fault) { failure_ = std::move(fault); }
  [[nodiscard]] std::exception_ptr failure() const { return failure_; }
  /// This edge is the last one of the window.
  void stop() { stopped_ = true; }

 private:
  friend class ClockDomain;
  friend class Windows;
  struct Call {
    Turn turn = 0;
    Effect effect = nullptr;
    void* owner = nullptr;
    void* what = nullptr;
    std::uint32_t process = 0;
    std::uint32_t order = 0;  ///< among those of its process in a window
    bool stops = false;
  };
  void keep(Effect effect, void* owner, void* what, bool stops) {
    calls_.push_back({now_, effect, owner, what, number_, static_cast<std::uint32_t>(calls_.size()), stops});
    stopped_ |= stops;
    waits_ += stops ? 1u : 0u;
  }
  /// The domain whose turn it is.
  [[nodiscard]] ClockDomain& next() const;
  [[nodiscard]] Turn next_turn() const { return next().next_turn(); }
  /// Runs the edges before `end`.
  void run(Turn end);

  static thread_local LogicalProcess* running_;
  std::vector<std::unique_ptr<ClockDomain>> domains_;  ///< by rank
  unsigned number_;
  bool stopped_ = false;
  unsigned waits_ = 0;  ///< calls without effect yet, behind which nothing may run
  Turn now_ = 0;
  Turn end_ = 0;                ///< of this window
  std::vector<Call> calls_;     ///< of this window
  std::exception_ptr failure_;  ///< of the machine that is simulated
  std::exception_ptr fault_;    ///< of the simulator
};

/// The processes of one machine.
class Windows {
 public:
  struct Counters {
    std::uint64_t windows = 0;
    std::uint64_t runs = 0;      ///< of a process in a window
    std::uint64_t parallel = 0;  ///< windows that threads shared
  };

  /// `threads` host threads, the caller's included, at least 1. `delay_seed`: see WorkerThreads.
  Windows(ClockManager& manager, unsigned processes, Lookahead& lookahead, unsigned threads,
          unsigned delay_seed = 0);
  ~Windows();
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  [[nodiscard]] LogicalProcess& process(unsigned i) { return *processes_[i]; }
  /// The next edge that it wants; kNoTurn: none. Between windows.
  [[nodiscard]] Turn next_edge(unsigned process) const { return next_edges_[process]; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] unsigned threads() const { return workers_.threads(); }

 private:
  friend class ClockManager;
  using Call = LogicalProcess::Call;

  /// Runs processes and the manager's domains in turns, as far as model time may run.
  void run(std::uint64_t& limit);
  void find_floor();
  /// Of the earliest call that has had no effect yet.
  [[nodiscard]] Turn next_call() const { return calls_.empty() ? kNoTurn : calls_.front().turn; }
  [[nodiscard]] Turn next_turn() const { return std::min(floor_, next_call()); }
  /// The window is long enough, with enough processes in it.
  [[nodiscard]] bool worth_threads() const;
  /// The processes' edges at the floor.
  void run_floor();
  void run_window(Turn end);
  void run_calls();
  /// The rest has woken a process.
  void wanted(const LogicalProcess& process, Turn turn) {
    Turn& next = next_edges_[process.number_];
    next = std::min(next, turn);
    floor_ = std::min(floor_, turn);
  }

  ClockManager& manager_;
  Lookahead& lookahead_;
  std::vector<std::unique_ptr<LogicalProcess>> processes_;
  std::vector<Turn> next_edges_;       ///< that they want; beside each other, since all are looked at often
  Turn floor_ = kNoTurn;               ///< the earliest of them
  std::vector<LogicalProcess*> runs_;  ///< in this window
  std::vector<Call> calls_;            ///< heap, earliest first
  WorkerThreads workers_;
  Counters counters_;
};

}  // namespace heddle::sim
