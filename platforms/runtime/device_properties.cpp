#include "runtime/device_properties.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>

namespace heddle::runtime {
namespace {

constexpr int kTextureAlignment = 512, kTexturePitchAlignment = 32, kConstantBytes = 65536;
constexpr int kBank = 1;  // PCI bus of the machine: any

/// Writes a structure of C field by field, each aligned to its size.
class Fields {
 public:
  Fields(void* at, std::size_t bytes) : at_(static_cast<char*>(at)) { std::memset(at, 0, bytes); }

  void text(const char* value, std::size_t bytes) {
    std::memcpy(at_ + offset_, value, std::min(std::strlen(value), bytes - 1));
    offset_ += bytes;
  }
  void skip(std::size_t bytes) { offset_ += bytes; }
  void number(std::int64_t value) { put(static_cast<int>(value)); }
  void numbers(std::initializer_list<std::int64_t> values) {
    for (const std::int64_t value : values) number(value);
  }
  void size(std::uint64_t value) { put(static_cast<std::size_t>(value)); }

 private:
  template <class T>
  void put(T value) {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    std::memcpy(at_ + offset_, &value, sizeof value);
    offset_ += sizeof value;
  }
  char* at_;
  std::size_t offset_ = 0;
};

std::uint64_t memory_of(const Machine& machine) {
  return machine.memory_bytes == 0 ? std::uint64_t{1} << 34 : machine.memory_bytes;
}
int kilohertz(double mhz) { return static_cast<int>(mhz * 1e3); }

/// Up to maxGridSize: both layouts have it.
void begin(Fields& to, const Machine& machine) {
  to.text(machine.name, 256);
  to.text("heddle", 16);  // uuid
  to.skip(8);             // luid
  to.number(0);           // luidDeviceNodeMask
  to.size(memory_of(machine));
  to.size(std::min(machine.shared_bytes_per_block, kSharedBytesUnasked));
  to.numbers({machine.registers_per_multiprocessor, machine.warp_size});
  to.size(INT_MAX);  // memPitch
  to.number(machine.max_threads_per_block);
  to.numbers({machine.max_block[0], machine.max_block[1], machine.max_block[2]});
  to.numbers({machine.max_grid[0], machine.max_grid[1], machine.max_grid[2]});
}

/// From maxTexture2D to maxSurfaceCubemapLayered and surfaceAlignment.
void textures(Fields& to) {
  using namespace texture_limits;
  to.numbers({k2D, k2DHeight});
  to.numbers({32768, 32768});                          // 2D mipmap
  to.numbers({k2D, kLinear2DHeight, kLinear2DPitch});  // 2D linear
  to.numbers({kLayered, kLayered});                    // 2D gather
  to.numbers({k3D, k3D, k3D});                         // 3D
  to.numbers({kAlternate3D, kAlternate3D, kAlternate3DDepth});
  to.number(kLayered);                                      // cubemap
  to.numbers({kLayered, kLayers});                          // 1D layered
  to.numbers({kLayered, kLayered, kLayers});                // 2D layered
  to.numbers({kLayered, kCubeLayers});                      // cubemap layered
  to.numbers({k1DSurface, k2D, k2DHeight, k3D, k3D, k3D});  // surfaces, in the same order
  to.numbers({kLayered, kLayers, kLayered, kLayered, kLayers, kLayered, kLayered, kCubeLayers});
  to.size(kTextureAlignment);
}

void memory_and_later(Fields& to, const Machine& machine) {
  to.numbers({machine.memory_bus_bits, static_cast<std::int64_t>(machine.l2_bytes), 0,
              machine.max_threads_per_multiprocessor, 1, 1, 1});
  to.size(machine.shared_bytes_per_block);
  to.numbers({machine.registers_per_multiprocessor, 1, 0, 0, 0});
}

/// From sharedMemPerBlockOptin on.
void blocks_and_later(Fields& to, const Machine& machine) {
  to.size(machine.shared_bytes_per_block);
  to.numbers({0, 0, machine.max_blocks_per_multiprocessor, 0});
  to.size(0);  // reservedSharedMemPerBlock
  to.numbers({1, 0, 0, 0, 1});
}

}  // namespace

void write_properties_12(const Machine& machine, void* properties) {
  Fields to(properties, kPropertiesBytes12);
  begin(to, machine);
  to.number(kilohertz(machine.clock_mhz));
  to.size(kConstantBytes);
  to.numbers({machine.compute_capability / 10, machine.compute_capability % 10});
  to.size(kTextureAlignment);
  to.size(kTexturePitchAlignment);
  to.numbers({1, machine.multiprocessors, 0, 0, 1, 0, texture_limits::k1D, 32768, texture_limits::kLinear1D});
  textures(to);
  to.numbers({1, 0, kBank, 0, 0, 0, 2, 1, kilohertz(machine.memory_clock_mhz)});
  memory_and_later(to, machine);
  to.number(32);                   // singleToDoublePrecisionPerfRatio
  to.numbers({0, 0, 0, 0, 1, 0});  // ... cooperativeLaunch, of several devices
  blocks_and_later(to, machine);
}

void write_properties_13(const Machine& machine, void* properties) {
  Fields to(properties, kPropertiesBytes13);
  begin(to, machine);
  to.size(kConstantBytes);
  to.numbers({machine.compute_capability / 10, machine.compute_capability % 10});
  to.size(kTextureAlignment);
  to.size(kTexturePitchAlignment);
  to.numbers({machine.multiprocessors, 0, 1, texture_limits::k1D, 32768});
  textures(to);
  to.numbers({1, 0, kBank, 0, 0, 0, 2, 1});
  memory_and_later(to, machine);
  to.numbers({0, 0, 0, 0, 1});  // pageableMemoryAccess ... cooperativeLaunch
  blocks_and_later(to, machine);
}

std::optional<int> attribute(const Machine& machine, int number) {
  switch (number) {
    case 1:
      return static_cast<int>(machine.max_threads_per_block);
    case 2:
      return static_cast<int>(machine.max_block[0]);
    case 3:
      return static_cast<int>(machine.max_block[1]);
    case 4:
      return static_cast<int>(machine.max_block[2]);
    case 5:
      return static_cast<int>(machine.max_grid[0]);
    case 6:
      return static_cast<int>(machine.max_grid[1]);
    case 7:
      return static_cast<int>(machine.max_grid[2]);
    case 8:
      return static_cast<int>(std::min(machine.shared_bytes_per_block, kSharedBytesUnasked));
    case 9:
      return kConstantBytes;
    case 10:
      return static_cast<int>(machine.warp_size);
    case 11:
      return INT_MAX;
    case 12:
    case 82:
      return static_cast<int>(machine.registers_per_multiprocessor);
    case 13:
      return kilohertz(machine.clock_mhz);
    case 14:
    case 30:
      return kTextureAlignment;
    case 15:
      return 1;  // copies and kernels overlap
    case 16:
      return static_cast<int>(machine.multiprocessors);
    case 19:
    case 31:
    case 41:
    case 78:
    case 79:
    case 80:
    case 83:
    case 95:
    case 99:
    case 102:
    case 115:
      return 1;
    case 21:
      return texture_limits::k1D;
    case 22:
      return texture_limits::k2D;
    case 23:
      return texture_limits::k2DHeight;
    case 24:
    case 25:
    case 26:
      return texture_limits::k3D;
    case 27:
    case 28:
      return 32768;
    case 29:
      return 2048;
    case 33:
      return kBank;
    case 36:
      return kilohertz(machine.memory_clock_mhz);
    case 37:
      return static_cast<int>(machine.memory_bus_bits);
    case 38:
      return static_cast<int>(machine.l2_bytes);
    case 39:
      return static_cast<int>(machine.max_threads_per_multiprocessor);
    case 40:
      return 2;
    case 51:
      return kTexturePitchAlignment;
    case 69:
      return texture_limits::kLinear1D;
    case 75:
      return static_cast<int>(machine.compute_capability / 10);
    case 76:
      return static_cast<int>(machine.compute_capability % 10);
    case 81:
    case 97:
      return static_cast<int>(machine.shared_bytes_per_block);
    case 87:
      return 32;
    case 106:
      return static_cast<int>(machine.max_blocks_per_multiprocessor);
    default:
      return number >= 1 && number <= 147 ? std::optional<int>(0) : std::nullopt;
  }
}

}  // namespace heddle::runtime
