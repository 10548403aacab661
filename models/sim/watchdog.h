// The watchdog: tells a hang from slow progress, early and without false alarms, and says what kind of hang
// it is.
//
// Criterion. The GPU hangs if from some point on
//   (1) every write issued before that point has been performed,
//   (2) no memory value changes, no L1 line is filled, no CTA starts, no lane exits and no barrier is
//   released, and (3) every issue group is blocked by a barrier, or has come back to a loop head with the
//   same PC, the same lanes, the
//       same control-flow state and the same values in all registers that are live there, without having read
//       a clock,
// and (4) the writes issued meanwhile have been performed too, again without changing anything.
// Then every group repeats its loop for ever: what it computes depends only on its registers and on memory,
// and neither changes; timing cannot matter since no value depends on it. A group waiting for memory, or one
// whose registers still change, prevents the alarm, so a kernel that terminates never triggers it. (Loops
// that poll a clock are not diagnosed;
// --max-cycles is for those.)
//
// Cost: the state comparison runs in probe windows only; unsuccessful windows grow, and the pauses
// between them, exponentially.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "sim/clock.h"
#include "sim/lane_mask.h"
#include "sim/progress.h"

namespace heddle::sim {

/// One warp of a hang, in words ready to print.
struct StuckWarp {
  std::string warp;      ///< "core 0, CTA (0,0,0), warp 2"
  std::string lanes;     ///< lanes that are scheduled, as a mask
  std::string activity;  ///< "spin" or "wait at barrier 0 (32 of 64 threads have arrived)"
  std::string place;     ///< file:line (pc) of the loop or barrier
  std::string source;    ///< its PTX line
  struct Waiting {
    std::string lanes;
    std::string how;  ///< "wait to reconverge" or "have not run their side of the branch"
    std::string place;
    std::string source;
  };
  std::vector<Waiting> waiting;  ///< other lanes of the warp that the control-flow mechanism holds back
  bool at_barrier = false;       ///< or at a .sync instruction
  bool at_warp_sync = false;     ///< lanes of the warp, these or others, wait for each other there
};

/// A core, as the watchdog sees it.
class Watched {
 public:
  /// From now on writes belong to a new generation.
  virtual void next_write_generation() = 0;
  /// All writes of earlier generations have been performed.
  [[nodiscard]] virtual bool old_writes_performed() const = 0;
  virtual void start_probe() = 0;
  virtual void stop_probe() = 0;
  /// Every resident issue group is blocked at a barrier or has repeated its state since start_probe().
  [[nodiscard]] virtual bool stuck() const = 0;
  virtual void diagnose(std::vector<StuckWarp>& stuck) const = 0;

 protected:
  ~Watched() = default;
};

/// What the warps are doing, those first whose own lanes hold each other back; one entry of a few lines each.
[[nodiscard]] std::string describe_warps(const std::vector<StuckWarp>& warps);

/// Text of a diagnosis: its first line names the kind of hang.
[[nodiscard]] std::string describe_hang(const std::string& kernel, Cycle cycles,
                                        const std::vector<StuckWarp>& stuck, std::uint64_t ctas_waiting);

class Watchdog : public sc_core::sc_module {
 public:
  struct Settings {
    bool enabled = true;
    Cycle check_cycles = 2048;
  };
  Watchdog(const sc_core::sc_module_name& name, Settings settings, ClockDomain& clock,
           const ProgressMonitor& progress);

  /// All cores; before simulation starts.
  void watch(std::vector<Watched*> cores) { cores_ = std::move(cores); }
  /// Called once per check (progress display).
  std::function<void()> on_check;
  /// Called in the watchdog's process when a hang is certain, or the cycle limit is reached.
  std::function<void()> on_hang;
  std::function<void()> on_cycle_limit;

  /// A launch begins now; `cycle_limit` cycles allowed (0: any number).
  void begin(Cycle cycle_limit);
  void end();

 private:
  enum class State { kQuiet, kDraining, kProbing, kConfirming };
  void check();
  void advance();
  void fall_back(bool widen);
  [[nodiscard]] bool all(bool (Watched::*predicate)() const) const;

  Settings settings_;
  ClockMember clock_;
  const ProgressMonitor& progress_;
  std::vector<Watched*> cores_;
  State state_ = State::kQuiet;
  bool active_ = false;
  Cycle limit_at_ = 0;
  std::uint64_t changes_seen_ = 0;
  std::uint32_t window_ = 0;        ///< checks spent in the present probe
  std::uint32_t window_limit_ = 0;  ///< checks it may take; grows, since a lap of a slow loop may be longer
  std::uint32_t pause_ = 0;         ///< checks to wait before the next probe
  std::uint32_t next_pause_ = 1;
};

}  // namespace heddle::sim
