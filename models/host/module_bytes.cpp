#include "host/module_bytes.h"

#include <array>
#include <string_view>

#include "base/error.h"
#include "base/text_input.h"

namespace heddle::host {
namespace {

struct MachineCode {
  std::string_view magic;
  const char* what;
};
constexpr std::array kMachineCode{
    MachineCode{"\x7f"
                "ELF",
                "a cubin or program"},
    MachineCode{"\x50\xed\x55\xba", "a fat binary"},  // as nvcc -fatbin writes them: 0xba55ed50
};

}  // namespace

std::string read_module_file(const std::string& path) {
  return base::read_file(path, "PTX file", base::kMostModuleBytes);
}

std::string ptx_text_of(std::span<const std::byte> module, const std::string& name) {
  std::string_view text(reinterpret_cast<const char*>(module.data()), module.size());
  for (const MachineCode& code : kMachineCode)
    if (text.starts_with(code.magic))
      throw base::InputError(name, std::string("this is ") + code.what + ", and PTX text is needed here",
                             "Compile with nvcc -ptx, or take the text out of the file with cuobjdump -ptx.");
  if (name.ends_with(".cu"))
    throw base::InputError(name, "this is CUDA source, not PTX",
                           "Compile it: nvcc -arch=sm_75 -O3 -ptx, or clang (platforms/USING.md).");
  while (text.ends_with('\0')) text.remove_suffix(1);
  // Bytes that no text has: the parser would print them in its message. It names UTF-16 itself.
  const bool utf16 = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
  if (const std::size_t at = text.find_first_of(std::string_view("\0\1\2\3\4\5\6\7", 8));
      !utf16 && at != std::string_view::npos)
    throw base::InputError(
        name, "this is no text: byte " + std::to_string(at) + " is " + std::to_string(int{text[at]}),
        "Give PTX text, which begins with .version, or a listing, which begins with .listing.");
  return std::string(text);
}

std::string ptx_text_of_file(const std::string& path) {
  const std::string bytes = read_module_file(path);
  return ptx_text_of(std::as_bytes(std::span(bytes)), path);
}

}  // namespace heddle::host
