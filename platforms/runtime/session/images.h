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
/// architecture that runs: sm_90 for a machine of capability 90 and later, else sm_75, else sm_90; otherwise PTX, of the newest
/// that there is. Throws base::InputError that says what there is.
[[nodiscard]] Bytes module_of(const Registered& registered, bool machine_code, unsigned capability,
                              const std::string& name);
/// The newest PTX that there is, linked of that of the objects if it has to be.
[[nodiscard]] std::optional<Bytes> ptx_of(const Registered& registered, const std::string& name);

}  // namespace heddle::runtime
