// What AWARE ([AWARE]) and Multi-Path ([MultiPath]) have in common: the events of a warp on its splits
// table (ST) and reconvergence table (RT). They differ in which splits run, which is what the derived classes
// add.
//
// Its parts: DivergenceTables the tables behind their sockets; TableSteps what an event does to them, entry by entry;
// SplitInspector what is shown. The control turns events into steps.
#pragma once

#include <memory>
#include <vector>

#include "simt/divergence_tables.h"
#include "simt/mechanism.h"
#include "simt/split_inspector.h"
#include "simt/split_sides.h"
#include "simt/split_unit.h"
#include "simt/table_steps.h"

namespace heddle::simt {

/// Mechanism::timed, as far as time-outs go.
[[nodiscard]] inline std::string timed_by(const TimeoutConfig& timeout) {
  return timeout.cycles == 0 ? "" : "lanes give up waiting for others after a time (timeout.cycles)";
}

/// The section `timeout`, for Mechanism.
[[nodiscard]] base::ConfigOption timeout_option();

class SplitControl : public ControlFlow, protected EntryKeeper, protected SplitView {
 public:
  /// Within the constructor of the module that becomes the tables' parent.
  SplitControl(const MechanismSite& site, const DivergenceTables::Config& tables);

  /// What the tables have done since its begin(); null: it is not counted (timing: ideal).
  [[nodiscard]] SplitWork* work() const { return work_.get(); }
  /// The last kTick found nothing to do.
  [[nodiscard]] bool idle_tick() const { return idle_tick_; }
  /// What the lanes of a transfer say by themselves, before it is served: `diverged`, `call_depth`.
  void foresee(ControlFlowRequest& request) const;
  /// The event as rtl/split_unit sees it, before it is served.
  [[nodiscard]] SplitEvent event_of(const ControlFlowRequest& request) const;
  /// The warp as rtl/split_unit would answer, and have it. Of mechanisms that it is a twin of.
  [[nodiscard]] virtual SplitAnswer answer_of(WarpId warp) const;
  [[nodiscard]] virtual SplitContents contents_of(WarpId warp) const;

  void inspect(ControlFlowRequest& request) const override { inspector_.answer(request, events_); }
  void register_stats(base::StatGroup& stats) override;

 protected:
  void handle(ControlFlowRequest& request) final;

  // ---- What the derived class adds, besides EntryKeeper and SplitView. A split is inserted, goes on any number of times, and is
  // removed.

  /// The warp starts or ends: it has no splits.
  virtual void reset(WarpId warp) = 0;
  /// The split that `request.group` is.
  [[nodiscard]] virtual SplitId split_of(const ControlFlowRequest& request) const = 0;
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
  /// Does what had to wait until `cycle` for some warp, and names it. False: there is nothing.
  virtual bool retry(Cycle cycle, WarpId& warp) = 0;
  /// When retry() is wanted.
  [[nodiscard]] virtual Cycle retry_due() const = 0;

  // ---- What the derived class uses

  [[nodiscard]] DivergenceTables& tables() { return tables_; }
  [[nodiscard]] const DivergenceTables& tables() const { return tables_; }
  [[nodiscard]] TableSteps& steps() { return steps_; }
  [[nodiscard]] const TableSteps& steps() const { return steps_; }
  void remove(WarpId warp, SplitId id);
  /// The split, which is at its RPC, leaves the ST and arrives there.
  void finish(WarpId warp, SplitId id);

 private:
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
  /// `split` ends. Its lanes go on as `all` in `frame` and meet at `point`, an entry or (index
  /// kNoReconvergence) a new one; lanes `direct`, and sides that are at `point`, are there already.
  void diverge(WarpId warp, SplitId id, const Split& split, const Sides& all, std::uint32_t frame,
               MeetingPoint point, LaneMask direct);
  /// Where the sides of a branch of `split` meet; without an entry, see diverge().
  [[nodiscard]] static MeetingPoint meeting_point(const Split& split, Pc rpc);

  std::unique_ptr<SplitWork> work_;
  DivergenceTables tables_;
  TableSteps steps_;
  SplitInspector inspector_;
  FirstSide first_side_;
  std::vector<LaneMask> live_;  ///< by warp: lanes that have not ended
  bool idle_tick_ = false;
  std::uint64_t events_ = 0;
  std::uint64_t branches_ = 0;
  std::uint64_t divergences_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace heddle::simt
