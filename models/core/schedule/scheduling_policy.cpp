#include "core/schedule/scheduling_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/registry.h"
#include "core/schedule/lockstep.h"
#include "core/schedule/pick_policies.h"

namespace heddle::core {

nlohmann::ordered_json WarpSchedulingPolicy::show() const { return nullptr; }

SchedulerConfig::SchedulerConfig(const std::vector<SchedulingPolicy>& policies, const std::string& selected)
    : policy(selected), policies_(std::make_shared<const std::vector<SchedulingPolicy>>(policies)) {
  std::vector<base::ConfigOption> all;
  for (const SchedulingPolicy& each : policies)
    all.insert(all.end(), each.options.begin(), each.options.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& left, const auto& right) { return left.key() < right.key(); });
  for (const base::ConfigOption& option : all) options.add(option);
}

void SchedulerConfig::visit(base::ConfigVisitor& v) {
  v.field("count", count,
          {.doc = "warp schedulers; warp w belongs to scheduler w mod count", .min = 1, .max = 8});
  v.field("sub_cores", sub_cores,
          {.doc = "groups of schedulers that share pipes, register banks and collectors. 1: all schedulers "
                  "share one set (Fermi); as many as schedulers: each has its own set (Volta, Turing)",
           .min = 1,
           .max = 8});
  std::string doc;
  for (const SchedulingPolicy& each : *policies_)
    doc += fmt::format("{}{}: {}", doc.empty() ? "" : "; ", each.name, each.doc);
  v.field("policy", policy, {.doc = doc, .choices = base::names_of(*policies_)});
  options.visit(v);
  sim::visit_implementation(v, impl);
  sim::visit_timing(
      v, timing,
      "ideal: a choice counts at once; contract: the grant is there in the cycle that asks, and what issues, "
      "comes "
      "or goes counts from the next one on, as in RTL (lrr, gto); slots of a choice that is not "
      "taken are charged to block_busy");
  std::uint32_t seed = stall_seed;
  v.field(
      "stall_seed", seed,
      {.doc =
           "seed of random stalls, with timing contract: on average one grant in 4 is not taken; 0: all are",
       .max = 255,
       .use = base::KeyUse::kTest});
  stall_seed = static_cast<std::uint8_t>(seed);
  v.field("perturb_seed", perturb_seed,
          {.doc = "seed of random picks: on average one pick in 16 is a random ready warp instead of the "
                  "policy's choice ([GPUDet] §2.2); 0: all picks are the policy's",
           .use = base::KeyUse::kTest});
}

std::unique_ptr<WarpSchedulingPolicy> SchedulerConfig::make(std::uint32_t warps) const {
  return base::entry_named(*policies_, policy, "core.scheduler.policy").make(*this, warps);
}

PickContract SchedulerConfig::contract(const std::string& key) const {
  const SchedulingPolicy& selected = base::entry_named(*policies_, policy, "core.scheduler.policy");
  if (selected.contract) return selected.contract(*this);
  std::string those;
  for (const SchedulingPolicy& each : *policies_)
    if (each.contract) those += fmt::format("{}{}", those.empty() ? "" : ", ", each.name);
  throw base::InputError("core.scheduler." + key,
                         fmt::format("{} have a clocked block, {} has not", those, policy),
                         "Leave " + key + " out, or set core.scheduler.policy to one of those.");
}

namespace {

std::unique_ptr<WarpSchedulingPolicy> make_clocked(const SchedulerConfig& config, std::uint32_t warps,
                                                   const std::string& path, sim::Twins* twins) {
  const std::uint32_t slots = (warps + config.count - 1) / config.count;
  if (slots > PickPins::kMostSlots)
    throw base::InputError("core.scheduler.timing",
                           fmt::format("the clocked block has {} slots, a scheduler of this core {}",
                                       PickPins::kMostSlots, slots),
                           "Set core.scheduler.timing=ideal, or more schedulers (core.scheduler.count).");
  PickContract contract = config.contract("timing");
  std::unique_ptr<PickUnit> unit = std::move(contract.model);
  if (config.impl != sim::Implementation::kModel) {
    auto rtl = sim::Twins::make<WarpSchedulerBlock>(twins, config.impl, {slots, config}, path);
    unit = config.impl == sim::Implementation::kRtl ? std::move(rtl)
                                                    : lockstep_pick(path, std::move(unit), std::move(rtl));
  }
  return std::make_unique<ClockedPolicy>(std::move(contract), std::move(unit), config.count,
                                         base::Perturbation(config.stall_seed, base::stream_of(path)));
}

}  // namespace

std::unique_ptr<WarpSchedulingPolicy> make_scheduling_policy(const SchedulerConfig& config,
                                                             std::uint32_t warps, const std::string& path,
                                                             sim::Twins* twins) {
  if (config.stall_seed != 0 && !config.clocked())
    throw base::InputError("test.core.scheduler.stall_seed", "with timing ideal every choice is taken",
                           "set it to 0, or core.scheduler.timing to contract");
  if (config.impl == sim::Implementation::kModel && !config.clocked()) return config.make(warps);
  if (config.perturb_seed != 0)
    throw base::InputError(
        "test.core.scheduler.perturb_seed",
        config.clocked() ? "the clocked block knows no random turns" : "RTL knows no random turns",
        config.clocked() ? "set it to 0, or core.scheduler.timing to ideal"
                         : "set it to 0, or core.scheduler.impl to model");
  if (config.clocked()) return make_clocked(config, warps, path, twins);
  auto unit = sim::Twins::make<WarpSchedulerBlock>(twins, config.impl, {warps, config}, path);
  const PickContract contract = config.contract("impl");
  auto rtl = stepped_policy(path, std::move(unit), contract.rotation, contract.may_starve);
  if (config.impl == sim::Implementation::kRtl) return rtl;
  return lockstep_policy(path, config.make(warps), std::move(rtl));
}

}  // namespace heddle::core
