// Taps: who hears of instructions that issue (protocols/issue_tap_protocol.h).
#pragma once

#include <cstdint>
#include <vector>

#include "core/core_state.h"
#include "core/issue/path_control.h"
#include "core/protocols/issue_tap_protocol.h"
#include "sim/block_socket.h"

namespace heddle::core {

class IssueTaps {
 public:
  IssueTaps(const CoreState& state, PathControl& paths) : state_(state), paths_(paths) {}

  /// Adds a tap: it is asked about every instruction when a launch begins. The sockets are by scheduler, if there are
  /// several, each hearing of what its own scheduler chose.
  void add(std::vector<sim::BlockInitiator<IssueTapProtocol>*> sockets);
  /// The bits of the taps that want to hear of an instruction.
  [[nodiscard]] std::uint8_t interested(const isa::Instruction& instruction, Pc pc);
  /// The head of the group's I-buffer issues with lanes `exec`.
  void tell(unsigned taps, GroupId id, LaneMask exec);

 private:
  const CoreState& state_;
  PathControl& paths_;
  std::vector<std::vector<sim::BlockInitiator<IssueTapProtocol>*>> taps_;
};

}  // namespace heddle::core
