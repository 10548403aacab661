// A warp of profile `barriers`: no REC stack. A barrier register is the set of lanes that a BSYNC of that number waits for,
// and paths at one PC join (MACHINE_CODE.md has the evidence).
#pragma once

#include <array>
#include <vector>

#include "simt/hanoi/warp_state.h"

namespace heddle::simt {

class HanoiBarrierWarp final : public HanoiWarp {
 public:
  HanoiBarrierWarp(const HanoiConfig& config, FirstSide first_side, HanoiStats& stats)
      : HanoiWarp(config, first_side == FirstSide::kAuto ? FirstSide::kSmaller : first_side, stats) {}

  [[nodiscard]] std::size_t turns() const override { return ws_.empty() ? 0 : ws_.size() - 1; }
  [[nodiscard]] std::vector<hang::SuspendedLanes> waiting_lanes() const override;

 private:
  void launched() override {
    patience_ = 0;
    saves_ = false;
    passed_ = {};
  }
  void moved(const HanoiEvent& event) override;
  void bssy(HanoiEvent& event) override;
  void bsync(HanoiEvent& event) override;
  [[nodiscard]] HanoiError join(HanoiEvent& event, LaneMask members) override;
  void yield(HanoiEvent& event) override;
  void release_outside(LaneMask lanes) override;
  void stopped() override { run_next(); }
  void mix_into(HanoiDigest& digest) const override;

  /// Lanes of paths that have yielded.
  [[nodiscard]] LaneMask yielded() const;
  void run_next();
  void join_top();
  /// Lanes that wait at a complete register become paths, from index `at` of ws_ on. A BSYNC does not wait for
  /// `excused`. False: none is complete.
  bool release_any(LaneMask excused, std::size_t at);
  bool release_complete(std::uint32_t number, LaneMask excused, std::size_t at);
  /// Lanes at a plain WARPSYNC in front of `pc` for which nobody is missing any more: they go on with those of another mask.
  [[nodiscard]] LaneMask take_met(Pc pc);
  void release_at(LaneMask lanes, std::size_t at, bool apart = false);
  /// Of the registers at whose BSYNC lanes wait, first one whose missing lanes have passed it, since it was another region's then;
  /// otherwise that of the lowest lane. The number of registers: none.
  [[nodiscard]] std::uint32_t stalled() const;
  void break_stall(std::size_t at);
  /// Once live registers have been saved, paths of several calls may be at one PC, and each counts on the register that its own call
  /// has saved. If no lane looks at others they join as an H100's do, which lets lanes pass a BSYNC; otherwise they do not join.
  [[nodiscard]] HanoiJoins joins() const;
  /// Whether a path that gets the turn there takes in others at that PC.
  [[nodiscard]] bool joins_at(Pc pc) const;

  bool saves_ = false;  ///< a BMOV has read a register that names lanes
  /// Lanes that a BSYNC of the register has let pass, as it did not name them.
  std::array<LaneMask, kHanoiMostRegisters> passed_{};

  std::uint32_t patience_ = 0;  ///< YIELDs since lanes that waited have gone on
};

}  // namespace heddle::simt
