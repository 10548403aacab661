#include "runtime/arrays.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <utility>

#include "runtime/device_properties.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

using isa::ChannelKind;
using isa::TextureHeader;
using isa::TextureResource;

constexpr int kFormatFloat = 2;

/// False: textures have no such format.
bool set_format(TextureHeader& header, const ChannelFormat& format) {
  const int bits[4] = {format.x, format.y, format.z, format.w};
  unsigned channels = 0;
  while (channels < 4 && bits[channels] != 0) ++channels;
  const bool equal = std::all_of(bits, bits + channels, [&](int each) { return each == bits[0]; }) &&
                     std::all_of(bits + channels, bits + 4, [](int each) { return each == 0; });
  if (!equal || (channels != 1 && channels != 2 && channels != 4) || format.kind < 0 ||
      format.kind > kFormatFloat)
    return false;
  if (bits[0] != 8 && bits[0] != 16 && bits[0] != 32) return false;
  if (format.kind == kFormatFloat && bits[0] == 8) return false;
  header.channels = static_cast<std::uint8_t>(channels);
  header.bits = static_cast<std::uint8_t>(bits[0]);
  header.kind = static_cast<ChannelKind>(format.kind);
  return true;
}

/// What cudaMalloc3DArray's documentation allows of the device's properties.
bool allowed(const Extent& extent, unsigned flags) {
  using namespace texture_limits;
  const auto at_most = [&](std::size_t width, std::size_t height, std::size_t depth) {
    return extent.width <= width && extent.height <= height && extent.depth <= depth;
  };
  const bool surface = (flags & Array::kSurface) != 0;
  if ((flags & Array::kCube) != 0)
    return at_most(kLayered, kLayered, (flags & Array::kLayered) != 0 ? kCubeLayers : 6);
  if ((flags & Array::kLayered) != 0) return at_most(kLayered, kLayered, kLayers);
  if (extent.depth != 0)
    return at_most(k3D, k3D, k3D) || (!surface && at_most(kAlternate3D, kAlternate3D, kAlternate3DDepth));
  if (extent.height == 0) return at_most(surface ? k1DSurface : k1D, 0, 0);
  return (flags & Array::kGather) != 0 ? at_most(kLayered, kLayered, 0) : at_most(k2D, k2DHeight, 0);
}

}  // namespace

Code Arrays::allocate(Runtime& runtime, Array** array, const ChannelFormat& format, const Extent& extent,
                      unsigned flags) {
  auto made = std::make_unique<Array>();
  made->format = format;
  made->extent = extent;
  made->flags = flags;
  TextureHeader& header = made->header;
  if (!set_format(header, format)) return Code::kInvalidChannel;
  const bool layered = (flags & Array::kLayered) != 0, cube = (flags & Array::kCube) != 0;
  constexpr unsigned kKnown = Array::kLayered | Array::kSurface | Array::kCube | Array::kGather;
  // A row has 2 MiB at most, and an array 2^46 bytes: no product below wraps.
  if ((flags & ~kKnown) != 0 || extent.width == 0 || !allowed(extent, flags)) return Code::kInvalidValue;
  if (cube && (extent.width != extent.height || extent.depth % 6 != 0 || extent.depth == 0 ||
               (!layered && extent.depth != 6)))
    return Code::kInvalidValue;
  if (layered && extent.depth == 0) return Code::kInvalidValue;
  const bool layers = layered || cube;
  if (!layers && extent.depth != 0 && extent.height == 0) return Code::kInvalidValue;
  header.dimensions = static_cast<std::uint8_t>(extent.height == 0 ? 1 : layers || extent.depth == 0 ? 2 : 3);
  header.layered = layered ? 1 : 0;
  header.cube = cube ? 1 : 0;
  header.width = static_cast<std::uint32_t>(extent.width);
  header.height = static_cast<std::uint32_t>(std::max<std::size_t>(extent.height, 1));
  header.depth = static_cast<std::uint32_t>(std::max<std::size_t>(extent.depth, 1));
  const std::uint64_t bytes = isa::lay_out_array(header, runtime.machine().array_blocks != 0);
  if (const Code code = runtime.memory.allocate(runtime, bytes, header.base); code != Code::kSuccess)
    return code;
  *array = made.get();
  arrays_.emplace(made.get(), std::move(made));
  return Code::kSuccess;
}

Code Arrays::free(Runtime& runtime, const Array* array) {
  const auto found = arrays_.find(array);
  if (found == arrays_.end()) return Code::kInvalidResourceHandle;
  const std::uint64_t base = found->second->header.base;
  arrays_.erase(found);
  return runtime.memory.free(runtime, base);
}

Array* Arrays::find(const void* array) const {
  const auto found = arrays_.find(array);
  return found == arrays_.end() ? nullptr : found->second.get();
}

const Array* array_of(const void* handle) {
  Runtime& runtime = Runtime::get();
  const std::unique_lock lock(runtime.mutex);
  return runtime.arrays.find(handle);
}

