// A unit between the issue stage and the warp schedulers (a back-off unit, a throttle): it sees every request of every
// scheduler, and may take candidates away, choose by itself, or hold all back. This base passes everything on.
//
//   issue stage --scheduler_tsock[s]--> interposer --scheduler_isock[s]--> warp scheduler s
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "core/protocols/scheduler_protocol.h"
#include "sim/block_socket.h"

namespace heddle::core {

class SchedulerInterposer : public sc_core::sc_module {
 public:
  /// `schedulers` of a core. `cause`: what a slot is charged to in which the unit holds all candidates back, for
  /// statistics.
  SchedulerInterposer(const sc_core::sc_module_name& name, std::uint32_t schedulers, std::string cause);

  class Port {
   public:
    Port(SchedulerInterposer& unit, std::uint32_t scheduler)
        : unit_(unit),
          scheduler_(scheduler),
          scheduler_tsock(("scheduler_tsock" + std::to_string(scheduler)).c_str(), this),
          scheduler_isock(("scheduler_isock" + std::to_string(scheduler)).c_str()) {}

   private:
    void serve(SchedulerRequest& request) { unit_.serve(scheduler_, request); }
    SchedulerInterposer& unit_;
    std::uint32_t scheduler_;

   public:
    sim::BlockTarget<SchedulerProtocol, Port, &Port::serve> scheduler_tsock;
    sim::BlockInitiator<SchedulerProtocol> scheduler_isock;
  };
  [[nodiscard]] Port& port(std::uint32_t scheduler) { return *ports_[scheduler]; }
  [[nodiscard]] const std::string& cause() const { return cause_; }
  /// The core's number of that cause (SchedulerRequest::cause), told once.
  void charge_to(std::uint8_t cause) { number_ = cause; }
  /// A block of the unit's may refuse what would issue: such slots are charged to `block_busy`.
  [[nodiscard]] virtual bool may_be_busy() const { return false; }
  /// The core's number of `block_busy`, told once to units that may be.
  void charge_busy_to(std::uint8_t cause) { busy_ = cause; }

 protected:
  virtual void serve(std::uint32_t scheduler, SchedulerRequest& request) { pass(scheduler, request); }
  void pass(std::uint32_t scheduler, SchedulerRequest& request) {
    ports_[scheduler]->scheduler_isock.call(request);
  }
  /// Answers a kPick: nothing issues, before `due` unless something else happens.
  void hold_back(SchedulerRequest& request, Cycle due) const { hold_back(request, due, number_); }
  /// The same, for what a block refuses.
  void refuse(SchedulerRequest& request, Cycle due) const { hold_back(request, due, busy_); }

 private:
  static void hold_back(SchedulerRequest& request, Cycle due, std::uint8_t cause) {
    request.found = false;
    request.due = due;
    request.cause = cause;
  }
  std::string cause_;
  std::uint8_t number_ = 0;
  std::uint8_t busy_ = 0;
  std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace heddle::core
