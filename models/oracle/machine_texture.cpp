#include "oracle/machine_texture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <string>

#include "oracle/bits.h"
#include "oracle/half.h"

namespace heddle::oracle::mimd {
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

std::uint64_t Textures::address(const Header& header, std::uint64_t byte, std::int64_t y_index,
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

const std::byte* Textures::read(Site& site, std::uint64_t at, unsigned bytes) {
  Step load;
  load.where = site.step.where;
  load.space = isa::StateSpace::kGlobal;
  load.displacement = static_cast<std::int64_t>(at);
  return accesses_.read_at(site.cta, site.thread, load, 0, bytes);
}

Textures::Header Textures::header_of(Cta& cta, Thread& thread, const Step& step) const {
  const std::uint64_t handle = operands_.value(cta, thread, step.texture->handle);
  Header header;
  header.magic = 0;
  auto* const to = reinterpret_cast<std::byte*>(&header);
  for (std::size_t i = 0; i < sizeof header; ++i) {
    const std::byte* const from = accesses_.byte_at(cta, thread, handle + i);
    if (from == nullptr) {
      header.magic = 0;
      break;
    }
    to[i] = *from;
  }
  const Texture& texture = *step.texture;
  const bool by_bytes = texture.what == Texture::What::kLoad || texture.what == Texture::What::kStore;
  std::string wrong;
  if (header.magic != isa::kTextureMagic) {
    wrong = "is that of no texture or surface object";
  } else if (const std::string field = unsound(header); !field.empty()) {
    wrong = fmt::format("has a header that is damaged: its {}", field);
  } else if (texture.what != Texture::What::kQuery) {
    if (by_bytes != (header.surface != 0)) wrong = by_bytes ? "is that of a texture" : "is that of a surface";
    const unsigned dimensions = texture.cube ? 2 : texture.dimensions;
    if (!by_bytes && (dimensions != header.dimensions || texture.layered != (header.layered != 0) ||
                      texture.cube != (header.cube != 0)))
      wrong = "is that of a texture with other dimensions or layers";
  }
  if (!wrong.empty()) operands_.fault(cta, thread, step, fmt::format("handle 0x{:x} {}", handle, wrong));
  return header;
}

std::uint32_t Textures::bits(Site& site, const Index& index, unsigned component) {
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
      read(site, address(header, byte, index.at[1], index.at[2]), size * header.channels);
  std::uint32_t raw = 0;
  std::memcpy(&raw, texel + std::size_t{component} * size, size);
  if (header.kind == ChannelKind::kSigned && size < 4 && (raw >> (8 * size - 1) & 1) != 0)
    raw |= ~static_cast<std::uint32_t>(low_bits(8 * size));
  return raw;
}

double Textures::number(Site& site, const Index& index, unsigned component) {
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

std::uint32_t Textures::unfiltered(Site& site, const Index& index, unsigned component) {
  const bool whole_float = site.header.kind == ChannelKind::kFloat && site.header.bits == 32;
  if (site.step.type != Type::kF32 || whole_float || !numeric(site.header))
    return bits(site, index, component);
  return static_cast<std::uint32_t>(float_result(static_cast<float>(number(site, index, component))));
}

void Textures::fetch(Site& site) {
  const Texture& texture = site.texture;
  const Header& header = site.header;
  std::uint32_t given[4] = {};
  for (std::size_t i = 0; i < texture.coordinates.size(); ++i)
    given[i] = static_cast<std::uint32_t>(operands_.value(site.cta, site.thread, texture.coordinates[i]) &
                                          0xffff'ffffu);
  const std::uint32_t* const coordinate = given + (texture.layered ? 1 : 0);
  std::uint64_t layer = texture.layered ? given[0] : 0;
  const bool filtered = texture.what == Texture::What::kFetch && header.linear_filter != 0 &&
                        !texture.whole_numbers && numeric(header);
  const bool two = filtered || texture.what == Texture::What::kGather;
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
  const unsigned dimensions = texture.cube ? 2 : texture.dimensions;
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
  const auto give = [&](unsigned to, std::uint32_t value) {
    operands_.assign(site.thread, site.step.target[to], value);
  };
  if (texture.what == Texture::What::kGather) {
    give(0, unfiltered(site, corner(0, 1, 0), texture.component));
    give(1, unfiltered(site, corner(1, 1, 0), texture.component));
    give(2, unfiltered(site, corner(1, 0, 0), texture.component));
    give(3, unfiltered(site, corner(0, 0, 0), texture.component));
    return;
  }
  std::uint32_t results[4];
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
  for (unsigned c = 0; c < 4; ++c) give(c, results[c]);
}

void Textures::surface(Site& site) {
  const Texture& texture = site.texture;
  const Header& header = site.header;
  const auto element = static_cast<unsigned>(isa::type_bytes(site.step.type));
  const auto count =
      static_cast<unsigned>(texture.what == Texture::What::kLoad ? site.step.targets : texture.values.size());
  const unsigned bytes = element * count;
  std::int64_t at[3] = {};
  std::size_t next = 0;
  const auto take = [&] {
    return static_cast<std::int32_t>(operands_.value(site.cta, site.thread, texture.coordinates[next++]));
  };
  if (texture.layered) at[2] = take();
  for (unsigned d = 0; d < texture.dimensions; ++d) at[d] = take();
  if (at[0] % static_cast<std::int64_t>(bytes) != 0)
    operands_.fault(site.cta, site.thread, site.step,
                    fmt::format("misaligned surface access: x is {}, of {} bytes", at[0], bytes));
  // Whole accesses of a row.
  const std::int64_t accesses = std::int64_t{header.width} * header.channels * header.bits / 8 / bytes;
  const std::int64_t last[3] = {(accesses - 1) * bytes, std::int64_t{header.height} - 1,
                                std::int64_t{header.depth} - 1};
  bool outside = false;
  for (unsigned d = 0; d < 3; ++d) {
    const std::int64_t inside = std::max<std::int64_t>(0, std::min(at[d], last[d]));
    outside = outside || last[d] < 0 || (inside != at[d] && texture.outside != Texture::Outside::kClamp);
    at[d] = inside;
  }
  if (outside && texture.outside == Texture::Outside::kTrap)
    operands_.fault(site.cta, site.thread, site.step, "a surface access is outside, and its mode is to trap");
  const std::uint64_t where = address(header, static_cast<std::uint64_t>(at[0]), at[1], at[2]);
  if (texture.what == Texture::What::kLoad) {
    const std::byte* const from = outside ? nullptr : read(site, where, bytes);
    for (unsigned i = 0; i < count; ++i) {
      std::uint64_t value = 0;
      if (from != nullptr) std::memcpy(&value, from + std::size_t{i} * element, element);
      operands_.assign(site.thread, site.step.target[i], value);
    }
    return;
  }
  if (outside) return;
  Step store;
  store.where = site.step.where;
  store.space = isa::StateSpace::kGlobal;
  store.displacement = static_cast<std::int64_t>(where);
  std::byte* const to = accesses_.write_at(site.cta, site.thread, store, 0, bytes);
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t value = operands_.value(site.cta, site.thread, texture.values[i]);
    std::memcpy(to + std::size_t{i} * element, &value, element);
  }
}

void Textures::query(Site& site) {
  const Header& header = site.header;
  const std::string& what = site.texture.query;
  std::uint32_t value = 1;  // levels and samples
  if (what == "width") value = header.width;
  if (what == "height") value = header.dimensions >= 2 ? header.height : 0;
  if (what == "depth") value = header.dimensions == 3 ? header.depth : 0;
  if (what == "array_size") value = header.layered != 0 || header.cube != 0 ? header.depth : 0;
  if (what == "normalized_coords") value = header.normalized_coordinates;
  operands_.assign(site.thread, site.step.target[0], value);
}

void Textures::access(Cta& cta, Thread& thread, const Step& step) {
  Site site{cta, thread, step, *step.texture, header_of(cta, thread, step)};
  switch (step.texture->what) {
    case Texture::What::kFetch:
    case Texture::What::kGather:
      return fetch(site);
    case Texture::What::kLoad:
    case Texture::What::kStore:
      return surface(site);
    case Texture::What::kQuery:
      return query(site);
  }
}

}  // namespace heddle::oracle::mimd
