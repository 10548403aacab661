// Line programs of versions 2 and 5, in cubins made here: ptxas -lineinfo writes version 2.
#include <gtest/gtest.h>

#include "base/error.h"
#include "frontend/sass/elf.h"
#include "frontend/sass/line_table.h"
#include "unit/sass/elf_writer.h"

namespace heddle::sass {
namespace {

/// The lengths of a unit and its header, around them.
Blob unit(unsigned version, const Blob& header, const Blob& program) {
  Blob rest;
  put(rest, version, 2);
  if (version >= 5) put(rest, 0x0008, 2);
  put(rest, header.size(), 4);
  put(rest, header);
  put(rest, program);
  Blob whole;
  put(whole, rest.size(), 4);
  put(whole, rest);
  return whole;
}

Blob common_header(unsigned version) {
  Blob header;
  put(header, 1, 1);  // bytes of the least instruction
  if (version >= 4) put(header, 1, 1);
  put(header, 1, 1);
  put(header, static_cast<std::uint8_t>(-3), 1);  // line base
  put(header, 12, 1);                             // line range
  put(header, 10, 1);                             // first special operation
  for (const unsigned count : {0, 1, 1, 1, 1, 0, 0, 0, 1}) put(header, count, 1);
  return header;
}

Blob header2() {
  Blob header = common_header(2);
  put(header, "src");
  put(header, "");
  put(header, "kernel.cu");
  for (const unsigned value : {1, 0, 0}) put(header, value, 1);
  put(header, "/usr/include/math.h");
  for (const unsigned value : {0, 0, 0}) put(header, value, 1);
  put(header, "");
  return header;
}

Blob header5() {
  Blob header = common_header(5);
  for (const unsigned value : {1, 1, 0x08, 1}) put(header, value, 1);  // one folder, a path in place
  put(header, "src");
  for (const unsigned value : {2, 1, 0x08, 2, 0x0b, 2}) put(header, value, 1);
  put(header, "other.cu");
  put(header, 0, 1);
  put(header, "kernel.cu");
  put(header, 0, 1);
  return header;
}

/// Lines 10 and 12 of file 1, from 0 and 0x20; line 7 of file `second` from 0x40; nothing from 0x60.
Blob program(unsigned second) {
  Blob text;
  for (const unsigned value : {0, 9, 2}) put(text, value, 1);  // set_address, relocated
  put(text, 0, 8);
  for (const unsigned value : {3, 9, 1}) put(text, value, 1);           // line 10; row
  for (const unsigned value : {2, 0x20, 3, 2, 1}) put(text, value, 1);  // 0x20, line 12; row
  for (const unsigned value : {4u, second, 2u, 0x20u, 3u, 0x7bu, 1u}) put(text, value, 1);  // -5: line 7; row
  for (const unsigned value : {2, 0x20, 0, 1, 1}) put(text, value, 1);                      // 0x60: end
  return text;
}

Blob cubin(unsigned version, const Blob& lines) {
  ElfWriter elf(190, 0x06005a04, 8);
  const unsigned text = elf.add(".text.k", 1, Blob(0x60));
  Blob names;
  put(names, "");
  const unsigned strings = elf.add(".strtab", 3, names);
  Blob symbols = ElfWriter::symbol(0, 0, 0, 0, 0, 0);
  put(symbols, ElfWriter::symbol(0, 3, 0, static_cast<std::uint16_t>(text), 0, 0));
  const unsigned table = elf.add(".symtab", 2, symbols, strings);
  const unsigned section = elf.add(".debug_line", 1, lines);
  // The place of the address: behind the header and 3 bytes of the program.
  Blob relocation;
  put(relocation, lines.size() - program(2).size() + 3, 8);
  put(relocation, 2, 4);
  put(relocation, 1, 4);
  put(relocation, 0, 8);
  elf.add(".rela.debug_line", 4, relocation, table, section);
  (void)version;
  return elf.bytes();
}

TEST(LineTable, VersionTwo) {
  const Blob bytes = cubin(2, unit(2, header2(), program(2)));
  const LineTable table = LineTable::read(Elf(bytes, "c"), ".debug_line");
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(table.find(".text.k", 0), (SourceLine{"src/kernel.cu", 10}));
  EXPECT_EQ(table.find(".text.k", 0x10), (SourceLine{"src/kernel.cu", 10}));
  EXPECT_EQ(table.find(".text.k", 0x20), (SourceLine{"src/kernel.cu", 12}));
  EXPECT_EQ(table.find(".text.k", 0x50), (SourceLine{"/usr/include/math.h", 7}));
  EXPECT_EQ(table.find(".text.k", 0x60), std::nullopt);
  EXPECT_EQ(table.find(".text.other", 0), std::nullopt);
}

TEST(LineTable, VersionFive) {
  const Blob bytes = cubin(5, unit(5, header5(), program(0)));
  const LineTable table = LineTable::read(Elf(bytes, "c"), ".debug_line");
  EXPECT_EQ(table.find(".text.k", 0x10), (SourceLine{"src/kernel.cu", 10}));
  EXPECT_EQ(table.find(".text.k", 0x40), (SourceLine{"src/other.cu", 7}));
}

TEST(LineTable, SpecialOperations) {
  Blob text;
  for (const unsigned value : {0, 9, 2}) put(text, value, 1);
  put(text, 0, 8);
  put(text, 10 + 3 + 5 + 12 * 16, 1);                       // address + 16, line + 5
  for (const unsigned value : {8, 1}) put(text, value, 1);  // address + (255 - 10) / 12 = 20
  for (const unsigned value : {0, 1, 1}) put(text, value, 1);
  ElfWriter elf(190, 0x06005a04, 8);
  const Blob header = header2();
  const Blob lines = unit(2, header, text);
  const unsigned section = elf.add(".text.k", 1, Blob(64));
  Blob symbols = ElfWriter::symbol(0, 0, 0, 0, 0, 0);
  put(symbols, ElfWriter::symbol(0, 3, 0, static_cast<std::uint16_t>(section), 0, 0));
  Blob names;
  put(names, "");
  const unsigned table = elf.add(".symtab", 2, symbols, elf.add(".strtab", 3, names));
  Blob relocation;
  put(relocation, lines.size() - text.size() + 3, 8);
  put(relocation, 2, 4);
  put(relocation, 1, 4);
  put(relocation, 0, 8);
  const unsigned program = elf.add(".debug_line", 1, lines);
  elf.add(".rela.debug_line", 4, relocation, table, program);
  const Blob bytes = elf.bytes();
  const LineTable read = LineTable::read(Elf(bytes, "c"), ".debug_line");
  EXPECT_EQ(read.find(".text.k", 15), std::nullopt);
  EXPECT_EQ(read.find(".text.k", 16), (SourceLine{"src/kernel.cu", 6}));
  EXPECT_EQ(read.find(".text.k", 35), (SourceLine{"src/kernel.cu", 6}));
  EXPECT_EQ(read.find(".text.k", 36), std::nullopt);  // the end of the sequence is at the same place
}

TEST(LineTable, DamagedProgramsAreRefused) {
  const Blob whole = unit(2, header2(), program(2));
  std::size_t refused = 0;
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const Blob bytes = cubin(2, Blob(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    try {
      (void)LineTable::read(Elf(bytes, "c"), ".debug_line");
    } catch (const base::InputError& error) {
      EXPECT_NE(error.where().find(".debug_line"), std::string::npos);
      ++refused;
    }
  }
  EXPECT_EQ(refused, whole.size() - 1);
  Blob version = whole;
  version[4] = std::byte{9};
  const Blob bytes = cubin(2, version);
  EXPECT_THROW((void)LineTable::read(Elf(bytes, "c"), ".debug_line"), base::InputError);
}

}  // namespace
}  // namespace heddle::sass
