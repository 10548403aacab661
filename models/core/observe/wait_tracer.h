// Waits of a core's issue groups as intervals: what for, and at a scoreboard whose result. For profiles (KernelProfile::dependences())
// and timelines; only told of anything while a profile is taken.
#pragma once

#include <cstdint>
#include <vector>

#include "core/state/core_state.h"
#include "core/state/group_profiler.h"

namespace heddle::core {

class WaitTracer final : public WaitSink {
 public:
  explicit WaitTracer(const CoreState& state);

  void begin_launch();
  /// The last open waits end with the launch.
  void end_launch();
  /// Registers of the warp have their values: those that waited for them are looked at next.
  void wrote_back(WarpId warp, const isa::Instruction& instruction);
  // WaitSink
  void waited(const GroupWait& wait) override;

 private:
  /// A wait at the scoreboard ends with the write-back that lets the instruction go. Write-backs that do not, cut it in pieces.
  struct Open {
    Cycle first = 0, cycles = 0;  ///< none: nothing is open
    Pc pc{};
    WarpId warp{};
    WaitCause cause{};
    Pc producer = kNoPc;  ///< of the write-back at which the last piece ended
  };
  void close(base::GroupId group);
  void show(base::GroupId group, const Open& wait) const;

  const CoreState& state_;
  std::vector<Open> open_;  ///< by group
  struct WriteBack {
    Cycle at = kNever;
    Pc pc = kNoPc;
  };
  std::vector<WriteBack> last_;  ///< by warp
};

}  // namespace heddle::core
