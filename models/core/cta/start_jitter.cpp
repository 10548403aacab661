#include "core/cta/start_jitter.h"

#include <algorithm>
#include <memory>

#include "core/state/core_state.h"

namespace heddle::core {

void StartJitterConfig::visit(base::ConfigVisitor& v) {
  v.field("perturb_seed", perturb_seed,
          {.doc = "seed of the waits of warps before their first instruction ([GPUDet] §2.2); 0: none",
           .use = base::KeyUse::kTest});
  v.field("perturb_cycles", perturb_cycles,
          {.unit = "core cycles",
           .doc = "the longest of these waits",
           .min = 1,
           .max = 1e6,
           .use = base::KeyUse::kTest});
}

CoreUnit start_jitter_core_unit() {
  return {"start_jitter", "warps start at random times",
          base::ConfigOption::section<StartJitterConfig>("start_jitter", "random waits of warps that start"),
          [](const CoreConfig& core) -> CoreExtensionFactory {
            const auto config = core.units.get<StartJitterConfig>("start_jitter");
            if (config.perturb_seed == 0) return nullptr;
            return [config](const CoreExtensionSite& site) {
              return std::make_unique<StartJitter>("start_jitter", config, site);
            };
          }};
}

StartJitter::StartJitter(const sc_core::sc_module_name& name, const StartJitterConfig& config,
                         const CoreExtensionSite& site)
    : sc_module(name),
      config_(config),
      warps_(site.config.occupancy.max_warps),
      groups_per_warp_(site.groups_per_warp),
      perturbation_(config.perturb_seed, site.core.value()),
      groups_(std::size_t{warps_} * groups_per_warp_),
      clock_(site.services.clock, sim::on_tick<&StartJitter::tick>(this)) {}

void StartJitter::tap(IssueTapRequest& request) {
  if (request.op == IssueTapRequest::Op::kInterest)
    request.wanted = request.pc == Pc{0};
  else
    groups_[request.group.value()] = {};
}

void StartJitter::ask(IssueGateRequest& request) {
  if (request.op == IssueGateRequest::Op::kInterest) {
    gate_ = request.gate;
    request.closed = request.pc == Pc{0};
    if (!armed_)
      for (std::uint32_t w = 0; w < warps_; ++w) control_isock.close(gate_, WarpId{w});
    armed_ = true;
    return;
  }
  Group& group = groups_[request.group.value()];
  if (!group.drawn) {
    group = {true, true, clock_.domain().cycle() + 1 + perturbation_.below(config_.perturb_cycles)};
    clock_.wake();
  }
  request.closed = group.waiting;
}

void StartJitter::tick() {
  const Cycle now = clock_.cycle();
  Cycle next = base::kNever;
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    if (!group.waiting) continue;
    if (group.opens <= now) {
      group.waiting = false;
      control_isock.recheck(gate_, WarpId{g / groups_per_warp_});
    } else {
      next = std::min(next, group.opens);
    }
  }
  if (next == base::kNever)
    clock_.park();
  else
    clock_.sleep_until(next);
}

}  // namespace heddle::core
