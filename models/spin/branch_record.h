// How well a detector of spin-inducing branches does, against the branches that the kernel's text says are
// (Kernel::spin_marks): TSDR, FSDR and the detection-phase ratio of [DDOS/BOWS] Tab 6.1. Per static
// backward branch, core and launch ([DDOS/BOWS:A15]). Costs no hardware: it is how the model is measured.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "base/stats.h"
#include "isa/kernel.h"
#include "spin/protocols.h"

namespace heddle::spin {

class BranchRecord {
 public:
  explicit BranchRecord(base::StatGroup& stats);

  /// A launch begins.
  void begin(const isa::Kernel& kernel);
  /// A backward branch is taken.
  void taken(Pc pc, Cycle cycle);
  /// It is known to be spin-inducing before the launch.
  void given(Pc pc) { given_.insert(pc.value()); }
  /// It is predicted to be spin-inducing from now on.
  void confirmed(Pc pc, Cycle cycle);

 private:
  struct Branch {
    Cycle first = 0;
    Cycle last = 0;
    Cycle confirmed = base::kNever;
  };
  /// Adds the launch's branches to the counters.
  void settle();

  std::map<std::uint32_t, Branch> branches_;  ///< by PC
  std::set<std::uint32_t> truth_;             ///< PCs of spin-inducing branches
  std::set<std::uint32_t> given_;
  struct Kind {
    std::uint64_t encountered = 0, detected = 0;
    std::uint64_t phase_ratio = 0;  ///< summed, in millionths
  };
  Kind true_, false_;
};

}  // namespace heddle::spin
