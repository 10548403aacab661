// Start jitter: the first instruction of every warp waits for a random number of cycles. One of the sources of
// nondeterminism that a run can be given ([GPUDet] §2.2); an extension of the core, so without it nothing is
// there.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "base/config.h"
#include "base/perturbation.h"
#include "core/core_extension.h"
#include "sim/block_socket.h"
#include "sim/clock.h"

namespace heddle::core {

/// Keys: core.start_jitter.*
struct StartJitterConfig {
  std::uint32_t perturb_seed = 0;
  std::uint32_t perturb_cycles = 200;
  void visit(base::ConfigVisitor& v);
};

[[nodiscard]] CoreUnit start_jitter_core_unit();

/// A gate on the instruction at PC 0, which opens for a group a random number of cycles after it was asked first.
/// A loop to PC 0 waits again.
class StartJitter : public sc_core::sc_module, public CoreExtension {
 public:
  StartJitter(const sc_core::sc_module_name& name, const StartJitterConfig& config,
              const CoreExtensionSite& site);
  [[nodiscard]] std::vector<TapTarget*> taps() override { return {&tap_tsock}; }
  [[nodiscard]] std::vector<Gate> gates() override { return {{"start_jitter", &gate_tsock, &control_isock}}; }

 private:
  void tap(IssueTapRequest& request);
  void ask(IssueGateRequest& request);
  void tick();

 public:
  sim::BlockTarget<IssueTapProtocol, StartJitter, &StartJitter::tap> tap_tsock{"tap_tsock", this};
  sim::BlockTarget<IssueGateProtocol, StartJitter, &StartJitter::ask> gate_tsock{"gate_tsock", this};
  GateControlPort control_isock{"control_isock"};

 private:
  struct Group {
    bool drawn = false;
    bool waiting = false;
    Cycle opens = 0;
  };
  StartJitterConfig config_;
  std::uint32_t warps_;
  std::uint32_t groups_per_warp_;
  base::Perturbation perturbation_;
  std::vector<Group> groups_;
  std::uint32_t gate_ = 0;
  bool armed_ = false;  ///< the gate is closed for all warps
  sim::ClockMember clock_;
};

}  // namespace heddle::core
