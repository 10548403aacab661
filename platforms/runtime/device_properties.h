// cudaDeviceProp and cudaDeviceGetAttribute of the simulated machine.
#pragma once

#include <cstddef>
#include <optional>

#include "runtime/protocol.h"

namespace heddle::runtime {

/// Shared memory of a block, unless its kernel asks for more (cudaFuncAttributeMaxDynamicSharedMemorySize).
inline constexpr std::uint32_t kSharedBytesUnasked = 48 * 1024;

/// sizeof(cudaDeviceProp) of toolkits 12 and 13.
inline constexpr std::size_t kPropertiesBytes12 = 1032, kPropertiesBytes13 = 1008;

void write_properties_12(const Machine& machine, void* properties);
void write_properties_13(const Machine& machine, void* properties);

/// Largest extents of arrays and textures, in texels (cudaDeviceProp's maxTexture* and maxSurface*).
namespace texture_limits {
inline constexpr int k1D = 131072, k2D = 131072, k2DHeight = 65536, k3D = 16384;
inline constexpr int k1DSurface = 32768;
inline constexpr int kAlternate3D = 8192, kAlternate3DDepth = 32768;  ///< instead of k3D
inline constexpr int kLayered =
    32768;  ///< width and height of layers, cubes and arrays that are gathered from
inline constexpr int kLayers = 2048, kCubeLayers = 2046;
inline constexpr int kLinear1D = 268435456, kLinear2DHeight = 65000,
                     kLinear2DPitch = 2097120;  ///< plain memory
}  // namespace texture_limits

/// cudaDeviceAttr; nothing: there is no such attribute.
[[nodiscard]] std::optional<int> attribute(const Machine& machine, int number);

}  // namespace heddle::runtime
