#include "oracle/texture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <string>

#include "oracle/bits.h"
#include "oracle/half.h"

namespace heddle::oracle {
namespace {

using isa::ChannelKind;
using isa::TextureAddressing;
using isa::TextureHeader;
using isa::TextureResource;

bool numeric(const TextureHeader& header) {
  return header.kind == ChannelKind::kFloat || header.normalized_values != 0;
}

/// Every field that the arithmetic below relies on; empty: sound.
std::string unsound(const TextureHeader& header) {
  const auto one_of = [](unsigned value, std::initializer_list<unsigned> values) {
    return std::find(values.begin(), values.end(), value) != values.end();
  };
  const auto number = [](auto value) { return static_cast<unsigned>(value); };
  std::string field;
  if (!one_of(number(header.resource), {0, 1, 2})) field = "resource";
  if (!one_of(header.dimensions, {1, 2, 3})) field = "dimensions";
  if (!one_of(header.channels, {1, 2, 4})) field = "channels";
  if (!one_of(header.bits, {8, 16, 32})) field = "bits";
  if (!one_of(number(header.kind), {0, 1, 2})) field = "kind";
  if (header.kind == ChannelKind::kFloat && header.bits == 8) field = "kind";
  if (!one_of(header.block_height_log2, {0, 1, 2, 3, 4, 0xff})) field = "block height";
  for (const TextureAddressing mode : header.addressing)
    if (!one_of(number(mode), {0, 1, 2, 3})) field = "addressing mode";
  for (const std::uint32_t extent : {header.width, header.height, header.depth})
    if (extent == 0) field = "extent";
  if (header.cube != 0 && header.depth % 6 != 0) field = "faces";
  return field;
}

/// The hardware fetches from objects of one and of two dimensions by the same instruction: what the object lacks says nothing,
/// and what the instruction does not give is 0.
unsigned dimensions_of(const TextureRequest& request, const TextureHeader& header) {
  const bool one_instruction =
      request.what != TextureRequest::What::kGather && request.dimensions <= 2 && !request.layered;
  return one_instruction ? std::min<unsigned>(2, header.dimensions) : request.dimensions;
}

/// A direction's two texels with their shares in 1/256; one texel: the first.
struct Axis {
  std::int64_t texel[2] = {};
  bool outside[2] = {};
  int share[2] = {256, 0};
};

/// Where a coordinate leads that counts texels, or is a part of the extent.
Axis axis_of(float given, std::int64_t extent, TextureAddressing mode, bool part_of_extent, bool two) {
  double x = std::isnan(given) ? 0.0 : static_cast<double>(given);
  const bool periodic =
      part_of_extent && (mode == TextureAddressing::kWrap || mode == TextureAddressing::kMirror);
  if (periodic) {
    if (!std::isfinite(x)) x = 0;
    const double period = std::floor(x);
    x = x - period;
    if (mode == TextureAddressing::kMirror && std::remainder(period, 2.0) != 0) x = 1.0 - x;
  }
  if (part_of_extent) x *= static_cast<double>(extent);
  x = std::min(std::max(x, -1099511627776.0), 1099511627776.0);
  Axis axis;
  double first = std::floor(x);
  if (two) {
    first = std::floor(x - 0.5);
    axis.share[1] = static_cast<int>(std::floor(256.0 * (x - 0.5 - first) + 0.5));
    axis.share[0] = 256 - axis.share[1];
  }
  for (int i = 0; i < 2; ++i) {
    std::int64_t texel = static_cast<std::int64_t>(first) + i;
    if (mode == TextureAddressing::kBorder) axis.outside[i] = texel < 0 || texel >= extent;
    if (periodic && two && mode == TextureAddressing::kWrap) {
      if (texel < 0) texel += extent;
      if (texel >= extent) texel -= extent;
    }
    axis.texel[i] = std::max<std::int64_t>(0, std::min(texel, extent - 1));
  }
  return axis;
}

int face(float x, float y, float z, float& s, float& t) {
  const float size[3] = {std::fabs(x), std::fabs(y), std::fabs(z)};
  const int major = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
  const float of[3] = {x, y, z};
  const bool back = !(of[major] >= 0);
  switch (major) {
    case 0:
      s = back ? z : -z, t = -y;
      break;
    case 1:
      s = x, t = back ? -z : z;
      break;
    default:
      s = back ? -x : x, t = -y;
      break;
  }
  s = (s / size[major] + 1) * 0.5f;
  t = (t / size[major] + 1) * 0.5f;
  return 2 * major + (back ? 1 : 0);
}

}  // namespace

std::uint64_t TextureSampler::address(const Header& header, std::uint64_t byte, std::int64_t y_index,
                                      std::int64_t z_index) {
  const auto y = static_cast<std::uint64_t>(y_index);
  const auto z = static_cast<std::uint64_t>(z_index);
  const std::uint64_t plane = header.base + z * header.slice;
  if (header.resource != TextureResource::kArray || header.dimensions == 1 ||
      header.block_height_log2 == isa::kRowsNotInBlocks)
    return plane + y * header.pitch + byte;
  // Bits of the place, from the lowest: x3..0, y0, x4, y2..1, x5 are a group of 64 bytes by 8 rows; the group's number in its
  // block, the block's in its row of blocks, that row's.
  const std::uint64_t within =
      (byte & 15) | (y & 1) << 4 | (byte >> 4 & 1) << 5 | (y >> 1 & 3) << 6 | (byte >> 5 & 1) << 8;
  const std::uint64_t rows_of_block = std::uint64_t{8} << header.block_height_log2;
  const std::uint64_t blocks_before = y / rows_of_block * (header.pitch / 64u) + byte / 64;
  return plane + blocks_before * 64 * rows_of_block + y % rows_of_block / 8 * 512 + within;
}

TextureSampler::Header TextureSampler::header_of(const TextureRequest& request) const {
  const std::uint64_t handle = request.handle;
  Header header;
  header.magic = 0;
  auto* const to = reinterpret_cast<std::byte*>(&header);
  for (std::size_t i = 0; i < sizeof header; ++i)
    if (!memory_.read_byte(handle + i, to[i])) {
      header.magic = 0;
      break;
    }
  const bool by_bytes =
      request.what == TextureRequest::What::kLoad || request.what == TextureRequest::What::kStore;
  std::string wrong;
  if (header.magic != isa::kTextureMagic) {
    wrong = "is that of no texture or surface object";
  } else if (const std::string field = unsound(header); !field.empty()) {
    wrong = fmt::format("has a header that is damaged: its {}", field);
  } else if (request.what != TextureRequest::What::kQuery) {
    if (by_bytes != (header.surface != 0)) wrong = by_bytes ? "is that of a texture" : "is that of a surface";
    const unsigned dimensions = request.cube ? 2 : dimensions_of(request, header);
    if (!by_bytes && (dimensions != header.dimensions || request.layered != (header.layered != 0) ||
                      request.cube != (header.cube != 0)))
      wrong = "is that of a texture with other dimensions or layers";
  }
  if (!wrong.empty()) memory_.fault(fmt::format("handle 0x{:x} {}", handle, wrong));
  return header;
}

std::uint32_t TextureSampler::bits(Site& site, const Index& index, unsigned component) {
  const Header& header = site.header;
  if (component >= header.channels) return 0;
  if (index.outside) {
    const float border = header.border[component];
    if (header.kind == ChannelKind::kFloat) return static_cast<std::uint32_t>(bits_of(border));
    if (std::isnan(border)) return 0;
    const double whole = std::min(std::max(static_cast<double>(border), -2147483648.0), 4294967295.0);
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(whole));
  }
  const unsigned size = header.bits / 8u;
  const std::uint64_t byte = static_cast<std::uint64_t>(index.at[0]) * size * header.channels;
  const std::byte* const texel =
      memory_.read(address(header, byte, index.at[1], index.at[2]), size * header.channels);
  std::uint32_t raw = 0;
  std::memcpy(&raw, texel + std::size_t{component} * size, size);
  if (header.kind == ChannelKind::kSigned && size < 4 && (raw >> (8 * size - 1) & 1) != 0)
    raw |= ~static_cast<std::uint32_t>(low_bits(8 * size));
  return raw;
}

