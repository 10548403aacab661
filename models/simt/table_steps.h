// What an event does to the tables of a warp, as a list of steps: lanes arrive at an entry, a split is inserted ...
//
// With all entries physical the list is done within the event. With spilled entries a step may have to wait for a fill or
// for a free spill buffer; the rest of the list waits with it, and the warp issues nothing meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/stats.h"
#include "simt/divergence_tables.h"
#include "simt/split.h"

namespace heddle::simt {

/// Where the entries of the tables are, and which splits there are: what the steps ask the mechanism for. False: not now, and
/// nothing has happened.
class EntryKeeper {
 public:
  /// `split` becomes an entry of the ST.
  virtual bool insert(WarpId warp, const Split& split) = 0;
  /// Entry `id` of the RT is physical. False: it has been sent for.
  virtual bool have(WarpId warp, ReconvergenceId id) = 0;
  /// The new entry `id` of the RT gets a physical entry with the contents `record`.
  virtual bool admit(WarpId warp, ReconvergenceId id, const std::array<std::uint32_t, 4>& record) = 0;

 protected:
  ~EntryKeeper() = default;
};

class TableSteps {
 public:
  /// `timed`: lanes may give up waiting. Tables and keeper outlive the object.
  TableSteps(std::uint32_t warps, DivergenceTables& tables, EntryKeeper& keeper, bool timed)
      : tables_(tables), keeper_(keeper), timed_(timed), steps_(warps) {}
  void declare(base::StatGroup& stats);

  /// Steps of the warp have to wait.
  [[nodiscard]] bool waiting(WarpId warp) const { return !steps_[warp.value()].empty(); }
  /// Does steps until the list is empty or has to wait.
  void drain(WarpId warp);
  /// Forgets the steps of the warp.
  void clear(WarpId warp) { steps_[warp.value()].clear(); }

  // ---- Steps to be done before all that wait: what is added last is done first.

  /// `split` arrives at its RPC if it is there already, or becomes an entry of the ST. `clocks`: of the branch unit's, under
  /// timing: contract (split_work.h).
  void place(WarpId warp, const Split& split, std::uint32_t clocks = 1) {
    push(warp, {.kind = Step::Kind::kPlace, .split = split, .clocks = clocks});
  }
  /// `lanes` arrive at `at`, having come to `pc` (of the frame that `at` is in).
  void arrive(WarpId warp, ReconvergenceId at, LaneMask lanes, Pc pc = kNoPc, std::uint32_t clocks = 1) {
    push(warp, {.kind = Step::Kind::kArrive, .at = at, .lanes = lanes, .pc = pc, .clocks = clocks});
  }
  /// `lanes` leave `at` and all its parents: their threads have ended.
  void leave(WarpId warp, ReconvergenceId at, LaneMask lanes) {
    push(warp, {.kind = Step::Kind::kLeave, .at = at, .lanes = lanes});
  }
  /// `lanes` return from `frame` to `pc`, leaving `at` and its parents within that frame.
  void come_back(WarpId warp, ReconvergenceId at, LaneMask lanes, Pc pc, std::uint32_t frame) {
    push(warp, {.kind = Step::Kind::kReturn, .at = at, .lanes = lanes, .pc = pc, .frame = frame});
  }
  /// A new entry becomes physical, if it is not.
  void admit(WarpId warp, const DivergenceTables::Allocated& entry) {
    if (entry.id != kNoReconvergence && !entry.physical)
      push(warp, {.kind = Step::Kind::kAdmit, .at = entry.id, .record = entry.record});
  }
  /// The timer of `at` has fired. Done behind what waits.
  void go_alone(WarpId warp, ReconvergenceId at);

  /// At once: a split that went another way than the one it was to catch up with (OREC).
  void leave_early_point(WarpId warp, Split& split);

 private:
  struct Step {
    enum class Kind : std::uint8_t { kPlace, kArrive, kLeave, kReturn, kAdmit, kGoAlone };
    Kind kind = Kind::kPlace;
    ReconvergenceId at = kNoReconvergence;
    LaneMask lanes{};
    Pc pc = kNoPc;
    std::uint32_t frame = 0;
    Split split{};
    std::array<std::uint32_t, 4> record{};
    std::uint32_t clocks = 1;
  };
  void push(WarpId warp, const Step& step) { steps_[warp.value()].push_back(step); }

  // False: not now, and nothing has happened.
  bool take(WarpId warp, const Step& step);
  bool take_place(WarpId warp, const Split& split);
  bool take_arrive(WarpId warp, const Step& step);
  bool take_leave(WarpId warp, const Step& step);
  bool take_return(WarpId warp, const Step& step);
  bool take_go_alone(WarpId warp, const Step& step);
  /// The entry after its lanes have arrived or left: goes on if none is missing, ends if none is expected.
  void settle(WarpId warp, ReconvergenceId id, const Reconvergence& entry);

  DivergenceTables& tables_;
  EntryKeeper& keeper_;
  bool timed_;
  std::vector<std::vector<Step>> steps_;  ///< by warp: what waits, the next one last
  std::uint64_t reconvergences_ = 0;
  std::uint64_t timeouts_ = 0;
};

}  // namespace heddle::simt