Code Arrays::place(Runtime& runtime, std::uint64_t* handle, const TextureHeader& header, Object object) {
  if (runtime.machine().textures == 0) {
    say("textures and surfaces", "a card's own are not used\n  Run the program on the model or the oracle.");
    return Code::kNotSupported;
  }
  std::uint64_t address = 0;
  if (const Code code = runtime.memory.allocate(runtime, sizeof header, address); code != Code::kSuccess)
    return code;
  if (const Code code = write_bytes(runtime, address, &header, sizeof header); code != Code::kSuccess)
    return code;
  objects_.emplace(address, std::move(object));
  *handle = address;
  return Code::kSuccess;
}

Code Arrays::make_texture(Runtime& runtime, std::uint64_t* handle, const ResourceDescription& resource,
                          const TextureDescription& texture) {
  TextureHeader header;
  switch (resource.kind) {
    case ResourceDescription::kArray: {
      const Array* const array = find(resource.pointer);
      if (array == nullptr) return Code::kInvalidResourceHandle;
      header = array->header;
      break;
    }
    case ResourceDescription::kMipmapped:
      say("cudaCreateTextureObject", "mipmapped arrays are not modelled\n  Use an array of one level.");
      return Code::kNotSupported;
    case ResourceDescription::kLinear:
    case ResourceDescription::kPitch: {
      if (!set_format(header, resource.format)) return Code::kInvalidChannel;
      const auto address = reinterpret_cast<std::uint64_t>(resource.pointer);
      header.base = runtime.memory.find(address) && !runtime.memory.is_device(address)
                        ? runtime.memory.device_address(runtime, address)
                        : address;
      if (header.base == 0 || header.base % header.texel_bytes() != 0) return Code::kInvalidValue;
      const bool linear = resource.kind == ResourceDescription::kLinear;
      header.resource = linear ? TextureResource::kLinear : TextureResource::kPitch;
      header.dimensions = linear ? 1 : 2;
      const std::size_t width = linear ? resource.sizes[0] / header.texel_bytes() : resource.sizes[0];
      const std::size_t height = linear ? 1 : resource.sizes[1];
      using namespace texture_limits;
      if (width == 0 || height == 0) return Code::kInvalidValue;
      if (linear ? width > kLinear1D
                 : width > k2D || height > kLinear2DHeight || resource.sizes[2] > kLinear2DPitch)
        return Code::kInvalidValue;
      header.width = static_cast<std::uint32_t>(width);
      header.height = static_cast<std::uint32_t>(height);
      header.pitch = static_cast<std::uint32_t>(linear ? 0 : resource.sizes[2]);
      if (!linear &&
          (header.pitch < width * header.texel_bytes() || header.pitch % header.texel_bytes() != 0))
        return Code::kInvalidValue;
      break;
    }
    default:
      return Code::kInvalidValue;
  }
  for (unsigned d = 0; d < 3; ++d) {
    if (texture.addressing[d] < 0 || texture.addressing[d] > 3) return Code::kInvalidValue;
    header.addressing[d] = static_cast<isa::TextureAddressing>(texture.addressing[d]);
  }
  header.linear_filter = texture.filter != 0 ? 1 : 0;
  header.normalized_coordinates = texture.normalized_coordinates != 0 ? 1 : 0;
  header.normalized_values =
      texture.read_mode != 0 && header.kind != ChannelKind::kFloat && header.bits < 32 ? 1 : 0;
  header.srgb = texture.srgb != 0 && header.bits == 8 && header.normalized_values != 0 ? 1 : 0;
  // Values of 32 bits cannot be read as fractions, nor integers be filtered (CUDA C++ Programming Guide).
  if (texture.read_mode != 0 && header.kind != ChannelKind::kFloat && header.bits == 32)
    return Code::kInvalidNorm;
  if (header.linear_filter != 0 && header.kind != ChannelKind::kFloat && header.normalized_values == 0)
    return Code::kInvalidFilter;
  std::copy(texture.border, texture.border + 4, header.border);
  return place(runtime, handle, header, {false, resource, texture});
}

Code Arrays::make_surface(Runtime& runtime, std::uint64_t* handle, const ResourceDescription& resource) {
  if (resource.kind != ResourceDescription::kArray) return Code::kInvalidChannel;
  const Array* const array = find(resource.pointer);
  if (array == nullptr) return Code::kInvalidResourceHandle;
  if ((array->flags & Array::kSurface) == 0) {
    say("cudaCreateSurfaceObject", "the array was made without cudaArraySurfaceLoadStore");
    return Code::kInvalidValue;
  }
  TextureHeader header = array->header;
  header.surface = 1;
  return place(runtime, handle, header, {true, resource, {}});
}

Code Arrays::destroy(Runtime& runtime, std::uint64_t handle, bool surface) {
  const auto found = objects_.find(handle);
  if (found == objects_.end() || found->second.surface != surface) return Code::kInvalidValue;
  // Kernels that wait in a stream read the header.
  if (const Code code = runtime.streams.wait_for_all(runtime); code != Code::kSuccess) return code;
  if (objects_.erase(handle) == 0) return Code::kInvalidValue;  // another thread has destroyed it meanwhile
  return runtime.memory.free(runtime, handle);
}

