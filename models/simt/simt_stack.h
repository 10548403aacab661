// The SIMT stack (PDOM): [ElTantawy18] §3.1, [Fung15] §2.3.3, [GPUDet] §2.1.1.
//
// Per warp a stack of {PC, RPC, active mask}; only the top runs. A divergent branch turns the top into the
// reconvergence entry (PC := RPC; dropped if its own RPC is the same one, so that loops do not grow the
// stack) and pushes the sides whose PC is not the RPC, the one that runs first last. The top is popped when
// its next PC equals its RPC. Two properties make it hang on spin locks between lanes of a warp: the other
// side waits until the top is popped, and the top waits at its RPC for the other side
// ([SSDE] §3.1).
//
// Thread exit (not described by the theses): exiting lanes leave every entry; empty entries are dropped.
//
// Likely-convergence points ([TBC] §3.4, Fig 3.8): if a divergent branch has one, an entry at that point is pushed below
// its sides. A side that comes there puts its lanes into that entry and is popped; the entry runs them on to the RPC
// together. A branch with the same pair of points as the entry around it shares that entry's ([TBC:A3]).
//
// Calls (not described either): an entry belongs to a call frame. A call turns the top into the entry at
// which its lanes meet again, PC := the instruction behind the call, and pushes the functions it goes to, one
// entry per target, of a frame one deeper. Lanes that return leave the entries of that frame only; when it
// has none left, the caller's entry is the top again. Within a frame an RPC of "none" means: when the
// function returns.
#pragma once

#include <vector>

#include "simt/mechanism.h"
#include "simt/stack_entries.h"

namespace heddle::simt {

/// simt_stack; its block is rtl/simt_stack.
[[nodiscard]] Mechanism simt_stack_mechanism();

class SimtStack final : public ControlFlow {
 public:
  static constexpr const char* kName = "simt_stack";
  using Entry = StackEntry;

  /// `likely`: lanes also meet at the branches' likely-convergence points ([TBC] §3.4).
  SimtStack(std::uint32_t warps, FirstSide first_side, bool likely = false);

  [[nodiscard]] const char* name() const override { return kName; }
  void inspect(ControlFlowRequest& request) const override;
  [[nodiscard]] std::uint64_t table_bits() const override;
  [[nodiscard]] bool wants_facts() const override { return likely_; }
  void register_stats(base::StatGroup& stats) override;

  /// Entries of a warp, bottom first.
  [[nodiscard]] const std::vector<Entry>& entries(WarpId warp) const { return stacks_.at(warp.value()); }

 private:
  using Stack = std::vector<Entry>;
  void begin_launch(ControlFlowRequest& request) override { facts_ = request.facts; }
  void launch(ControlFlowRequest& request) override;
  void advance(ControlFlowRequest& request) override;
  void transfer(ControlFlowRequest& request) override;
  void exit(ControlFlowRequest& request) override;
  void barrier_arrive(ControlFlowRequest& request) override;
  void barrier_release(ControlFlowRequest& request) override;
  [[nodiscard]] Stack& stack_of(const ControlFlowRequest& request) { return stacks_[request.warp.value()]; }
  void branch(Stack& stack, ControlFlowRequest& request);
  void indirect_branch(Stack& stack, ControlFlowRequest& request);
  void call(Stack& stack, ControlFlowRequest& request);
  void leave_function(Stack& stack, ControlFlowRequest& request);
  /// The top has diverged at the branch before `next`: it becomes the reconvergence point, or is gone. What its sides are to
  /// be like, but for PC and lanes.
  Entry split(Stack& stack, Pc next, Pc rpc);
  /// Takes lanes out of the entries from `first` on. With likely-convergence points entries stay where they are, empty:
  /// others name them by their number.
  void leave(Stack& stack, Stack::iterator first, LaneMask lanes);
  /// Pops while the top has reached its reconvergence point; then reports the new top.
  void settle(Stack& stack, ControlFlowRequest& request);
  void report_top(const Stack& stack, ControlFlowRequest& request);

  std::vector<Stack> stacks_;     ///< by warp; the group number is the warp number
  std::vector<bool> at_barrier_;  ///< by warp: its top waits at a CTA barrier
  FirstSide first_side_;
  bool likely_;
  const isa::ProgramFacts* facts_ = nullptr;
  StackStats stats_;
};

}  // namespace heddle::simt
