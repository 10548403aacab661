// What a launch must know of a cubin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "frontend/sass/cubin.h"
#include "unit/sass/data.h"
#include "unit/sass/elf_writer.h"

namespace heddle::sass {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Cubin module(const char* name) { return read_cubin(cubin_bytes(name), std::string(name) + ".cubin"); }

TEST(Cubin, HasKernelsWithParametersAndResources) {
  const Cubin cubin = module("histogram256");
  EXPECT_EQ(cubin.sm, 90u);
  EXPECT_EQ(cubin.arch(), Arch::kSm90);
  EXPECT_FALSE(cubin.relocatable);
  const CodeSection* const kernel = cubin.find("histogram_bytes");
  ASSERT_NE(kernel, nullptr);
  EXPECT_TRUE(kernel->is_entry);
  EXPECT_EQ(kernel->registers, 16u);
  EXPECT_EQ(kernel->info_registers, std::nullopt);  // only sm_75 has them there
  EXPECT_EQ(kernel->barriers, 1u);
  EXPECT_EQ(kernel->shared_bytes, 0x1400u);
  EXPECT_EQ(kernel->frame_bytes, 0u);
  EXPECT_EQ(kernel->parameter_base, 0x210u);
  EXPECT_EQ(kernel->parameter_bytes, 24u);
  EXPECT_EQ(kernel->bank0_bytes, 0x228u);
  ASSERT_EQ(kernel->parameters.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(kernel->parameters[i].ordinal, i);
    EXPECT_EQ(kernel->parameters[i].offset, 8 * i);
    EXPECT_EQ(kernel->parameters[i].size, i == 1 ? 4u : 8u);
  }
  EXPECT_THAT(kernel->exit_offsets, ElementsAre(0x630u, 0x7c0u));
  EXPECT_EQ(decode_section(cubin, *kernel).at(0x630 / 16).op, Opcode::kExit);
  EXPECT_EQ(kernel->align, 128u);
}

TEST(Cubin, HasFunctionsGlobalsAndRelocations) {
  const Cubin cubin = module("dispatch");
  const CodeSection& kernel = cubin.code.at(0);
  ASSERT_EQ(kernel.functions.size(), 5u);
  EXPECT_EQ(kernel.functions[0].name, "dispatch_run");
  EXPECT_TRUE(kernel.functions[0].is_entry);
  EXPECT_EQ(kernel.functions[1].name, "$dispatch_run$_Z12dispatch_addjj");
  EXPECT_EQ(kernel.functions[1].value, 0x720u);
  EXPECT_EQ(kernel.functions[1].size, 32u);
  EXPECT_EQ(kernel.registers, 28u);
  // The table of functions, and its address in bank 4.
  ASSERT_EQ(cubin.globals.size(), 1u);
  EXPECT_EQ(cubin.globals[0].name, ".nv.global.init");
  EXPECT_EQ(cubin.globals[0].bytes.size(), 32u);
  ASSERT_TRUE(cubin.bank4);
  EXPECT_EQ(cubin.bank4->size, 8u);
  ASSERT_EQ(cubin.bank4->relocations.size(), 1u);
  EXPECT_EQ(cubin.bank4->relocations[0].type, Relocation::kAddress64);
  EXPECT_EQ(cubin.bank4->relocations[0].symbol, "dispatch_table");
  EXPECT_FALSE(cubin.bank3);
}

TEST(Cubin, HasUserConstants) {
  const Cubin cubin = module("aes");
  ASSERT_TRUE(cubin.bank3);
  EXPECT_EQ(cubin.bank3->bytes.size(), cubin.bank3->size);
  EXPECT_GT(cubin.bank3->size, 0u);
}

TEST(Cubin, ParametersOfDifferentSizes) {
  const CodeSection kernel = module("dispatch").code.at(0);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const Parameter& each : kernel.parameters) places.emplace_back(each.offset, each.size);
  EXPECT_THAT(places,
              ElementsAre(std::pair(0u, 8u), std::pair(8u, 4u), std::pair(12u, 4u), std::pair(16u, 8u)));
}

/// A cubin of sm_75 or sm_90 with one kernel of `words`.
Blob small_cubin(std::uint32_t flags, std::uint8_t abi, std::uint32_t registers, const Blob& info,
                 const Blob& kernel_info) {
  ElfWriter elf(190, flags, abi);
  Blob code;
  put(code, 0x000000000000794d, 8);
  put(code, 0x000fea0003800000, 8);
  const unsigned text = elf.add(".text.k", 1, code, 0, registers << 24);
  Blob names;
  put(names, "");
  put(names, "k");
  const unsigned strings = elf.add(".strtab", 3, names);
  Blob symbols = ElfWriter::symbol(0, 0, 0, 0, 0, 0);
  put(symbols, ElfWriter::symbol(1, 0x12, 0x10, static_cast<std::uint16_t>(text), 0, 16));
  elf.add(".symtab", 2, symbols, strings);
  elf.add(".nv.info", 0x70000000, info);
  elf.add(".nv.info.k", 0x70000000, kernel_info);
  return elf.bytes();
}

