// Textures and surfaces: which texels a fetch needs, what it makes of them, and where they lie.
//
// Coordinates, filtering and what lies outside are those of the CUDA C++ Programming Guide, "Texture Fetching" ([CUDA]):
// T[i] with i = floor(x), or for linear filtering xB = x - 0.5 and weights of 8 fractional bits. What the guide leaves
// open:
// * Weights are rounded to the nearest 1/256, ties up, so that 1 may be a weight. Texels of weight 0 do not count, not even
//   NaNs; the others are summed in double precision, x fastest, and rounded once.
// * A coordinate that is NaN counts as 0, and so does an infinite one where it wraps around or is mirrored.
// * Texels of 32-bit floats that are not filtered keep their bits, those of NaNs too. NaNs that are filtered or converted become
//   0x7fffffff.
// * Components that the format lacks are 0. Colours outside of integer formats are the border's, converted.
// * A cube's face is that of the largest coordinate, x before y before z. A face is filtered by itself, clamped at its edges.
//   A layer outside is the last, of cubes the last cube.
// * x of a surface access is a multiple of its bytes, outside too; where it is clamped, it becomes the last multiple inside.
// * There is one level: levels of detail and gradients have no effect.
//
// Rows of arrays lie in blocks ("block linear", [X1]): 64 bytes of 8 rows are a group of 512 bytes, in which 16 bytes of a
// row stay together; a block is 2^n groups above each other, and blocks are row after row. Arrays of one dimension are plain.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/texture_header.h"
#include "isa/types.h"

namespace heddle::isa {

enum class TextureKind : std::uint8_t { kFetch, kGather, kSurface, kQuery };
enum class TextureShape : std::uint8_t { k1d, k2d, k3d, k1dLayered, k2dLayered, kCube, kCubeLayered };
/// Of surfaces: what becomes of an access outside.
enum class SurfaceBounds : std::uint8_t { kTrap, kClamp, kZero };
enum class TextureQuery : std::uint8_t {
  kWidth,
  kHeight,
  kDepth,
  kArraySize,
  kLevels,
  kSamples,
  kNormalized
};

/// Instruction::immediate of kTexture and kSurfaceStore.
struct TextureOp {
  TextureKind kind = TextureKind::kFetch;
  TextureShape shape = TextureShape::k2d;
  bool integer_coordinates = false;
  std::uint8_t component = 0;  ///< kGather
  SurfaceBounds bounds = SurfaceBounds::kTrap;
  TextureQuery query = TextureQuery::kWidth;
  /// Machine code: the object says whether results are f32.
  bool by_object = false;

  [[nodiscard]] constexpr std::uint64_t pack() const {
    return static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(shape) << 4 |
           std::uint64_t{integer_coordinates} << 8 | std::uint64_t{component} << 12 |
           static_cast<std::uint64_t>(bounds) << 16 | static_cast<std::uint64_t>(query) << 20 |
           std::uint64_t{by_object} << 24;
  }
  [[nodiscard]] static constexpr TextureOp unpack(std::uint64_t bits) {
    return {static_cast<TextureKind>(bits & 15u),
            static_cast<TextureShape>(bits >> 4 & 15u),
            (bits >> 8 & 1u) != 0,
            static_cast<std::uint8_t>(bits >> 12 & 3u),
            static_cast<SurfaceBounds>(bits >> 16 & 3u),
            static_cast<TextureQuery>(bits >> 20 & 15u),
            (bits >> 24 & 1u) != 0};
  }
  [[nodiscard]] constexpr bool layered() const {
    return shape == TextureShape::k1dLayered || shape == TextureShape::k2dLayered ||
           shape == TextureShape::kCubeLayered;
  }
  /// Without the layer.
  [[nodiscard]] constexpr unsigned dimensions() const {
    return shape == TextureShape::k1d || shape == TextureShape::k1dLayered   ? 1
           : shape == TextureShape::k2d || shape == TextureShape::k2dLayered ? 2
                                                                             : 3;
  }
  /// Sources behind the handle: the layer, if there is one, then coordinates.
  [[nodiscard]] constexpr unsigned coordinates() const {
    return kind == TextureKind::kQuery ? 0 : dimensions() + (layered() ? 1 : 0);
  }
};

inline constexpr unsigned kMostTexels = 8;
inline constexpr unsigned kTexelBytes = 16;  ///< at most
/// The layer, then coordinates: bits of f32 or s32 numbers.
using TextureCoordinates = std::array<std::uint32_t, 4>;

/// Texels of a thread's fetch.
struct TextureFootprint {
  struct Texel {
    std::uint64_t address = 0;
    bool inside = false;  ///< else its value is the border's
  };
  unsigned count = 1;
  std::array<Texel, kMostTexels> texels{};  ///< x fastest
  std::array<std::uint16_t, 3> weights{};   ///< of the second texel in each direction, in 1/256
  bool filtered = false;
};
[[nodiscard]] TextureFootprint footprint(const TextureHeader& header, const TextureOp& op,
                                         const TextureCoordinates& at);
/// The four components; `texels`: kTexelBytes each, of those that are inside. `type`: f32, s32 or u32.
[[nodiscard]] std::array<std::uint32_t, 4> sample(const TextureHeader& header, const TextureOp& op, Type type,
                                                  const TextureFootprint& footprint, const std::byte* texels);

/// Of an access of so many bytes to a surface, whose x counts bytes.
struct SurfacePlace {
  std::uint64_t address = 0;
  bool inside = false;
  bool aligned = true;
};
[[nodiscard]] SurfacePlace surface_place(const TextureHeader& header, const TextureOp& op,
                                         const TextureCoordinates& at, unsigned bytes);
[[nodiscard]] std::uint32_t texture_query(const TextureHeader& header, const TextureOp& op);

/// Null: the object is one that the instruction may name, and its header is sound; else what is wrong. Headers lie in memory
/// that kernels can write: all functions here want one that passed.
[[nodiscard]] const char* texture_mismatch(const TextureHeader& header, const TextureOp& op);

/// Byte offset of byte `x` of row `y` of plane or layer `z` from the resource's base.
[[nodiscard]] std::uint64_t texture_offset(const TextureHeader& header, std::uint64_t x, std::uint64_t y,
                                           std::uint64_t z);

}  // namespace heddle::isa
