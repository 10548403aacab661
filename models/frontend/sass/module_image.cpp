#include "frontend/sass/module_image.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/error.h"
#include "frontend/sass/fat_binary.h"

namespace heddle::sass {
namespace {

constexpr std::string_view kElfMagic = "\x7f"
                                       "ELF";
constexpr std::string_view kFatBinaryMagic = "\x50\xed\x55\xba";
constexpr unsigned kTuring = 75, kHopper = 90;

bool is_executable(const Image& image) {
  return image.kind == Image::Kind::kCubin && (image.sm == kTuring || image.sm == kHopper);
}

/// A cubin that is a file of its own says it in its header only.
void find_architecture(Image& image, const std::string& name) {
  if (image.kind == Image::Kind::kCubin && image.sm == 0) image.sm = read_cubin(image.bytes, name).sm;
}

}  // namespace

bool is_machine_code(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with(kElfMagic) || text.starts_with(kFatBinaryMagic);
}

Cubin cubin_of(std::span<const std::byte> bytes, const std::string& name) {
  std::vector<Image> images = images_of(bytes, name);
  const Image* best = nullptr;
  std::string others;
  for (Image& image : images) {
    find_architecture(image, name);
    if (is_executable(image) && (best == nullptr || image.sm > best->sm)) best = &image;
    others += fmt::format("{}{} for sm_{}", others.empty() ? "" : ", ",
                          image.kind == Image::Kind::kPtx ? "PTX" : "a cubin", image.sm);
  }
  if (best != nullptr) return read_cubin(best->bytes, name);
  throw base::InputError(name,
                         images.empty() ? "there is no machine code in it"
                                        : fmt::format("there is no machine code for sm_75 or sm_90 in it, but {}", others),
                         "Compile for one of them: nvcc -cubin -arch=sm_75, or sm_90.");
}

}  // namespace heddle::sass
