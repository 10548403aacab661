#include "core/cta/cta_dispatch_policy.h"

#include "base/registry.h"

namespace heddle::core {

DispatchConfig::DispatchConfig(const std::vector<DispatchPolicy>& policies)
    : policies_(std::make_shared<const std::vector<DispatchPolicy>>(policies)) {
  if (!policies.empty()) policy = policies.front().name;
  for (const DispatchPolicy& each : policies)
    for (const base::ConfigOption& option : each.options) options.add(option);
}

void DispatchConfig::visit(base::ConfigVisitor& v) {
  std::string doc = "which CTA goes to which core next";
  for (const DispatchPolicy& each : *policies_) doc += fmt::format("; {}: {}", each.name, each.doc);
  v.field("policy", policy, {.doc = doc, .choices = base::names_of(*policies_)});
  v.field("launch_overhead_cycles", launch_overhead_cycles,
          {.unit = "core cycles",
           .doc = "from the start of a launch, as a profiler counts its cycles, to its first CTA: work of "
                  "the front end "
                  "that no core takes part in",
           .max = 1'000'000});
  v.field("launch_sectors", launch_sectors,
          {.unit = "sectors",
           .doc = "that L2 looks up for a launch, whatever its kernel, as a profiler counts them; "
                  "heddle correlate adds them to the model's"});
  v.field("launch_dram_sectors", launch_dram_sectors,
          {.unit = "sectors", .doc = "that DRAM reads for a launch, the same way, beside the kernel's code"});
  v.field(
      "code_lookups", code_lookups,
      {.doc = "look-ups by L2 of each sector of a kernel's code at a launch, which caches behind those of "
              "the cores make (core.l1i.second_latency_cycles), the same way; DRAM reads the code once"});
  options.visit(v);
}

std::unique_ptr<CtaDispatchPolicy> DispatchConfig::make() const {
  return base::entry_named(*policies_, policy, "dispatch.policy").make(*this);
}

}  // namespace heddle::core
