// What AWARE ([AWARE]) and Multi-Path ([MultiPath]) have in common: the events of a warp on its splits
// table (ST) and reconvergence table (RT). They differ in which splits run, which is what the derived classes
// add.
//
// An event becomes a list of steps on the tables (lanes arrive at an entry, a split is inserted ...). With
// all entries physical the list is done within the event. With spilled entries a step may have to wait for a
// fill or for a free spill buffer; the rest of the list waits with it, and the warp issues nothing meanwhile.
#pragma once

#include <vector>

#include "simt/mechanism.h"
#include "simt/reconvergence_table.h"
#include "simt/split_sides.h"
#include "simt/split_table.h"

namespace heddle::simt {

/// Mechanism::timed, as far as time-outs go.
[[nodiscard]] inline std::string timed_by(const TimeoutConfig& timeout) {
  return timeout.cycles == 0 ? "" : "lanes give up waiting for others after a time (timeout.cycles)";
}

class SplitControl : public ControlFlow {
 public:
  /// The section `timeout` and the blocks of both tables, for Mechanism.
  static base::ConfigOption timeout_option();
  static std::vector<base::ConfigOption> table_blocks();

  struct TableConfig {
    std::uint32_t splits = kTableEntries;  ///< physical entries per warp
    ReconvergenceTableConfig reconvergence;
  };
  /// Within the constructor of the module that becomes the tables' parent.
  SplitControl(const MechanismSite& site, const TableConfig& tables);

  void inspect(ControlFlowRequest& request) const override;
  [[nodiscard]] bool runs_lanes_apart() const override { return true; }
  void register_stats(base::StatGroup& stats) override;

 protected:
  void handle(ControlFlowRequest& request) final;

  // ---- What the derived class adds. A split is inserted, goes on any number of times, and is removed.

  /// The warp starts or ends: it has no splits.
  virtual void reset(WarpId warp) = 0;
  /// The split that `request.group` is.
  [[nodiscard]] virtual SplitId split_of(const ControlFlowRequest& request) const = 0;
  /// `split` becomes entry of the ST. False: not now; nothing has happened.
  virtual bool insert(WarpId warp, const Split& split) = 0;
  virtual void removed(WarpId warp, SplitId id) = 0;
  /// The running split `id` goes on as `split`; `taken`: some of its lanes took a branch.
  virtual void goes_on(WarpId warp, SplitId id, Split split, bool taken) = 0;
  /// The running split waits at a barrier with `lanes`, to go on where its entry says.
  virtual void block(WarpId warp, SplitId id, LaneMask lanes) = 0;
  /// `lanes` of the warp wait at a barrier no longer.
  virtual void unblock(WarpId warp, LaneMask lanes) = 0;
  /// The warp's tables are up to date, but for steps that wait: decides what runs, and answers. May finish()
  /// splits.
  virtual void schedule(ControlFlowRequest& request) = 0;
  /// Entry `id` of the RT is physical. False: not now, it has been sent for.
  virtual bool have(WarpId warp, ReconvergenceId id) = 0;
  /// The new entry `id` of the RT gets a physical entry with the contents `record`. False: not now.
  virtual bool admit(WarpId warp, ReconvergenceId id, const std::array<std::uint32_t, 4>& record) = 0;
  /// Does what had to wait until `cycle` for some warp, and names it. False: there is nothing.
  virtual bool retry(Cycle cycle, WarpId& warp) = 0;
  /// When retry() is wanted.
  [[nodiscard]] virtual Cycle retry_due() const = 0;
  /// Flags of a split in the tables that inspect() shows, what kind of group it is in.
  struct SplitState {
    bool runs = false;     ///< it is in a group
    bool turn = true;      ///< it runs or will, without that another one has to end before
    bool blocked = false;  ///< at a barrier
    bool started = false;  ///< it has run since it was inserted
    bool spilled = false;
    bool transient = false;
  };
  [[nodiscard]] virtual SplitState state_of(WarpId warp, SplitId id) const = 0;
  /// Adds to the warp's tables what only this mechanism has.
  virtual void show(WarpId warp, nlohmann::ordered_json& table) const = 0;

  // ---- What the derived class uses

  [[nodiscard]] Split read(WarpId warp, SplitId id);
  /// For the core's books only: no request of the hardware. Of a spilled split: as it was when it left.
  [[nodiscard]] Split peek(WarpId warp, SplitId id) const;
  void write(WarpId warp, SplitId id, const Split& split);
  void remove(WarpId warp, SplitId id);
  /// The split, which is at its RPC, leaves the ST and arrives there.
  void finish(WarpId warp, SplitId id);
  /// A new entry of the ST; `physical`: its contents are there.
  SplitId add(WarpId warp, const Split& split, bool& physical);
  struct Allocated {
    ReconvergenceId id = kNoReconvergence;  ///< kNoReconvergence: all 32 numbers are in use
    bool physical = false;
    /// Not physical: its contents, which the RT has no room for until they are admitted.
    std::array<std::uint32_t, 4> record{};
  };
  /// A new entry of the RT.
  Allocated allocate(WarpId warp, const Reconvergence& entry);
  /// Does steps until the list is empty or has to wait.
  void drain(WarpId warp);
  [[nodiscard]] bool waiting(WarpId warp) const { return !steps_[warp.value()].empty(); }
  [[nodiscard]] Cycle now() const { return cycle_; }
  SplitTableRequest& call(SplitTableRequest& request) {
    split_table_isock_.call(request);
    return request;
  }
  ReconvergenceTableRequest& call(ReconvergenceTableRequest& request) {
    reconvergence_table_isock_.call(request);
    timers_due_ = request.due;
    return request;
  }

