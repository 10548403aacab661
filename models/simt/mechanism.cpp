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
    const sim::Implementation impl = block.get<sim::TwinConfig>()->impl;
    if (impl == sim::Implementation::kModel || has_block(chosen, block.key())) continue;
    std::string having;
    for (const Mechanism& each : *mechanisms_)
      if (has_block(each, block.key())) having += (having.empty() ? "" : ", ") + each.name;
    throw base::InputError(
        "core.control_flow." + block.key() + ".impl",
        fmt::format("is {}, but mechanism {} has no such block", sim::implementation_name(impl), mechanism),
        fmt::format("set it to model, or {} to one that has the block: {}", kKey, having));
  }
}

std::optional<ConvergenceTables> ControlFlowConfig::convergence() const {
  const Mechanism& chosen = base::entry_named(*mechanisms_, mechanism, kKey);
  if (!chosen.convergence) return std::nullopt;
  return chosen.convergence(*this);
}

std::optional<ReconvergenceUse> ControlFlowConfig::reconvergence() const {
  return base::entry_named(*mechanisms_, mechanism, kKey).reconvergence;
}

std::string ControlFlowConfig::timed() const {
  const Mechanism& chosen = base::entry_named(*mechanisms_, mechanism, kKey);
  if (!chosen.timed)
    return mechanism + " does not say that the order in which it runs lanes is independent of time";
  const std::string why = chosen.timed(*this);
  return why.empty() ? "" : mechanism + ": " + why;
}

std::string ControlFlowConfig::serving_convergence() const {
  std::string names;
  for (const Mechanism& each : *mechanisms_)
    if (each.convergence) names += (names.empty() ? "" : ", ") + each.name;
  return names;
}

ControlFlowFactory ControlFlowConfig::factory() const {
  const Mechanism& chosen = base::entry_named(*mechanisms_, mechanism, kKey);
  return [config = *this, make = chosen.make](std::uint32_t warps, ControlFlowPorts& ports,
                                              const std::string& path, sim::Twins* twins) {
    return make({config, warps, ports, path, twins});
  };
}

}  // namespace heddle::simt
