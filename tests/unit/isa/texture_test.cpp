// Textures (isa/texture.h): the layout of arrays, and fetches with values worked out by hand.
#include "isa/texture.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace heddle::isa::test::texture_test {
namespace {

TextureHeader array(unsigned dimensions, std::uint32_t width, std::uint32_t height, std::uint32_t depth,
                    unsigned texel_bytes, bool blocks) {
  TextureHeader header;
  header.dimensions = static_cast<std::uint8_t>(dimensions);
  header.width = width;
  header.height = height;
  header.depth = depth;
  header.bits = 8;
  header.channels = static_cast<std::uint8_t>(texel_bytes);
  if (texel_bytes > 4) header.bits = 32, header.channels = static_cast<std::uint8_t>(texel_bytes / 4);
  const std::uint64_t bytes = lay_out_array(header, blocks);
  EXPECT_EQ(bytes, header.slice * depth);
  return header;
}

TEST(TextureLayout, each_byte_has_its_own_place_within_the_array) {
  for (const bool blocks : {false, true})
    for (const auto [width, height, depth, texel] :
         {std::array{37u, 25u, 3u, 4u}, {5u, 300u, 1u, 16u}, {64u, 8u, 2u, 1u}, {100u, 1u, 1u, 2u}}) {
      const TextureHeader header = array(height == 1 ? 1
                                         : depth > 1 ? 3
                                                     : 2,
                                         width, height, depth, texel, blocks);
      std::set<std::uint64_t> places;
      for (std::uint64_t z = 0; z < depth; ++z)
        for (std::uint64_t y = 0; y < height; ++y)
          for (std::uint64_t x = 0; x < std::uint64_t{width} * texel; ++x)
            places.insert(texture_offset(header, x, y, z));
      EXPECT_EQ(places.size(), std::size_t{width} * height * depth * texel);
      EXPECT_LT(*places.rbegin(), header.slice * depth);
    }
}

TEST(TextureLayout, a_group_of_64_bytes_and_8_rows_is_512_bytes) {
  const TextureHeader header = array(2, 64, 128, 1, 4, true);  // rows of 256 bytes: four groups
  EXPECT_EQ(header.pitch, 256u);
  EXPECT_EQ(header.block_height_log2, 4);
  EXPECT_EQ(texture_offset(header, 15, 0, 0), 15u);
  EXPECT_EQ(texture_offset(header, 0, 1, 0), 16u);
  EXPECT_EQ(texture_offset(header, 16, 0, 0), 32u);
  EXPECT_EQ(texture_offset(header, 0, 2, 0), 64u);
  EXPECT_EQ(texture_offset(header, 32, 0, 0), 256u);
  EXPECT_EQ(texture_offset(header, 63, 7, 0), 511u);
  EXPECT_EQ(texture_offset(header, 0, 8, 0), 512u);    // the next group of the block
  EXPECT_EQ(texture_offset(header, 64, 0, 0), 8192u);  // the next block: 16 groups
  EXPECT_EQ(texture_offset(header, 0, 127, 0), 7680u + 256u - 48u);
}

struct Row {
  TextureHeader header;
  std::vector<float> texels;
  TextureOp op;

