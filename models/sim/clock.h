// Clock domains whose idle members cost nothing, and simulated time that runs ahead of the SystemC kernel.
//
// A domain has edges k = 0, 1, 2 ... at time round(k / f) in units of the SystemC time resolution, so edges
// never drift. Edges are only produced while some member wants them. A member is a module with a cycle
// function (a core, the crossbar, a partition's L2 slice, a DRAM channel): at the end of every activation it
// says when it wants to run next,
//
//   Core::Core(...) : clock_(domain, sim::on_tick<&Core::tick>(this)) ...
//   void Core::tick() {
//     ... one cycle, number clock_.cycle() ...
//     if (busy) clock_.again(); else if (known) clock_.sleep_until(cycle); else clock_.park();
//   }
//
// and anybody may call clock_.wake() on a parked or sleeping member: it then runs at the earliest edge that
// has not passed. Parking therefore never changes a result, only the host time.
//
// Order within one instant: domains have a rank. When several domains have an edge at the same time, the one
// of lower rank runs first; members of one rank must not talk to each other in zero time. That is what makes
// results independent of the order in which modules are created.
//
// Time: one SC_METHOD, the manager's, runs all members. A round trip through the SystemC scheduler (timed
// notification, delta cycle, process activation) costs more than a busy core's whole cycle, so with a quantum
// (set_quantum(), TLM-2.0's temporal decoupling) the manager goes on to later instants within one activation,
// up to the quantum and always short of the kernel's next pending event: nothing outside can happen before
// that, so the result is the same as with the quantum 0, at which every instant is a kernel activation of its
// own. Within an activation model time (ClockManager::now()) is ahead of sc_time_stamp() by ahead(); a module
// that calls a TLM target which is not a member passes that as the annotated delay, and afterwards calls
// kernel_changed() because the target may have scheduled events.
#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <string>
#include <systemc>
#include <vector>

#include "base/divisor.h"
#include "base/ids.h"

namespace heddle::sim {

class ClockManager;
class ClockMember;
class LogicalProcess;
class Windows;

/// Who runs first when edges coincide.
enum class ClockRank : std::uint8_t { kCore, kInterconnect, kPartitionUnit, kL2, kDram, kSystem };
inline constexpr unsigned kClockRanks = 6;

/// An instant and the rank whose turn it is then: what happens earlier has the smaller number. ~0: never.
using Turn = std::uint64_t;
inline constexpr Turn kNoTurn = ~Turn{0};
[[nodiscard]] constexpr Turn turn_at(std::uint64_t time, ClockRank rank) {
  constexpr unsigned kRankBits = 3;
  return time == ~std::uint64_t{0} ? kNoTurn : time << kRankBits | static_cast<unsigned>(rank);
}
[[nodiscard]] constexpr std::uint64_t time_of(Turn turn) { return turn >> 3u; }
[[nodiscard]] constexpr int rank_of(Turn turn) { return static_cast<int>(turn & 7u); }

/// A member's cycle function.
struct TickFunction {
  void (*call)(void* owner) = nullptr;
  void* owner = nullptr;
};
template <auto Method, class Owner>
[[nodiscard]] TickFunction on_tick(Owner* owner) {
  return {[](void* o) { (static_cast<Owner*>(o)->*Method)(); }, owner};
}

class ClockDomain {
 public:
  ClockDomain(ClockManager& manager, std::string name, double frequency_mhz, ClockRank rank)
      : ClockDomain(manager, std::move(name), frequency_mhz, rank, nullptr) {}
  ClockDomain(const ClockDomain&) = delete;
  ClockDomain& operator=(const ClockDomain&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] double frequency_mhz() const { return static_cast<double>(frequency_khz_) / 1e3; }
  [[nodiscard]] ClockRank rank() const { return rank_; }
  [[nodiscard]] ClockManager& manager() const { return manager_; }
  /// Number of the last edge at or before now.
  [[nodiscard]] base::Cycle cycle() const;
  /// Time (in SystemC resolution units) of edge `k`.
  [[nodiscard]] std::uint64_t edge_time(base::Cycle k) const;
  /// First edge at or after `time` (resolution units): the inverse of edge_time().
  [[nodiscard]] base::Cycle first_edge_at(std::uint64_t time) const;
  // The same for what is not far from now, of the domain of who asks: no divisions then.
  [[nodiscard]] std::uint64_t edge_time_near(base::Cycle k) const;
  /// Of a time that has passed: the present cycle.
  [[nodiscard]] base::Cycle first_edge_near(std::uint64_t time) const;
  /// The next edge that some member wants; kNoTurn: none does.
  [[nodiscard]] Turn next_turn() const { return turn_at(next_time_, rank_); }
  /// Model time, of the edge that runs if it is one of this domain, and how far it is ahead of sc_time_stamp().
  [[nodiscard]] std::uint64_t now() const;
  [[nodiscard]] sc_core::sc_time ahead() const;
  /// ClockManager::kernel_changed().
  void kernel_changed();

