// Hanoi: control flow by Turing's convergence instructions (README.md; [Hanoi:X1]).
#pragma once

#include <set>
#include <vector>

#include "simt/hanoi/unit.h"
#include "simt/mechanism.h"

namespace heddle::simt {

/// hanoi
[[nodiscard]] Mechanism hanoi_mechanism();

class Hanoi final : public ControlFlow {
 public:
  static constexpr const char* kName = "hanoi";
  explicit Hanoi(const MechanismSite& site);

  [[nodiscard]] const char* name() const override { return kName; }
  void inspect(ControlFlowRequest& request) const override;
  void register_stats(base::StatGroup& stats) override;

 private:
  void begin_launch(ControlFlowRequest& request) override { facts_ = request.facts; }
  void launch(ControlFlowRequest& request) override;
  void advance(ControlFlowRequest& request) override;
  void transfer(ControlFlowRequest& request) override;
  void converge(ControlFlowRequest& request) override;
  void exit(ControlFlowRequest& request) override;
  void barrier_arrive(ControlFlowRequest& request) override;
  void barrier_release(ControlFlowRequest& request) override;
  void tick(ControlFlowRequest& request) override;

  [[nodiscard]] HanoiEvent event_of(const ControlFlowRequest& request, HanoiEvent::Op op) const;
  void send(ControlFlowRequest& request, HanoiEvent& event);
  /// What runs of the warp, or that nothing does.
  void report(WarpId warp);
  [[nodiscard]] bool busy(WarpId warp) const;

  // inspect.cpp
  void inspect_tables(const ControlFlowRequest& request) const;
  void inspect_suspended(ControlFlowRequest& request) const;
  void inspect_runnable(ControlFlowRequest& request) const;
  /// The program has a YIELD or NANOSLEEP.
  [[nodiscard]] bool yields() const;
  /// Paths below the top to which YIELDs would give turns.
  [[nodiscard]] std::size_t taking_turns(const HanoiWarp& warp) const;
  [[nodiscard]] Pc pc_of(WarpId warp, std::size_t path) const;
  /// What could be set so that waiting lanes go on; nullptr: nothing.
  [[nodiscard]] const char* hint_of(const HanoiWarp& warp) const;

  HanoiConfig config_;
  HanoiUnit unit_;
  sim::BlockInitiator<HanoiProtocol> hanoi_isock_{"hanoi_isock"};
  ControlFlowPorts& ports_;
  const isa::ProgramFacts* facts_ = nullptr;
  /// Warps whose CHECK or scan takes until then, by cycle.
  std::set<std::pair<Cycle, std::uint32_t>> busy_;
  std::vector<Cycle> busy_until_;  ///< by warp; 0: it is not busy
  std::vector<bool> check_again_;  ///< by warp
  std::uint64_t branches_ = 0;
  std::uint64_t divergences_ = 0;
  std::uint64_t busy_cycles_ = 0;
};

}  // namespace heddle::simt
