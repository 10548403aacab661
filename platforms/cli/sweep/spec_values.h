// Values of a sweep's spec: ranges, options, the settings of a kernel.
#pragma once

#include <string>
#include <vector>

#include "cli/sweep/sweep_spec.h"

namespace heddle::cli {

/// An option of section `options`. Throws base::InputError at `place` for an unknown one and for a value that it does not have.
void set_option(SweepOptions& options, const std::string& name, const std::string& value,
                const std::string& place);
/// What `heddle run --ptx` has as options. The same errors.
void set_of_kernel(SweepKernel& kernel, const std::string& name, const std::vector<std::string>& values,
                   const std::string& place);
/// Throws base::InputError at `place`.
[[nodiscard]] std::uint64_t whole_number_in(const std::string& text, const std::string& what,
                                            const std::string& place);

}  // namespace heddle::cli
