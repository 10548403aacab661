#include "oracle/kernel_names.h"

#include "base/config.h"

namespace heddle::oracle {

void no_such_kernel(const std::string& module, const std::string& name,
                    const std::vector<std::string>& kernels,
                    const std::map<std::string, base::InputError>& refused) {
  if (const auto found = refused.find(name); found != refused.end()) throw base::InputError(found->second);
  std::string known;
  for (const std::string& kernel : kernels) known += (known.empty() ? "" : ", ") + kernel;
  for (const auto& [kernel, why] : refused) known += (known.empty() ? "" : ", ") + kernel + " (refused)";
  const auto near = base::nearest_name(name, kernels);
  throw base::InputError(module, "no kernel '" + name + "'" + (near ? "; did you mean '" + *near + "'?" : ""),
                         known.empty() ? "The module has no kernels." : "Kernels: " + known);
}

void no_such_variable(const std::string& module, const std::string& name) {
  throw base::InputError(module, "no module-scope variable '" + name + "'");
}

}  // namespace heddle::oracle
