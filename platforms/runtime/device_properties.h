// cudaDeviceProp and cudaDeviceGetAttribute of the simulated machine.
#pragma once

#include <cstddef>
#include <optional>

#include "runtime/protocol.h"

namespace heddle::runtime {

/// sizeof(cudaDeviceProp) of toolkits 12 and 13.
inline constexpr std::size_t kPropertiesBytes12 = 1032, kPropertiesBytes13 = 1008;

void write_properties_12(const Machine& machine, void* properties);
void write_properties_13(const Machine& machine, void* properties);

/// cudaDeviceAttr; nothing: there is no such attribute.
[[nodiscard]] std::optional<int> attribute(const Machine& machine, int number);

}  // namespace heddle::runtime
