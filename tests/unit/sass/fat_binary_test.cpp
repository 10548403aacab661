// Fat binaries as nvcc writes them: plain, zstd, LZ4; alone and in host files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include "base/error.h"
#include "frontend/sass/cubin.h"
#include "frontend/sass/fat_binary.h"
#include "unit/sass/data.h"
#include "unit/sass/elf_writer.h"

namespace heddle::sass {
namespace {

using testing::HasSubstr;

enum class Packing { kPlain, kZstd, kLz4 };

Blob packed(const Blob& content, Packing packing) {
  if (packing == Packing::kPlain) return content;
  if (packing == Packing::kZstd) {
    Blob result(ZSTD_compressBound(content.size()));
    result.resize(ZSTD_compress(result.data(), result.size(), content.data(), content.size(), 3));
    return result;
  }
  const int size = static_cast<int>(content.size());
  Blob result(static_cast<std::size_t>(LZ4_compressBound(size)));
  result.resize(static_cast<std::size_t>(LZ4_compress_default(reinterpret_cast<const char*>(content.data()),
                                                              reinterpret_cast<char*>(result.data()), size,
                                                              static_cast<int>(result.size()))));
  return result;
}

Blob entry(std::uint16_t kind, std::uint32_t sm, const Blob& content, Packing packing) {
  Blob payload = packed(content, packing);
  const std::size_t size = payload.size();
  payload.resize((size + 7) / 8 * 8);  // payloads are padded, and what is compressed has its own size
  Blob result;
  put(result, kind, 2);
  put(result, 0x101, 2);
  put(result, 64, 4);
  put(result, payload.size(), 8);
  put(result, packing == Packing::kPlain ? 0 : size, 4);
  result.resize(28);
  put(result, sm, 4);
  result.resize(40);
  put(result, packing == Packing::kZstd ? 0x8011 : packing == Packing::kLz4 ? 0x2011 : 0x11, 8);
  result.resize(56);
  put(result, packing == Packing::kPlain ? 0 : content.size(), 8);
  put(result, payload);
  return result;
}

Blob fat_binary(const Blob& entries) {
  Blob result;
  put(result, 0xba55ed50, 4);
  put(result, 1, 2);
  put(result, 16, 2);
  put(result, entries.size(), 8);
  put(result, entries);
  return result;
}

Blob text(const std::string& content) {
  Blob blob;
  put(blob, content);
  return blob;
}

class Packings : public testing::TestWithParam<Packing> {};

TEST_P(Packings, EntriesAreUnpacked) {
  const Blob cubin = cubin_bytes("vecadd");
  Blob entries = entry(1, 75, text(".version 8.0"), GetParam());
  put(entries, entry(2, 90, cubin, GetParam()));
  const std::vector<Image> images = images_of(fat_binary(entries), "fat");
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(images[0].kind, Image::Kind::kPtx);
  EXPECT_EQ(images[0].sm, 75u);
  EXPECT_EQ(images[1].kind, Image::Kind::kCubin);
  EXPECT_EQ(images[1].sm, 90u);
  EXPECT_EQ(images[1].bytes.size() / 8, cubin.size() / 8);
  EXPECT_NE(read_cubin(images[1].bytes, "fat").find("vector_add"), nullptr);
}

constexpr const char* kPackingNames[] = {"plain", "zstd", "LZ4"};
INSTANTIATE_TEST_SUITE_P(All, Packings, testing::Values(Packing::kPlain, Packing::kZstd, Packing::kLz4),
                         [](const auto& each) { return kPackingNames[static_cast<int>(each.param)]; });

TEST(FatBinary, OfProgramsAndObjects) {
  for (const char* const section : {".nv_fatbin", "__nv_relfatbin"}) {
    ElfWriter host(62, 0, 0);
    host.add(".text", 1, text("host code"));
    Blob binaries = fat_binary({});  // the run-time library's own has nothing for us
    put(binaries, fat_binary(entry(2, 90, cubin_bytes("vecadd"), Packing::kZstd)));
    put(binaries, fat_binary(entry(2, 90, cubin_bytes("sgemm"), Packing::kLz4)));
    host.add(section, 1, binaries);
    const std::vector<Image> images = images_of(host.bytes(), "a.out");
    ASSERT_EQ(images.size(), 2u);
    EXPECT_NE(read_cubin(images[0].bytes, "a.out").find("vector_add"), nullptr);
    EXPECT_EQ(read_cubin(images[1].bytes, "a.out").code.size(), 1u);
  }
}

TEST(FatBinary, ACubinIsAnImageByItself) {
  const std::vector<Image> images = images_of(cubin_bytes("vecadd"), "vecadd.cubin");
  ASSERT_EQ(images.size(), 1u);
  EXPECT_EQ(images[0].kind, Image::Kind::kCubin);
}

void no_image(const Blob& bytes, const std::string& says) {
  try {
    (void)images_of(bytes, "bad");
    FAIL() << "read: " << says;
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(says));
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(FatBinary, WhatIsWrongIsSaid) {
  no_image(text(".version 8.0"), "this is neither a cubin nor a fat binary");
  ElfWriter host(62, 0, 0);
  host.add(".text", 1, text("host code"));
  no_image(host.bytes(), "there is no fat binary in this program or object");
  for (const Packing packing : {Packing::kZstd, Packing::kLz4}) {
    Blob broken = entry(2, 90, cubin_bytes("vecadd"), packing);
    for (std::size_t i = 70; i < 90; ++i) broken[i] = std::byte{0xff};
    no_image(fat_binary(broken),
             packing == Packing::kZstd ? "does not decompress (zstd)" : "does not decompress (LZ4)");
    Blob larger = entry(2, 90, cubin_bytes("vecadd"), packing);
    larger[56] ^= std::byte{1};
    no_image(fat_binary(larger), "does not decompress");
    Blob endless = entry(2, 90, cubin_bytes("vecadd"), packing);
    endless[62] = std::byte{1};
    no_image(fat_binary(endless), "bytes uncompressed, more than");
  }
  Blob cut = fat_binary(entry(2, 90, cubin_bytes("vecadd"), Packing::kPlain));
  cut.resize(cut.size() - 100);
  no_image(cut, "a fat binary at byte 16");
}

}  // namespace
}  // namespace heddle::sass
