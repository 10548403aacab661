// The structures of the CUDA runtime's interface as programs pass them: layouts by fact, for toolkits 12 and 13 on x86-64.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/protocol.h"

/// A function of the interface. Errors are cudaError_t, an int.
#define HEDDLE_CUDA extern "C" __attribute__((visibility("default")))

namespace heddle::runtime {

struct Dim {
  unsigned x = 1, y = 1, z = 1;
};

using StreamHandle = struct Stream*;
using EventHandle = struct Event*;
using HostFunction = void (*)(void*);
using StreamCallback = void (*)(StreamHandle, int, void*);

enum CopyKind : int {
  kHostToHost = 0,
  kHostToDevice = 1,
  kDeviceToHost = 2,
  kDeviceToDevice = 3,
  kDefault = 4
};

struct PitchedPointer {
  void* pointer = nullptr;
  std::size_t pitch = 0, row_bytes = 0, rows = 0;
};
struct Extent {
  std::size_t width = 0, height = 0, depth = 0;
};
struct Position {
  std::size_t x = 0, y = 0, z = 0;
};
struct Copy3D {
  void* from_array = nullptr;
  Position from_position;
  PitchedPointer from;
  void* to_array = nullptr;
  Position to_position;
  PitchedPointer to;
  Extent extent;
  int kind = 0;
};
struct PeerCopy3D {
  void* from_array = nullptr;
  Position from_position;
  PitchedPointer from;
  int from_device = 0;
  void* to_array = nullptr;
  Position to_position;
  PitchedPointer to;
  int to_device = 0;
  Extent extent;
};

struct ChannelFormat {
  int x = 0, y = 0, z = 0, w = 0;
  int kind = 0;
};

struct PointerAttributes {
  int type = 0;  ///< 0 not registered, 1 host, 2 device, 3 managed
  int device = 0;
  void* device_pointer = nullptr;
  void* host_pointer = nullptr;
};

struct FunctionAttributes {
  std::size_t shared_bytes = 0, constant_bytes = 0, local_bytes = 0;
  int max_threads_per_block = 0, registers = 0, ptx_version = 0, binary_version = 0, cache_mode_ca = 0;
  int max_dynamic_shared_bytes = 0, preferred_carveout = 0;
  int cluster[6] = {};
  int reserved[16] = {};
};

/// cudaLaunchConfig_t and its attributes; the value's union has 64 bytes.
struct LaunchAttribute {
  int id = 0;
  int padding = 0;
  union {
    char bytes[64];
    int number;
    Dim dim;
  } value = {};
};
struct LaunchConfiguration {
  Dim grid, block;
  std::size_t dynamic_shared_bytes = 0;
  StreamHandle stream = nullptr;
  const LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

/// What nvcc's host code registers: a fat binary, and of programs linked with -rdc (version 2) those of their objects.
struct FatBinaryWrapper {
  int magic = 0;
  int version = 0;
  const void* data = nullptr;
  const void* const* linked = nullptr;  ///< ends with nullptr
};
inline constexpr int kWrapperMagic = 0x466243b1;
inline constexpr std::uint32_t kFatBinaryMagic = 0xba55ed50;
struct FatBinaryHeader {
  std::uint32_t magic = 0;
  std::uint16_t version = 0, header_bytes = 0;
  std::uint64_t bytes = 0;  ///< behind the header
};

}  // namespace heddle::runtime
