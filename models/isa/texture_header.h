// What the handle of a texture or surface object refers to: its resource and how it is sampled, in device memory at the
// address that the handle is. Whoever makes objects writes it (platforms/runtime); the texture unit and the oracle read it.
//
// The layout is Heddle's own: headers of hardware are not documented.
#pragma once

#include <cstdint>

namespace heddle::isa {

inline constexpr std::uint32_t kTextureMagic = 0x5458'4548;

enum class TextureResource : std::uint8_t {
  kArray,   ///< rows in blocks (isa/texture.h)
  kLinear,  ///< one dimension of plain memory
  kPitch    ///< two
};
enum class ChannelKind : std::uint8_t { kSigned, kUnsigned, kFloat };
/// In the order of cudaTextureAddressMode.
enum class TextureAddressing : std::uint8_t { kWrap, kClamp, kMirror, kBorder };

struct TextureHeader {
  std::uint32_t magic = kTextureMagic;
  TextureResource resource = TextureResource::kArray;
  std::uint8_t dimensions = 2;  ///< 1 to 3, layers left out
  std::uint8_t channels = 1;    ///< 1, 2 or 4
  std::uint8_t bits = 32;       ///< of a channel: 8, 16 or 32
  ChannelKind kind = ChannelKind::kFloat;
  std::uint8_t layered = 0;
  std::uint8_t cube = 0;               ///< layers are faces: six of each cube
  std::uint8_t block_height_log2 = 0;  ///< kArray of two and three dimensions: groups of 8 rows in a block
  TextureAddressing addressing[3] = {TextureAddressing::kClamp, TextureAddressing::kClamp,
                                     TextureAddressing::kClamp};
  std::uint8_t linear_filter = 0;
  std::uint8_t normalized_coordinates = 0;
  std::uint8_t normalized_values = 0;  ///< integers are read as numbers in [0, 1] or [-1, 1]
  std::uint8_t srgb = 0;               ///< the same of 8 bits, which are decoded to linear light
  std::uint8_t surface = 0;            ///< the object is a surface
  std::uint64_t base = 0;
  std::uint32_t width = 1;  ///< texels
  std::uint32_t height = 1;
  std::uint32_t depth = 1;  ///< of three dimensions, or layers
  std::uint32_t pitch = 0;  ///< bytes between rows; kArray of two and three dimensions: a multiple of 64
  std::uint64_t slice = 0;  ///< bytes between planes or layers
  float border[4] = {};

  [[nodiscard]] std::uint32_t texel_bytes() const { return std::uint32_t{channels} * bits / 8u; }
};
static_assert(sizeof(TextureHeader) == 72);

inline constexpr std::uint8_t kRowsNotInBlocks = 0xff;  ///< TextureHeader::block_height_log2

/// Fills in pitch, slice and block height of an array, whose other members are set; its bytes. `blocks`: rows are in blocks, as
/// high as the array needs, 16 groups at most.
inline std::uint64_t lay_out_array(TextureHeader& header, bool blocks) {
  constexpr std::uint64_t kGroupWidth = 64, kGroupRows = 8;
  constexpr unsigned kHighest = 4;
  const auto up = [](std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; };
  header.block_height_log2 = kRowsNotInBlocks;
  header.pitch =
      static_cast<std::uint32_t>(up(std::uint64_t{header.width} * header.texel_bytes(), kGroupWidth));
  std::uint64_t rows = header.height;
  if (blocks && header.dimensions > 1) {
    header.block_height_log2 = 0;
    while (header.block_height_log2 < kHighest && kGroupRows << header.block_height_log2 < rows)
      ++header.block_height_log2;
    rows = up(rows, kGroupRows << header.block_height_log2);
  }
  header.slice = rows * header.pitch;
  return header.slice * header.depth;
}

}  // namespace heddle::isa
