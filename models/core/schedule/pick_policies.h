// A PickUnit behind the interface of scheduling policies: in stopped time, as `timing: ideal` has it, or clocked once per core
// cycle, as `timing: contract` has it.
#pragma once

#include <memory>
#include <string>

#include "base/perturbation.h"
#include "core/schedule/pick_unit.h"
#include "core/schedule/scheduling_policy.h"

namespace heddle::core {

/// RTL in the place of a policy that answers at once: the unit is clocked at each call.
[[nodiscard]] std::unique_ptr<WarpSchedulingPolicy> stepped_policy(std::string path,
                                                                   std::unique_ptr<PickUnit> unit,
                                                                   base::Cycle rotation, bool may_starve);

/// The unit has one edge per core cycle. Calls set its pins; the pins of a cycle take effect at its end.
class ClockedPolicy final : public WarpSchedulingPolicy {
 public:
  static constexpr base::Cycle kIdleEdges =
      8;  ///< of a longer time without requests so many are clocked: README.md
  static constexpr std::uint32_t kGrantsPerStall = 4;  ///< with stall_seed, on average

  /// `schedulers` of the core; `stalls`: in which cycles the grant is not taken.
  ClockedPolicy(PickContract contract, std::unique_ptr<PickUnit> unit, std::uint32_t schedulers,
                base::Perturbation stalls);

  /// What follows happens in cycle `now`, not before the present one.
  void advance(Cycle now);
  /// In cycle `now` the warp's instruction issues, which a grant of this cycle or of an earlier one chose.
  void commit(WarpId warp, Cycle now);

  void assign(WarpId warp, Cycle now) override;
  void leave(WarpId warp) override { pins_.leave |= bit(warp); }
  void stalled() override { pins_.stalled = true; }
  /// None: the unit grants nothing, or not a candidate; or its port has been used in this cycle.
  [[nodiscard]] std::optional<WarpId> pick(const base::IndexSet& candidates, Cycle now) override;
  /// The choice; it has not issued yet.
  void issued(WarpId /*warp*/, Cycle /*now*/) override {}
  [[nodiscard]] bool may_starve() const override { return contract_.may_starve; }
  [[nodiscard]] nlohmann::ordered_json show() const override;

 private:
  [[nodiscard]] std::uint64_t bit(WarpId warp) {
    residue_ = warp.value() % schedulers_;
    return std::uint64_t{1} << (warp.value() / schedulers_);
  }

  PickContract contract_;
  std::unique_ptr<PickUnit> unit_;
  std::uint32_t schedulers_;
  std::uint32_t residue_ = 0;  ///< number of this scheduler
  base::Perturbation stalls_;
  Cycle next_rotation_;
  Cycle cycle_ = 0;  ///< of the pins
  PickPins pins_;
  bool asked_ = false;  ///< in this cycle
};

}  // namespace heddle::core
