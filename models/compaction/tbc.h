// Thread block compaction ([TBC] §3.3): the warps of a block share a block-wide SIMT stack. At a potentially
// divergent branch, and where its sides meet again, they wait for each other, and the thread compactor makes new warps of the
// threads that go on. README.md has the theory of operation.
#pragma once

#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "compaction/block_stack.h"
#include "compaction/compaction_benefit.h"
#include "compaction/tbc_config.h"
#include "compaction/thread_compactor.h"
#include "simt/mechanism.h"

namespace heddle::compaction {

using base::Cycle;
using base::GroupId;
using base::LaneMask;
using base::WarpId;

/// tbc
[[nodiscard]] simt::Mechanism tbc_mechanism();

class ThreadBlockCompaction final : public simt::ControlFlow {
 public:
  static constexpr const char* kName = "tbc";

  explicit ThreadBlockCompaction(const simt::MechanismSite& site);

  [[nodiscard]] const char* name() const override { return kName; }
  [[nodiscard]] simt::Scope scope() const override { return simt::Scope::kCta; }
  /// Lanes of a home warp are in several groups: barriers count threads, and .sync instructions wait for lanes.
  [[nodiscard]] bool runs_lanes_apart() const override { return true; }
  [[nodiscard]] bool wants_facts() const override { return true; }
  [[nodiscard]] std::uint64_t table_bits() const override;
  void register_stats(base::StatGroup& stats) override;
  void inspect(simt::ControlFlowRequest& request) const override;

 private:
  void begin_launch(simt::ControlFlowRequest& request) override;
  void launch(simt::ControlFlowRequest& request) override;
  void advance(simt::ControlFlowRequest& request) override;
  void transfer(simt::ControlFlowRequest& request) override;
  void exit(simt::ControlFlowRequest& request) override;
  void barrier_arrive(simt::ControlFlowRequest& request) override;
  void barrier_release(simt::ControlFlowRequest& request) override;
  void tick(simt::ControlFlowRequest& request) override;

  /// A slot of the warp buffer.
  struct Slot {
    enum class State : std::uint8_t {
      kEmpty,
      kRuns,
      kWaits,    ///< at a barrier or .sync instruction
      kArrived,  ///< its warp is gone; the slot waits for the next one
    };
    State state = State::kEmpty;
    CompactedWarp warp;
    std::array<simt::Slice, kMostWarps> slices;  ///< the same, by home warp
    Pc pc{};                                     ///< kRuns: where it was last; kWaits: where it goes on
    BlockMask unreleased;                        ///< kWaits
    std::uint64_t issues = 0;                    ///< of its warp, up to the last event
  };
  /// What a warp has arrived at, on its way into the block stack.
  struct Arrival {
    enum class Kind : std::uint8_t { kBranch, kCall, kReturn, kReconvergence };
    Kind kind = Kind::kBranch;
    std::uint32_t block = 0;
    std::vector<BlockStack::Side> sides;
    BlockMask leaving;
    Pc next = base::kNoPc;  ///< kBranch: the RPC
    Pc lpc = base::kNoPc;
    Pc at{};  ///< PC of the branch, call, return or reconvergence point
  };
  struct Block {
    explicit Block(BlockStack::Stats& stats, TopSide top_side, bool compacts)
        : stack(stats, top_side), compactor(compacts) {}
    std::vector<WarpId> slots;  ///< by static warp; ascending
    BlockStack stack;
    ThreadCompactor compactor;
    std::uint64_t age = 0;          ///< number in the order of launches
    std::uint32_t emitted = 0;      ///< warps made of the top
    CompactionBenefit::Entry runs;  ///< the top, as its warps were made and have arrived
    Cycle emptied = 0;              ///< when the last warp of the entry before arrived
  };

  [[nodiscard]] Slot& slot(GroupId group) { return slots_[group.value()]; }
  [[nodiscard]] Block& block_of(GroupId group) { return blocks_[block_of_[group.value()]]; }
  [[nodiscard]] BlockMask mask_of(const CompactedWarp& warp, LaneMask lanes) const;
  [[nodiscard]] Pc likely_point(Pc branch) const;
  [[nodiscard]] bool block_uniform(Pc branch) const;
  /// The warp has issued everything in front of `next`, with sequential flow since the last event.
  void issued(Slot& slot, Pc next) const {
    slot.issues += next.value() - slot.pc.value();
    slot.pc = next;
  }
  void warp_is_gone(Block& block, Slot& slot) const {
    block.runs.issues += slot.issues;
    slot.issues = 0;
  }
  /// The group goes on at `pc` with the lanes that it has, or arrives there.
  void goes_on(GroupId group, Pc pc, Cycle now);
  void show(GroupId group, Pc pc, simt::GroupChange change = simt::GroupChange::kMoved);
  void give(GroupId group, const CompactedWarp& warp);
  void set_state(Slot& slot, Slot::State state);
  void arrive(GroupId group, Arrival arrival, Cycle now);
  void apply(const Arrival& arrival, Cycle now);
  void warp_ended(GroupId group, Cycle now);
  /// Nothing of the top is left: the next entry, or the block is done.
  void next_entry(std::uint32_t block, Cycle now);
  void emit(Block& block, Cycle now);
  void count_occupancy(Cycle now);
  [[nodiscard]] Cycle due() const;
  [[nodiscard]] nlohmann::ordered_json table(const Block& block) const;
  void inspect_lanes(const Block& block, unsigned warp, simt::ControlFlowRequest& request) const;

  TbcConfig config_;
  TopSide top_side_;
  const isa::ProgramFacts* facts_ = nullptr;
  BlockStack::Stats stack_stats_;
  std::vector<Slot> slots_;              ///< by group
  std::vector<std::uint32_t> block_of_;  ///< by group: the block is named by its first slot
  std::vector<Block> blocks_;
  std::uint64_t launches_ = 0;
  // Timing::kContract.
  std::deque<std::pair<Cycle, Arrival>> arrivals_;  ///< one a clock
  Cycle last_arrival_ = 0;
  std::set<std::pair<std::uint64_t, std::uint32_t>> waiting_;  ///< blocks for the compactor, by age
  std::uint32_t compacting_ = kNobody;
  Cycle next_warp_ = 0;  ///< compacting: when the next one is made
  static constexpr std::uint32_t kNobody = ~0u;

  CompactionBenefit benefit_;
  std::uint64_t branches_ = 0, uniform_ = 0, arrived_ = 0;
  std::uint64_t entries_run_ = 0, warps_made_ = 0, warps_uncompacted_ = 0, mixed_ = 0;
  std::uint64_t occupancy_ = 0, waiting_cycles_ = 0;
  std::uint32_t occupied_ = 0, arrived_now_ = 0;
  Cycle counted_ = 0;
};

}  // namespace heddle::compaction
