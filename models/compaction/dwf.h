// Dynamic warp formation ([DWF]): after every instruction threads of all warps of a core that come to the
// same PC are put together, without any stack. With warp barriers (DWF-WB) warps stay as they are until they diverge,
// and are re-formed at the immediate post-dominator of that branch.
#pragma once

#include <deque>
#include <vector>

#include "compaction/dwf_config.h"
#include "compaction/warp_pool.h"
#include "simt/mechanism.h"

namespace heddle::compaction {

/// dwf
[[nodiscard]] simt::Mechanism dwf_mechanism();

class DynamicWarps final : public simt::ControlFlow {
 public:
  static constexpr const char* kName = "dwf";

  explicit DynamicWarps(const simt::MechanismSite& site);

  [[nodiscard]] const char* name() const override { return kName; }
  [[nodiscard]] simt::Scope scope() const override { return simt::Scope::kCta; }
  [[nodiscard]] bool runs_lanes_apart() const override { return true; }
  [[nodiscard]] bool parts_lanes_at_sync() const override { return true; }
  [[nodiscard]] bool wants_facts() const override { return true; }
  [[nodiscard]] std::uint64_t table_bits() const override;
  void register_stats(base::StatGroup& stats) override;
  void inspect(simt::ControlFlowRequest& request) const override;

 private:
  using Request = simt::ControlFlowRequest;
  void begin_launch(Request& request) override;
  void launch(Request& request) override;
  void advance(Request& request) override;
  void transfer(Request& request) override;
  void exit(Request& request) override;
  void barrier_arrive(Request& request) override;
  void barrier_release(Request& request) override;
  void tick(Request& request) override;

  struct Thread {
    enum class State : std::uint8_t { kNone, kPooled, kWaits, kAtWarpBarrier };
    State state = State::kNone;
    base::Pc pc{};            ///< kWaits, kAtWarpBarrier: where it goes on; kPooled: where it was last
    std::uint32_t depth = 0;  ///< calls it is deep in
  };
  /// A static warp's barrier: its threads wait at `pc` until all have come (DWF-WB).
  struct WarpBarrier {
    bool valid = false;
    base::Pc pc = base::kNoPc;
    std::uint32_t depth = 0;  ///< calls deep in which it is
    base::LaneMask arrived;
  };
  static constexpr std::uint32_t kNobody = WarpLut::kNoWarp;
  /// Threads that come to a PC, on their way to the LUT (DwfTiming::kContract).
  struct Update {
    base::Cycle looked_up = 0;  ///< clock in which the LUT serves it; its threads may issue from the next one
    std::uint32_t slot = kNobody;  ///< whose warp they were; it is kept until all its updates are served
    /// That warp, the slot's n-th (issues_of_slot_), goes on with the next instruction, which has been fetched there; 0: it
    /// does not.
    std::uint64_t sequential = 0;
    base::Pc pc{};
    std::vector<simt::Slice> threads;
  };

  [[nodiscard]] Thread& at(base::WarpId home, unsigned lane) {
    return threads_[home.value() * std::size_t{base::kLanes} + lane];
  }
  [[nodiscard]] const Thread& at(base::WarpId home, unsigned lane) const {
    return threads_[home.value() * std::size_t{base::kLanes} + lane];
  }
  template <class Fn>
  void for_each_thread(std::span<const simt::Slice> slices, Fn&& fn) {
    for (const simt::Slice& slice : slices)
      slice.lanes.for_each([&](unsigned lane) { fn(slice.home, lane); });
  }
  /// Takes the warp in the slot out of the pool: it has issued. Its slices are in `issued_`.
  void take(base::GroupId group);
  /// Threads of `issued_` with lanes `lanes` come to `pc`; `slot`: that they issued from.
  void come(base::Pc pc, base::LaneMask lanes, std::uint32_t slot);
  /// Threads are put into the pool by the LUT: now, or when it is their turn.
  void look_up(base::Pc pc, std::span<const simt::Slice> threads, std::uint32_t slot);
  void serve_update(const Update& update);
  void enter(base::Pc pc, std::span<const simt::Slice> threads, bool joins);
  /// Those of the threads whose warp barrier is here stay; returns the others.
  std::span<const simt::Slice> stop_at_warp_barriers(base::Pc pc, std::span<const simt::Slice> threads);
  void reform_if_complete(base::WarpId home);
  /// Threads leave the function that a barrier is in: it moves to where they return to, and so do those that wait.
  void leave_frames(const Request& request);
  [[nodiscard]] base::Pc barrier_point(const Request& request) const;
  /// A warp of the pool gets a slot, now or when one is free.
  void place(std::uint32_t warp);
  void show(std::uint32_t warp, simt::GroupChange change);
  /// Slots that lost their warp in this event and got no other one are given to waiting warps, or reported.
  void settle(base::GroupId group);
  /// The same, if nothing of the slot waits for the LUT.
  void settle_or_wait(const Request& request);
  [[nodiscard]] bool contract() const { return config_.timing == DwfTiming::kContract; }
  [[nodiscard]] bool is_free(std::uint32_t slot) const {
    return warp_in_slot_[slot] == kNobody && (waiting_in_slot_[slot] == 0 || slot == serving_);
  }
  [[nodiscard]] base::Cycle due() const {
    return updates_for_lut_.empty() ? base::kNever : updates_for_lut_.front().looked_up + 1;
  }
  [[nodiscard]] bool joinable(base::Pc pc) const;

  DwfConfig config_;
  const isa::ProgramFacts* facts_ = nullptr;
  WarpPool pool_;
  std::vector<std::uint32_t> warp_in_slot_;  ///< of the pool
  std::vector<bool> shown_;                  ///< by slot: the core has a group there
  std::deque<std::uint32_t> queue_;          ///< warps without a slot
  std::vector<Thread> threads_;              ///< by home warp, then lane
  std::vector<base::LaneMask> live_;         ///< by home warp
  std::vector<WarpBarrier> barriers_;        ///< by home warp
  std::vector<simt::Slice> issued_;
  std::uint32_t sequential_ = kNobody;  ///< slot whose warp comes to the next instruction in this event ...
  base::Pc sequential_pc_{};            ///< ... and its PC
  std::vector<simt::Slice> scratch_, onward_;
  // DwfTiming::kContract.
  std::deque<Update> updates_for_lut_;          ///< in the order of issue, one a clock
  std::vector<std::uint32_t> waiting_in_slot_;  ///< by slot: of these
  std::vector<std::uint64_t> issues_of_slot_;   ///< by slot
  std::uint32_t serving_ = kNobody;             ///< slot whose update is served in this event
  base::Cycle now_ = 0, last_look_up_ = 0;
  std::uint64_t lut_waits_ = 0, most_updates_ = 0;
  std::uint64_t branches_ = 0, divergences_ = 0, reformed_ = 0, barriers_set_ = 0, queued_ = 0;
  mutable std::uint64_t digest_ = 0;
};

}  // namespace heddle::compaction
