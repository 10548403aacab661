#include "runtime/arrays.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

using isa::ChannelKind;
using isa::TextureHeader;
using isa::TextureResource;

constexpr int kFormatFloat = 2;
constexpr std::uint64_t kMostCount = std::uint64_t{1} << 27;

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
  if ((flags & ~kKnown) != 0 || extent.width == 0 || extent.width > kMostCount ||
      extent.height > kMostCount || extent.depth > kMostCount)
    return Code::kInvalidValue;
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
      if (width == 0 || width > kMostCount || height == 0 || height > kMostCount) return Code::kInvalidValue;
      header.width = static_cast<std::uint32_t>(width);
      header.height = static_cast<std::uint32_t>(height);
      header.pitch = static_cast<std::uint32_t>(linear ? 0 : resource.sizes[2]);
      if (!linear && header.pitch < width * header.texel_bytes()) return Code::kInvalidValue;
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
  objects_.erase(found);
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

namespace {

/// Rows of an array to or from packed bytes.
Code move_rows(Runtime& runtime, const Array& array, const Position& at, const Extent& extent,
               std::byte* bytes, bool writes, bool internal) {
  const TextureHeader& header = array.header;
  const std::uint64_t x = at.x * array.element();
  if (x + extent.width > std::uint64_t{header.width} * array.element() ||
      at.y + extent.height > header.height || at.z + extent.depth > header.depth)
    return Code::kInvalidValue;
  const bool blocks = header.dimensions > 1 && header.block_height_log2 != isa::kRowsNotInBlocks;
  const std::uint64_t most = std::max<std::uint64_t>(1, kWindowBytes / extent.width);
  for (std::uint64_t z = 0; z < extent.depth; ++z)
    for (std::uint64_t y = 0; y < extent.height; y += most) {
      Request request;
      request.operation = writes ? Operation::kWrite : Operation::kRead;
      request.arguments[0] = header.base + (at.z + z) * header.slice;
      request.arguments[1] = internal ? 1 : 0;
      Box& box = request.box;
      box.width = extent.width;
      box.height = std::min<std::uint64_t>(most, extent.height - y);
      box.pitch = header.pitch;
      box.slice = header.slice;
      if (blocks) {
        box.in_blocks = 1;
        box.block_height_log2 = header.block_height_log2;
        box.x = x;
        box.y = at.y + y;
      } else {
        request.arguments[0] += (at.y + y) * header.pitch + x;
      }
      std::byte* const here = bytes + (z * extent.height + y) * extent.width;
      std::byte* const window = runtime.connection().window();
      if (writes) std::memcpy(window, here, box.width * box.height);
      if (const Code code = runtime.ask(request).reply.code; code != Code::kSuccess) return code;
      if (!writes) std::memcpy(here, window, box.width * box.height);
    }
  return Code::kSuccess;
}

}  // namespace

Code copy_places(Runtime& runtime, const Place& to, const Place& from, const Extent& extent, int kind) {
  if (kind < kHostToHost || kind > kDefault) return Code::kInvalidMemcpyDirection;
  const std::uint64_t bytes = extent.width * extent.height * extent.depth;
  if (bytes == 0) return Code::kSuccess;
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
  runtime.advance(began - runtime.now());
  if (of_device(to) && of_device(from))
    runtime.advance_memory(2 * bytes);
  else
    runtime.advance_copy(bytes);
  return code;
}

}  // namespace heddle::runtime
