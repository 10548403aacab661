// Multi-Path ([MultiPath] §7.2). Every split of a warp is an issue group of its own, as far as
// `paths` allows: a split beyond that waits until another one ends or waits at a barrier, which always makes
// room. As published, a split that spins does not: with few paths, splits may wait for ever for one beyond
// the limit, unless yield_on_taken_branch (default off) lets a split that takes a branch make room too.
// Opportunistic early reconvergence ([MultiPath] §7.3) merges splits that meet in a block before their RPC.
#pragma once

#include <array>
#include <vector>

#include "simt/split_control.h"

namespace heddle::simt {

/// Section core.control_flow.multi_path.
struct MultiPathConfig {
  std::uint32_t paths = base::kLanes;
  bool opportunistic_reconvergence = false;
  bool yield_on_taken_branch = false;

  void visit(base::ConfigVisitor& v);
};

/// multi_path; its blocks are both tables.
[[nodiscard]] Mechanism multi_path_mechanism();

class MultiPath final : public SplitControl {
 public:
  static constexpr const char* kName = "multi_path";
  explicit MultiPath(const MechanismSite& site);

  [[nodiscard]] const char* name() const override { return kName; }
  void register_stats(base::StatGroup& stats) override;

 private:
  void reset(WarpId warp) override;
  [[nodiscard]] SplitId split_of(const ControlFlowRequest& request) const override {
    return warps_[request.warp.value()].split[request.group.value() - first_group(request.warp)];
  }
  bool insert(WarpId warp, const Split& split) override;
  void removed(WarpId warp, SplitId id) override;
  void goes_on(WarpId warp, SplitId id, Split split, bool taken) override;
  void block(WarpId warp, SplitId id, LaneMask lanes) override;
  void unblock(WarpId warp, LaneMask lanes) override;
  void schedule(ControlFlowRequest& request) override;
  bool have(WarpId /*warp*/, ReconvergenceId /*id*/) override { return true; }
  bool admit(WarpId /*warp*/, ReconvergenceId /*id*/,
             const std::array<std::uint32_t, 4>& /*record*/) override {
    return true;
  }
  bool retry(Cycle /*cycle*/, WarpId& /*warp*/) override { return false; }
  [[nodiscard]] Cycle retry_due() const override { return kNever; }
  [[nodiscard]] State state_of(WarpId warp, SplitId id) const override;
  void show(WarpId /*warp*/, nlohmann::ordered_json& /*table*/) const override {}

  static constexpr std::uint8_t kNoSlot = 0xff;
  struct Warp {
    std::array<SplitId, kTableEntries> split{};      ///< by slot
    std::array<std::uint8_t, kTableEntries> slot{};  ///< by split; kNoSlot: it waits for one
    std::uint32_t used = 0;                          ///< bit i: slot i has a split
    std::uint32_t shown = 0;                         ///< bit i: the core knows it as a group
    std::uint32_t changed = 0;                       ///< bit i: the core does not know its present state
    /// Splits without a slot, as they get one: the newest first, those of one event in their order; in the order of insertion
    /// if splits yield.
    std::vector<SplitId> queue;
    std::uint32_t fresh = 0;  ///< of these, inserted by the present event
  };
  [[nodiscard]] std::uint32_t first_group(WarpId warp) const { return warp.value() * paths_; }
  /// Merges `split`, which is the entry `id` or (kNoSplit) not one yet, with one that is ahead in the same
  /// block. True: there is no entry `id` any more. Otherwise `split` may have got another RPC.
  bool catch_up(WarpId warp, SplitId id, Split& split);
  /// Takes the split's slot away.
  static void leave_slot(Warp& warp, SplitId id);
  void yield(WarpId warp, SplitId id);
  void place(Warp& warp, unsigned slot, SplitId id);
  /// Gives slots to splits that wait for one: those that can run first, if need be in place of blocked ones.
  void fill_slots(WarpId warp);

  std::vector<Warp> warps_;
  ControlFlowPorts& ports_;
  std::uint32_t paths_;
  bool opportunistic_;
  bool yields_;
  std::uint64_t early_points_ = 0;
  std::uint64_t merged_ = 0;
};

}  // namespace heddle::simt
