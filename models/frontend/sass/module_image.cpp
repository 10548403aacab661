#include "frontend/sass/module_image.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "base/error.h"
#include "frontend/sass/fat_binary.h"

namespace heddle::sass {
namespace {

constexpr std::string_view kElfMagic =
    "\x7f"
    "ELF";
constexpr std::string_view kFatBinaryMagic = "\x50\xed\x55\xba";
constexpr std::uint32_t kUnknown = 0;  // a cubin that is alone says itself what it is for
constexpr std::uint32_t kTuring = 75, kHopper = 90;

}  // namespace

bool is_machine_code(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with(kElfMagic) || text.starts_with(kFatBinaryMagic);
}

Cubin cubin_of(std::span<const std::byte> bytes, const std::string& name) {
  std::optional<Cubin> best;
  std::string others;
  const auto note = [&](const char* what, std::uint32_t sm) {
    others += fmt::format("{}{} for sm_{}", others.empty() ? "" : ", ", what, sm);
  };
  for (const Image& image : images_of(bytes, name)) {
    const bool other = image.sm != kUnknown && image.sm != kTuring && image.sm != kHopper;
    if (image.kind == Image::Kind::kPtx || other) {
      note(image.kind == Image::Kind::kPtx ? "PTX" : "a cubin", image.sm);
      continue;
    }
    Cubin cubin = read_cubin(image.bytes, name);
    note("a cubin", cubin.sm);
    if (cubin.arch() && (!best || cubin.sm > best->sm)) best = std::move(cubin);
  }
  if (best) return std::move(*best);
  throw base::InputError(
      name,
      others.empty() ? "there is no machine code in it"
                     : fmt::format("there is no machine code for sm_75 or sm_90 in it, but {}", others),
      "Compile for one of them: nvcc -cubin -arch=sm_75, or sm_90.");
}

}  // namespace heddle::sass