double TextureSampler::number(Site& site, const Index& index, unsigned component) {
  const Header& header = site.header;
  if (component >= header.channels) return 0;
  if (index.outside) return header.border[component];
  const std::uint32_t raw = bits(site, index, component);
  if (header.kind == ChannelKind::kFloat)
    return header.bits == 16 ? to_double({static_cast<std::uint16_t>(raw)}) : value_of<float>(raw);
  if (header.kind == ChannelKind::kSigned) {
    const double value = static_cast<std::int32_t>(raw) / static_cast<double>(low_bits(header.bits - 1u));
    return value < -1 ? -1 : value;
  }
  const double value = raw / static_cast<double>(low_bits(header.bits));
  if (header.srgb == 0 || header.bits != 8 || component == 3) return value;
  return value > 0.04045 ? std::pow((value + 0.055) / 1.055, 2.4) : value / 12.92;
}

std::uint32_t TextureSampler::unfiltered(Site& site, const Index& index, unsigned component) {
  const bool whole_float = site.header.kind == ChannelKind::kFloat && site.header.bits == 32;
  const bool wants_numbers = site.request.by_object || site.request.numbers;
  if (!wants_numbers || whole_float || !numeric(site.header)) return bits(site, index, component);
  return static_cast<std::uint32_t>(float_result(static_cast<float>(number(site, index, component))));
}