Blob attribute(std::uint8_t id, const std::vector<std::uint32_t>& values) {
  Blob record;
  put(record, 4, 1);
  put(record, id, 1);
  put(record, values.size() * 4, 2);
  for (const std::uint32_t value : values) put(record, value, 4);
  return record;
}

TEST(Cubin, ArchitectureStandsInFlags) {
  EXPECT_EQ(read_cubin(small_cubin(0x06004b04, 8, 12, {}, {}), "c").sm, 75u);
  EXPECT_EQ(read_cubin(small_cubin(0x004b054b, 7, 12, {}, {}), "c").sm, 75u);  // CUDA 11
  const Cubin cubin = read_cubin(small_cubin(0x06004b04, 8, 12, {}, {}), "c");
  EXPECT_EQ(cubin.code.at(0).registers, 12u);
  EXPECT_EQ(cubin.code.at(0).info_registers, 12u);
  EXPECT_TRUE(cubin.code.at(0).is_entry);
  EXPECT_EQ(read_cubin(small_cubin(0x06006404, 8, 12, {}, {}), "c").arch(), std::nullopt);  // sm_100
}

TEST(Cubin, AttributesOfStacksAndCtas) {
  Blob info = attribute(0x11, {1, 48});
  put(info, attribute(0x12, {1, 64}));
  Blob kernel = attribute(0x05, {256, 2, 1});
  put(kernel, attribute(0x10, {128, 1, 1}));
  put(kernel, attribute(0x3d, {4, 2, 1}));
  put(kernel, attribute(0x34, {0x30, 0, 2, 0x40, 0x80, 0x90, 0, 1, 0xa0}));
  const CodeSection code = read_cubin(small_cubin(0x06005a04, 8, 0, info, kernel), "c").code.at(0);
  EXPECT_EQ(code.frame_bytes, 48u);
  EXPECT_EQ(code.stack_bytes, 64u);
  EXPECT_EQ(code.max_threads, (std::array<std::uint32_t, 3>{256, 2, 1}));
  EXPECT_EQ(code.required_threads, (std::array<std::uint32_t, 3>{128, 1, 1}));
  EXPECT_EQ(code.cluster_ctas, 8u);
  ASSERT_EQ(code.indirect_branches.size(), 2u);
  EXPECT_EQ(code.indirect_branches[0].offset, 0x30u);
  EXPECT_THAT(code.indirect_branches[0].targets, ElementsAre(0x40u, 0x80u));
  EXPECT_THAT(code.indirect_branches[1].targets, ElementsAre(0xa0u));
}

void no_cubin(const Blob& bytes, const std::string& says) {
  try {
    (void)read_cubin(bytes, "bad.cubin");
    FAIL() << "read: " << says;
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(says));
    EXPECT_THAT(error.where(), HasSubstr("bad.cubin"));
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(Cubin, WhatIsWrongIsSaidWithItsPlace) {
  no_cubin(ElfWriter(62, 0, 0).bytes(), "an ELF file for machine 62, not a cubin");
  no_cubin({}, "this is no ELF file");
  no_cubin(small_cubin(0x06005a04, 8, 0, attribute(0x2f, {7, 10}), {}), "an attribute names symbol 7, of 2");
  no_cubin(small_cubin(0x06005a04, 8, 0, attribute(0x2f, {1}), {}),
           "section .nv.info: an attribute's value at byte 4");
  no_cubin(small_cubin(0x06005a04, 8, 0, {}, attribute(0x17, {0, 0, 4 << 18})),
           "lies outside of the 0 bytes of parameters");
  no_cubin(small_cubin(0x06005a04, 8, 0, {}, attribute(0x34, {0, 0, 99})),
           "the targets of an indirect branch");
  Blob unknown;
  put(unknown, 0x0000'1709, 4);
  no_cubin(small_cubin(0x06005a04, 8, 0, {}, unknown),
           "section .nv.info.k: the attribute at byte 0 has the unknown format 9");
  Blob odd = small_cubin(0x06005a04, 8, 0, {}, {});
  odd.resize(odd.size() - 1);
  no_cubin(odd, "the table of section headers at byte");
}

}  // namespace
}  // namespace heddle::sass
