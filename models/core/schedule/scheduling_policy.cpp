#include "core/schedule/scheduling_policy.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/registry.h"
#include "core/schedule/lockstep.h"

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
  v.field("perturb_seed", perturb_seed,
          {.doc = "seed of random picks: on average one pick in 16 is a random ready warp instead of the "
                  "policy's choice ([GPUDet] §2.2); 0: all picks are the policy's",
           .use = base::KeyUse::kTest});
}

std::unique_ptr<WarpSchedulingPolicy> SchedulerConfig::make(std::uint32_t warps) const {
  return base::entry_named(*policies_, policy, "core.scheduler.policy").make(*this, warps);
}

std::unique_ptr<WarpSchedulingPolicy> make_scheduling_policy(const SchedulerConfig& config,
                                                             std::uint32_t warps, const std::string& path,
                                                             sim::Twins* twins) {
  if (config.impl == sim::Implementation::kModel) return config.make(warps);
  if (config.perturb_seed != 0)
    throw base::InputError("test.core.scheduler.perturb_seed", "RTL knows no random turns",
                           "set it to 0, or core.scheduler.impl to model");
  auto rtl = sim::Twins::make<WarpSchedulerBlock>(twins, config.impl, {warps, config}, path);
  if (config.impl == sim::Implementation::kRtl) return rtl;
  return lockstep_policy(path, config.make(warps), std::move(rtl));
}

}  // namespace heddle::core
