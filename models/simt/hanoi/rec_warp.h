// A warp with a REC stack, whose top's lanes go on when all have come: [Hanoi] §VII (profile P), [Hanoi:X1] (profile X).
#pragma once

#include <vector>

#include "simt/hanoi/warp_state.h"

namespace heddle::simt {

class HanoiRecWarp final : public HanoiWarp {
 public:
  HanoiRecWarp(const HanoiConfig& config, FirstSide first_side, HanoiStats& stats);

  [[nodiscard]] std::span<const Entry> entries() const override { return rec_; }
  [[nodiscard]] std::size_t turns() const override;
  [[nodiscard]] std::vector<hang::SuspendedLanes> waiting_lanes() const override;

 private:
  void launched() override;
  void bssy(HanoiEvent& event) override;
  void bsync(HanoiEvent& event) override;
  [[nodiscard]] HanoiError join(HanoiEvent& event, LaneMask members) override;
  void yield(HanoiEvent& event) override;
  void release_outside(LaneMask lanes) override;
  void check(HanoiEvent& event, bool may_release) override;
  void mix_into(HanoiDigest& digest) const override;

  // rec_warp.cpp
  void bsync_mask(HanoiEvent& event);
  void bsync_tagged(HanoiEvent& event);
  /// X: of the BSYNC in front of `next`: with that register, or else with the one that had its mask before BMOVs moved it. The
  /// number of entries: none.
  [[nodiscard]] std::uint32_t entry_of(std::uint32_t barrier, Pc next) const;
  /// P: what a BSYNC breaks of the contract ([Hanoi:I6], [Hanoi:I7]).
  [[nodiscard]] HanoiError broken_contract(const HanoiEvent& event) const;
  /// Number of the innermost region that names one of the lanes, from 1; 0: none does.
  [[nodiscard]] std::size_t region_of(LaneMask lanes) const;
  [[nodiscard]] bool push_entry(const Entry& entry);

  // warpsync.cpp
  [[nodiscard]] HanoiError join_mask(HanoiEvent& event, LaneMask members);
  [[nodiscard]] HanoiError join_tagged(HanoiEvent& event, LaneMask members);
  /// X: with a full stack, in place of an entry that nobody waits at. The number of entries: there is no room.
  [[nodiscard]] std::uint32_t push_tagged(const Entry& entry);
  [[nodiscard]] std::uint32_t free_private() const;

  // yield.cpp
  /// Paths below the top that a YIELD counts as its siblings.
  [[nodiscard]] std::size_t siblings() const;
  bool release_by_yield();

  // check.cpp
  void check_mask(HanoiEvent& event);
  void check_tagged(HanoiEvent& event);
  [[nodiscard]] bool has_work() const;
  [[nodiscard]] bool complete(std::uint32_t private_register) const;
  [[nodiscard]] bool release_warpsync(std::uint32_t number);
  bool break_stall();
  void pop(bool counts);
  void release(Pc pc, LaneMask lanes);

  std::vector<Entry> rec_;
  std::uint64_t yields_ = 0;
  std::uint64_t bsyncs_ = 0;
  std::uint32_t turn_ = 0;  ///< yield=exchange without an entry, or per warp
};

}  // namespace heddle::simt
