#include "core/state/group_profiler.h"

namespace heddle::core {

using base::Cycle;
using base::GroupId;
using base::Pc;

GroupProfiler::GroupProfiler(std::uint32_t groups, std::uint32_t schedulers, KernelProfile& profile,
                             WaitSink* sink, base::Cycle begin)
    : profile_(profile), sink_(sink), begin_(begin), groups_(groups), schedulers_(schedulers) {}

void GroupProfiler::waits(GroupId id, std::uint32_t scheduler, Pc pc, WaitCause cause) {
  leaves(id);
  Group& group = groups_[id.value()];
  group.state = State::kWaiting;
  group.cause = cause;
  group.scheduler = scheduler;
  group.pc = pc;
  group.since = schedulers_[scheduler].passed;
}

void GroupProfiler::is_ready(GroupId id, std::uint32_t scheduler, Pc pc, Pipe pipe) {
  leaves(id);
  Group& group = groups_[id.value()];
  group.state = State::kReady;
  group.pipe = pipe;
  group.scheduler = scheduler;
  group.pc = pc;
  group.since = schedulers_[scheduler].passed;
  group.counted = schedulers_[scheduler].by_pipe[static_cast<unsigned>(pipe)];
}

void GroupProfiler::leaves(GroupId id) {
  Group& group = groups_[id.value()];
  if (group.state == State::kNone) return;
  const Scheduler& scheduler = schedulers_[group.scheduler];
  GroupWait wait{id, group.pc, begin_ + group.since + 1, scheduler.passed - group.since, {}};
  if (group.state == State::kWaiting) {
    wait.by_cause[static_cast<unsigned>(group.cause)] = wait.cycles;
  } else {
    const auto& counts = scheduler.by_pipe[static_cast<unsigned>(group.pipe)];
    for (unsigned ready = 0; ready < kReadyCounts; ++ready)
      wait.by_cause[wait_cause_of(ready)] = counts[ready] - group.counted[ready];
  }
  auto& waiting = profile_.at(group.pc).waiting;
  for (unsigned cause = 0; cause < kWaitCauses; ++cause) waiting[cause] += wait.by_cause[cause];
  group.state = State::kNone;
  if (sink_ != nullptr) sink_->waited(wait);
}

void GroupProfiler::end() {
  for (std::uint32_t id = 0; id < groups_.size(); ++id) leaves(GroupId(id));
}

void GroupProfiler::pass(std::uint32_t index, Cycle cycles, const ReadyCauses& causes) {
  Scheduler& scheduler = schedulers_[index];
  scheduler.passed += cycles;
  for (unsigned pipe = 0; pipe < kPipes; ++pipe)
    scheduler.by_pipe[pipe][ready_count_of(causes[pipe])] += cycles;
}

}  // namespace heddle::core
