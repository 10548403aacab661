// What is said of names that a module does not have.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace heddle::oracle {

/// Throws why the kernel is refused, or that there is none of that name and which there are.
[[noreturn]] void no_such_kernel(const std::string& module, const std::string& name,
                                 const std::vector<std::string>& kernels,
                                 const std::map<std::string, base::InputError>& refused);
[[noreturn]] void no_such_variable(const std::string& module, const std::string& name);

}  // namespace heddle::oracle
