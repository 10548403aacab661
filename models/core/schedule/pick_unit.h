// The pick among the warps of one scheduler as a clocked block: what is on its pins in a cycle, and what it grants. Model
// (pick_model.h) and RTL (rtl/warp_scheduler) stand behind one interface, so that both see the same pins.
//
// A slot is the number of a warp among those of its scheduler: warp / schedulers.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/ids.h"
#include "sim/block_timing.h"

namespace heddle::core {

/// Inputs of one cycle; sets of slots as bits.
struct PickPins {
  static constexpr std::uint32_t kMostSlots = 64;

  std::uint64_t assign = 0;  ///< they have a new warp, which becomes the youngest; of several, by number
  std::uint64_t leave = 0;   ///< their warp is gone
  bool rotate = false;   ///< the oldest becomes the youngest, and who issued last loses its claim to go on
  bool stalled = false;  ///< who issued last has no such claim; in the same cycle
  std::uint64_t candidates = 0;              ///< slots that can issue
  std::optional<std::uint32_t> issued = {};  ///< the slot whose instruction issues
};

/// Outputs, in the same cycle.
struct PickGrant {
  bool valid = false;
  std::uint32_t slot = 0;  ///< if valid
  // State, for comparison.
  std::uint32_t last = 0;  ///< slot that issued last
  bool greedy = false;     ///< it goes on if it can
  bool operator==(const PickGrant& other) const {
    return valid == other.valid && (!valid || slot == other.slot) && last == other.last &&
           greedy == other.greedy;
  }
};

class PickUnit {
 public:
  using Cycle = base::Cycle;

  virtual ~PickUnit() = default;
  /// Combinational: what the pins of core cycle `cycle` lead to; nothing changes.
  [[nodiscard]] virtual PickGrant grant(const PickPins& pins, Cycle cycle) = 0;
  /// The clock edge that ends the cycle: what is on the pins takes effect.
  virtual void edge(const PickPins& pins, Cycle cycle) = 0;
  /// As WarpSchedulingPolicy::show() of the policy, in slots.
  [[nodiscard]] virtual nlohmann::ordered_json show() const = 0;
};

/// The grant is combinational, and what changes counts from the next cycle on. Every port is there for all slots at once: a request is
/// never refused, and costs the same in every state.
[[nodiscard]] constexpr sim::BlockCost cost(const PickPins& /*pins*/) { return {.answer = 0, .interval = 1}; }

/// What a policy has under `timing: contract`.
struct PickContract {
  std::unique_ptr<PickUnit> model;
  base::Cycle rotation = 0;  ///< cycles after which ages rotate; 0: never
  bool may_starve = false;   ///< WarpSchedulingPolicy::may_starve
};

/// Model and RTL on the same pins. In each cycle valid, grant and state must be the same; the first difference ends the run.
[[nodiscard]] std::unique_ptr<PickUnit> lockstep_pick(std::string path, std::unique_ptr<PickUnit> model,
                                                      std::unique_ptr<PickUnit> rtl);

}  // namespace heddle::core
