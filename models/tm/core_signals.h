// How the parts of a transaction unit get their core's attention: gates that are asked again, lanes that go on or leave, and
// cycles.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/protocols/issue_gate_protocol.h"
#include "core/protocols/transaction_protocol.h"
#include "sim/block_socket.h"
#include "sim/clock.h"

namespace heddle::tm {

using base::Cycle;
using base::LaneMask;
using base::Pc;
using base::WarpId;

class CoreSignals {
 public:
  enum class Gate : std::uint8_t {
    kToken,   ///< in front of a tx_begin
    kCommit,  ///< in front of a tx_commit, a tx_abort, a fence, and the first instruction of an attempt
  };

  /// Within the constructor of a module: the sockets become its own. `clock`: the core's.
  explicit CoreSignals(const sim::ClockDomain& clock) : clock_(clock) {}

  sim::BlockInitiator<core::GateControlProtocol> token_control_isock{"token_control_isock"};
  sim::BlockInitiator<core::GateControlProtocol> commit_control_isock{"commit_control_isock"};
  sim::BlockInitiator<core::TransactionControlProtocol> control_isock{"control_isock"};
  std::function<void()> on_wake;  ///< the core must run the unit in its next cycle

  [[nodiscard]] Cycle now() const { return clock_.cycle(); }
  /// In the resolution of the simulation: all clock domains count it alike.
  [[nodiscard]] std::uint64_t time() const { return clock_.manager().now(); }

  /// The number that the issue stage gave the gate.
  void number(Gate gate, std::uint32_t number) { number_[static_cast<unsigned>(gate)] = number; }
  /// Both gates may be closed for the warp.
  void close(WarpId id) {
    for (const Gate gate : {Gate::kToken, Gate::kCommit})
      control(gate, core::GateControlRequest::Op::kClose, id);
  }
  /// The gate is asked about the warp again, in the unit's next cycle.
  void recheck(Gate gate, WarpId id) {
    to_recheck_.emplace_back(gate, id);
    wake();
  }
  /// Outside of the core's cycle, which may sleep: the commit gate is asked about the warp again.
  void recheck_now(WarpId id) {
    wake();
    control(Gate::kCommit, core::GateControlRequest::Op::kRecheck, id);
  }
  /// Lanes that wait execute their instruction again.
  void resume(WarpId id, LaneMask lanes) {
    if (lanes.none()) return;
    core::TransactionControl request;
    request.op = core::TransactionControl::Op::kResume;
    request.warp = id;
    request.lanes = lanes;
    control_isock.call(request);
  }
  /// Lanes give up their attempt (TransactionControl::Op::kLeave). `target`: by lane. Those that have returned.
  LaneMask send_out(WarpId id, LaneMask lanes, const Pc* target) {
    core::TransactionControl request;
    request.op = core::TransactionControl::Op::kLeave;
    request.warp = id;
    request.lanes = lanes;
    request.lane_target = target;
    control_isock.call(request);
    return request.left;
  }

  /// There is something to do in the next cycle.
  void wake() {
    again_ = true;
    on_wake();
  }
  /// The same, said within the unit's cycle.
  void again() { again_ = true; }

  /// The unit's cycle begins.
  void begin_cycle() { again_ = false; }
  /// What is opened now is looked at by the schedulers in this cycle.
  void recheck_gates() {
    rechecking_.swap(to_recheck_);
    for (const auto& [gate, id] : rechecking_) control(gate, core::GateControlRequest::Op::kRecheck, id);
    rechecking_.clear();
  }
  [[nodiscard]] bool wants_cycle() const { return again_ || !to_recheck_.empty(); }

 private:
  void control(Gate gate, core::GateControlRequest::Op op, WarpId id) {
    core::GateControlRequest request;
    request.op = op;
    request.gate = number_[static_cast<unsigned>(gate)];
    request.warp = id;
    (gate == Gate::kToken ? token_control_isock : commit_control_isock).call(request);
  }

  const sim::ClockDomain& clock_;
  std::uint32_t number_[2] = {0, 0};                              ///< by gate
  std::vector<std::pair<Gate, WarpId>> to_recheck_, rechecking_;  ///< rechecking_: in this cycle
  bool again_ = false;
};

}  // namespace heddle::tm
