// The module-scope variables of a PTX file, listing or cubin, as --print, --dump and --compare name them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/types.h"

namespace heddle::cli {

struct ModuleVariable {
  std::string name;
  isa::Type element = isa::Type::kU8;  ///< a type of scalar_text.h; .b32 is u32, .f16 u16
  std::uint64_t bytes = 0;
};

/// Those that the file defines, .global and .const, in the order of its text. Throws base::InputError.
[[nodiscard]] std::vector<ModuleVariable> module_variables(const std::string& path);

}  // namespace heddle::cli