  explicit Row(std::vector<float> values) : texels(std::move(values)) {
    header.dimensions = 1;
    header.width = static_cast<std::uint32_t>(texels.size());
    lay_out_array(header, true);
    op.shape = TextureShape::k1d;
  }
  [[nodiscard]] float at(float x) const {
    const TextureFootprint place = footprint(header, op, {std::bit_cast<std::uint32_t>(x)});
    std::byte found[kMostTexels * kTexelBytes] = {};
    for (unsigned i = 0; i < place.count; ++i)
      if (place.texels[i].inside)
        std::memcpy(found + std::size_t{i} * kTexelBytes, &texels.at(place.texels[i].address / 4), 4);
    return std::bit_cast<float>(sample(header, op, Type::kF32, place, found)[0]);
  }
};

TEST(TextureFetch, nearest_texels_by_addressing_mode) {
  Row row({10, 20, 30, 40});
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(row.at(1.99f), 20);
  EXPECT_EQ(row.at(-5), 10);
  EXPECT_EQ(row.at(4), 40);
  EXPECT_EQ(row.at(kInfinity), 40);
  EXPECT_EQ(row.at(-kInfinity), 10);
  EXPECT_EQ(row.at(std::nanf("")), 10);
  row.header.addressing[0] = TextureAddressing::kBorder;
  row.header.border[0] = 7;
  EXPECT_EQ(row.at(4), 7);
  EXPECT_EQ(row.at(-0.01f), 7);
  row.header.normalized_coordinates = 1;
  row.header.addressing[0] = TextureAddressing::kWrap;
  EXPECT_EQ(row.at(1.25f), 20);
  EXPECT_EQ(row.at(-0.25f), 40);
  EXPECT_EQ(row.at(-1e-30f), 40);
  EXPECT_EQ(row.at(kInfinity), 10);
  row.header.addressing[0] = TextureAddressing::kMirror;
  EXPECT_EQ(row.at(1.3f), 30);
  EXPECT_EQ(row.at(-0.1f), 10);
  EXPECT_EQ(row.at(2.3f), 20);
}

TEST(TextureFetch, wrapping_needs_normalised_coordinates) {
  Row row({10, 20});
  row.header.addressing[0] = TextureAddressing::kWrap;
  EXPECT_EQ(row.at(2.5f), 20);  // clamped
}

TEST(TextureFetch, weights_have_eight_bits_and_may_be_one) {
  Row row({0, 256, 1024});
  row.header.linear_filter = 1;
  EXPECT_EQ(row.at(0.5f), 0);
  EXPECT_EQ(row.at(1.0f), 128);
  EXPECT_EQ(row.at(0.5f + 1 / 256.f), 1);
  EXPECT_EQ(row.at(0.5f + 1.4f / 256), 1);
  EXPECT_EQ(row.at(0.5f + 1.5f / 256), 2);    // ties up
  EXPECT_EQ(row.at(1.5f - 0.4f / 256), 256);  // the weight is 1
  EXPECT_EQ(row.at(0.2f), 0);                 // both texels are the first
  row.header.normalized_coordinates = 1;
  row.header.addressing[0] = TextureAddressing::kWrap;
  EXPECT_EQ(row.at(0), 512);  // half of the last and of the first
  row.header.addressing[0] = TextureAddressing::kBorder;
  row.header.border[0] = 100;
  EXPECT_EQ(row.at(0), 50);
}

TEST(TextureFetch, texels_of_weight_zero_do_not_count) {
  Row row({1, std::numeric_limits<float>::quiet_NaN()});
  row.header.linear_filter = 1;
  EXPECT_EQ(row.at(0.5f), 1);
  EXPECT_TRUE(std::isnan(row.at(0.51f)));
}

TEST(TextureFetch, unfiltered_floats_of_32_bits_keep_their_bits) {
  TextureHeader header;
  header.width = header.height = 2;
  lay_out_array(header, false);
  const std::uint32_t bits[4] = {0xffff'ffff, 0x7f80'0001, 0xffc0'0123, 0x8000'0000};  // three NaNs, -0
  std::byte texels[kMostTexels * kTexelBytes] = {};
  for (unsigned i = 0; i < 4; ++i) std::memcpy(texels + std::size_t{i} * kTexelBytes, &bits[i], 4);
  TextureOp op;
  TextureFootprint place = footprint(header, op, {});
  EXPECT_EQ(sample(header, op, Type::kF32, place, texels)[0], 0xffff'ffffu);
  place.texels[0].inside = false;
  header.border[0] = std::bit_cast<float>(0xffff'fff0u);
  EXPECT_EQ(sample(header, op, Type::kF32, place, texels)[0], 0xffff'fff0u);
  op.kind = TextureKind::kGather;
  place = footprint(header, op, {});
  EXPECT_EQ(sample(header, op, Type::kF32, place, texels),
            (std::array<std::uint32_t, 4>{bits[2], bits[3], bits[1], bits[0]}));
  // Filtered, and converted from 16 bits: canonical.
  op.kind = TextureKind::kFetch;
  header.linear_filter = 1;
  place = footprint(header, op, {});
  EXPECT_EQ(sample(header, op, Type::kF32, place, texels)[0], 0x7fff'ffffu);
  header.linear_filter = 0;
  header.bits = 16;
  place = footprint(header, op, {});
  EXPECT_EQ(sample(header, op, Type::kF32, place, texels)[0], 0x7fff'ffffu);
}

TEST(TextureFetch, a_layer_outside_is_the_last_cubes) {
  TextureHeader header;
  header.width = header.height = 2;
  header.depth = 12;
  header.layered = header.cube = 1;
  lay_out_array(header, false);
  ASSERT_EQ(header.slice, 128u);
  TextureOp op;
  op.shape = TextureShape::kCubeLayered;
  const auto layer_of = [&](std::uint32_t layer, float x) {
    return footprint(header, op, {layer, std::bit_cast<std::uint32_t>(x)}).texels[0].address / 128;
  };
  EXPECT_EQ(layer_of(0, 1), 0u);
  EXPECT_EQ(layer_of(1, -1), 7u);
  EXPECT_EQ(layer_of(2, 1), 6u);
  EXPECT_EQ(layer_of(0xffff'ffff, -1), 7u);
}

TEST(TextureHeaders, that_are_damaged_are_none_of_the_instruction) {
  TextureOp fetch, surface, query;
  surface.kind = TextureKind::kSurface;
  query.kind = TextureKind::kQuery;
  EXPECT_EQ(texture_mismatch({}, fetch), nullptr);
  EXPECT_EQ(texture_mismatch({}, query), nullptr);
  const auto expect = [&](const char* says, const auto& change) {
    TextureHeader header;
    change(header);
    const auto found = [&](const TextureOp& op) {
      header.surface = op.kind == TextureKind::kSurface ? 1 : 0;
      const char* const wrong = texture_mismatch(header, op);
      return std::string(wrong == nullptr ? "nothing" : wrong);
    };
    for (const TextureOp& op : {fetch, surface, query})
      EXPECT_NE(found(op).find(says), std::string::npos) << found(op) << ", not " << says;
  };
  expect("no texture", [](TextureHeader& header) { ++header.magic; });
  expect("resource", [](TextureHeader& header) { header.resource = TextureResource{3}; });
  expect("dimensions", [](TextureHeader& header) { header.dimensions = 0; });
  expect("dimensions", [](TextureHeader& header) { header.dimensions = 4; });
  for (const unsigned channels : {0u, 3u, 5u, 255u})
    expect("channels are 1, 2 or 4",
           [&](TextureHeader& header) { header.channels = static_cast<std::uint8_t>(channels); });
  for (const unsigned bits : {0u, 4u, 24u, 64u, 255u})
    expect("8, 16 or 32", [&](TextureHeader& header) { header.bits = static_cast<std::uint8_t>(bits); });
  expect("integers", [](TextureHeader& header) { header.kind = ChannelKind{3}; });
  expect("floats of 16", [](TextureHeader& header) { header.bits = 8; });
  expect("groups of rows", [](TextureHeader& header) { header.block_height_log2 = 5; });
  expect("groups of rows", [](TextureHeader& header) { header.block_height_log2 = 0xfe; });
  expect("addressing", [](TextureHeader& header) { header.addressing[2] = TextureAddressing{4}; });
  expect("extent", [](TextureHeader& header) { header.width = 0; });
  expect("extent", [](TextureHeader& header) { header.height = 0; });
  expect("extent", [](TextureHeader& header) { header.depth = 0; });
  expect("six faces", [](TextureHeader& header) { header.cube = 1; });
}

TEST(TextureObjects, may_have_one_dimension_where_a_fetch_has_two_and_the_other_way_round) {
  const auto accepted = [](unsigned dimensions, TextureShape shape, TextureKind kind = TextureKind::kFetch) {
    TextureOp op;
    op.kind = kind;
    op.shape = shape;
    const std::uint32_t height = dimensions > 1 ? 3 : 1, depth = dimensions > 2 ? 2 : 1;
    TextureHeader header = array(dimensions, 8, height, depth, 4, true);
    header.kind = ChannelKind::kUnsigned;
    return texture_mismatch(header, op) == nullptr;
  };
  for (const TextureShape shape : {TextureShape::k1d, TextureShape::k2d}) {
    EXPECT_TRUE(accepted(1, shape));
    EXPECT_TRUE(accepted(2, shape));
    EXPECT_FALSE(accepted(3, shape));
  }
  EXPECT_FALSE(accepted(2, TextureShape::k3d));
  EXPECT_FALSE(accepted(1, TextureShape::k1dLayered));  // not of layers
  EXPECT_TRUE(accepted(2, TextureShape::k2d, TextureKind::kGather));
  EXPECT_FALSE(accepted(1, TextureShape::k2d, TextureKind::kGather));
}

TEST(SurfaceAccess, clamps_to_the_last_whole_access_and_checks_the_given_x) {
  TextureHeader header = array(2, 5, 1, 1, 4, false);  // 20 bytes
  TextureOp op;
  op.kind = TextureKind::kSurface;
  op.bounds = SurfaceBounds::kClamp;
  const auto place = [&](int x, unsigned bytes) {
    return surface_place(header, op, {static_cast<std::uint32_t>(x), 0}, bytes);
  };
  EXPECT_EQ(place(16, 8).address, 8u);  // bytes 16 to 23 are not all inside
  EXPECT_TRUE(place(16, 8).aligned);
  EXPECT_EQ(place(800, 16).address, 0u);
  EXPECT_EQ(place(-8, 8).address, 0u);
  EXPECT_TRUE(place(-8, 8).aligned);
  EXPECT_FALSE(place(-2, 4).aligned);
  EXPECT_FALSE(place(1002, 4).aligned);  // what it is clamped to were
  EXPECT_TRUE(place(1004, 4).aligned);
  EXPECT_EQ(place(1004, 4).address, 16u);
  header.width = 1;
  EXPECT_FALSE(place(0, 8).inside);  // no room at all
}

TEST(SurfaceAccess, bounds_modes) {
  TextureHeader header = array(2, 10, 4, 1, 4, false);
  header.surface = 1;
  TextureOp op;
  op.kind = TextureKind::kSurface;
  const auto place = [&](SurfaceBounds bounds, int x, int y) {
    op.bounds = bounds;
    return surface_place(header, op, {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)}, 4);
  };
  EXPECT_TRUE(place(SurfaceBounds::kTrap, 36, 3).inside);
  EXPECT_FALSE(place(SurfaceBounds::kTrap, 40, 0).inside);
  EXPECT_FALSE(place(SurfaceBounds::kZero, -4, 0).inside);
  EXPECT_EQ(place(SurfaceBounds::kClamp, 400, 9).address, 3u * 64 + 36);
  EXPECT_TRUE(place(SurfaceBounds::kClamp, 400, 9).inside);
  EXPECT_FALSE(place(SurfaceBounds::kTrap, 5, 0).aligned);
}

}  // namespace
}  // namespace heddle::isa::test::texture_test
