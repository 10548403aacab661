#include "base/registry.h"

namespace heddle::base {

void refuse_name(const std::string& place, const std::string& name, const std::vector<std::string>& names) {
  const auto near = nearest_name(name, names);
  throw InputError(
      place, fmt::format("there is no '{}'{}", name, near ? fmt::format("; did you mean '{}'?", *near) : ""),
      names.empty() ? "" : fmt::format("choices: {}", fmt::join(names, ", ")));
}

}  // namespace heddle::base
