// AWARE: mimd-simt-and-bows §3 (M4). The splits of a warp take turns: a FIFO of all of them, whose front one
// runs until it diverges, arrives at its RPC, waits at a barrier or takes a branch (A1). One group per warp.
#pragma once

#include <vector>

#include "simt/split_control.h"
#include "simt/split_fifo.h"

namespace heddle::simt {

class Aware final : public SplitControl {
 public:
  Aware(const ControlFlowConfig& config, std::uint32_t warps, ControlFlowPorts& ports);

  void register_stats(sim::StatGroup& stats) override;

 private:
  void reset(WarpId warp) override;
  [[nodiscard]] SplitId split_of(const BranchRequest& request) const override {
    return warps_[request.warp.value()].running;
  }
  bool insert(WarpId warp, const Split& split) override;
  void removed(WarpId warp, SplitId id) override;
  void goes_on(WarpId warp, SplitId id, Split split, bool taken) override;
  void block(WarpId warp, SplitId id, LaneMask lanes) override;
  void unblock(WarpId warp, LaneMask lanes) override;
  void schedule(BranchRequest& request) override;
  bool have(WarpId warp, ReconvergenceId id) override;
  bool admit(WarpId warp, ReconvergenceId id) override;
  void filled(const TableEntryTransfer& transfer) override;
  bool retry(Cycle cycle, WarpId& warp) override;
  [[nodiscard]] Cycle retry_due() const override;
  [[nodiscard]] SplitState state_of(WarpId warp, SplitId id) const override;
  void show(WarpId warp, nlohmann::ordered_json& table) const override;

  /// What the core knows of a warp's group.
  enum class Shown : std::uint8_t { kAbsent, kRuns, kBarrier, kTables };
  struct Warp {
    SplitId running = kNoSplit;
    bool redirect = false;  ///< it goes on elsewhere
    Shown shown = Shown::kAbsent;
    Hold hold = Hold::kNothing;
    std::uint32_t started = 0;  ///< bit i: split i has run
  };
  /// The first split of the queue that can run, as its front one; kNoSplit: none can.
  SplitId next_split(WarpId warp);
  SplitFifoRequest& call(SplitFifoRequest& request) const {
    split_fifo_isock_.call(request);
    return request;
  }
  using SplitControl::call;
  [[nodiscard]] Hold hold_of(WarpId warp) const;
  void answer_runs(WarpId warp, SplitId id, const Split& split);
  void answer_blocked(WarpId warp, const SplitFifoRequest& queue);

  SplitFifo split_fifo_;
  mutable sim::BlockInitiator<SplitFifoProtocol> split_fifo_isock_{"split_fifo_isock"};
  std::vector<Warp> warps_;
  bool rotate_on_taken_branch_;
  std::uint64_t rotations_ = 0;
};

}  // namespace heddle::simt
