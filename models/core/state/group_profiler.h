// What the groups of one core wait for, collected into a KernelProfile without looking at every group in
// every cycle: a group's wait is added when it ends, and the causes of ready groups, which depend on nothing
// but scheduler and pipe, are counted per scheduler and pipe and read off at the wait's two ends.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/config.h"
#include "core/state/profile.h"

namespace heddle::core {

/// A wait of a group that has ended. A group is all its time in waits or issuing, so these cover its life.
struct GroupWait {
  base::GroupId group{};
  base::Pc pc{};          ///< that it issues next
  base::Cycle first = 0;  ///< core cycle
  base::Cycle cycles = 0;
  std::array<std::uint64_t, kWaitCauses> by_cause{};  ///< several if it could have issued
};
class WaitSink {
 public:
  virtual void waited(const GroupWait& wait) = 0;

 protected:
  ~WaitSink() = default;
};

class GroupProfiler {
 public:
  /// By pipe: why a group whose head needs that pipe did not issue.
  using ReadyCauses = std::array<WaitCause, kPipes>;

  /// `sink`: is told of each wait; null: nobody. `begin`: the last cycle before the launch.
  GroupProfiler(std::uint32_t groups, std::uint32_t schedulers, KernelProfile& profile,
                WaitSink* sink = nullptr, base::Cycle begin = 0);

  // What a group does from the scheduler's next cycle on. Each of these ends what it did before.
  void waits(base::GroupId id, std::uint32_t scheduler, base::Pc pc, WaitCause cause);
  void is_ready(base::GroupId id, std::uint32_t scheduler, base::Pc pc, Pipe pipe);
  /// It issues in the scheduler's next cycle, or is not there any more.
  void leaves(base::GroupId id);
  /// The launch is over, also for groups that are there still: one that has hung, or was interrupted.
  void end();

  /// `cycles` cycles of the scheduler pass.
  void pass(std::uint32_t scheduler, base::Cycle cycles, const ReadyCauses& causes);

 private:
  /// Causes of ready groups: those of every core, then those of units that hold all candidates back.
  static constexpr unsigned kReadyCounts = kReadyCauses + kWaitCauses - kOwnWaitCauses;
  using ReadyCounts = std::array<std::uint64_t, kReadyCounts>;
  [[nodiscard]] static constexpr unsigned wait_cause_of(unsigned ready) {
    return ready < kReadyCauses ? ready : ready - kReadyCauses + kOwnWaitCauses;
  }
  [[nodiscard]] static constexpr unsigned ready_count_of(WaitCause cause) {
    const auto number = static_cast<unsigned>(cause);
    return number < kOwnWaitCauses ? number : number - kOwnWaitCauses + kReadyCauses;
  }

  enum class State : std::uint8_t { kNone, kWaiting, kReady };
  struct Group {
    State state = State::kNone;
    WaitCause cause{};  ///< while kWaiting
    Pipe pipe{};        ///< while kReady
    std::uint32_t scheduler = 0;
    base::Pc pc{};
    std::uint64_t since = 0;  ///< Scheduler::passed then
    ReadyCounts counted{};    ///< while kReady: Scheduler::by_pipe then
  };
  struct Scheduler {
    std::uint64_t passed = 0;  ///< cycles
    std::array<ReadyCounts, kPipes> by_pipe{};
  };

  KernelProfile& profile_;
  WaitSink* sink_;
  base::Cycle begin_;
  std::vector<Group> groups_;
  std::vector<Scheduler> schedulers_;
};

}  // namespace heddle::core
