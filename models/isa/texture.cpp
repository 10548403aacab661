#include "isa/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::isa {
namespace {

constexpr std::uint64_t kGroupWidth = 64;  ///< bytes
constexpr std::uint64_t kGroupRows = 8;
constexpr std::uint64_t kGroupBytes = kGroupWidth * kGroupRows;
constexpr double kWeightOne = 256;
constexpr std::uint32_t kFaces = 6;
constexpr unsigned kHighestBlock = 4;

double of_half(std::uint32_t bits) {
  const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
  const auto exponent = static_cast<int>(bits >> 10 & 31u);
  const auto fraction = static_cast<double>(bits & 0x3ffu);
  if (exponent == 31)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  return exponent == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(fraction + 1024, exponent - 25);
}

/// Within a group: halves of 32 bytes, pairs of rows, quarters of 16 bytes, rows of the pair.
std::uint64_t in_group(std::uint64_t x, std::uint64_t y) {
  return x / 32 * 256 + y / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
}

bool in_blocks(const TextureHeader& header) {
  return header.resource == TextureResource::kArray && header.dimensions > 1 &&
         header.block_height_log2 != kRowsNotInBlocks;
}

/// Texels in one direction.
struct Pair {
  std::int64_t index[2] = {};
  bool inside[2] = {true, true};
  std::uint16_t weight = 0;
};

void bound(Pair& pair, unsigned i, std::int64_t index, std::int64_t size, bool border) {
  pair.inside[i] = !border || (index >= 0 && index < size);
  pair.index[i] = std::clamp<std::int64_t>(index, 0, size - 1);
}

/// The coordinate in texels, in [0, size] where it wraps around or is mirrored.
double in_texels(float coordinate, std::int64_t size, bool normalized, TextureAddressing addressing) {
  constexpr double kFar = 1ll << 40;
  auto x = static_cast<double>(coordinate);
  if (std::isnan(x)) x = 0;
  if (!normalized) return std::clamp(x, -kFar, kFar);
  if (addressing == TextureAddressing::kWrap || addressing == TextureAddressing::kMirror) {
    if (std::isinf(x)) x = 0;
    const double whole = std::floor(x);
    const bool odd = std::fmod(whole, 2) != 0;
    x -= whole;
    if (addressing == TextureAddressing::kMirror && odd) x = 1 - x;
  }
  return std::clamp(x * static_cast<double>(size), -kFar, kFar);
}

Pair along(float coordinate, std::int64_t size, const TextureHeader& header, TextureAddressing addressing,
           bool two) {
  const bool normalized = header.normalized_coordinates != 0;
  if (!normalized && (addressing == TextureAddressing::kWrap || addressing == TextureAddressing::kMirror))
    addressing = TextureAddressing::kClamp;
  const bool border = addressing == TextureAddressing::kBorder;
  const double at = in_texels(coordinate, size, normalized, addressing);
  Pair pair;
  if (!two) {
    auto index = static_cast<std::int64_t>(std::floor(at));
    bound(pair, 0, index, size, border);
    return pair;
  }
  const double low = std::floor(at - 0.5);
  pair.weight = static_cast<std::uint16_t>(std::floor((at - 0.5 - low) * kWeightOne + 0.5));
  const auto index = static_cast<std::int64_t>(low);
  for (const unsigned i : {0u, 1u}) {
    const bool around = addressing == TextureAddressing::kWrap;
    bound(pair, i, around ? (index + i + size) % size : index + i, size, border);
  }
  return pair;
}

/// The face, 0 to 5, and where on it, both in [0, 1].
unsigned face_of(const float (&direction)[3], float (&at)[2]) {
  const float x = direction[0], y = direction[1], z = direction[2];
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  float major = az, s = z >= 0 ? x : -x, t = -y;
  unsigned face = z >= 0 ? 4 : 5;
  if (ax >= ay && ax >= az) {
    major = ax, s = x >= 0 ? -z : z, t = -y;
    face = x >= 0 ? 0 : 1;
  } else if (ay >= az) {
    major = ay, s = x, t = y >= 0 ? z : -z;
    face = y >= 0 ? 2 : 3;
  }
  at[0] = (s / major + 1) * 0.5f;
  at[1] = (t / major + 1) * 0.5f;
  return face;
}

/// Of an instruction on the object: TextureOp::dimensions(), of a cube those of a face. Fetches of one and of two dimensions
/// are one instruction of the hardware, which has 0 for the second coordinate that it is not given; the object says whether
/// the coordinate counts.
unsigned dimensions_on(const TextureHeader& header, const TextureOp& op) {
  if (op.shape == TextureShape::kCube || op.shape == TextureShape::kCubeLayered) return 2;
  if (op.kind != TextureKind::kGather && (op.shape == TextureShape::k1d || op.shape == TextureShape::k2d))
    return std::min<unsigned>(2, header.dimensions);
  return op.dimensions();
}

double from_srgb(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

struct Channel {
  std::uint32_t bits = 0;  ///< as an instruction for integers gets it
  double value = 0;        ///< as one for f32 gets it, if it may be filtered
};

bool reads_numbers(const TextureHeader& header) {
  return header.kind == ChannelKind::kFloat || header.normalized_values != 0;
}

Channel channel_of(const TextureHeader& header, const std::byte* texel, unsigned channel) {
  Channel result;
  if (channel >= header.channels) return result;
  std::uint32_t raw = 0;
  std::memcpy(&raw, texel + std::size_t{channel} * header.bits / 8, header.bits / 8u);
  if (header.kind == ChannelKind::kFloat) {
    result.value = header.bits == 16 ? of_half(raw) : std::bit_cast<float>(raw);
    result.bits = raw;
    return result;
  }
  const bool is_signed = header.kind == ChannelKind::kSigned;
  const unsigned unused = 32u - header.bits;
  result.bits =
      is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(raw << unused) >> unused) : raw;
  const auto most = static_cast<double>((std::uint64_t{1} << (header.bits - (is_signed ? 1u : 0u))) - 1);
  result.value = is_signed ? std::max(-1.0, static_cast<std::int32_t>(result.bits) / most) : raw / most;
  if (header.srgb != 0 && !is_signed && header.bits == 8 && channel < 3)
    result.value = from_srgb(result.value);
  return result;
}

Channel border_of(const TextureHeader& header, unsigned channel) {
  Channel result;
  if (channel >= header.channels) return result;
  const float value = header.border[channel];
  result.value = value;
  if (header.kind == ChannelKind::kFloat)
    result.bits = std::bit_cast<std::uint32_t>(value);
  else if (!std::isnan(value))
    result.bits = static_cast<std::uint32_t>(
        static_cast<std::int64_t>(std::clamp(static_cast<double>(value), -2147483648.0, 4294967295.0)));
  return result;
}

std::uint32_t as_float(double value) {
  return std::isnan(value) ? 0x7fff'ffffu : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

}  // namespace

std::uint64_t texture_offset(const TextureHeader& header, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  if (!in_blocks(header)) return z * header.slice + y * header.pitch + x;
  const unsigned high = header.block_height_log2;
  const std::uint64_t group = y / kGroupRows;
  const std::uint64_t block = (group >> high) * (header.pitch / kGroupWidth) + x / kGroupWidth;
  const std::uint64_t in_block = group & ((std::uint64_t{1} << high) - 1);
  return z * header.slice + ((block << high) + in_block) * kGroupBytes +
         in_group(x % kGroupWidth, y % kGroupRows);
}

TextureFootprint footprint(const TextureHeader& header, const TextureOp& op, const TextureCoordinates& at) {
  TextureFootprint result;
  unsigned next = 0;
  std::uint64_t layer = op.layered() ? at[next++] : 0;
  const std::uint64_t size[3] = {header.width, header.height, header.depth};
  const bool cube = op.shape == TextureShape::kCube || op.shape == TextureShape::kCubeLayered;
  const bool gathers = op.kind == TextureKind::kGather;
  result.filtered = !gathers && header.linear_filter != 0 && !op.integer_coordinates && reads_numbers(header);
  const bool two = gathers || result.filtered;
  const unsigned dimensions = dimensions_on(header, op);
  Pair pairs[3];
  std::uint32_t given[3] = {};
  std::copy_n(at.begin() + next, op.dimensions(), given);
  float coordinates[3];
  for (unsigned d = 0; d < 3; ++d) coordinates[d] = std::bit_cast<float>(given[d]);
  TextureHeader sampled = header;
  if (cube) {
    float on_face[2];
    const unsigned face = face_of(coordinates, on_face);
    layer = std::min<std::uint64_t>(layer, header.depth / kFaces - 1) * kFaces + face;
    std::copy(on_face, on_face + 2, coordinates);
    sampled.normalized_coordinates = 1;
    std::fill(sampled.addressing, sampled.addressing + 3, TextureAddressing::kClamp);
  }
  for (unsigned d = 0; d < dimensions; ++d) {
    const auto most = static_cast<std::int64_t>(size[d]);
    if (op.integer_coordinates)
      bound(
          pairs[d], 0, static_cast<std::int32_t>(given[d]), most,
          header.resource == TextureResource::kLinear || header.addressing[d] == TextureAddressing::kBorder);
    else
      pairs[d] = along(coordinates[d], most, sampled, sampled.addressing[d], two);
    result.weights[d] = pairs[d].weight;
  }
  if (header.layered != 0 || header.cube != 0) {
    pairs[2].index[0] = static_cast<std::int64_t>(std::min<std::uint64_t>(layer, header.depth - 1));
    result.weights[2] = 0;
  }
  result.count = two ? 1u << dimensions : 1;
  for (unsigned i = 0; i < result.count; ++i) {
    const unsigned x = i & 1u, y = i >> 1 & 1u, z = i >> 2 & 1u;
    TextureFootprint::Texel& texel = result.texels[i];
    texel.inside = pairs[0].inside[x] && pairs[1].inside[y] && pairs[2].inside[z];
    texel.address =
        header.base + texture_offset(header,
                                     static_cast<std::uint64_t>(pairs[0].index[x]) * header.texel_bytes(),
                                     static_cast<std::uint64_t>(pairs[1].index[y]),
                                     static_cast<std::uint64_t>(pairs[2].index[z]));
  }
  return result;
}

std::array<std::uint32_t, 4> sample(const TextureHeader& header, const TextureOp& op, Type type,
                                    const TextureFootprint& of, const std::byte* texels) {
  const auto channel = [&](unsigned texel, unsigned c) {
    return of.texels[texel].inside ? channel_of(header, texels + std::size_t{texel} * kTexelBytes, c)
                                   : border_of(header, c);
  };
  const bool converts = (type == Type::kF32 || op.by_object) && reads_numbers(header) &&
                        !(header.kind == ChannelKind::kFloat && header.bits == 32);
  const auto bits = [&](const Channel& from) { return converts ? as_float(from.value) : from.bits; };
  if (op.kind == TextureKind::kGather) {
    constexpr unsigned kOrder[] = {2, 3, 1, 0};  // counter-clockwise from the lower left (PTX ISA, tld4)
    std::array<std::uint32_t, 4> gathered;
    for (unsigned i = 0; i < 4; ++i) gathered[i] = bits(channel(kOrder[i], op.component));
    return gathered;
  }
  std::array<std::uint32_t, 4> result;
  for (unsigned c = 0; c < 4; ++c) {
    if (!of.filtered) {
      result[c] = bits(channel(0, c));
      continue;
    }
    double sum = 0;
    for (unsigned i = 0; i < of.count; ++i) {
      double weight = 1;
      for (unsigned d = 0; 1u << d < of.count; ++d) {
        const double second = of.weights[d] / kWeightOne;
        weight *= (i >> d & 1u) != 0 ? second : 1 - second;
      }
      if (weight != 0) sum += weight * channel(i, c).value;
    }
    result[c] = as_float(sum);
  }
  return result;
}

SurfacePlace surface_place(const TextureHeader& header, const TextureOp& op, const TextureCoordinates& at,
                           unsigned bytes) {
  unsigned next = 0;
  std::int64_t index[3] = {};
  if (op.layered()) index[2] = static_cast<std::int32_t>(at[next++]);
  for (unsigned d = 0; d < op.dimensions(); ++d) index[d] = static_cast<std::int32_t>(at[next + d]);
  const std::int64_t size = bytes;
  const std::int64_t room = std::int64_t{header.width} * header.texel_bytes() - size;
  const std::int64_t most[3] = {room < 0 ? room : room - room % size, std::int64_t{header.height} - 1,
                                std::int64_t{header.depth} - 1};
  SurfacePlace place;
  place.aligned = index[0] % size == 0;
  place.inside = true;
  for (unsigned d = 0; d < 3; ++d) {
    if (index[d] >= 0 && index[d] <= most[d]) continue;
    if (op.bounds != SurfaceBounds::kClamp || most[d] < 0) place.inside = false;
    index[d] = std::clamp<std::int64_t>(index[d], 0, std::max<std::int64_t>(most[d], 0));
  }
  place.address = header.base + texture_offset(header, static_cast<std::uint64_t>(index[0]),
                                               static_cast<std::uint64_t>(index[1]),
                                               static_cast<std::uint64_t>(index[2]));
  return place;
}

std::uint32_t texture_query(const TextureHeader& header, const TextureOp& op) {
  const bool layers = header.layered != 0 || header.cube != 0;
  switch (op.query) {
    case TextureQuery::kWidth:
      return header.width;
    case TextureQuery::kHeight:
      return header.dimensions > 1 ? header.height : 0;
    case TextureQuery::kDepth:
      return header.dimensions > 2 ? header.depth : 0;
    case TextureQuery::kArraySize:
      return layers ? header.depth : 0;
    case TextureQuery::kLevels:
    case TextureQuery::kSamples:
      return 1;
    case TextureQuery::kNormalized:
      return header.normalized_coordinates;
  }
  return 0;
}

namespace {

/// What no object has: kernels can write to headers.
const char* damage(const TextureHeader& header) {
  if (header.resource > TextureResource::kPitch)
    return "the object's header is damaged: the resource is of no known kind";
  if (header.dimensions < 1 || header.dimensions > 3)
    return "the object's header is damaged: dimensions are 1 to 3";
  if (header.channels != 1 && header.channels != 2 && header.channels != 4)
    return "the object's header is damaged: channels are 1, 2 or 4";
  if (header.bits != 8 && header.bits != 16 && header.bits != 32)
    return "the object's header is damaged: channels have 8, 16 or 32 bits";
  if (header.kind > ChannelKind::kFloat || (header.kind == ChannelKind::kFloat && header.bits == 8))
    return "the object's header is damaged: channels are integers, or floats of 16 or 32 bits";
  if (header.block_height_log2 > kHighestBlock && header.block_height_log2 != kRowsNotInBlocks)
    return "the object's header is damaged: blocks have 1 to 16 groups of rows";
  for (const TextureAddressing mode : header.addressing)
    if (mode > TextureAddressing::kBorder)
      return "the object's header is damaged: an addressing mode is unknown";
  if (header.width == 0 || header.height == 0 || header.depth == 0)
    return "the object's header is damaged: an extent is 0";
  if (header.cube != 0 && header.depth % kFaces != 0)
    return "the object's header is damaged: a cube has six faces";
  return nullptr;
}

}  // namespace

const char* texture_mismatch(const TextureHeader& header, const TextureOp& op) {
  if (header.magic != kTextureMagic) return "the handle is that of no texture or surface object";
  if (const char* const wrong = damage(header)) return wrong;
  if (op.kind == TextureKind::kQuery) return nullptr;
  if ((op.kind == TextureKind::kSurface) != (header.surface != 0))
    return header.surface != 0 ? "the object is a surface, not a texture"
                               : "the object is a texture, not a surface";
  if (op.kind == TextureKind::kSurface) return nullptr;  // a view by bytes
  const bool cube = op.shape == TextureShape::kCube || op.shape == TextureShape::kCubeLayered;
  if (dimensions_on(header, op) != header.dimensions || op.layered() != (header.layered != 0) ||
      cube != (header.cube != 0))
    return "the object has other dimensions, or layers, than the instruction";
  return nullptr;
}

}  // namespace heddle::isa
