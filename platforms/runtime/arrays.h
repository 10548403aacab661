// CUDA arrays, and texture and surface objects. An array is device memory with a layout (isa/texture_header.h); an object is a
// header in device memory, whose address is its handle.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "isa/texture_header.h"
#include "runtime/copy.h"

namespace heddle::runtime {

class Runtime;

/// cudaResourceDesc and cudaTextureDesc.
struct ResourceDescription {
  enum Kind : int { kArray, kMipmapped, kLinear, kPitch };
  int kind = kArray;
  void* pointer = nullptr;  ///< of all kinds
  ChannelFormat format;
  std::size_t sizes[3] = {};  ///< linear: bytes; pitch: width, height, pitch
};
struct TextureDescription {
  int addressing[3] = {};
  int filter = 0, read_mode = 0, srgb = 0;
  float border[4] = {};
  int normalized_coordinates = 0;
  unsigned anisotropy = 0;
  int mipmap_filter = 0;
  float level_bias = 0, level_least = 0, level_most = 0;
  int no_trilinear_optimisation = 0, seamless_cube = 0;
};

/// cudaArray_t points to one.
struct Array {
  static constexpr unsigned kLayered = 1, kSurface = 2, kCube = 4, kGather = 8;
  ChannelFormat format;
  Extent extent;  ///< as the program has given it: 0 where there is no such dimension
  unsigned flags = 0;
  isa::TextureHeader header;
  [[nodiscard]] std::uint64_t element() const { return header.texel_bytes(); }
};

class Arrays {
 public:
  Code allocate(Runtime& runtime, Array** array, const ChannelFormat& format, const Extent& extent,
                unsigned flags);
  Code free(Runtime& runtime, const Array* array);
  [[nodiscard]] Array* find(const void* array) const;

  Code make_texture(Runtime& runtime, std::uint64_t* handle, const ResourceDescription& resource,
                    const TextureDescription& texture);
  Code make_surface(Runtime& runtime, std::uint64_t* handle, const ResourceDescription& resource);
  Code destroy(Runtime& runtime, std::uint64_t handle, bool surface);
  struct Object {
    bool surface = false;
    ResourceDescription resource;
    TextureDescription texture;
  };
  [[nodiscard]] const Object* object(std::uint64_t handle, bool surface) const;
  /// The session has ended.
  void forget();

 private:
  Code place(Runtime& runtime, std::uint64_t* handle, const isa::TextureHeader& header, Object object);
  std::map<const void*, std::unique_ptr<Array>> arrays_;
  std::map<std::uint64_t, Object> objects_;
};

/// One end of a copy: an array from a position on, in elements, or memory.
struct Place {
  const Array* array = nullptr;
  Position at;
  Side memory;
};
/// Whether the array has these rows of `extent.width` bytes.
[[nodiscard]] bool holds(const Array& array, const Position& at, const Extent& extent);
/// Rows of `extent.width` bytes. Everything passes the host, which takes no time of the device beyond the copy's.
Code copy_places(Runtime& runtime, const Place& to, const Place& from, const Extent& extent, int kind);

/// The array of a handle, outside calls of the device; nullptr: none.
[[nodiscard]] const Array* array_of(const void* handle);

/// cudaMemcpy3D, if an array takes part.
int copy_3d_of_arrays(const Copy3D& copy, StreamHandle stream);

}  // namespace heddle::runtime