 private:
  friend class ClockManager;
  friend class ClockMember;
  friend class LogicalProcess;
  friend class Windows;
  /// `process`: the logical process (sim/windows.h) whose domain it is. The manager does not run it itself.
  ClockDomain(ClockManager& manager, std::string name, double frequency_mhz, ClockRank rank,
              const LogicalProcess* process);

  // Members that change their domain, between edges (sim/windows.h). The domains have the same edges.
  /// Of a process: its members are those of `to` from now on. Then move_wishes() of the domain that had them.
  void give_members(ClockDomain& to);
  /// What members wish that this domain has no longer is for theirs to know.
  void move_wishes();
  /// All turns before this one have been.
  void begin_at(Turn turn);
  /// Behind that of its last edge; 0: there was none.
  [[nodiscard]] Turn turn_behind_last() const {
    return last_fired_ == base::kNever ? 0 : turn_at(edge_time(last_fired_), rank_) + 1;
  }

  /// Members in a row, linked through themselves: to come and to go takes a few instructions and no memory.
  struct MemberList {
    ClockMember* first = nullptr;
    ClockMember* last = nullptr;
    void append(ClockMember& member);
    void remove(ClockMember& member);
    void append(const MemberList& others);
  };
  /// Of a member that sleeps for long.
  struct Sleeper {
    base::Cycle cycle;
    std::uint64_t ticket;  ///< void when the member's differs, or it does not sleep: it was woken earlier
    ClockMember* member;
    bool operator>(const Sleeper& o) const { return cycle != o.cycle ? cycle > o.cycle : ticket > o.ticket; }
  };
  /// Edge number with its time, stepped without divisions.
  struct Edge {
    base::Cycle k = 0;
    std::uint64_t time = 0;
    std::uint64_t remainder = 0;  ///< of the division by period_cycles_
  };
  static constexpr base::Cycle kNearCycles = 64;  ///< shorter sleeps are kept in a ring

  [[nodiscard]] std::uint64_t now_of_process() const;
  [[nodiscard]] base::Cycle find_cycle(std::uint64_t now) const;
  [[nodiscard]] Edge edge(base::Cycle k) const;
  /// The same, `cycles` behind an edge that is known: fewer than kNearEdges.
  [[nodiscard]] Edge behind(const Edge& known, base::Cycle cycles) const;
  static constexpr base::Cycle kNearEdges = base::Cycle{1} << 16;
  void step(Edge& edge) const;
  /// The last edge at or before now.
  [[nodiscard]] const Edge& present() const {
    if (firing_) return next_;
    static_cast<void>(cycle());
    return seen_;
  }
  /// First edge that may still run: at now if this domain's turn in this instant has not passed, else later.
  [[nodiscard]] const Edge& next_possible() const;
  void want(const Edge& wanted);
  /// Of a logical process: the rest of the machine comes too late with something for this edge.
  [[noreturn]] void passed(base::Cycle k) const;
  void make_due(ClockMember& member);
  void put_to_sleep(ClockMember& member, base::Cycle cycle);
  /// Edge after last_fired_ that some member wants, or ~0.
  [[nodiscard]] base::Cycle next_wanted();
  /// Forgets those far_ ones in front that are void.
  void drop_void();
  void fire();
  /// Takes those that run at the edge last_fired_.
  [[nodiscard]] MemberList take_due();