const Arrays::Object* Arrays::object(std::uint64_t handle, bool surface) const {
  const auto found = objects_.find(handle);
  return found == objects_.end() || found->second.surface != surface ? nullptr : &found->second;
}

void Arrays::forget() {
  arrays_.clear();
  objects_.clear();
}

bool holds(const Array& array, const Position& at, const Extent& extent) {
  const auto in = [](std::uint64_t from, std::uint64_t count, std::uint64_t has) {
    return from <= has && count <= has - from;
  };
  const TextureHeader& header = array.header;
  return at.x <= header.width && in(at.x * array.element(), extent.width, header.width * array.element()) &&
         in(at.y, extent.height, header.height) && in(at.z, extent.depth, header.depth);
}

namespace {

/// Rows that an array has, to or from packed bytes.
Code move_rows(Runtime& runtime, const Array& array, const Position& at, const Extent& extent,
               std::byte* bytes, bool writes, bool internal) {
  const TextureHeader& header = array.header;
  const bool blocks = header.dimensions > 1 && header.block_height_log2 != isa::kRowsNotInBlocks;
  std::byte* const window = runtime.connection().window();
  const auto piece = [&](std::uint64_t x, std::uint64_t y, std::uint64_t z, std::uint64_t width,
                         std::uint64_t rows) {
    Request request;
    request.operation = writes ? Operation::kWrite : Operation::kRead;
    request.arguments[0] = header.base + (at.z + z) * header.slice;
    request.arguments[1] = internal ? 1 : 0;
    Box& box = request.box;
    box.width = width;
    box.height = rows;
    box.pitch = header.pitch;
    box.slice = header.slice;
    const std::uint64_t from = at.x * array.element() + x;
    if (blocks) {
      box.in_blocks = 1;
      box.block_height_log2 = header.block_height_log2;
      box.x = from;
      box.y = at.y + y;
    } else {
      request.arguments[0] += (at.y + y) * header.pitch + from;
    }
    const auto packed_row = [&](std::uint64_t row) {
      return bytes + (z * extent.height + y + row) * extent.width + x;
    };
    if (writes)
      for (std::uint64_t row = 0; row < rows; ++row)
        std::memcpy(window + row * width, packed_row(row), width);
    if (const Code code = runtime.ask(request).reply.code; code != Code::kSuccess) return code;
    if (!writes)
      for (std::uint64_t row = 0; row < rows; ++row)
        std::memcpy(packed_row(row), window + row * width, width);
    return Code::kSuccess;
  };
  const std::uint64_t rows_at_once = std::max<std::uint64_t>(1, kWindowBytes / extent.width);
  for (std::uint64_t z = 0; z < extent.depth; ++z)
    for (std::uint64_t y = 0; y < extent.height; y += rows_at_once)
      for (std::uint64_t x = 0; x < extent.width; x += kWindowBytes) {
        const Code code = piece(x, y, z, std::min<std::uint64_t>(kWindowBytes, extent.width - x),
                                std::min<std::uint64_t>(rows_at_once, extent.height - y));
        if (code != Code::kSuccess) return code;
      }
  return Code::kSuccess;
}

}  // namespace

Code copy_places(Runtime& runtime, const Place& to, const Place& from, const Extent& extent, int kind) {
  if (kind < kHostToHost || kind > kDefault) return Code::kInvalidMemcpyDirection;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return Code::kSuccess;
  // So there are no more bytes than an array has.
  for (const Place* const each : {&to, &from})
    if (each->array != nullptr && !holds(*each->array, each->at, extent)) return Code::kInvalidValue;
  const std::uint64_t bytes = extent.width * extent.height * extent.depth;
  runtime.memory.collect(runtime);
  std::vector<std::byte> packed(bytes);
  const Side middle{reinterpret_cast<std::uint64_t>(packed.data()), extent.width,
                    extent.width * extent.height};
  const auto of_device = [&](const Place& place) {
    return place.array != nullptr || runtime.memory.is_device(place.memory.address);
  };
  const double began = runtime.now();
  Code code = Code::kSuccess;
  if (from.array != nullptr)
    code = move_rows(runtime, *from.array, from.at, extent, packed.data(), false, of_device(to));
  else
    code = copy(runtime, middle, from.memory, extent, kDefault);
  if (code != Code::kSuccess) return code;
  if (to.array != nullptr)
    code = move_rows(runtime, *to.array, to.at, extent, packed.data(), true, true);
  else
    code = copy(runtime, to.memory, middle, extent, kDefault);
  runtime.advance(began - runtime.now(), Engine::kMemory);
  if (of_device(to) && of_device(from))
    runtime.advance_memory(2 * bytes);
  else
    runtime.advance_copy(bytes, of_device(to) ? Engine::kToDevice : Engine::kToHost);
  return code;
}

}  // namespace heddle::runtime
