// AWARE and Multi-Path under timing: contract (core.control_flow.split_unit): their branch unit is one block of the core, which serves one event at a
// time, as many clocks as split_work.h says. This shell is what is around it: for each scheduler a latch with the event that waits, and a list of what
// others ask for.
//
//   event    with the issue of the instruction. The group is held from then on (BlockCause::kUnit). While a scheduler's latch is taken, it issues
//            nothing that may be an event (ControlFlowRequest::busy)
//   list     warps that begin, lanes that a barrier lets go on, entries that are back from memory, in the order in which they came; behind them what the
//            unit does by itself: timers that have fired, spills that memory has taken
//   turns    round robin; events of one warp in the order in which they came
//   answer   in the cycle that the cost says, as the answer to a kTick: until then the groups are where they were
//
// Beside the model, or in its place, stands its RTL (split_unit.h), which sees the same events: it decides who is served, when it is answered,
// and what a split does then. What is counted and shown is the model's, which is served in the RTL's order.
//
// The tables are up to date when the event is served. That is the same to the core, because an event moves no group but the one that asks, those that wait
// at a barrier and those that are new, and nothing else of a warp is served before it is answered. MATCH ([MultiPath] §7.3) moves others, and is not served.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/perturbation.h"
#include "sim/clocked_twin.h"
#include "simt/split_control.h"

namespace heddle::simt {

class ClockedSplits final : public ControlFlow {
 public:
  static constexpr const char* kBlock = "split_unit";  ///< section of core.control_flow
  static constexpr std::uint32_t kMostSchedulers = 8;  ///< bits of ControlFlowRequest::busy
  static constexpr std::uint32_t kEventsPerStall = 4;  ///< with stall_seed, on average
  static constexpr Cycle kIdleEdges = 8;  ///< of RTL: of a longer time without events so many are clocked
  /// Behind the last event so many cycles are clocked in any case: a block that is late is seen to be.
  static constexpr Cycle kSettling = 4;
  static constexpr Cycle kMostToEnd = 1u << 20;  ///< so many cycles do not pass until all is answered

  /// The section, for Mechanism.
  static base::ConfigOption option();
  [[nodiscard]] static bool clocked(const ControlFlowConfig& config) {
    return config.clocked_block(kBlock).clocked();
  }
  /// The mechanism as it is, or clocked if its section says so. Throws InputError if it cannot be. `rtl`: null: the model alone.
  static std::unique_ptr<ControlFlow> make(const MechanismSite& site, std::uint32_t groups_per_warp,
                                           std::unique_ptr<SplitControl> control,
                                           std::unique_ptr<SplitUnit> rtl = nullptr);

  struct Shape {
    std::uint32_t warps = 0;
    std::uint32_t schedulers = 0;  ///< 1 to kMostSchedulers
    std::uint32_t groups_per_warp = 1;
    std::uint32_t stall_seed = 0;
  };
  /// `control`: one that counts its work.
  ClockedSplits(const Shape& shape, std::unique_ptr<SplitControl> control, const std::string& path,
                std::unique_ptr<SplitUnit> rtl = nullptr, bool both = false);

  [[nodiscard]] const char* name() const override { return control_->name(); }
  void inspect(ControlFlowRequest& request) const override { control_->inspect(request); }
  void register_stats(base::StatGroup& stats) override;

 protected:
  void handle(ControlFlowRequest& request) override;

 private:
  struct Event {
    ControlFlowRequest request;
    std::vector<Pc> targets;  ///< of its lanes, if they differ
    std::optional<TableEntryTransfer> filled;
    std::uint64_t ticket = 0;  ///< of the events of its warp
    bool by_group = false;
    SplitEvent pins;  ///< with RTL
  };
  struct Told {
    Cycle cycle = 0;
    WarpId warp{};
    std::vector<GroupUpdate> updates;
  };
  struct Warp {
    std::uint64_t posted = 0, served = 0;  ///< events
    std::uint64_t silent = 0;  ///< of these, those up to the end of a warp: nobody waits for their answers
    LaneMask live;             ///< launched, and not exited
    Cycle answered = 0;        ///< from then on its next event may be served
    std::vector<GroupUpdate> updates;  ///< of the event that the RTL has not answered
    SplitId front = kNoSplit;          ///< by the RTL's last answer
  };
  struct Group {
    bool known = false;  ///< to the core
    LaneMask mask;       ///< as the core knows it
    Hold hold = Hold::kNothing;
    bool asks = false;  ///< its event has not been served
  };
  using Latch = std::deque<Event>;

  void post(ControlFlowRequest& request);
  void hold(const Event& event);
  /// All its lanes have ended: its groups are gone, whatever of its events has not been answered.
  void end_warp(WarpId id);
  void tell(ControlFlowRequest& request);
  void clock_up_to(Cycle now);
  void end_launch(Cycle now);
  void edge();
  /// Whose turn it is of those that may be served, `events`; the list's also if it has none, and the unit has something to do by itself.
  [[nodiscard]] std::optional<std::uint32_t> turn(const std::vector<Latch::iterator>& events) const;
  /// Something has been asked of the RTL, and not been answered.
  [[nodiscard]] bool awaits() const { return twin_ && twin_->outstanding() != 0; }
  /// What the RTL says in the present cycle.
  void hear();
  /// The requester's event that may be served; end(): none.
  [[nodiscard]] Latch::iterator next_of(std::uint32_t requester);
  void serve(Event& event);
  /// What has changed by the event, as the core is to hear of it.
  [[nodiscard]] std::vector<GroupUpdate> changes(const Event& event);
  [[nodiscard]] Group& group(GroupId id) { return groups_.at(id.value()); }

  std::unique_ptr<SplitControl> control_;
  std::optional<SplitTwin> twin_;
  std::string path_;
  base::Perturbation stalls_;
  std::uint32_t groups_per_warp_;
  std::vector<Latch> latches_;  ///< by requester; the last one is the list
  std::vector<Warp> warps_;
  std::vector<Group> groups_;
  std::deque<Told> told_;      ///< answers that the core has not heard of, by cycle
  std::uint32_t waiting_ = 0;  ///< events that have not been served
  std::uint32_t last_ = 0;     ///< who was served last
  Cycle cycle_ = 0;
  Cycle free_ = 0;          ///< from then on the next event may be served,
  Cycle answered_ = 0;      ///< and from then on what the unit does by itself
  Cycle settled_ = 0;       ///< until then each cycle of RTL is clocked
  bool failed_ = false;     ///< an event has thrown
  Cycle own_due_ = kNever;  ///< of what the unit does by itself
  std::uint64_t events_ = 0;
  std::uint64_t wait_cycles_ = 0;
  std::uint64_t busy_cycles_ = 0;
};

}  // namespace heddle::simt
