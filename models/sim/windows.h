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
// comes next either has an answer that is known in advance (the network's input queue has a free entry, or none up to some
// turn), or ends the window of its process (defer_and_stop()). An edge at the floor is exact: all that happened before it has
// had its effect.
//
// What the rest is known to do to a process, such as to offer it a packet that is on its way, comes to it within its window
// (arrive()); the rest then finds the answer.
//
// A fault of the simulated machine comes at its turn. Of several faults of the simulator itself in one window that of the first
// process is reported, which need not be the earliest.
//
// Where windows do not pay (AheadGain), processes run with the rest, all one after another: at a turn up to which everything
// has happened their members get the clock domains that they would have without windows, and their own ones back later.
//
// So what is simulated depends neither on the number of threads nor on their speed. A process that is woken for an edge
// that it has passed is a fault of the Lookahead, and ends the simulation with std::logic_error.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/index_set.h"
#include "sim/ahead_gain.h"
#include "sim/clock.h"
#include "sim/logical_process.h"
#include "sim/thread_gain.h"
#include "sim/window_counters.h"
#include "sim/worker_threads.h"

namespace heddle::sim {

/// How far a process may run ahead. Asked between windows.
class Lookahead {
 public:
  /// A window begins: everything before `floor` has happened. Who wants an edge before the turn that it returns runs in this window,
  /// as far as reach() lets it; `floor`: none runs ahead, the edges of this turn are run one after another, and their calls are not
  /// deferred. Who may run far so does it at once, and not a few edges more in every window.
  [[nodiscard]] virtual Turn begin_window(Turn floor) = 0;
  /// In this window: the earliest turn at which the rest may do something to the process that has not been announced
  /// (Windows::arrive()).
  [[nodiscard]] virtual Turn reach(unsigned process) = 0;
  /// No process runs ahead any more, until begin_window(): what has been announced and has not come is not known.
  virtual void end_windows() = 0;
  /// Windows are worth a try: not all of them end at their floor.
  [[nodiscard]] virtual bool lets_run_ahead() const { return true; }

 protected:
  ~Lookahead() = default;
};

/// The processes of one machine.
class Windows {
 public:
  /// `threads` host threads, the caller's included, at least 1. `ahead`: whether and when processes run ahead. `delay_seed`: see
  /// WorkerThreads.
  Windows(ClockManager& manager, unsigned processes, Lookahead& lookahead, unsigned threads,
          AheadGain::Policy ahead, unsigned delay_seed = 0);
  ~Windows();
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  [[nodiscard]] LogicalProcess& process(unsigned i) { return *processes_[i]; }
  /// What the rest is known to do to a process: effect(owner, what) when that comes to `turn`, which is later than what has come
  /// to it so far and than its other arrivals. Between windows.
  void arrive(unsigned process, Turn turn, LogicalProcess::Effect effect, void* owner, void* what);
  /// The next turn that it wants, of an edge or an arrival; kNoTurn: none. Between windows.
  [[nodiscard]] Turn next_edge(unsigned process) const { return next_edges_[process]; }
  [[nodiscard]] WindowCounters counters() const;
  [[nodiscard]] unsigned threads() const { return workers_.threads(); }

 private:
  friend class ClockManager;
  using Call = LogicalProcess::Call;

  /// Runs processes and the manager's domains in turns, as far as model time may run.
  void run(std::uint64_t& limit);
  void run_turns(std::uint64_t& limit);
  /// A stretch of all one after another; false: model time may not run on.
  bool run_joined(std::uint64_t& limit);
  /// Everything before floor_ has happened: their members run with the rest from now on. The other way.
  void join();
  void part();
  /// Whether windows pay.
  void look();
  /// How often members have run: mostly a domain of a process has one.
  [[nodiscard]] std::uint64_t work() const;
  /// The manager's domains before that.
  void run_rest(std::uint64_t& limit);
  /// Of the earliest call that has had no effect yet.
  [[nodiscard]] Turn next_call() const { return calls_.empty() ? kNoTurn : calls_.front().turn; }
  [[nodiscard]] Turn next_turn() const { return std::min(floor_, next_call()); }
  /// Runs what is in runs_.
  void run_processes();
  /// The same on several threads, if that pays.
  bool share_processes();
  /// The processes' edges at the floor.
  void run_floor();
  /// Those that want an edge before `end` run, as far as each may, but not beyond `horizon`.
  void run_window(Turn end, Turn horizon);
  void run_calls();
  /// The rest has woken a process.
  void wanted(const LogicalProcess& process, Turn turn) {
    want_before(process.number_, turn);
    floor_ = std::min(floor_, turn);
  }
  void want_before(unsigned process, Turn turn) {
    next_edges_[process] = std::min(next_edges_[process], turn);
    wanting_.insert(process);
  }
  void set_next_edge(unsigned process, Turn turn) {
    next_edges_[process] = turn;
    if (turn == kNoTurn) wanting_.erase(process);
  }

  ClockManager& manager_;
  Lookahead& lookahead_;
  std::vector<std::unique_ptr<LogicalProcess>> processes_;
  std::vector<Turn> next_edges_;       ///< that they want; beside each other, since they are looked at often
  base::IndexSet wanting_;             ///< those that want one: of a machine with little work, few
  Turn floor_ = kNoTurn;               ///< the earliest of them
  std::vector<LogicalProcess*> runs_;  ///< in this window
  std::vector<Call> calls_;            ///< heap, earliest first
  WorkerThreads workers_;
  ThreadGain gain_;
  AheadGain ahead_gain_;
  std::vector<ClockDomain*> commons_;  ///< of the processes' members, while they do not run ahead
  bool joined_ = false;                ///< they do not
  bool ahead_ = true;                  ///< they are to
  unsigned windows_left_ = 1;          ///< before the next look()
  std::uint64_t look_at_ = 0;          ///< edges of processes that have run ahead, the same
  Turn reached_ = 0;                   ///< no process has had this turn or a later one in a window
  std::uint64_t fired_ = 0;            ///< edges of processes that have run ahead
  std::uint64_t process_runs_ = 0;     ///< of a process in a window, or of one edge of it at the floor
  WindowCounters counters_;
};

}  // namespace heddle::sim
