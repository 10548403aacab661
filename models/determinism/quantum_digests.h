// Digests of what a core's wavefronts do in a quantum, if it is watched: by tests, and by who looks for livelocks
// (livelock_watch.h). They see where each wavefront was, what it executed and what it stored.
#pragma once

#include <cstdint>
#include <vector>

#include "core/core_extension.h"
#include "core/observe/register_hash.h"
#include "determinism/quantum_protocol.h"

namespace heddle::determinism {

class QuantumDigests {
 public:
  /// `groups`: what is known of the wavefronts' issue groups; outlives it.
  QuantumDigests(const core::GroupView& groups, std::size_t wave_slots)
      : groups_(groups), waves_(wave_slots) {}

  /// A quantum begins.
  void begin() { waves_.assign(waves_.size(), {}); }
  /// An instruction issues; its operands have not changed yet.
  void issued(const core::IssueTapRequest& issue);

  /// A wavefront at the end of the quantum.
  struct End {
    bool runs = false;  ///< it has lanes that have not exited; else the rest says nothing
    EndReason reason = EndReason::kNone;
    std::uint32_t count = 0;
    base::LaneMask live;
    base::LaneMask kept;  ///< lanes that a complete barrier has released
    base::GroupId turn{};
  };
  /// Of all wavefronts, by slot: their states, and what they have written.
  [[nodiscard]] std::uint64_t states(const std::vector<End>& ends) const;
  /// The same without what the time of fences decides, and with all instructions in order.
  [[nodiscard]] std::uint64_t paths(const std::vector<End>& ends) const;

 private:
  struct Wave {
    core::Hash writes;          ///< what it has written
    core::Hash path;            ///< the instructions that it has issued, in order
    std::uint64_t entered = 0;  ///< of its state at the first of them; 0: it has issued none
  };
  const core::GroupView& groups_;
  std::vector<Wave> waves_;  ///< by slot
};

}  // namespace heddle::determinism
