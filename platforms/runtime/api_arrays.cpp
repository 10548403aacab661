// Arrays, their copies, texture and surface objects.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "runtime/arrays.h"
#include "runtime/device_properties.h"
#include "runtime/runtime.h"

using namespace heddle::runtime;  // NOLINT(google-build-using-namespace): the functions are C's

namespace {

constexpr const char* kNoLevels = "Use an array of one level: cudaMallocArray or cudaMalloc3DArray.";

ResourceDescription resource_of(const void* given) {
  // cudaResourceDesc: the kind, then at offset 8 a union that begins with a pointer.
  const auto* const bytes = static_cast<const std::byte*>(given);
  ResourceDescription resource;
  const auto get = [&](auto& to, std::size_t offset) { std::memcpy(&to, bytes + offset, sizeof to); };
  get(resource.kind, 0);
  get(resource.pointer, 8);
  if (resource.kind == ResourceDescription::kLinear || resource.kind == ResourceDescription::kPitch) {
    get(resource.format, 16);
    get(resource.sizes[0], 40);
  }
  if (resource.kind == ResourceDescription::kPitch) {
    get(resource.sizes[1], 48);
    get(resource.sizes[2], 56);
  }
  return resource;
}

void give_resource(void* to, const ResourceDescription& resource) {
  auto* const bytes = static_cast<std::byte*>(to);
  std::memset(bytes, 0, 64);
  std::memcpy(bytes, &resource.kind, sizeof resource.kind);
  std::memcpy(bytes + 8, &resource.pointer, sizeof resource.pointer);
  if (resource.kind != ResourceDescription::kLinear && resource.kind != ResourceDescription::kPitch) return;
  std::memcpy(bytes + 16, &resource.format, sizeof resource.format);
  std::memcpy(bytes + 40, resource.sizes,
              (resource.kind == ResourceDescription::kLinear ? 1 : 3) * sizeof(std::size_t));
}

Side side(const void* pointer, std::size_t pitch, std::size_t height) {
  return {reinterpret_cast<std::uint64_t>(pointer), pitch, pitch * height};
}

int copy_in_stream(StreamHandle stream, const Place& to, const Place& from, const Extent& extent, int kind) {
  return call([&](Runtime& runtime) {
    const Stream* const in = runtime.streams.find(stream);
    if (in == nullptr) return Code::kInvalidResourceHandle;
    runtime.streams.before_copy(runtime, *in, kind, to.array == nullptr ? to.memory.address : 0);
    if (in->capture != nullptr || in->idle() || runtime.streams.is_default(stream) || from.array != nullptr ||
        !is_pageable(runtime, from.memory.address, kind))
      return runtime.streams.run(runtime, stream, [&runtime, to, from, extent, kind] {
        return copy_places(runtime, to, from, extent, kind);
      });
    // The copy has to wait: pageable host memory is read now, as cards do.
    if (to.array != nullptr && !holds(*to.array, to.at, extent)) return Code::kInvalidValue;
    const auto rows = staged(from.memory, extent);
    if (rows == nullptr) return Code::kInvalidValue;
    return runtime.streams.run(runtime, stream, [&runtime, to, rows, extent, kind] {
      return copy_places(runtime, to, {nullptr, {}, side(rows->data(), extent.width, extent.height)}, extent,
                         kind);
    });
  });
}

/// The array, from a byte of a row on. False: no such array, or not the start of an element.
bool in_array(const void* array, std::size_t x, std::size_t y, Place& place) {
  const Array* const found = array_of(array);
  if (found == nullptr || x % found->element() != 0) return false;
  place.array = found;
  place.at = {x / found->element(), y, 0};
  return true;
}

int bad(Code code) {
  last_error() = code;
  return static_cast<int>(code);
}

/// Whether an array has so many bytes, row after row, from a place on.
bool holds_bytes(const Array& array, std::size_t x, std::size_t y, std::size_t bytes) {
  const std::size_t width = array.header.width * array.element(), height = array.header.height;
  return x < width && y < height && bytes <= (height - y) * width - x;
}

/// So many bytes, from a place of an array on, row after row.
template <class Row>
int by_rows(const void* array, std::size_t x, std::size_t y, std::size_t bytes, Row&& row) {
  const Array* const found = array_of(array);
  if (found == nullptr) return bad(Code::kInvalidResourceHandle);
  if (bytes != 0 && !holds_bytes(*found, x, y, bytes)) return bad(Code::kInvalidValue);
  const std::size_t width = found->header.width * found->element();
  std::size_t done = 0;
  while (done < bytes) {
    const bool whole = x == 0 && bytes - done >= width;
    const std::size_t rows = whole ? (bytes - done) / width : 1,
                      part = whole ? width : std::min(width - x, bytes - done);
    Place place;
    if (!in_array(array, x, y, place)) return bad(Code::kInvalidValue);
    if (const int code = row(place, done, Extent{part, rows, 1}); code != 0) return code;
    done += part * rows;
    y += rows;
    x = 0;
  }
  return 0;
}

}  // namespace

