// A part of the machine that may run ahead of the rest: what it runs, and what it does to the rest (sim/windows.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/clock.h"

namespace heddle::sim {

class LogicalProcess {
 public:
  /// A call to the rest of the machine.
  using Effect = void (*)(void* owner, void* what);

  explicit LogicalProcess(unsigned number) : number_(number) {}
  LogicalProcess(const LogicalProcess&) = delete;
  LogicalProcess& operator=(const LogicalProcess&) = delete;

  /// A domain of its own, with the edges of `common`, whose its members are while it does not run ahead. Before anything runs.
  ClockDomain& add_domain(ClockDomain& common, const std::string& name);
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
  /// Of the process that runs.
  [[nodiscard]] Turn turn() const { return now_; }
  /// No edge of this turn or a later one is of the window.
  void limit(Turn turn) { end_ = std::min(end_, turn); }

  /// Forgets the arrivals (Windows::arrive()) that have not come. From the effect of one.
  void cancel_arrivals() { arrivals_.resize(arrived_); }

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
  struct Arrival {
    Turn turn = 0;
    Effect effect = nullptr;
    void* owner = nullptr;
    void* what = nullptr;
  };
  void keep(Effect effect, void* owner, void* what, bool stops) {
    calls_.push_back({now_, effect, owner, what, number_, static_cast<std::uint32_t>(calls_.size()), stops});
    stopped_ |= stops;
    waits_ += stops ? 1u : 0u;
  }
  /// The domain whose turn it is.
  [[nodiscard]] ClockDomain& next() const;
  [[nodiscard]] Turn next_turn() const { return std::min(next_arrival_, next().next_turn()); }
  /// What its next turn is: an edge of `next` or an arrival. How many edges.
  unsigned run_next(ClockDomain& next);
  void take_arrival();
  /// Runs the turns before end_, of which there is one.
  void run();
  /// What has been announced comes when the rest does it.
  void forget_arrivals() {
    arrivals_.clear();
    arrived_ = 0;
    next_arrival_ = kNoTurn;
  }

  static thread_local LogicalProcess* running_;
  std::vector<std::unique_ptr<ClockDomain>> domains_;  ///< by rank
  std::vector<ClockDomain*> commons_;                  ///< of the same ones
  unsigned number_;
  bool stopped_ = false;
  unsigned waits_ = 0;  ///< calls without effect yet, behind which nothing may run
  Turn now_ = 0;
  Turn end_ = 0;             ///< of this window
  std::vector<Call> calls_;  ///< of this window
  std::vector<Arrival> arrivals_;
  std::size_t arrived_ = 0;  ///< of them
  Turn next_arrival_ = kNoTurn;
  std::uint32_t edges_ = 0;     ///< in the last window it was in, arrivals included
  std::uint32_t fired_ = 0;     ///< of them edges
  std::exception_ptr failure_;  ///< of the machine that is simulated
  std::exception_ptr fault_;    ///< of the simulator
};

}  // namespace heddle::sim