std::array<std::uint32_t, 4> TextureSampler::fetch(Site& site) {
  const TextureRequest& texture = site.request;
  const Header& header = site.header;
  std::uint32_t coordinate[3] = {};
  std::copy_n(texture.coordinates.begin() + (texture.layered ? 1 : 0), texture.dimensions, coordinate);
  std::uint64_t layer = texture.layered ? texture.coordinates[0] : 0;
  const bool filtered = texture.what == TextureRequest::What::kFetch && header.linear_filter != 0 &&
                        !texture.whole_numbers && numeric(header);
  const bool two = filtered || texture.what == TextureRequest::What::kGather;
  const std::int64_t extent[3] = {header.width, header.height, header.depth};
  float along[3] = {};
  for (unsigned d = 0; d < texture.dimensions; ++d) along[d] = value_of<float>(coordinate[d]);
  if (texture.cube) {
    float s = 0, t = 0;
    const std::uint64_t cubes = header.depth / 6;
    if (layer >= cubes) layer = cubes - 1;
    layer = layer * 6 + static_cast<std::uint64_t>(face(along[0], along[1], along[2], s, t));
    along[0] = s, along[1] = t;
  }
  const unsigned dimensions = texture.cube ? 2 : dimensions_of(texture, header);
  Axis axis[3];
  for (unsigned d = 0; d < dimensions; ++d) {
    if (texture.whole_numbers) {
      const std::int64_t texel = static_cast<std::int32_t>(coordinate[d]);
      if (header.resource == TextureResource::kLinear || header.addressing[d] == TextureAddressing::kBorder)
        axis[d].outside[0] = texel < 0 || texel >= extent[d];
      axis[d].texel[0] = std::max<std::int64_t>(0, std::min(texel, extent[d] - 1));
      continue;
    }
    axis[d] = axis_of(along[d], extent[d], texture.cube ? TextureAddressing::kClamp : header.addressing[d],
                      texture.cube || header.normalized_coordinates != 0, two);
  }
  const auto corner = [&](unsigned x, unsigned y, unsigned z) {
    Index index{{axis[0].texel[x], axis[1].texel[y], axis[2].texel[z]},
                axis[0].outside[x] || axis[1].outside[y] || axis[2].outside[z]};
    if (header.layered != 0 || header.cube != 0)
      index.at[2] = static_cast<std::int64_t>(std::min<std::uint64_t>(layer, header.depth - 1u));
    return index;
  };
  if (texture.what == TextureRequest::What::kGather)
    return {unfiltered(site, corner(0, 1, 0), texture.component),
            unfiltered(site, corner(1, 1, 0), texture.component),
            unfiltered(site, corner(1, 0, 0), texture.component),
            unfiltered(site, corner(0, 0, 0), texture.component)};
  std::array<std::uint32_t, 4> results;
  for (unsigned c = 0; c < 4; ++c) {
    if (!filtered) {
      results[c] = unfiltered(site, corner(0, 0, 0), c);
      continue;
    }
    double sum = 0;
    for (unsigned z = 0; z < (dimensions > 2 ? 2u : 1u); ++z)
      for (unsigned y = 0; y < (dimensions > 1 ? 2u : 1u); ++y)
        for (unsigned x = 0; x < 2; ++x) {
          double share = axis[0].share[x] / 256.0;
          if (dimensions > 1) share *= axis[1].share[y] / 256.0;
          if (dimensions > 2) share *= axis[2].share[z] / 256.0;
          if (share > 0) sum += share * number(site, corner(x, y, z), c);
        }
    results[c] = static_cast<std::uint32_t>(float_result(static_cast<float>(sum)));
  }
  return results;
}

