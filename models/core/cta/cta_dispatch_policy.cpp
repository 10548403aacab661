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
  options.visit(v);
}

std::unique_ptr<CtaDispatchPolicy> DispatchConfig::make() const {
  return base::entry_named(*policies_, policy, "dispatch.policy").make(*this);
}

}  // namespace heddle::core
