#include "runtime/session/images.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "frontend/sass/fat_binary.h"
#include "frontend/sass/module_image.h"
#include "runtime/session/device_runtime.h"
#include "runtime/session/ptx_link.h"

namespace heddle::runtime {
namespace {

using sass::Image;

std::string text_of(const Bytes& bytes) {
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (text.ends_with('\0')) text.pop_back();
  return text;
}

std::optional<std::string> best_ptx(const std::vector<Image>& images, unsigned capability) {
  const Image* best = nullptr;
  const auto better = [capability](unsigned one, unsigned other) {
    if ((one <= capability) != (other <= capability)) return one <= capability;
    return one <= capability ? one > other : one < other;
  };
  for (const Image& image : images)
    if (image.kind == Image::Kind::kPtx && (best == nullptr || better(image.sm, best->sm))) best = &image;
  if (best == nullptr) return std::nullopt;
  return text_of(best->bytes);
}

const Image* cubin_of(const std::vector<Image>& images, unsigned capability) {
  const Image* best = nullptr;
  for (const unsigned sm : capability >= 90 ? std::vector<unsigned>{90, 75} : std::vector<unsigned>{75, 90})
    for (const Image& image : images)
      if (best == nullptr && image.kind == Image::Kind::kCubin && image.sm == sm) best = &image;
  return best;
}

std::string list_of(const std::vector<Image>& images) {
  std::string text;
  for (const Image& image : images)
    text += fmt::format("{}{} for sm_{}", text.empty() ? "" : ", ",
                        image.kind == Image::Kind::kPtx ? "PTX" : "machine code", image.sm);
  return text.empty() ? "nothing" : text;
}

std::string_view magic(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 4)};
}

constexpr std::string_view kElf{
    "\x7f"
    "ELF",
    4};

}  // namespace

unsigned architecture_of(const Bytes& module) {
  if (sass::is_machine_code(module)) return 0;
  const std::string_view text(reinterpret_cast<const char*>(module.data()), module.size());
  constexpr std::string_view kTarget = "\n.target sm_";
  const std::size_t at = text.find(kTarget);
  unsigned number = 0;
  if (at != std::string_view::npos)
    std::from_chars(text.data() + at + kTarget.size(), text.data() + text.size(), number);
  return number;
}

std::optional<Bytes> ptx_of(const Registered& registered, unsigned capability, const std::string& name) {
  if (!sass::is_machine_code(registered.binary)) return registered.binary;  // PTX text
  if (magic(registered.binary) == kElf) return std::nullopt;
  std::optional<std::string> ptx = best_ptx(sass::images_of(registered.binary, name), capability);
  if (!ptx && !registered.linked.empty()) {
    std::vector<std::string> texts;
    bool whole = true;
    for (const Bytes& each : registered.linked) {
      auto text = best_ptx(sass::images_of(each, name), capability);
      if (!text)
        whole = false;
      else if (!is_device_runtime(*text))
        texts.push_back(std::move(*text));
    }
    if (whole && !texts.empty()) ptx = link_ptx(texts, name);
  }
  if (!ptx) return std::nullopt;
  const auto bytes = std::as_bytes(std::span(*ptx));
  return Bytes{bytes.begin(), bytes.end()};
}

Bytes module_of(const Registered& registered, bool machine_code, unsigned capability,
                const std::string& name) {
  if (!sass::is_machine_code(registered.binary)) return registered.binary;  // PTX text
  if (magic(registered.binary) == kElf) return registered.binary;
  const std::vector<Image> images = sass::images_of(registered.binary, name);
  if (machine_code)
    if (const Image* cubin = cubin_of(images, capability)) return cubin->bytes;
  if (auto ptx = ptx_of(registered, capability, name)) return std::move(*ptx);
  if (const Image* cubin = cubin_of(images, capability)) return cubin->bytes;
  throw base::InputError(
      name,
      fmt::format("there is neither PTX nor machine code for sm_75 or sm_90 in it, but {}", list_of(images)),
      "Compile with PTX, as nvcc does unless told otherwise: -gencode arch=compute_75,code=compute_75.");
}

}  // namespace heddle::runtime
