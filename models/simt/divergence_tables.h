// The splits table (ST) and the reconvergence table (RT) of a core's warps behind their sockets, as AWARE ([AWARE]) and
// Multi-Path ([MultiPath]) use them: reads and writes of entries, and how many of each a warp has. Cycles are core cycles.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/config_options.h"
#include "base/stats.h"
#include "sim/block_socket.h"
#include "simt/mechanism.h"
#include "simt/reconvergence_table.h"
#include "simt/split_table.h"
#include "simt/split_work.h"
#include "simt/table_time.h"

namespace heddle::simt {

class DivergenceTables {
 public:
  struct Config {
    std::uint32_t splits = kTableEntries;  ///< physical entries per warp
    ReconvergenceTableConfig reconvergence;
  };
  /// The blocks of both tables, and of the branch unit that has them, for Mechanism.
  static std::vector<base::ConfigOption> blocks();
  /// Within the constructor of the module that becomes the tables' parent.
  /// `work`: of the events; outlives the object, null: nobody counts it.
  DivergenceTables(const MechanismSite& site, const Config& config, SplitWork* work);
  void declare(base::StatGroup& stats);

  [[nodiscard]] SplitWork* work() const { return work_; }
  /// What is asked from now on is asked in that cycle: timers run from it.
  void set_now(Cycle cycle) { now_ = cycle; }
  [[nodiscard]] Cycle now() const { return now_; }
  /// The warp has no splits and no points.
  void reset(WarpId warp);

  // ---- Splits

  [[nodiscard]] Split read(WarpId warp, SplitId id);
  /// For the core's books only: no request of the hardware. Of a spilled split: as it was when it left.
  [[nodiscard]] Split peek(WarpId warp, SplitId id) const;
  void write(WarpId warp, SplitId id, const Split& split);
  /// A new entry of the ST; `physical`: its contents are there.
  SplitId insert(WarpId warp, const Split& split, bool& physical);
  void free(WarpId warp, SplitId id);

  // ---- Reconvergence points. They are physical, but where it says otherwise.

  struct Allocated {
    ReconvergenceId id = kNoReconvergence;  ///< kNoReconvergence: all 32 numbers are in use
    bool physical = false;
    /// Not physical: its contents, which the RT has no room for until they are admitted.
    std::array<std::uint32_t, 4> record{};
  };
  /// A new entry of the RT.
  Allocated allocate(WarpId warp, const Reconvergence& entry);
  [[nodiscard]] Reconvergence read(WarpId warp, ReconvergenceId id);
  /// Of a spilled one: as it was when it left. No request of the hardware.
  [[nodiscard]] Reconvergence peek(WarpId warp, ReconvergenceId id) const;
  void write(WarpId warp, ReconvergenceId id, const Reconvergence& entry);
  /// `lanes` arrive, at `pc` where that was not known. The entry as it is then.
  Reconvergence arrive(WarpId warp, ReconvergenceId id, LaneMask lanes, Pc pc);
  /// `lanes` are not expected any more. The entry as it is then.
  Reconvergence leave(WarpId warp, ReconvergenceId id, LaneMask lanes);
  /// Those that have arrived are not expected any more. The entry as it was before.
  Reconvergence go_alone(WarpId warp, ReconvergenceId id);
  void free(WarpId warp, ReconvergenceId id);

  /// When the next timer of any warp fires.
  [[nodiscard]] Cycle timers_due() const { return timers_due_; }
  /// A timer that has fired by now, which stops; false: there is none.
  bool take_fired(WarpId& warp, ReconvergenceId& id);
  /// The timer fired and nothing has changed at the entry since. It may be spilled.
  [[nodiscard]] bool has_fired(WarpId warp, ReconvergenceId id);

  // ---- Other requests: entries that come and go ([AWARE] §5.5.2), splits that match ([MultiPath] §7.3)

  SplitTableRequest& call(SplitTableRequest& request) {
    split_table_isock_.call(request);
    split_time_.asked(request.clocks);
    return request;
  }
  ReconvergenceTableRequest& call(ReconvergenceTableRequest& request) {
    reconvergence_table_isock_.call(request);
    timers_due_ = request.due;
    point_time_.asked(request.clocks);
    return request;
  }

  // ---- Looks at all entries of a warp, physical or not

  /// fn(SplitId, const Split&), by number.
  template <class Fn>
  void for_each_split(WarpId warp, Fn&& fn) const {
    for (unsigned i = 0; i < kTableEntries; ++i) {
      SplitTableRequest request{.op = SplitTableRequest::Op::kRead, .warp = warp};
      request.id = SplitId{static_cast<std::uint8_t>(i)};
      split_table_isock_.inspect(request);
      if (request.valid) fn(request.id, request.split);
    }
  }
  /// fn(ReconvergenceId, const Reconvergence&, bool physical), by number.
  template <class Fn>
  void for_each_point(WarpId warp, Fn&& fn) const {
    for (unsigned i = 0; i < kTableEntries; ++i) {
      ReconvergenceTableRequest request{.op = ReconvergenceTableRequest::Op::kRead, .warp = warp};
      request.id = ReconvergenceId{static_cast<std::uint8_t>(i)};
      reconvergence_table_isock_.inspect(request);
      if (request.valid) fn(request.id, request.entry, request.ok);
    }
  }

 private:
  SplitTable split_table_;
  ReconvergenceTable reconvergence_table_;
  mutable sim::BlockInitiator<SplitTableProtocol> split_table_isock_{"split_table_isock"};
  mutable sim::BlockInitiator<ReconvergenceTableProtocol> reconvergence_table_isock_{
      "reconvergence_table_isock"};

  SplitWork* work_;
  TableTime split_time_, point_time_;
  Cycle now_ = 0;
  Cycle timers_due_ = kNever;
  struct Used {
    std::uint32_t splits = 0;
    std::uint32_t points = 0;
  };
  std::vector<Used> used_;  ///< by warp: valid entries
  std::uint64_t no_entry_ = 0;
  std::uint64_t max_splits_ = 0;
  std::uint64_t max_points_ = 0;
};

}  // namespace heddle::simt