  ClockManager& manager_;
  std::string name_;
  std::uint64_t frequency_khz_;    ///< frequencies are kept to the kHz
  base::Divisor period_units_{1};  ///< `period_cycles_` cycles last exactly `period_units_` resolution units
  base::Divisor period_cycles_{1};
  std::uint64_t step_units_ = 0, step_remainder_ = 0;
  ClockRank rank_;
  const LogicalProcess* process_;      ///< null: the manager runs it
  std::vector<ClockMember*> members_;  ///< of a process's domain, those that were made for it
  std::uint64_t runs_ = 0;             ///< of members

  MemberList due_;  ///< members that run at the next edge
  bool firing_ = false;
  std::array<MemberList, kNearCycles> near_{};  ///< by cycle mod kNearCycles
  std::uint64_t near_bits_ = 0;                 ///< non-empty ones
  std::priority_queue<Sleeper, std::vector<Sleeper>, std::greater<>> far_;
  std::uint64_t ticket_ = 0;
  base::Cycle last_fired_ = base::kNever;  ///< number of the last edge that ran (~0: none)
  Edge next_;                              ///< edge wanted next; only if next_time_ is not ~0
  std::uint64_t next_time_ = ~std::uint64_t{0};
  mutable Edge seen_;        ///< answer of the last cycle()
  mutable Edge after_seen_;  ///< the edge that follows it
};

/// A module's handle on its clock.
class ClockMember {
 public:
  ClockMember(ClockDomain& domain, TickFunction tick) : domain_(&domain), tick_(tick) {
    if (domain.process_ != nullptr) domain.members_.push_back(this);
  }
  ClockMember(const ClockMember&) = delete;
  ClockMember& operator=(const ClockMember&) = delete;

  /// The present cycle; only from within the tick function.
  [[nodiscard]] base::Cycle cycle() const { return domain_->last_fired_; }
  [[nodiscard]] ClockDomain& domain() { return *domain_; }
  [[nodiscard]] const ClockDomain& domain() const { return *domain_; }

  /// Run at the next edge. Only from within the member's own tick function; exactly one of the three per
  /// activation.
  void again();
  /// Run at edge `cycle` (> the present one) unless woken earlier.
  void sleep_until(base::Cycle cycle);
  /// Do not run until woken.
  void park();

  /// Run at the earliest edge that has not passed. No effect on a member that already runs at that edge.
  void wake();

 private:
  friend class ClockDomain;
  enum class State : std::uint8_t { kParked, kNear, kFar, kDue };
  ClockDomain* domain_;
  TickFunction tick_;
  State state_ = State::kParked;
  std::uint8_t slot_ = 0;  ///< kNear: of near_
  std::uint64_t ticket_ = 0;
  // In the list in which it is: kNear, kDue.
  ClockMember* before_ = nullptr;
  ClockMember* behind_ = nullptr;
};

inline void ClockDomain::MemberList::append(ClockMember& member) {
  member.before_ = last;
  member.behind_ = nullptr;
  (last == nullptr ? first : last->behind_) = &member;
  last = &member;
}
inline void ClockDomain::MemberList::remove(ClockMember& member) {
  (member.before_ == nullptr ? first : member.before_->behind_) = member.behind_;
  (member.behind_ == nullptr ? last : member.behind_->before_) = member.before_;
}
inline void ClockDomain::MemberList::append(const MemberList& others) {
  if (others.first == nullptr) return;
  others.first->before_ = last;
  (last == nullptr ? first : last->behind_) = others.first;
  last = others.last;
}

/// Runs the edges of all domains in order of time.
class ClockManager : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(ClockManager);
  explicit ClockManager(const sc_core::sc_module_name& name);

