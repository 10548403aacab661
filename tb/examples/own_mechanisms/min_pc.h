// MinSP-PC (Collange, "Stack-less SIMT reconvergence at low cost"): no stack and no reconvergence points.
// Every lane has a PC. Among the lanes with the greatest call depth, those with the lowest PC run; lanes with
// the same PC and depth run together.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simt/mechanism.h"

namespace own {

using namespace heddle;
using simt::LaneMask;
using simt::Pc;

/// Keys core.control_flow.min_pc.*
struct MinPcConfig {
  bool deepest_first = true;
  void visit(base::ConfigVisitor& v);
};

simt::Mechanism min_pc_mechanism();

class MinPc final : public simt::ControlFlow {
 public:
  explicit MinPc(const simt::MechanismSite& site);

  [[nodiscard]] const char* name() const override { return "min_pc"; }
  void inspect(simt::ControlFlowRequest& request) const override;
  void register_stats(base::StatGroup& stats) override;

 private:
  void launch(simt::ControlFlowRequest& request) override;
  void advance(simt::ControlFlowRequest& request) override;
  void transfer(simt::ControlFlowRequest& request) override;
  void exit(simt::ControlFlowRequest& request) override;
  void barrier_arrive(simt::ControlFlowRequest& request) override;
  void barrier_release(simt::ControlFlowRequest& request) override;

  /// The group as the core sees it.
  enum class Shown : std::uint8_t { kAbsent, kRuns, kBlocked };
  struct Warp {
    std::array<Pc, base::kLanes> pc{};
    std::array<std::uint32_t, base::kLanes> depth{};  ///< call depth of each lane
    LaneMask live;
    LaneMask blocked;  ///< at a barrier or .sync instruction
    LaneMask running;
    Pc watch = simt::kNoPc;
    Shown shown = Shown::kAbsent;
  };
  [[nodiscard]] Warp& warp_of(const simt::ControlFlowRequest& request) {
    return warps_[request.warp.value()];
  }
  static void move(Warp& warp, LaneMask lanes, Pc pc);
  /// Whether lane `left` runs before lane `right`.
  [[nodiscard]] bool before(const Warp& warp, unsigned left, unsigned right) const;
  /// The lanes of `among` with the same PC and depth as `lane`.
  [[nodiscard]] static LaneMask together(const Warp& warp, unsigned lane, LaneMask among);
  /// Chooses the running lanes and answers. `moved`: the running lanes have jumped.
  void select(const simt::ControlFlowRequest& request, bool moved);

  std::vector<Warp> warps_;
  simt::ControlFlowPorts& ports_;
  bool deepest_first_;
  std::uint64_t branches_ = 0;
  std::uint64_t divergences_ = 0;
  std::uint64_t merges_ = 0;
};

}  // namespace own
