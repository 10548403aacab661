// Special registers: names to rows of the special block.
#pragma once

#include <optional>
#include <string_view>

#include "isa/kernel.h"

namespace heddle::ptx {

[[nodiscard]] std::optional<isa::SpecialRow> special_row(std::string_view name);

/// The launch number, in two rows: read with mov.
inline constexpr std::string_view kGridId = "%gridid";

/// A special register with a constant value: %envreg<n>, which an OpenCL driver would set, other than the two with
/// the address of a cooperative launch's workspace, and %current_graph_exec are 0.
struct SpecialConstant {
  unsigned bytes = 4;
  std::uint64_t value = 0;
};
[[nodiscard]] std::optional<SpecialConstant> special_constant(std::string_view name);

/// Special registers that are vectors of four (%tid ...), whose last element is 0.
[[nodiscard]] bool is_special_vector(std::string_view name);

/// A special register of PTX that is not modelled (%pm0, %clusterid.x ...).
[[nodiscard]] bool is_unsupported_special(std::string_view name);

}  // namespace heddle::ptx
