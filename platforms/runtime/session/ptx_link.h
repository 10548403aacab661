// Several PTX modules as one, as nvlink makes one of objects compiled with -rdc: what one declares, another defines.
#pragma once

#include <string>
#include <vector>

namespace heddle::runtime {

/// One module of the version and target of the newest. Names that only their own module sees are told apart where two have
/// the same; of definitions that several modules have (.weak, .common) the first stays. Two definitions of one visible name are
/// a base::InputError that names it. A single text is returned as it is. `name` is for messages.
[[nodiscard]] std::string link_ptx(const std::vector<std::string>& texts, const std::string& name);

}  // namespace heddle::runtime
