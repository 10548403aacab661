#include "frontend/sass/fat_binary.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <limits>

#include "base/error.h"
#include "base/text_input.h"
#include "frontend/sass/elf.h"

namespace heddle::sass {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::uint64_t kHeader =
    16;  // of a fat binary: magic, version, size of the header, size of what follows
constexpr std::uint64_t kEntryHeader = 64;  // of an entry, at least
constexpr std::uint16_t kPtx = 1, kElf = 2;
constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000;  // flags of an entry

std::vector<std::byte> unpack(const Bytes& payload, std::uint64_t flags, std::uint64_t size) {
  if (size > base::kMostModuleBytes)
    payload.fail(fmt::format("an entry of a fat binary has {} bytes uncompressed, more than {}", size,
                             base::kMostModuleBytes));
  std::vector<std::byte> result(size);
  const auto source = payload.all();
  bool whole = false;
  if ((flags & kZstd) != 0) {
    whole = ZSTD_decompress(result.data(), result.size(), source.data(), source.size()) == result.size();
  } else if (source.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    whole = LZ4_decompress_safe(reinterpret_cast<const char*>(source.data()),
                                reinterpret_cast<char*>(result.data()), static_cast<int>(source.size()),
                                static_cast<int>(result.size())) == static_cast<int>(result.size());
  }
  if (!whole)
    payload.fail(fmt::format("an entry of a fat binary does not decompress ({}) to its {} bytes",
                             (flags & kZstd) != 0 ? "zstd" : "LZ4", size));
  return result;
}

void read_entries(const Bytes& body, std::vector<Image>& images, bool contents) {
  for (std::uint64_t at = 0; at + kEntryHeader <= body.size();) {
    const std::uint16_t kind = body.u16(at, "an entry of a fat binary");
    const std::uint32_t header = body.u32(at + 4, "an entry of a fat binary");
    const std::uint64_t size = body.u64(at + 8, "an entry of a fat binary");
    if (header < kEntryHeader)
      body.fail(fmt::format("an entry of a fat binary has a header of {} bytes", header));
    const Bytes payload = body.piece(at + header, size, "an entry of a fat binary");
    const std::uint32_t packed = body.u32(at + 16, "an entry of a fat binary");
    const std::uint64_t flags = body.u64(at + 40, "an entry of a fat binary");
    Image image;
    image.kind = kind == kPtx ? Image::Kind::kPtx : Image::Kind::kCubin;
    image.sm = body.u32(at + 28, "an entry of a fat binary");
    if (!contents)
      image.bytes.clear();
    else if ((flags & (kLz4 | kZstd)) != 0)
      image.bytes = unpack(payload.piece(0, packed, "what is compressed"), flags,
                           body.u64(at + 56, "an entry of a fat binary"));
    else
      image.bytes.assign(payload.all().begin(), payload.all().end());
    if (kind == kPtx || kind == kElf) images.push_back(std::move(image));
    at += header + size;
  }
}

bool is_fat_binary(const Bytes& bytes, std::uint64_t at) {
  return at + kHeader <= bytes.size() && bytes.u32(at, "a fat binary") == kMagic;
}

/// One fat binary, or several one after another with padding between them.
void read_fat_binaries(const Bytes& bytes, std::vector<Image>& images, bool contents) {
  for (std::uint64_t at = 0; at + kHeader <= bytes.size();) {
    if (!is_fat_binary(bytes, at)) {
      at += 8;
      continue;
    }
    const std::uint16_t header = bytes.u16(at + 6, "a fat binary");
    const std::uint64_t size = bytes.u64(at + 8, "a fat binary");
    if (header < kHeader)
      bytes.fail(fmt::format("the fat binary at byte {} has a header of {} bytes", at, header));
    read_entries(bytes.piece(at + header, size, "a fat binary"), images, contents);
    at += (header + size + 7) / 8 * 8;
  }
}

}  // namespace

std::vector<Image> images_of(std::span<const std::byte> bytes, const std::string& name, bool contents) {
  std::vector<Image> images;
  const Bytes all(bytes, name);
  if (is_fat_binary(all, 0)) {
    read_fat_binaries(all, images, contents);
    return images;
  }
  if (!Elf::is_elf(bytes))
    throw base::InputError(name,
                           "this is neither a cubin nor a fat binary, nor a program or object with one in it",
                           "Give what nvcc -cubin, -fatbin, -c or nvcc alone has written.");
  const Elf elf(bytes, name);
  if (elf.machine() == kMachineCuda) {
    images.push_back({Image::Kind::kCubin, 0, {bytes.begin(), bytes.end()}});
    return images;
  }
  for (const ElfSection& section : elf.sections())
    if (section.name == ".nv_fatbin" || section.name == "__nv_relfatbin")
      read_fat_binaries(elf.data(section), images, contents);
  if (images.empty())
    throw base::InputError(name, "there is no fat binary in this program or object",
                           "Compile its CUDA sources with nvcc for sm_75 or sm_90.");
  return images;
}

}  // namespace heddle::sass
