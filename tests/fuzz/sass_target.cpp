// Machine code: fat binaries, cubins, and the disassembler's listing of what is read.
#include <span>

#include "base/error.h"
#include "frontend/sass/disassembly.h"
#include "frontend/sass/fat_binary.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace sass = heddle::sass;
  try {
    for (const sass::Image& image : sass::images_of(std::as_bytes(std::span(data, size)), "fuzz"))
      if (image.kind == sass::Image::Kind::kCubin)
        (void)sass::disassemble(sass::read_cubin(image.bytes, "fuzz"), {.hex = true, .kernel = ""});
  } catch (const heddle::base::InputError&) {
  }
  return 0;
}
