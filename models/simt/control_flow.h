// A control-flow mechanism as plain C++: what BranchUnit wraps into a SystemC module.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/config.h"
#include "sim/stats.h"
#include "simt/branch_protocol.h"

namespace heddle::simt {

class ControlFlow {
 public:
  virtual ~ControlFlow() = default;
  /// Handles one event; see BranchEvent for the meaning of the fields.
  virtual void serve(BranchRequest& request) = 0;
  /// Fills the debug part of the request.
  virtual void inspect(BranchRequest& request) const = 0;
  /// Issue groups the core must provide I-buffers for.
  [[nodiscard]] virtual std::uint32_t groups() const = 0;
  virtual void register_stats(sim::StatGroup& stats) = 0;
};

enum class Mechanism : std::uint8_t { kSimtStack };
/// Which side of a divergent branch runs first (mimd-simt-and-bows A2, tbc-and-kilotm A1).
enum class FirstSide : std::uint8_t { kTaken, kNotTaken };

struct ControlFlowConfig {
  Mechanism mechanism = Mechanism::kSimtStack;
  FirstSide first_side = FirstSide::kTaken;

  void visit(sim::ConfigVisitor& v) {
    v.choice("mechanism", mechanism, {"simt_stack"},
             "how diverged lanes of a warp are scheduled and reconverged");
    v.choice("first_side", first_side, {"taken", "not_taken"},
             "side of a divergent branch that runs first (mimd-simt-and-bows A2, tbc-and-kilotm A1)");
  }
};

/// The configured mechanism for a core with `warps` warp slots.
[[nodiscard]] std::unique_ptr<ControlFlow> make_control_flow(const ControlFlowConfig& config,
                                                             std::uint32_t warps);

}  // namespace heddle::simt
