// CTA dispatcher: hands the CTAs of a launch, in order, to cores with room: each cycle at most one CTA per
// core, cores in round-robin order. Runs after the cores of the same instant (clock rank kSystem), so
// completions seen in a cycle do not depend on the order in which cores ran.
#pragma once

#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "core/protocols/cta_protocol.h"
#include "sim/block_socket.h"
#include "sim/clock.h"

namespace heddle::core {

class CtaDispatcher : public sc_core::sc_module {
 public:
  CtaDispatcher(const sc_core::sc_module_name& name, std::uint32_t cores, sim::ClockDomain& clock,
                base::StatGroup& stats);

 private:
  void serve_done(CtaDone& done);

 public:
  using DoneTarget = sim::BlockTarget<CtaDoneProtocol, CtaDispatcher, &CtaDispatcher::serve_done>;
  std::vector<std::unique_ptr<sim::BlockInitiator<CtaProtocol>>> cta_isocks;  ///< one per core
  std::vector<std::unique_ptr<DoneTarget>> done_tsocks;                       ///< one per core

  /// Starts a launch; `launch` must outlive it. Simulation then runs until on_finished.
  void begin(const LaunchContext* launch);
  /// The launch ends as it is, between two instants: cores account for their time up to now. Nothing may run
  /// after it.
  void abandon();
  /// Called in the dispatcher's process when the last CTA is done.
  std::function<void()> on_finished;

  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::uint64_t waiting() const { return total_ - next_; }
  [[nodiscard]] Cycle begin_cycle() const { return begin_cycle_; }
  [[nodiscard]] Cycle end_cycle() const { return end_cycle_; }

 private:
  void tick();
  void end(Cycle cycle);

  sim::ClockMember clock_;
  std::uint64_t total_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t done_ = 0;
  std::uint32_t first_core_ = 0;  ///< round-robin start
  Cycle begin_cycle_ = 0;
  Cycle end_cycle_ = 0;
  std::uint64_t started_ = 0;
};

}  // namespace heddle::core
