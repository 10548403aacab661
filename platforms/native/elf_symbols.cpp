#include "native/elf_symbols.h"

#include <elf.h>

#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/text_input.h"

namespace heddle::native {

std::map<std::string, std::uint64_t> function_symbols(const std::string& file) {
  constexpr const char* kRemedy = "Link it with -static -no-pie, and keep its symbols.";
  const std::string text = base::read_file(file, "program", std::size_t{1} << 30);
  const auto refuse = [&](const char* what) -> void { throw base::InputError(file, what, kRemedy); };
  // Everything is checked against the file's size before it is read.
  const auto read = [&](std::uint64_t at, auto& value) {
    if (at > text.size() || sizeof value > text.size() - at) refuse("is cut short");
    std::memcpy(&value, text.data() + at, sizeof value);
  };
  Elf64_Ehdr header{};
  if (text.size() < sizeof header || std::memcmp(text.data(), ELFMAG, SELFMAG) != 0) refuse("is no ELF file");
  read(0, header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) refuse("is no x86-64 program");
  if (header.e_type != ET_EXEC) refuse("is position independent or no program");
  std::map<std::string, std::uint64_t> symbols;
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  for (std::size_t i = 0; i < sections.size(); ++i)
    read(header.e_shoff + i * sizeof(Elf64_Shdr), sections[i]);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& names = sections[section.sh_link];
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      read(section.sh_offset + at, symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_value == 0) continue;
      const std::uint64_t name = names.sh_offset + symbol.st_name;
      if (name >= text.size()) refuse("is cut short");
      symbols[std::string(text.c_str() + name)] = symbol.st_value;
    }
  }
  if (symbols.empty()) refuse("has no symbols");
  return symbols;
}

}  // namespace heddle::native
