// Warp scheduler: picks one ready issue group per cycle. The policy is plain C++ behind one interface
// (mimd-simt-and-bows §2):
//   LRR        next ready group in round robin after the last issued one
//   GTO        the last issued group while it is ready, else the oldest; age = order of assignment, ties by
//              number
//   GLRR       the last issued group while it is ready, else the next ready one in round robin
//              (mimd-simt-and-bows §9.1, AWARE)
//   two-level  round robin among a small active set; a group that waits for memory, a fence or a barrier
//              leaves it, the longest waiting ready group of the others enters
//   CAWA       the most critical group: nInst * CPIavg + nStall, see scheduling_policies.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "core/config.h"
#include "core/protocols.h"
#include "sim/block_socket.h"
#include "sim/stats.h"

namespace heddle::core {

class WarpSchedulingPolicy {
 public:
  virtual ~WarpSchedulingPolicy() = default;
  /// A warp was launched into the group.
  virtual void assign(GroupId group, Cycle now) = 0;
  virtual void leave(GroupId) {}
  /// One of the non-empty set of candidates, or none: all are held back.
  [[nodiscard]] virtual std::optional<GroupId> pick(const sim::IndexSet& candidates, Cycle now) = 0;
  /// The picked group issues.
  virtual void issued(GroupId group, Cycle now) = 0;
  /// What it issued was a branch; instructions on the paths that its lanes chose.
  virtual void branched(GroupId, std::uint32_t /*path_instructions*/) {}
  /// The group waits for memory, a fence or a barrier.
  virtual void long_latency(GroupId) {}
};

[[nodiscard]] std::unique_ptr<WarpSchedulingPolicy> make_scheduling_policy(const SchedulerConfig& config,
                                                                           std::uint32_t groups);

class WarpScheduler : public sc_core::sc_module {
 public:
  WarpScheduler(const sc_core::sc_module_name& name, const SchedulerConfig& config, std::uint32_t groups)
      : sc_module(name), policy_(make_scheduling_policy(config, groups)) {}

 private:
  void serve(SchedulerRequest& request);

 public:
  sim::BlockTarget<SchedulerProtocol, WarpScheduler, &WarpScheduler::serve> scheduler_tsock{"scheduler_tsock",
                                                                                            this};

 private:
  std::unique_ptr<WarpSchedulingPolicy> policy_;
};

}  // namespace heddle::core
