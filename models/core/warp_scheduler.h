// Warp scheduler: picks one ready issue group per cycle. The policy is plain C++ behind one interface.
//   LRR  next ready group in round robin after the last issued one
//   GTO  the last issued group while it is ready, else the oldest; age = order of assignment, ties by number
// (mimd-simt-and-bows §2)
#pragma once

#include <cstdint>
#include <memory>
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
  virtual void assign(GroupId group) = 0;
  /// One of the non-empty set of candidates.
  [[nodiscard]] virtual GroupId pick(const sim::IndexSet& candidates) const = 0;
  virtual void issued(GroupId group) = 0;
};

[[nodiscard]] std::unique_ptr<WarpSchedulingPolicy> make_scheduling_policy(SchedulingPolicy policy,
                                                                           std::uint32_t groups);

class WarpScheduler : public sc_core::sc_module {
 public:
  WarpScheduler(const sc_core::sc_module_name& name, const SchedulerConfig& config, std::uint32_t groups)
      : sc_module(name), policy_(make_scheduling_policy(config.policy, groups)) {}

 private:
  void serve(SchedulerRequest& request);

 public:
  sim::BlockTarget<SchedulerProtocol, WarpScheduler, &WarpScheduler::serve> scheduler_tsock{"scheduler_tsock",
                                                                                            this};

 private:
  std::unique_ptr<WarpSchedulingPolicy> policy_;
};

}  // namespace heddle::core
