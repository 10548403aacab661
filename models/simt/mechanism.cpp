#include "simt/mechanism.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/registry.h"

namespace heddle::simt {

ControlFlowConfig::ControlFlowConfig(const std::vector<Mechanism>& mechanisms)
    : mechanisms_(std::make_shared<const std::vector<Mechanism>>(mechanisms)) {
  if (!mechanisms.empty()) mechanism = mechanisms.front().name;
  for (const Mechanism& each : mechanisms) {
    for (const base::ConfigOption& option : each.options) options.add(option);
    for (const base::ConfigOption& block : each.blocks) blocks.add(block);
  }
}

void ControlFlowConfig::visit(base::ConfigVisitor& v) {
  v.field("mechanism", mechanism,
          {.doc = "how diverged lanes of a warp are scheduled and reconverged",
           .choices = base::names_of(*mechanisms_)});
  v.choice("first_side", first_side, {std::begin(kFirstSideNames), std::end(kFirstSideNames)},
           "side of a divergent branch that runs first ([AWARE:A2], [TBC:A1]); auto: taken "
           "on the stack, the majority on hanoi ([Hanoi:A8]), not_taken on the others");
  v.choice("likely_convergence", likely_convergence,
           {std::begin(kLikelyConvergenceNames), std::end(kLikelyConvergenceNames)},
           "simt_stack, tbc: where diverged threads may meet before their reconvergence point "
           "([TBC] §3.4); loops: "
           "branches that may leave a loop meet at its backward branch; profile: of these, those that pay "
           "off by the "
           "profile of an earlier run");
  v.field("likely_convergence_profile", likely_convergence_profile,
          {.unit = "", .doc = "likely_convergence=profile: the file that heddle run --profile has written"});
  v.field("ignores_convergence_instructions", ignores_convergence_instructions,
          {.unit = "",
           .doc = "on mechanisms without barrier registers: true: a program's convergence instructions take "
                  "an issue "
                  "slot and have no effect, WARPSYNC waits as bar.warp.sync does, and lanes meet at "
                  "post-dominators; false: a kernel that has any is refused"});
  options.visit(v);
  blocks.visit(v);
}

namespace {

constexpr const char* kKey = "core.control_flow.mechanism";

bool has_block(const Mechanism& mechanism, const std::string& key) {
  return std::any_of(mechanism.blocks.begin(), mechanism.blocks.end(),
                     [&](const base::ConfigOption& block) { return block.key() == key; });
}

}  // namespace

void ControlFlowConfig::validate() const {
  const Mechanism& chosen = base::entry_named(*mechanisms_, mechanism, kKey);
  for (const base::ConfigOption& block : blocks.all()) {
    const auto* const twin = block.get<sim::TwinConfig>();
    const auto* const clocked = block.get<sim::ClockedTwinConfig>();
    const auto* const timed = clocked != nullptr ? clocked : block.get<sim::ContractConfig>();
    const sim::Implementation impl = clocked != nullptr ? clocked->impl
                                     : twin != nullptr  ? twin->impl
                                                        : sim::Implementation::kModel;
    const bool contract = timed != nullptr && timed->clocked();
    if (timed != nullptr && timed->stall_seed != 0 && !contract)
      throw base::InputError("test.core.control_flow." + block.key() + ".stall_seed",
                             "with timing ideal nothing waits",
                             "set it to 0, or core.control_flow." + block.key() + ".timing to contract");
    if ((impl == sim::Implementation::kModel && !contract) || has_block(chosen, block.key())) continue;
    std::string having;
    for (const Mechanism& each : *mechanisms_)
      if (has_block(each, block.key())) having += (having.empty() ? "" : ", ") + each.name;
    throw base::InputError("core.control_flow." + block.key() + (contract ? ".timing" : ".impl"),
                           fmt::format("is {}, but mechanism {} has no such block",
                                       contract ? "contract" : sim::implementation_name(impl), mechanism),
                           fmt::format("set it to {}, or {} to one that has the block: {}",
                                       contract ? "ideal" : "model", kKey, having));
  }
}

Traits ControlFlowConfig::traits() const {
  const Mechanism& chosen = base::entry_named(*mechanisms_, mechanism, kKey);
  return chosen.traits ? chosen.traits(*this) : Traits{};
}

std::string ControlFlowConfig::timed() const {
  const auto why = traits().timed;
  if (!why) return mechanism + " does not say that the order in which it runs lanes is independent of time";
  return why->empty() ? "" : mechanism + ": " + *why;
}

std::string ControlFlowConfig::mechanisms_with(const std::function<bool(const Traits&)>& it) const {
  std::vector<std::string> names;
  for (const Mechanism& each : *mechanisms_)
    if (it(each.traits ? each.traits(*this) : Traits{})) names.push_back(each.name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

ControlFlowFactory ControlFlowConfig::factory(std::uint32_t schedulers) const {
  const Mechanism& chosen = base::entry_named(*mechanisms_, mechanism, kKey);
  return {[config = *this, make = chosen.make, schedulers](std::uint32_t warps, ControlFlowPorts& ports,
                                                           const std::string& path, sim::Twins* twins) {
            return make({config, warps, schedulers, ports, path, twins});
          },
          traits()};
}

}  // namespace heddle::simt