void TextureSampler::surface(Site& site, std::span<std::byte> data) {
  const TextureRequest& texture = site.request;
  const Header& header = site.header;
  const std::int64_t bytes = static_cast<std::int64_t>(data.size());
  std::int64_t at[3] = {};
  std::size_t next = 0;
  const auto take = [&] { return static_cast<std::int32_t>(texture.coordinates[next++]); };
  if (texture.layered) at[2] = take();
  for (unsigned d = 0; d < texture.dimensions; ++d) at[d] = take();
  if (at[0] % bytes != 0)
    memory_.fault(fmt::format("misaligned surface access: x is {}, of {} bytes", at[0], bytes));
  // Whole accesses of a row.
  const std::int64_t accesses = std::int64_t{header.width} * header.channels * header.bits / 8 / bytes;
  const std::int64_t last[3] = {(accesses - 1) * bytes, std::int64_t{header.height} - 1,
                                std::int64_t{header.depth} - 1};
  bool outside = false;
  for (unsigned d = 0; d < 3; ++d) {
    const std::int64_t inside = std::max<std::int64_t>(0, std::min(at[d], last[d]));
    outside =
        outside || last[d] < 0 || (inside != at[d] && texture.outside != TextureRequest::Outside::kClamp);
    at[d] = inside;
  }
  if (outside && texture.outside == TextureRequest::Outside::kTrap)
    memory_.fault("a surface access is outside, and its mode is to trap");
  const std::uint64_t where = address(header, static_cast<std::uint64_t>(at[0]), at[1], at[2]);
  const auto size = static_cast<unsigned>(data.size());
  if (texture.what == TextureRequest::What::kStore) {
    if (!outside) std::memcpy(memory_.write(where, size), data.data(), size);
  } else if (outside) {
    std::memset(data.data(), 0, size);
  } else {
    std::memcpy(data.data(), memory_.read(where, size), size);
  }
}

std::uint32_t TextureSampler::query(const Site& site) {
  using Query = TextureRequest::Query;
  const Header& header = site.header;
  switch (site.request.query) {
    case Query::kWidth:
      return header.width;
    case Query::kHeight:
      return header.dimensions >= 2 ? header.height : 0;
    case Query::kDepth:
      return header.dimensions == 3 ? header.depth : 0;
    case Query::kArraySize:
      return header.layered != 0 || header.cube != 0 ? header.depth : 0;
    case Query::kNormalized:
      return header.normalized_coordinates;
    case Query::kOne:
      break;
  }
  return 1;
}

std::array<std::uint32_t, 4> TextureSampler::access(const TextureRequest& request,
                                                    std::span<std::byte> data) {
  Site site{request, header_of(request)};
  switch (request.what) {
    case TextureRequest::What::kFetch:
    case TextureRequest::What::kGather:
      return fetch(site);
    case TextureRequest::What::kLoad:
    case TextureRequest::What::kStore:
      surface(site, data);
      break;
    case TextureRequest::What::kQuery:
      return {query(site)};
  }
  return {};
}

}  // namespace heddle::oracle
