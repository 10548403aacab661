// Clock domains whose idle members cost nothing.
//
// A domain has edges k = 0, 1, 2 ... at time round(k / f) in units of the SystemC time resolution, so edges
// never drift. Edges are only produced while some member wants them. A member is one SC_METHOD (a core, the
// crossbar, a partition's L2 slice, a DRAM channel): at the end of every activation it says when it wants to
// run next,
//
//   void Core::tick() {
//     ... one cycle, number clock_.cycle() ...
//     if (busy) clock_.again(); else if (known) clock_.sleep_until(cycle); else clock_.park();
//   }
//
// and anybody may call clock_.wake() on a parked or sleeping member: it then runs at the earliest edge that
// has not passed. Parking therefore never changes a result, only the host time.
//
// Order within one instant: domains have a rank. When several domains have an edge at the same time, the one
// of lower rank runs first, in an earlier delta cycle; members of one rank must not talk to each other in
// zero time. That is what makes results independent of the order in which modules are created.
#pragma once

#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <systemc>
#include <vector>

#include "sim/ids.h"

namespace heddle::sim {

class ClockManager;
class ClockMember;

/// Who runs first when edges coincide.
enum class ClockRank : std::uint8_t { kCore = 0, kInterconnect = 1, kL2 = 2, kDram = 3, kSystem = 4 };
inline constexpr unsigned kClockRanks = 5;

class ClockDomain {
 public:
  ClockDomain(ClockManager& manager, std::string name, double frequency_mhz, ClockRank rank);
  ClockDomain(const ClockDomain&) = delete;
  ClockDomain& operator=(const ClockDomain&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] double frequency_mhz() const { return static_cast<double>(frequency_khz_) / 1e3; }
  [[nodiscard]] ClockRank rank() const { return rank_; }
  /// Number of the last edge at or before now.
  [[nodiscard]] Cycle cycle() const;
  /// SystemC time (in resolution units) of edge `k`.
  [[nodiscard]] std::uint64_t edge_time(Cycle k) const;

 private:
  friend class ClockManager;
  friend class ClockMember;
  struct Sleeper {
    Cycle cycle;
    std::uint64_t ticket;
    ClockMember* member;
    bool operator>(const Sleeper& o) const { return cycle != o.cycle ? cycle > o.cycle : ticket > o.ticket; }
  };

  /// First edge that may still run: at `now` if this domain's turn in this instant has not passed, else
  /// later.
  [[nodiscard]] Cycle next_possible() const;
  /// Edge the domain wants next, or ~0.
  [[nodiscard]] Cycle wanted();
  void fire(Cycle k);

  ClockManager& manager_;
  std::string name_;
  std::uint64_t frequency_khz_;     ///< frequencies are kept to the kHz
  std::uint64_t period_units_ = 0;  ///< `period_cycles_` cycles last exactly `period_units_` resolution units
  std::uint64_t period_cycles_ = 0;
  ClockRank rank_;
  sc_core::sc_event edge_;
  unsigned awake_ = 0;               ///< members that asked for the next edge
  std::vector<ClockMember*> woken_;  ///< members to be triggered by their own event at the next edge
  std::priority_queue<Sleeper, std::vector<Sleeper>, std::greater<>> sleepers_;
  Cycle last_fired_ = ~Cycle{0};  ///< number of the last edge that ran (~0: none)
  std::uint64_t ticket_ = 0;
};

/// A module's handle on its clock; the module's SC_METHOD is made sensitive through it.
class ClockMember {
 public:
  ClockMember(ClockDomain& domain, const char* event_name);
  ClockMember(const ClockMember&) = delete;
  ClockMember& operator=(const ClockMember&) = delete;

  /// Event for the SC_METHOD's static sensitivity declaration (use dont_initialize()).
  [[nodiscard]] const sc_core::sc_event& first_trigger() const { return own_event_; }
  [[nodiscard]] Cycle cycle() const { return domain_.last_fired_; }
  [[nodiscard]] ClockDomain& domain() { return domain_; }

  /// Run at the next edge. Only from within the member's own SC_METHOD; exactly one of the three per
  /// activation.
  void again();
  /// Run at edge `cycle` (> the present one) unless woken earlier.
  void sleep_until(Cycle cycle);
  /// Do not run until woken.
  void park();

  /// Run at the earliest edge that has not passed. No effect on a member that already runs at that edge.
  void wake();

 private:
  friend class ClockDomain;
  enum class State : std::uint8_t { kParked, kSleeping, kWoken, kAwake };
  ClockDomain& domain_;
  sc_core::sc_event own_event_;
  State state_ = State::kParked;
  std::uint64_t sleep_ticket_ = 0;
};

/// Schedules the edges of all domains with one timed notification per instant.
class ClockManager : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(ClockManager);
  explicit ClockManager(const sc_core::sc_module_name& name);

 private:
  friend class ClockDomain;
  friend class ClockMember;
  /// Fires the domains of the lowest rank that are due now.
  void run();
  /// Runs right after the members that run() triggered and schedules the next instant. Should a kernel order
  /// the two differently, want() corrects the schedule: only host time would suffer.
  void plan();
  /// A domain wants an edge at `time` (resolution units).
  void want(std::uint64_t time);

  std::vector<ClockDomain*> domains_;  ///< by rank
  sc_core::sc_event run_event_{"run_event"};
  sc_core::sc_event plan_event_{"plan_event"};
  std::uint64_t instant_ = ~std::uint64_t{0};    ///< time of the instant in progress
  int rank_done_ = -1;                           ///< highest rank that already ran in it
  std::uint64_t scheduled_ = ~std::uint64_t{0};  ///< time run() is notified for
  bool planning_ = false;                        ///< between run() and plan(): want() need not notify
};

}  // namespace heddle::sim
