// Which code of a program's fat binary runs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle::runtime {

using Bytes = std::vector<std::byte>;

/// What the program has registered, or loads: a fat binary, PTX text or a cubin. `linked`: behind it the fat binaries of the
/// objects that it was linked of (-rdc), which hold their PTX.
struct Registered {
  Bytes binary;
  std::vector<Bytes> linked;
};

/// A module for host::Device::load_module: PTX text, or a cubin. Machine code if it is preferred, and there is some of an
/// architecture that runs: sm_90 for a machine of capability 90 and later, else sm_75, else sm_90; otherwise PTX. Throws
/// base::InputError that says what there is.
[[nodiscard]] Bytes module_of(const Registered& registered, bool machine_code, unsigned capability,
                              const std::string& name);
/// The newest PTX that is not above the machine's capability, as a driver takes it; if there is none the oldest. Linked of that of the
/// objects if it has to be.
[[nodiscard]] std::optional<Bytes> ptx_of(const Registered& registered, unsigned capability,
                                          const std::string& name);
/// Of PTX text: 75 for sm_75. 0 for a cubin.
[[nodiscard]] unsigned architecture_of(const Bytes& module);

}  // namespace heddle::runtime