// ---- Arrays

HEDDLE_CUDA int cudaMallocArray(void** array, const ChannelFormat* format, std::size_t width,
                                std::size_t height, unsigned flags) {
  return call([&](Runtime& runtime) {
    if (array == nullptr || format == nullptr) return Code::kInvalidValue;
    Array* made = nullptr;
    const Code code = runtime.arrays.allocate(runtime, &made, *format, {width, height, 0}, flags);
    *array = made;
    return code;
  });
}
HEDDLE_CUDA int cudaMalloc3DArray(void** array, const ChannelFormat* format, Extent extent, unsigned flags) {
  return call([&](Runtime& runtime) {
    if (array == nullptr || format == nullptr) return Code::kInvalidValue;
    Array* made = nullptr;
    const Code code = runtime.arrays.allocate(runtime, &made, *format, extent, flags);
    *array = made;
    return code;
  });
}
HEDDLE_CUDA int cudaFreeArray(void* array) {
  return call([&](Runtime& runtime) {
    if (array == nullptr) return Code::kSuccess;
    const Code code = runtime.streams.wait_for_all(runtime);
    return code == Code::kSuccess ? runtime.arrays.free(runtime, static_cast<Array*>(array)) : code;
  });
}
HEDDLE_CUDA int cudaArrayGetInfo(ChannelFormat* format, Extent* extent, unsigned* flags, void* array) {
  return call([&](Runtime& runtime) {
    const Array* const found = runtime.arrays.find(array);
    if (found == nullptr) return Code::kInvalidResourceHandle;
    if (format != nullptr) *format = found->format;
    if (extent != nullptr) *extent = found->extent;
    if (flags != nullptr) *flags = found->flags;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGetChannelDesc(ChannelFormat* format, const void* array) {
  return call([&](Runtime& runtime) {
    const Array* const found = runtime.arrays.find(array);
    if (found == nullptr) return Code::kInvalidResourceHandle;
    if (format == nullptr) return Code::kInvalidValue;
    *format = found->format;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaMallocMipmappedArray(void**, const ChannelFormat*, Extent, unsigned, unsigned) {
  return refuse("cudaMallocMipmappedArray", kNoLevels);
}

// ---- Copies

HEDDLE_CUDA int cudaMemcpy2DToArrayAsync(void* to, std::size_t x, std::size_t y, const void* from,
                                         std::size_t pitch, std::size_t width, std::size_t height, int kind,
                                         StreamHandle stream) {
  Place place;
  if (!in_array(to, x, y, place)) return bad(Code::kInvalidValue);
  return copy_in_stream(stream, place, {nullptr, {}, side(from, pitch, height)}, {width, height, 1}, kind);
}
HEDDLE_CUDA int cudaMemcpy2DToArray(void* to, std::size_t x, std::size_t y, const void* from,
                                    std::size_t pitch, std::size_t width, std::size_t height, int kind) {
  return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, nullptr);
}
HEDDLE_CUDA int cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, const void* from, std::size_t x,
                                           std::size_t y, std::size_t width, std::size_t height, int kind,
                                           StreamHandle stream) {
  Place place;
  if (!in_array(from, x, y, place)) return bad(Code::kInvalidValue);
  return copy_in_stream(stream, {nullptr, {}, side(to, pitch, height)}, place, {width, height, 1}, kind);
}
HEDDLE_CUDA int cudaMemcpy2DFromArray(void* to, std::size_t pitch, const void* from, std::size_t x,
                                      std::size_t y, std::size_t width, std::size_t height, int kind) {
  return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, nullptr);
}
HEDDLE_CUDA int cudaMemcpyToArrayAsync(void* to, std::size_t x, std::size_t y, const void* from,
                                       std::size_t bytes, int kind, StreamHandle stream) {
  return by_rows(to, x, y, bytes, [&](const Place& place, std::size_t done, const Extent& extent) {
    const auto* const source = static_cast<const std::byte*>(from) + done;
    return copy_in_stream(stream, place, {nullptr, {}, side(source, extent.width, extent.height)}, extent,
                          kind);
  });
}
HEDDLE_CUDA int cudaMemcpyToArray(void* to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                                  int kind) {
  return cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, nullptr);
}
HEDDLE_CUDA int cudaMemcpyFromArrayAsync(void* to, const void* from, std::size_t x, std::size_t y,
                                         std::size_t bytes, int kind, StreamHandle stream) {
  return by_rows(from, x, y, bytes, [&](const Place& place, std::size_t done, const Extent& extent) {
    auto* const target = static_cast<std::byte*>(to) + done;
    return copy_in_stream(stream, {nullptr, {}, side(target, extent.width, extent.height)}, place, extent,
                          kind);
  });
}
HEDDLE_CUDA int cudaMemcpyFromArray(void* to, const void* from, std::size_t x, std::size_t y,
                                    std::size_t bytes, int kind) {
  return cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, nullptr);
}
HEDDLE_CUDA int cudaMemcpy2DArrayToArray(void* to, std::size_t to_x, std::size_t to_y, const void* from,
                                         std::size_t from_x, std::size_t from_y, std::size_t width,
                                         std::size_t height, int kind) {
  Place target, source;
  if (!in_array(to, to_x, to_y, target) || !in_array(from, from_x, from_y, source))
    return bad(Code::kInvalidValue);
  return copy_in_stream(nullptr, target, source, {width, height, 1}, kind);
}
HEDDLE_CUDA int cudaMemcpyArrayToArray(void* to, std::size_t to_x, std::size_t to_y, const void* from,
                                       std::size_t from_x, std::size_t from_y, std::size_t bytes, int kind) {
  const Array* const target = array_of(to);
  const Array* const source = array_of(from);
  if (target == nullptr || source == nullptr) return bad(Code::kInvalidResourceHandle);
  (void)kind;
  if (bytes == 0) return 0;
  if (!holds_bytes(*target, to_x, to_y, bytes) || !holds_bytes(*source, from_x, from_y, bytes))
    return bad(Code::kInvalidValue);
  const std::size_t to_width = target->header.width * target->element(),
                    from_width = source->header.width * source->element();
  std::byte middle[std::size_t{64} << 10];
  for (std::size_t done = 0; done < bytes; done += sizeof middle) {
    const std::size_t piece = std::min(sizeof middle, bytes - done), to_at = to_x + done,
                      from_at = from_x + done;
    if (const int code = cudaMemcpyFromArray(middle, from, from_at % from_width,
                                             from_y + from_at / from_width, piece, kDeviceToHost);
        code != 0)
      return code;
    if (const int code =
            cudaMemcpyToArray(to, to_at % to_width, to_y + to_at / to_width, middle, piece, kHostToDevice);
        code != 0)
      return code;
  }
  return 0;
}

namespace heddle::runtime {

int copy_3d_of_arrays(const Copy3D& copy, StreamHandle stream) {
  const auto end_of = [](void* array, const PitchedPointer& memory, const Position& position, Place& place) {
    if (array != nullptr) {
      place.array = array_of(array);
      place.at = position;
      return place.array != nullptr;
    }
    const std::size_t slice = memory.pitch * memory.rows;
    place.memory = side(
        static_cast<std::byte*>(memory.pointer) + position.z * slice + position.y * memory.pitch + position.x,
        memory.pitch, memory.rows);
    return true;
  };
  Place to, from;
  if (!end_of(copy.to_array, copy.to, copy.to_position, to) ||
      !end_of(copy.from_array, copy.from, copy.from_position, from))
    return bad(Code::kInvalidResourceHandle);
  // Extents count elements where an array takes part.
  Extent extent = copy.extent;
  const std::size_t element = to.array != nullptr ? to.array->element() : from.array->element();
  if (__builtin_mul_overflow(extent.width, element, &extent.width)) return bad(Code::kInvalidValue);
  return copy_in_stream(stream, to, from, extent, copy.kind);
}

}  // namespace heddle::runtime

// ---- Objects

HEDDLE_CUDA int cudaCreateTextureObject(std::uint64_t* handle, const void* resource,
                                        const TextureDescription* texture, const void* view) {
  if (view != nullptr)
    return refuse("cudaCreateTextureObject with a resource view",
                  "Leave the view out: give the array the format itself.");
  return call([&](Runtime& runtime) {
    if (handle == nullptr || resource == nullptr || texture == nullptr) return Code::kInvalidValue;
    return runtime.arrays.make_texture(runtime, handle, resource_of(resource), *texture);
  });
}
HEDDLE_CUDA int cudaCreateSurfaceObject(std::uint64_t* handle, const void* resource) {
  return call([&](Runtime& runtime) {
    if (handle == nullptr || resource == nullptr) return Code::kInvalidValue;
    return runtime.arrays.make_surface(runtime, handle, resource_of(resource));
  });
}
HEDDLE_CUDA int cudaDestroyTextureObject(std::uint64_t handle) {
  return call([&](Runtime& runtime) {
    return handle == 0 ? Code::kSuccess : runtime.arrays.destroy(runtime, handle, false);
  });
}
HEDDLE_CUDA int cudaDestroySurfaceObject(std::uint64_t handle) {
  return call([&](Runtime& runtime) {
    return handle == 0 ? Code::kSuccess : runtime.arrays.destroy(runtime, handle, true);
  });
}
HEDDLE_CUDA int cudaGetTextureObjectResourceDesc(void* resource, std::uint64_t handle) {
  return call([&](Runtime& runtime) {
    const Arrays::Object* const object = runtime.arrays.object(handle, false);
    if (object == nullptr || resource == nullptr) return Code::kInvalidValue;
    give_resource(resource, object->resource);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGetSurfaceObjectResourceDesc(void* resource, std::uint64_t handle) {
  return call([&](Runtime& runtime) {
    const Arrays::Object* const object = runtime.arrays.object(handle, true);
    if (object == nullptr || resource == nullptr) return Code::kInvalidValue;
    give_resource(resource, object->resource);
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaGetTextureObjectTextureDesc(TextureDescription* texture, std::uint64_t handle) {
  return call([&](Runtime& runtime) {
    const Arrays::Object* const object = runtime.arrays.object(handle, false);
    if (object == nullptr || texture == nullptr) return Code::kInvalidValue;
    *texture = object->texture;
    return Code::kSuccess;
  });
}
HEDDLE_CUDA int cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* width, const ChannelFormat* format,
                                                     int device) {
  return call([&](Runtime&) {
    if (device != 0) return Code::kInvalidDevice;
    if (width == nullptr || format == nullptr) return Code::kInvalidValue;
    *width = texture_limits::kLinear1D;
    return Code::kSuccess;
  });
}
