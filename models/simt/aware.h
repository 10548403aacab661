// AWARE ([AWARE] §5.1 to §5.5). The splits of a warp take turns: a FIFO of all of them, whose front one
// runs until it diverges, arrives at its RPC, waits at a barrier or takes a branch ([AWARE:A1]). One group
// per warp.
//
// Virtualised ([AWARE] §5.5.2), only some entries of a warp's tables are physical, the others are in memory.
// An entry that is wanted is filled, for which another one may have to be spilled. The thesis sends for the
// front split and lets it pass, but does not say what becomes of one whose turn comes while its fill request
// buffer is busy. Those queue: to let them pass without a request leaves them out for as long as others come
// back first, for ever if they have the lock that the others poll.
#pragma once

#include <vector>

#include "simt/spill_buffers.h"
#include "simt/split_control.h"
#include "simt/split_fifo.h"

namespace heddle::simt {

/// Section core.control_flow.aware.
struct AwareConfig {
  std::uint32_t st_entries = 32;
  std::uint32_t rt_entries = 32;
  TableVictim rt_victim = TableVictim::kLeastRecent;
  bool rotate_on_taken_branch = true;

  void visit(base::ConfigVisitor& v);
  /// Entries are spilled to memory: there are fewer of a kind than a warp may need.
  [[nodiscard]] bool virtualised() const { return st_entries < base::kLanes || rt_entries < base::kLanes; }
};

/// aware; its blocks are both tables and rtl/split_fifo.
[[nodiscard]] Mechanism aware_mechanism();

class Aware final : public SplitControl {
  using FifoOp = SplitFifoRequest::Op;

 public:
  static constexpr const char* kName = "aware";
  explicit Aware(const MechanismSite& site);

  [[nodiscard]] const char* name() const override { return kName; }
  void register_stats(base::StatGroup& stats) override;
  [[nodiscard]] SplitAnswer answer_of(WarpId warp) const override;
  [[nodiscard]] SplitContents contents_of(WarpId warp) const override;

 private:
  void reset(WarpId warp) override;
  [[nodiscard]] SplitId split_of(const ControlFlowRequest& request) const override {
    return warps_[request.warp.value()].running;
  }
  bool insert(WarpId warp, const Split& split) override;
  void removed(WarpId warp, SplitId id) override;
  void goes_on(WarpId warp, SplitId id, Split split, bool taken) override;
  void block(WarpId warp, SplitId id, LaneMask lanes) override;
  void unblock(WarpId warp, LaneMask lanes) override;
  void schedule(ControlFlowRequest& request) override;
  bool have(WarpId warp, ReconvergenceId id) override;
  bool admit(WarpId warp, ReconvergenceId id, const std::array<std::uint32_t, 4>& record) override;
  void table_filled(ControlFlowRequest& request) override { buffers_.filled(*request.filled); }
  bool retry(Cycle cycle, WarpId& warp) override { return buffers_.retry(cycle, warp); }
  [[nodiscard]] Cycle retry_due() const override { return buffers_.retry_due(); }
  [[nodiscard]] State state_of(WarpId warp, SplitId id) const override;
  void show(WarpId warp, nlohmann::ordered_json& table) const override;

  /// What the core knows of a warp's group.
  enum class Shown : std::uint8_t { kAbsent, kRuns, kBarrier, kTables };
  struct Warp {
    SplitId running = kNoSplit;
    bool redirect = false;  ///< it goes on elsewhere
    Shown shown = Shown::kAbsent;
    Hold hold = Hold::kNothing;
    std::uint32_t started = 0;    ///< bit i: split i has run
    std::vector<SplitId> wanted;  ///< in memory when their turn came: to be sent for in this order
  };
  /// The first split of the queue that can run, as its front one; kNoSplit: none can.
  SplitId next_split(WarpId warp);
  [[nodiscard]] Hold hold_of(WarpId warp) const;
  void answer_runs(WarpId warp, SplitId id, const Split& split);
  void answer_blocked(WarpId warp);
  /// Bit i: split i waits at a barrier. All in the queue do.
  [[nodiscard]] std::uint32_t blocked_splits(WarpId warp) const;
  bool all_blocked(WarpId warp);

  // Virtualised tables
  using Table = TableEntryTransfer::Table;
  /// The contents of `id`, which has no physical entry, get one. False: not now.
  bool place_reconvergence(WarpId warp, ReconvergenceId id, const std::array<std::uint32_t, 4>& words);
  /// The same for a split. The one that runs keeps its entry.
  bool place_split(WarpId warp, SplitId id, const std::array<std::uint32_t, 3>& words);
  /// A split that is back from memory, if there is one, gets an entry, if there is one.
  void take_split(WarpId warp);
  /// Sends for the split that has been wanted longest, if the last one is back.
  void send_for_split(WarpId warp);
  void mark(WarpId warp, FifoOp op, SplitId id) {
    SplitFifoRequest request{.op = op, .warp = warp, .id = id};
    ask(request);
  }
  void ask(SplitFifoRequest& request) {
    split_fifo_isock_.call(request);
    fifo_time_.asked(request.clocks);
  }

  SplitFifo split_fifo_;
  mutable sim::BlockInitiator<SplitFifoProtocol> split_fifo_isock_{"split_fifo_isock"};
  TableTime fifo_time_;
  std::vector<Warp> warps_;
  SpillBuffers buffers_;
  bool virtualised_;
  bool rotate_on_taken_branch_;
  std::uint64_t rotations_ = 0;
};

}  // namespace heddle::simt
