// The head of an I-buffer issues: which lanes execute it, who hears of it, and to whom it goes - to the executor, to
// barriers, fences and meeting points, to those who decide where lanes go on, to the host.
#pragma once

#include <cstdint>

#include "base/stats.h"
#include "core/cta/cta_barriers.h"
#include "core/execute/control_execution.h"
#include "core/execute/executor.h"
#include "core/execute/host_calls.h"
#include "core/execute/meeting_point.h"
#include "core/issue/coded_issue.h"
#include "core/issue/fence_unit.h"
#include "core/issue/issue_taps.h"
#include "core/issue/path_control.h"
#include "core/observe/core_tracer.h"
#include "core/observe/hang_view.h"
#include "core/state/core_state.h"

namespace heddle::core {

class InstructionDispatch final : public IssueTarget {
 public:
  /// Where instructions go, by kind.
  struct Units {
    Executor& executor;
    ControlExecution& control;
    HostCalls& host_calls;
    CtaBarriers& barriers;
    FenceUnit& fences;
    MeetingPoint& meetings;
    CodedIssue& codes;
  };
  /// Who looks on.
  struct Observers {
    IssueTaps& taps;
    CoreTracer& tracer;
    HangView& hang;
  };
  /// `warps_together`: the mechanism hears of calls, returns and indirect branches of groups with no lane that takes
  /// them, too: other warps of the CTA have lanes that do, and they all wait for each other there.
  InstructionDispatch(CoreState& state, PathControl& paths, const Units& units, const Observers& observers,
                      bool warps_together)
      : state_(state), paths_(paths), units_(units), observers_(observers), warps_together_(warps_together) {}

  void declare(base::StatGroup& issue);
  /// Lanes that a guard keeps away from an instruction of machine code count as active, as in the hardware's counters.
  void begin_launch(const isa::Kernel& kernel) { counts_predicated_ = kernel.is_machine_code(); }
  [[nodiscard]] std::uint64_t warp_instructions() const { return warp_instructions_; }

  void issue(GroupId id) override;

 private:
  /// For profile and trace.
  [[gnu::noinline]] void observe(const IssueTable::Group& group, GroupId id, LaneMask exec,
                                 unsigned lane_count);
  /// Nanoseconds since the start of the simulation, for %globaltimer.
  [[nodiscard]] std::uint64_t nanoseconds() const;

  CoreState& state_;
  PathControl& paths_;
  Units units_;
  Observers observers_;
  bool warps_together_;
  bool counts_predicated_ = false;
  std::uint64_t warp_instructions_ = 0;
  std::uint64_t thread_instructions_ = 0;
};

}  // namespace heddle::core
