#include "frontend/sass/elf.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::sass {
namespace {

constexpr std::uint64_t kSectionHeader = 64, kSymbolEntry = 24, kRelEntry = 16, kRelaEntry = 24;

}  // namespace

bool Elf::is_elf(std::span<const std::byte> bytes) {
  constexpr std::byte kMagic[] = {std::byte{0x7f}, std::byte{'E'}, std::byte{'L'}, std::byte{'F'}};
  return bytes.size() >= 4 && std::equal(std::begin(kMagic), std::end(kMagic), bytes.begin());
}

Elf::Elf(std::span<const std::byte> bytes, const std::string& name) : file_(bytes, name) {
  if (!is_elf(bytes)) file_.fail("this is no ELF file");
  if (file_.u8(4, "the ELF class") != 2 || file_.u8(5, "the byte order") != 1)
    file_.fail("this ELF file is not of 64 bits and little-endian");
  abi_ = file_.u8(8, "the ABI version");
  type_ = file_.u16(16, "the ELF type");
  machine_ = file_.u16(18, "the machine");
  flags_ = file_.u32(48, "the ELF flags");
  // Nothing is read from the program headers, but they tell a file that is cut off: ptxas puts them at its end.
  (void)file_.piece(file_.u64(32, "the offset of the program headers"),
                    std::uint64_t{file_.u16(54, "the size of a program header")} *
                        file_.u16(56, "the number of program headers"),
                    "the table of program headers");
  read_sections();
  read_symbols();
}

void Elf::read_sections() {
  const std::uint64_t table = file_.u64(40, "the offset of the section headers");
  const unsigned entry = file_.u16(58, "the size of a section header");
  const unsigned count = file_.u16(60, "the number of sections");
  const unsigned names = file_.u16(62, "the index of the section names");
  if (count == 0) return;
  if (entry != kSectionHeader) file_.fail(fmt::format("a section header has {} bytes instead of 64", entry));
  const Bytes headers = file_.piece(table, count * kSectionHeader, "the table of section headers");
  std::vector<std::uint32_t> name_offsets;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t at = i * kSectionHeader;
    ElfSection section;
    name_offsets.push_back(headers.u32(at, "a section header"));
    section.type = headers.u32(at + 4, "a section header");
    section.flags = headers.u64(at + 8, "a section header");
    section.offset = headers.u64(at + 24, "a section header");
    section.size = headers.u64(at + 32, "a section header");
    section.link = headers.u32(at + 40, "a section header");
    section.info = headers.u32(at + 44, "a section header");
    section.align = headers.u64(at + 48, "a section header");
    sections_.push_back(std::move(section));
  }
  if (names >= count) file_.fail(fmt::format("the section names are in section {}, of {}", names, count));
  const Bytes text = data(sections_[names]);
  for (unsigned i = 0; i < count; ++i)
    sections_[i].name = text.text(name_offsets[i], "the name of a section");
}

void Elf::read_symbols() {
  for (const ElfSection& section : sections_) {
    if (section.type != kSectionSymbols) continue;
    if (section.link >= sections_.size())
      file_.fail(
          fmt::format("{} has its names in section {}, of {}", section.name, section.link, sections_.size()));
    const Bytes table = data(section);
    const Bytes names = data(sections_[section.link]);
    for (std::uint64_t at = 0; at + kSymbolEntry <= table.size(); at += kSymbolEntry) {
      ElfSymbol symbol;
      symbol.name = names.text(table.u32(at, "a symbol"), "the name of a symbol");
      const std::uint8_t info = table.u8(at + 4, "a symbol");
      symbol.type = info & 15;
      symbol.bind = info >> 4;
      symbol.other = table.u8(at + 5, "a symbol");
      symbol.section = table.u16(at + 6, "a symbol");
      symbol.value = table.u64(at + 8, "a symbol");
      symbol.size = table.u64(at + 16, "a symbol");
      symbols_.push_back(std::move(symbol));
    }
    return;
  }
}

const ElfSection* Elf::find(std::string_view name) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(),
                                  [&](const ElfSection& each) { return each.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

Bytes Elf::data(const ElfSection& section) const {
  if (section.type == kSectionNoBits || section.type == 0) return file_.piece(0, 0, "nothing");
  const std::string what = section.name.empty() ? "a section" : "section " + section.name;
  return {file_.piece(section.offset, section.size, what).all(), file_.where() + ", " + what};
}

std::vector<ElfRelocation> Elf::relocations_of(const ElfSection& of) const {
  std::vector<ElfRelocation> all;
  for (const ElfSection& section : sections_) {
    const bool rela = section.type == kSectionRela;
    if ((!rela && section.type != kSectionRel) || section.info != index_of(of)) continue;
    const Bytes table = data(section);
    const std::uint64_t entry = rela ? kRelaEntry : kRelEntry;
    for (std::uint64_t at = 0; at + entry <= table.size(); at += entry) {
      ElfRelocation relocation;
      relocation.offset = table.u64(at, "a relocation");
      relocation.type = table.u32(at + 8, "a relocation");
      relocation.symbol = table.u32(at + 12, "a relocation");
      relocation.has_addend = rela;
      if (rela) relocation.addend = static_cast<std::int64_t>(table.u64(at + 16, "a relocation"));
      if (relocation.symbol >= symbols_.size())
        table.fail(fmt::format("a relocation names symbol {}, of {}", relocation.symbol, symbols_.size()));
      all.push_back(relocation);
    }
  }
  return all;
}

}  // namespace heddle::sass