 private:
  struct Step {
    enum class Kind : std::uint8_t {
      kPlace,   ///< `split` arrives at its RPC if it is there already, or becomes an entry of the ST
      kArrive,  ///< `lanes` arrive at `at`, having come to `pc` (of the frame that `at` is in)
      kLeave,   ///< `lanes` leave `at` and all its parents: their threads have ended
      kReturn,  ///< `lanes` return from `frame` to `pc`, leaving `at` and its parents within that frame
      kAdmit,   ///< the new entry `at` becomes physical, with the contents `record`
      kGoAlone  ///< the timer of `at` has fired
    };
    Kind kind = Kind::kPlace;
    ReconvergenceId at = kNoReconvergence;
    LaneMask lanes{};
    Pc pc = kNoPc;
    std::uint32_t frame = 0;
    Split split{};
    std::array<std::uint32_t, 4> record{};
  };

  /// The warp has no splits and no points.
  void clear(WarpId warp);

  // Events
  void launch(ControlFlowRequest& request) final;
  void advance(ControlFlowRequest& request) final;
  void transfer(ControlFlowRequest& request) final;
  void exit(ControlFlowRequest& request) final;
  void barrier_arrive(ControlFlowRequest& request) final;
  void barrier_release(ControlFlowRequest& request) final { unblock(request.warp, request.mask); }
  void tick(ControlFlowRequest& request) final;
  void branch(ControlFlowRequest& request);
  void enter_function(ControlFlowRequest& request);
  void leave_function(const ControlFlowRequest& request);

  /// The running split goes on at `pc`, or arrives there.
  void go_on(WarpId warp, SplitId id, const Split& split, Pc pc, bool taken);
  /// The sides of a branch at which `split` ends, in the order in which they are to run.
  [[nodiscard]] Sides branch_sides(const ControlFlowRequest& request, const Split& split) const;
  /// `split` ends. Its lanes go on as `sides` in `frame` and meet at `point`, an entry or (index
  /// kNoReconvergence) a new one; lanes `direct` are there already.
  void diverge(WarpId warp, SplitId id, const Split& split, const Sides& sides, std::uint32_t frame,
               MeetingPoint point, LaneMask direct);
  /// Where the sides of a branch of `split` meet; without an entry, see diverge().
  [[nodiscard]] static MeetingPoint meeting_point(const Split& split, Pc rpc);
  /// A split that went another way than the one it was to catch up with (OREC).
  void leave_early_point(WarpId warp, Split& split);

  // Steps; false: not now, and nothing has happened
  bool take(WarpId warp, const Step& step);
  bool place(WarpId warp, const Split& split);
  bool arrive(WarpId warp, const Step& step);
  bool leave(WarpId warp, const Step& step);
  bool step_return(WarpId warp, const Step& step);
  bool go_alone(WarpId warp, const Step& step);

  [[nodiscard]] Reconvergence read(WarpId warp, ReconvergenceId id);
  /// The entry after its lanes have arrived or left: goes on if none is missing, ends if none is expected.
  void settle(WarpId warp, ReconvergenceId id, const Reconvergence& entry);
  /// Done before all steps that wait.
  void push(WarpId warp, const Step& step) { steps_[warp.value()].push_back(step); }
  void push_place(WarpId warp, const Split& split);
  void push_admit(WarpId warp, const Allocated& allocated);
  void push_arrive(WarpId warp, ReconvergenceId at, LaneMask lanes, Pc pc);

  void inspect_digest(ControlFlowRequest& request) const;
  void inspect_lanes(ControlFlowRequest& request) const;
  void inspect_tables(ControlFlowRequest& request) const;
  template <class Fn>
  void for_each_split(WarpId warp, Fn&& fn) const;
  template <class Fn>
  void for_each_reconvergence(WarpId warp, Fn&& fn) const;

  SplitTable split_table_;
  ReconvergenceTable reconvergence_table_;
  mutable sim::BlockInitiator<SplitTableProtocol> split_table_isock_{"split_table_isock"};
  mutable sim::BlockInitiator<ReconvergenceTableProtocol> reconvergence_table_isock_{
      "reconvergence_table_isock"};

  FirstSide first_side_;
  bool timed_;
  std::vector<std::vector<Step>> steps_;  ///< by warp: what waits, the next one last
  std::vector<LaneMask> live_;            ///< by warp: lanes that have not ended
  Cycle cycle_ = 0;
  Cycle timers_due_ = kNever;
  std::uint64_t events_ = 0;

  std::uint64_t branches_ = 0;
  std::uint64_t divergences_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t reconvergences_ = 0;
  std::uint64_t timeouts_ = 0;
  std::uint64_t no_entry_ = 0;
  std::vector<std::uint32_t> splits_of_;   ///< by warp: valid entries of the ST
  std::vector<std::uint32_t> entries_of_;  ///< by warp: valid entries of the RT
  std::uint64_t max_splits_ = 0;
  std::uint64_t max_entries_ = 0;
};

}  // namespace heddle::simt
