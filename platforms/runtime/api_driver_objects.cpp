// The driver interface's arrays, texture and surface objects, and copies of shapes. Each becomes the runtime's call; descriptors differ
// in their layout only.
#include <cstring>

#include "runtime/arrays.h"
#include "runtime/copy.h"
#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

extern "C" {
int cudaMalloc3DArray(void**, const ChannelFormat*, Extent, unsigned);
int cudaFreeArray(void*);
int cudaCreateTextureObject(std::uint64_t*, const void*, const TextureDescription*, const void*);
int cudaDestroyTextureObject(std::uint64_t);
int cudaCreateSurfaceObject(std::uint64_t*, const void*);
int cudaDestroySurfaceObject(std::uint64_t);
int cudaMemcpy3DAsync(const Copy3D*, StreamHandle);
int cudaMemset2DAsync(void*, std::size_t, int, std::size_t, std::size_t, StreamHandle);
}

namespace {

using DevicePointer = std::uint64_t;
constexpr int kInvalid = static_cast<int>(Code::kInvalidValue);

void* pointer(DevicePointer address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// CUarray_format: 1, 2, 3 unsigned integers of 8, 16, 32 bits; 8, 9, 10 signed ones; 16 and 32 floats of 16 and 32. False: another.
bool channels(int format, unsigned count, ChannelFormat& to) {
  constexpr int kSigned = 0, kUnsigned = 1, kFloat = 2;  // cudaChannelFormatKind
  int bits = 0;
  if (format >= 1 && format <= 3)
    bits = 4 << format, to.kind = kUnsigned;
  else if (format >= 8 && format <= 10)
    bits = 4 << (format - 7), to.kind = kSigned;
  else if (format == 16 || format == 32)
    bits = format, to.kind = kFloat;
  else
    return false;
  int* const sizes[] = {&to.x, &to.y, &to.z, &to.w};
  for (unsigned i = 0; i < 4; ++i) *sizes[i] = i < count ? bits : 0;
  return count == 1 || count == 2 || count == 4;
}

int format_of(const ChannelFormat& from) {
  if (from.kind == 2) return from.x;
  const int power = from.x == 8 ? 1 : from.x == 16 ? 2 : 3;
  return from.kind == 1 ? power : power + 7;
}

unsigned count_of(const ChannelFormat& from) { return from.w != 0 ? 4 : from.y != 0 ? 2 : 1; }

struct ArrayDescription {  // CUDA_ARRAY_DESCRIPTOR
  std::size_t width = 0, height = 0;
  int format = 0;
  unsigned channels = 0;
};
struct ArrayDescription3D {  // CUDA_ARRAY3D_DESCRIPTOR
  std::size_t width = 0, height = 0, depth = 0;
  int format = 0;
  unsigned channels = 0, flags = 0;
};

enum MemoryType : int { kHostMemory = 1, kDeviceMemory = 2, kArrayMemory = 3, kUnifiedMemory = 4 };

/// One end of CUDA_MEMCPY2D and CUDA_MEMCPY3D.
struct End {
  std::size_t x = 0, y = 0, z = 0;
  int type = 0;
  void* host = nullptr;
  DevicePointer device = 0;
  void* array = nullptr;
  std::size_t pitch = 0, height = 0;
};
struct Copy2D {  // CUDA_MEMCPY2D
  struct Side2D {
    std::size_t x = 0, y = 0;
    int type = 0;
    void* host = nullptr;
    DevicePointer device = 0;
    void* array = nullptr;
    std::size_t pitch = 0;
    [[nodiscard]] End end() const { return {x, y, 0, type, host, device, array, pitch, 0}; }
  } from, to;
  std::size_t width = 0, height = 0;
};
struct Copy3DOfDriver {  // CUDA_MEMCPY3D
  struct Side3D {
    std::size_t x = 0, y = 0, z = 0, level = 0;
    int type = 0;
    void* host = nullptr;
    DevicePointer device = 0;
    void* array = nullptr;
    void* reserved = nullptr;
    std::size_t pitch = 0, height = 0;
    [[nodiscard]] End end() const { return {x, y, z, type, host, device, array, pitch, height}; }
  } from, to;
  std::size_t width = 0, height = 0, depth = 0;
};

int copy_shape(const End& from, const End& to, Extent extent, StreamHandle stream) {
  Copy3D copy;
  std::size_t element = 1;
  const auto put = [&](const End& end, void*& array, Position& position, PitchedPointer& memory) {
    position = {end.x, end.y, end.z};
    if (end.type == kArrayMemory) {
      const Array* const found = array_of(end.array);
      if (found == nullptr) return false;
      array = end.array;
      element = found->element();
      position.x /= element;
      return end.x % element == 0;
    }
    const std::size_t pitch = end.pitch != 0 ? end.pitch : end.x + extent.width;
    memory = {end.type == kHostMemory ? end.host : pointer(end.device), pitch, pitch,
              end.height != 0 ? end.height : end.y + extent.height};
    return end.type >= kHostMemory && end.type <= kUnifiedMemory;
  };
  if (!put(from, copy.from_array, copy.from_position, copy.from) ||
      !put(to, copy.to_array, copy.to_position, copy.to) || extent.width % element != 0)
    return kInvalid;
  extent.width /= element;
  copy.extent = extent;
  copy.kind = kDefault;
  const int code = cudaMemcpy3DAsync(&copy, stream);
  return code == static_cast<int>(Code::kInvalidPitchValue) ? kInvalid : code;
}

int copy_line(const End& from, const End& to, std::size_t bytes) {
  return copy_shape(from, to, {bytes, 1, 1}, nullptr);
}
End line_of(void* array, std::size_t x) { return {x, 0, 0, kArrayMemory, nullptr, 0, array, 0, 0}; }
End line_of(const void* host) {
  return {0,       0, 0, kHostMemory, const_cast<void*>(host), 0,
          nullptr, 0, 0};  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}
End line_of(DevicePointer device) { return {0, 0, 0, kDeviceMemory, nullptr, device, nullptr, 0, 0}; }

/// CUDA_RESOURCE_DESC as cudaResourceDesc, whose format lies in a structure. False: no such format.
bool resource_of(const void* driver, std::byte (&runtime)[128], ChannelFormat& format) {
  const auto* const from = static_cast<const std::byte*>(driver);
  std::memset(runtime, 0, sizeof runtime);
  std::memcpy(runtime, from, 16);  // the kind, and the pointer or handle
  int kind = 0, code = 0;
  unsigned count = 0;
  std::memcpy(&kind, from, sizeof kind);
  if (kind != ResourceDescription::kLinear && kind != ResourceDescription::kPitch) {
    if (const Array* const array = array_of(*reinterpret_cast<void* const*>(from + 8)))
      format = array->format;
    return true;
  }
  std::memcpy(&code, from + 16, sizeof code);
  std::memcpy(&count, from + 20, sizeof count);
  if (!channels(code, count, format)) return false;
  std::memcpy(runtime + 16, &format, sizeof format);
  std::memcpy(runtime + 40, from + 24, kind == ResourceDescription::kLinear ? 8 : 24);
  return true;
}

struct TextureDescriptionOfDriver {  // CUDA_TEXTURE_DESC
  static constexpr unsigned kAsInteger = 1, kNormalized = 2, kSrgb = 0x10, kSeamless = 0x40;
  int addressing[3] = {};
  int filter = 0;
  unsigned flags = 0, anisotropy = 0;
  int mipmap_filter = 0;
  float level_bias = 0, level_least = 0, level_most = 0;
  float border[4] = {};
};

}  // namespace

// ---- Arrays

HEDDLE_CUDA int cuArray3DCreate_v2(void** array, const ArrayDescription3D* description) {
  ChannelFormat format;
  if (array == nullptr || description == nullptr) return kInvalid;
  if (!channels(description->format, description->channels, format)) return kInvalid;
  return cudaMalloc3DArray(array, &format, {description->width, description->height, description->depth},
                           description->flags);
}
HEDDLE_CUDA int cuArrayCreate_v2(void** array, const ArrayDescription* description) {
  if (description == nullptr) return kInvalid;
  const ArrayDescription3D same{description->width,  description->height,   0,
                                description->format, description->channels, 0};
  return cuArray3DCreate_v2(array, &same);
}
HEDDLE_CUDA int cuArrayDestroy(void* array) { return cudaFreeArray(array); }
HEDDLE_CUDA int cuArray3DGetDescriptor_v2(ArrayDescription3D* description, void* array) {
  return call([&](Runtime& runtime) {
    const Array* const found = runtime.arrays.find(array);
    if (found == nullptr) return Code::kInvalidResourceHandle;
    if (description == nullptr) return Code::kInvalidValue;
    *description = {found->extent.width,      found->extent.height,    found->extent.depth,
                    format_of(found->format), count_of(found->format), found->flags};
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cuArrayGetDescriptor_v2(ArrayDescription* description, void* array) {
  ArrayDescription3D all;
  if (description == nullptr) return kInvalid;
  if (const int code = cuArray3DGetDescriptor_v2(&all, array); code != 0) return code;
  *description = {all.width, all.height, all.format, all.channels};
  return 0;
}

// ---- Copies

HEDDLE_CUDA int cuMemcpy2DAsync_v2(const Copy2D* copy, StreamHandle stream) {
  if (copy == nullptr) return kInvalid;
  return copy_shape(copy->from.end(), copy->to.end(), {copy->width, copy->height, 1}, stream);
}
HEDDLE_CUDA int cuMemcpy2D_v2(const Copy2D* copy) { return cuMemcpy2DAsync_v2(copy, nullptr); }
HEDDLE_CUDA int cuMemcpy2DUnaligned_v2(const Copy2D* copy) { return cuMemcpy2DAsync_v2(copy, nullptr); }
HEDDLE_CUDA int cuMemcpy3DAsync_v2(const Copy3DOfDriver* copy, StreamHandle stream) {
  if (copy == nullptr || copy->from.level != 0 || copy->to.level != 0) return kInvalid;
  return copy_shape(copy->from.end(), copy->to.end(), {copy->width, copy->height, copy->depth}, stream);
}
HEDDLE_CUDA int cuMemcpy3D_v2(const Copy3DOfDriver* copy) { return cuMemcpy3DAsync_v2(copy, nullptr); }
HEDDLE_CUDA int cuMemcpyHtoA_v2(void* to, std::size_t x, const void* from, std::size_t bytes) {
  return copy_line(line_of(from), line_of(to, x), bytes);
}
HEDDLE_CUDA int cuMemcpyAtoH_v2(void* to, void* from, std::size_t x, std::size_t bytes) {
  return copy_line(line_of(from, x), line_of(to), bytes);
}
HEDDLE_CUDA int cuMemcpyDtoA_v2(void* to, std::size_t x, DevicePointer from, std::size_t bytes) {
  return copy_line(line_of(from), line_of(to, x), bytes);
}
HEDDLE_CUDA int cuMemcpyAtoD_v2(DevicePointer to, void* from, std::size_t x, std::size_t bytes) {
  return copy_line(line_of(from, x), line_of(to), bytes);
}
HEDDLE_CUDA int cuMemsetD2D8Async(DevicePointer to, std::size_t pitch, unsigned char value, std::size_t width,
                                  std::size_t height, StreamHandle stream) {
  return cudaMemset2DAsync(pointer(to), pitch, value, width, height, stream);
}
HEDDLE_CUDA int cuMemsetD2D8_v2(DevicePointer to, std::size_t pitch, unsigned char value, std::size_t width,
                                std::size_t height) {
  return cuMemsetD2D8Async(to, pitch, value, width, height, nullptr);
}
namespace {

int fill_rows(DevicePointer to, std::size_t pitch, std::uint32_t value, std::uint32_t size, std::size_t width,
              std::size_t height, StreamHandle stream) {
  return call([&](Runtime& runtime) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(width, std::size_t{size}, &bytes)) return Code::kInvalidValue;
    return runtime.streams.run(runtime, stream, [&runtime, to, pitch, value, size, bytes, height] {
      return fill(runtime, {to, pitch, pitch * height}, value, {bytes, height, 1}, size);
    });
  });
}

}  // namespace

HEDDLE_CUDA int cuMemsetD2D16Async(DevicePointer to, std::size_t pitch, unsigned short value,
                                   std::size_t width, std::size_t height, StreamHandle stream) {
  return fill_rows(to, pitch, value, sizeof value, width, height, stream);
}
HEDDLE_CUDA int cuMemsetD2D16_v2(DevicePointer to, std::size_t pitch, unsigned short value, std::size_t width,
                                 std::size_t height) {
  return fill_rows(to, pitch, value, sizeof value, width, height, nullptr);
}
HEDDLE_CUDA int cuMemsetD2D32Async(DevicePointer to, std::size_t pitch, unsigned value, std::size_t width,
                                   std::size_t height, StreamHandle stream) {
  return fill_rows(to, pitch, value, sizeof value, width, height, stream);
}
HEDDLE_CUDA int cuMemsetD2D32_v2(DevicePointer to, std::size_t pitch, unsigned value, std::size_t width,
                                 std::size_t height) {
  return fill_rows(to, pitch, value, sizeof value, width, height, nullptr);
}

// ---- Texture and surface objects

HEDDLE_CUDA int cuTexObjectCreate(std::uint64_t* handle, const void* resource,
                                  const TextureDescriptionOfDriver* from, const void* view) {
  using Flags = TextureDescriptionOfDriver;
  std::byte same[128];
  ChannelFormat format;
  if (handle == nullptr || resource == nullptr || from == nullptr) return kInvalid;
  if (!resource_of(resource, same, format)) return kInvalid;
  TextureDescription texture;
  std::memcpy(texture.addressing, from->addressing, sizeof texture.addressing);
  std::memcpy(texture.border, from->border, sizeof texture.border);
  texture.filter = from->filter;
  // Integers of 8 and 16 bits are read as fractions unless the flag says otherwise (CUDA driver API, cuTexObjectCreate).
  texture.read_mode = (from->flags & Flags::kAsInteger) == 0 && format.kind != 2 && format.x < 32 ? 1 : 0;
  texture.srgb = (from->flags & Flags::kSrgb) != 0 ? 1 : 0;
  texture.normalized_coordinates = (from->flags & Flags::kNormalized) != 0 ? 1 : 0;
  texture.seamless_cube = (from->flags & Flags::kSeamless) != 0 ? 1 : 0;
  texture.anisotropy = from->anisotropy;
  texture.mipmap_filter = from->mipmap_filter;
  texture.level_bias = from->level_bias;
  texture.level_least = from->level_least;
  texture.level_most = from->level_most;
  return cudaCreateTextureObject(handle, same, &texture, view);
}
HEDDLE_CUDA int cuTexObjectDestroy(std::uint64_t handle) { return cudaDestroyTextureObject(handle); }
HEDDLE_CUDA int cuSurfObjectCreate(std::uint64_t* handle, const void* resource) {
  std::byte same[128];
  ChannelFormat format;
  if (resource == nullptr || !resource_of(resource, same, format)) return kInvalid;
  return cudaCreateSurfaceObject(handle, same);
}
HEDDLE_CUDA int cuSurfObjectDestroy(std::uint64_t handle) { return cudaDestroySurfaceObject(handle); }