  /// How far model time may run ahead of the kernel's; 0 (default): not at all, as a test bench needs that
  /// calls sc_start() with a duration.
  void set_quantum(const sc_core::sc_time& quantum) { quantum_ = quantum.value(); }
  /// Model time in resolution units. Logical processes have their own (ClockDomain::cycle()).
  [[nodiscard]] std::uint64_t now() const { return running_ ? now_ : std::max(now_, kernel_time()); }
  /// sc_time_stamp(), in resolution units.
  [[nodiscard]] std::uint64_t kernel_time() const {
    return running_ ? kernel_ : std::uint64_t{sc_core::sc_time_stamp().value()};
  }
  /// How far model time is ahead of sc_time_stamp(): the delay to annotate on calls to TLM targets outside.
  [[nodiscard]] sc_core::sc_time ahead() const { return sc_core::sc_time::from_value(now() - kernel_time()); }
  /// For tests: a member that has run once runs at every edge from then on, whatever it asks for. Results must not
  /// change.
  void keep_awake() { keep_awake_ = true; }
  /// A call may have scheduled kernel events: look again how far model time may run.
  void kernel_changed() { look_again_ = true; }
  /// After this instant, lets the kernel's time catch up and pauses the simulation (sc_pause()).
  void pause();

 private:
  friend class ClockDomain;
  friend class ClockMember;
  friend class Windows;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  void run();
  void run_instants();
  /// The turns before before_, as far as model time may run.
  void run_domains(std::uint64_t& limit);
  void run_instant(std::uint64_t time);
  [[nodiscard]] std::uint64_t next_time() const;
  /// Time up to which (exclusively) model time may run without returning to the kernel.
  [[nodiscard]] std::uint64_t horizon() const;
  /// A domain wants an edge at `time`.
  void want(std::uint64_t time) {
    others_changed_ = true;
    if (!running_ && time < scheduled_) schedule(time);
  }
  /// The same of a domain of a logical process.
  void want(const LogicalProcess& process, const ClockDomain& domain);
  /// The domain whose turn it is, and the next time of the others, which may be the same.
  struct Next {
    ClockDomain* domain = nullptr;
    std::uint64_t time = kNever;
    std::uint64_t others = kNever;
  };
  [[nodiscard]] Next next() const;
  void schedule(std::uint64_t time);

  std::vector<ClockDomain*> domains_;  ///< by rank
  Windows* windows_ = nullptr;         ///< the logical processes; null: there are none
  Turn before_ = kNoTurn;              ///< the first that waits for them
  std::uint64_t edges_ = 0;            ///< of domains_ that have run
  sc_core::sc_event run_event_{"run_event"};
  std::uint64_t quantum_ = 0;
  std::uint64_t kernel_ = 0;          ///< the kernel's time, which does not change while run() runs
  std::uint64_t now_ = 0;             ///< model time of the instant in progress or last run
  int rank_done_ = -1;                ///< highest rank whose turn in it has come
  std::uint64_t scheduled_ = kNever;  ///< time run() is notified for
  bool running_ = false;
  bool look_again_ = false;
  bool others_changed_ =
      false;  ///< since the domain that runs alone began, another one wants an earlier edge
  bool pause_wanted_ = false;
  bool keep_awake_ = false;
};

inline std::uint64_t ClockDomain::now() const {
  if (firing_) return next_time_;
  return process_ == nullptr ? manager_.now() : now_of_process();
}
inline sc_core::sc_time ClockDomain::ahead() const {
  return sc_core::sc_time::from_value(now() - manager_.kernel_time());
}

inline base::Cycle ClockDomain::cycle() const {
  if (firing_) return last_fired_;
  const std::uint64_t now = this->now();
  return seen_.time <= now && now < after_seen_.time ? seen_.k : find_cycle(now);
}

}  // namespace heddle::sim
