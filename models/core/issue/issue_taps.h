// Taps: who hears of instructions that issue (protocols/issue_tap_protocol.h).
#pragma once

#include <cstdint>
#include <vector>

#include "core/protocols/issue_tap_protocol.h"
#include "core/state/core_state.h"
#include "simt/control_flow_protocol.h"

namespace heddle::core {

class IssueTaps {
 public:
  /// The mechanism is only inspected.
  IssueTaps(const CoreState& state, simt::ControlFlowPort& control_flow)
      : state_(state), control_flow_(control_flow) {}

  /// Adds a tap: it is asked about every instruction when a launch begins. The sockets are by scheduler, if there are
  /// several, each hearing of what its own scheduler chose.
  void add(std::vector<IssueTapPort*> sockets);
  /// The bits of the taps that want to hear of an instruction.
  [[nodiscard]] std::uint8_t interested(const isa::Instruction& instruction, Pc pc);
  /// The head of the group's I-buffer issues with lanes `exec`.
  void tell(unsigned taps, GroupId id, LaneMask exec);

 private:
  const CoreState& state_;
  simt::ControlFlowPort& control_flow_;
  std::vector<std::vector<IssueTapPort*>> taps_;
};

}  // namespace heddle::core
