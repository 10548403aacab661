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

  core::GateControlPort token_control_isock{"token_control_isock"};
  core::GateControlPort commit_control_isock{"commit_control_isock"};
  core::TransactionControlPort control_isock{"control_isock"};
  std::function<void()> on_wake;  ///< the core must run the unit in its next cycle

  [[nodiscard]] Cycle now() const { return clock_.cycle(); }
  /// In the resolution of the simulation: all clock domains count it alike.
  [[nodiscard]] std::uint64_t time() const { return clock_.manager().now(); }

  /// The number that the issue stage gave the gate.
  void number(Gate gate, std::uint32_t number) { number_[static_cast<unsigned>(gate)] = number; }
  /// Both gates may be closed for the warp.
  void close(WarpId id) {
    for (const Gate gate : {Gate::kToken, Gate::kCommit}) socket(gate).close(number(gate), id);
  }
  /// The gate is asked about the warp again, in the unit's next cycle.
  void recheck(Gate gate, WarpId id) {
    to_recheck_.emplace_back(gate, id);
    wake();
  }
  /// Outside of the core's cycle, which may sleep: the commit gate is asked about the warp again.
  void recheck_now(WarpId id) {
    wake();
    socket(Gate::kCommit).recheck(number(Gate::kCommit), id);
  }
  /// Lanes that wait execute their instruction again.
  void resume(WarpId id, LaneMask lanes) {
    if (lanes.any()) control_isock.resume(id, lanes);
  }
  /// Lanes give up their attempt (TransactionControl::Op::kLeave). `target`: by lane. Those that have returned.
  LaneMask send_out(WarpId id, LaneMask lanes, const Pc* target) {
    return control_isock.leave(id, lanes, target);
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
    for (const auto& [gate, id] : rechecking_) socket(gate).recheck(number(gate), id);
    rechecking_.clear();
  }
  [[nodiscard]] bool wants_cycle() const { return again_ || !to_recheck_.empty(); }

 private:
  [[nodiscard]] core::GateControlPort& socket(Gate gate) {
    return gate == Gate::kToken ? token_control_isock : commit_control_isock;
  }
  [[nodiscard]] std::uint32_t number(Gate gate) const { return number_[static_cast<unsigned>(gate)]; }

  const sim::ClockDomain& clock_;
  std::uint32_t number_[2] = {0, 0};                              ///< by gate
  std::vector<std::pair<Gate, WarpId>> to_recheck_, rechecking_;  ///< rechecking_: in this cycle
  bool again_ = false;
};

}  // namespace heddle::tm
