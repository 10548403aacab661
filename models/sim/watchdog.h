// The watchdog: tells a hang from slow progress by proof, early and without false alarms.
//
// It looks at the GPU in windows. A window begins when all writes issued before it have been performed; it is
// void if a CTA starts or a lane exits in it. In it, lanes are seen at the heads of loops. At its end visits
// are frozen, and when the writes issued until then have been performed, and no lane has issued since that
// was not seen, one of two arguments may show that nobody will ever go further:
//
// (R) Repetition. In the window no memory value changed, no L1 line was filled and no barrier was released.
//     Every group that is not blocked has come back to a loop head with the same PC, the same lanes, the same
//     control-flow state and the same values in all registers that are live there, without reading a clock;
//     no time-out of a reconvergence point is running. Then every group repeats its loop for ever: what it
//     computes depends only on its registers and on memory, and neither changes. Timing cannot matter, since
//     no value depends on it.
//
// (E) Exploration (hang/README.md). All that a lane may do is followed, from the registers it had at its
//     visit (has now, if it was not seen). Memory words have any of the values they had in the window or that
//     explored lanes may write; a clock, a vote or a shuffle gives any value; a register that keeps growing
//     has any value; both sides of a branch are followed whose condition is not certain. Held-back lanes and
//     lanes at barriers join in as soon as somebody may let them go; a barrier that opened in the window
//     stops nobody. If no explored lane can end or fault, none ever will: the set of states found is closed
//     under everything the machine can do, in any order and at any speed. Values that only feed themselves (a
//     counter of attempts) and the length of a delay do not matter here.
//
// The exceptions are two kinds of starvation (hang/README.md), which are timed, not proven. One is looked for here, when (E)
// could not tell although memory keeps changing:
//
// (S) Starvation by selection. For half a million cycles no lane ended and no CTA started, no word of memory had a value
//     that it had not had before, every group that runs came back to a loop head in a state that it had been in, without
//     reading a clock, and lanes that could run were passed over by the control-flow mechanism, which need never choose
//     them. Windows go on meanwhile: when the last of the lanes has been passed over for long, (E) may tell after all.
//
// A group that waits for memory, or one whose loop may end, prevents the alarm, so a kernel that terminates
// never triggers it.
//
// A diagnosis is of use when it shows where lanes hang. So a window waits until all of them have come to loops; but the
// longer ones do not: where many warps spin, the last one may have its turn less often than any window is long.
//
// Cost: the state comparison, the log of memory values and the exploration run in windows only; unsuccessful
// windows grow, and the pauses between them, exponentially. Explorations have an allowance of instructions, which doubles
// when it was too small, and one waits until the launch has issued as many warp instructions as earlier ones have followed
// (platforms/gpu/hang_doctor.h).
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>
#include <vector>

#include "sim/clock.h"
#include "sim/progress.h"

namespace heddle::sim {

/// What keeps a hang from being certain while something of its own is under way: cores, units, mechanisms of the GPU.
class HangVeto {
 public:
  /// From now on writes belong to a new generation.
  virtual void next_write_generation() {}
  /// All writes of earlier generations have been performed.
  [[nodiscard]] virtual bool old_writes_performed() const { return true; }
  /// The old writes are performed, and lanes are looked at from now on.
  virtual void begin_window() {}
  /// Nothing but what has repeated itself since the window began: it will go on repeating itself.
  [[nodiscard]] virtual bool repeated() const = 0;
  /// Nothing is on its way but memory accesses, and what has been done since LaneProbe::freeze_probe() follows from what
  /// was seen before.
  [[nodiscard]] virtual bool settled() const = 0;

 protected:
  ~HangVeto() = default;
};

/// What looks at the lanes of a core in a window.
class LaneProbe {
 public:
  virtual void start_probe() = 0;
  virtual void stop_probe() = 0;
  /// What is remembered of the probe stays as it is.
  virtual void freeze_probe() = 0;
  /// Every lane that runs has come to a loop, but for those that others may keep from ever getting there.
  [[nodiscard]] virtual bool all_in_loops() const = 0;
  /// Lanes could run that a control-flow mechanism has not chosen for long, nor need it ever.
  [[nodiscard]] virtual bool passes_over() const = 0;

 protected:
  ~LaneProbe() = default;
};

class Watchdog : public sc_core::sc_module {
 public:
  struct Settings {
    bool enabled = true;
    base::Cycle check_cycles = 2048;
  };
  Watchdog(const sc_core::sc_module_name& name, Settings settings, ClockDomain& clock,
           ProgressMonitor& progress);

  /// Before simulation starts. `probes`: of all cores.
  void watch(std::vector<HangVeto*> vetoes, std::vector<LaneProbe*> probes) {
    vetoes_ = std::move(vetoes);
    probes_ = std::move(probes);
  }
  /// Called once per check (progress display).
  std::function<void()> on_check;
  /// Called in the watchdog's process when a hang is certain, or the cycle limit is reached.
  std::function<void()> on_hang;
  /// The same when a hang is only timed: (S).
  std::function<void()> on_passed_over;
  std::function<void()> on_cycle_limit;
  /// Called at the end of a window. `unchanged`: no memory value
  /// changed in it, so groups that repeated their state will go on repeating it. True: nobody will ever end.
  std::function<bool(bool unchanged)> on_prove;

  /// What cores and memory do is recorded.
  [[nodiscard]] bool looks() const { return state_ != State::kQuiet || timing_; }
  /// A launch begins now; `cycle_limit` cycles allowed (0: any number).
  void begin(base::Cycle cycle_limit);
  void end();

 private:
  enum class State { kQuiet, kDraining, kProbing, kConfirming };
  void check();
  void advance();
  void begin_window(bool busy);
  void end_window();
  void fall_back(bool widen);
  void probe();
  void confirm();
  void begin_timing();
  /// (S) holds at this moment.
  [[nodiscard]] bool starves() const;
  [[nodiscard]] bool passes_over() const;
  void start_window();
  [[nodiscard]] bool all(bool (HangVeto::*predicate)() const) const;
  [[nodiscard]] bool all_in_loops() const;

  Settings settings_;
  ClockMember clock_;
  ProgressMonitor& progress_;
  std::vector<HangVeto*> vetoes_;
  std::vector<LaneProbe*> probes_;
  State state_ = State::kQuiet;
  bool active_ = false;
  base::Cycle limit_at_ = 0;
  std::uint64_t changes_seen_ = 0;
  std::uint32_t window_ = 0;        ///< checks spent in the present probe
  std::uint32_t window_limit_ = 0;  ///< checks it may take; grows, since a lap of a slow loop may be longer
  std::uint32_t pause_ = 0;         ///< checks to wait before the next probe
  std::uint32_t next_pause_ = 1;
  std::uint64_t advances_seen_ = 0;
  std::uint32_t busy_checks_ = 0;  ///< checks since a lane exited or a CTA started
  std::uint32_t busy_pause_ = 0;   ///< of these, how many before a window in which memory changes
  bool busy_ = false;              ///< the window may go on although memory changes
  bool changed_ = false;           ///< something has changed in the window
  bool timing_ = false;            ///< nothing has been new since timed_from_
  base::Cycle timed_from_ = 0;
  bool starves_ = false;  ///< what the window found at its end
};

}  // namespace heddle::sim
