// Whole listings, byte for byte.
#include <gtest/gtest.h>

#include "base/error.h"
#include "frontend/sass/disassembly.h"
#include "unit/sass/data.h"

namespace heddle::sass {
namespace {

class Listings : public testing::TestWithParam<const char*> {};

TEST_P(Listings, AreTheDisassemblers) {
  const Disassembly listing = disassemble(read_cubin(cubin_bytes(GetParam()), GetParam()), {});
  EXPECT_TRUE(listing.problems.empty());
  EXPECT_EQ(listing.text, data_file(std::string(GetParam()) + ".listing"));
}

INSTANTIATE_TEST_SUITE_P(Modules, Listings, testing::ValuesIn(kCubins),
                         [](const auto& each) { return std::string(each.param); });

TEST(Listing, WordsStandBesideTheText) {
  const Disassembly listing =
      disassemble(read_cubin(cubin_bytes("vecadd"), "vecadd"), {.hex = true, .kernel = ""});
  EXPECT_NE(
      listing.text.find(
          "        /*0000*/                   LDC R1, c[0x0][0x28] ;               /* 0x00000a00ff017b82 */\n"
          "                                                                        /* 0x000fe20000000800 "
          "*/\n"),
      std::string::npos);
}

TEST(Listing, OneKernelAlone) {
  const Disassembly listing =
      disassemble(read_cubin(cubin_bytes("aes"), "aes"), {.hex = false, .kernel = "aes_encrypt"});
  EXPECT_EQ(listing.text.find("aes_encrypt_columns"), std::string::npos);
  EXPECT_NE(listing.text.find(".L_x_5:"), std::string::npos);  // numbered as in the whole listing
}

TEST(Listing, AnUndecodableWordRefusesItsKernelOnly) {
  Cubin cubin = read_cubin(cubin_bytes("aes"), "aes.cubin");
  cubin.code[1].words[3].high |= std::uint64_t{1} << 63;
  const Disassembly listing = disassemble(cubin, {});
  ASSERT_EQ(listing.problems.size(), 1u);
  EXPECT_EQ(listing.problems[0].kernel, "aes_encrypt");
  EXPECT_EQ(listing.problems[0].offset, 0x30u);
  EXPECT_FALSE(decode_section(cubin, cubin.code[0]).empty());
  try {
    (void)decode_section(cubin, cubin.code[1]);
    FAIL() << "decoded";
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.where(), "aes.cubin, kernel aes_encrypt");
    EXPECT_NE(error.message().find("0x30"), std::string::npos);
    EXPECT_NE(error.message().find("bits 127 of BSSY"), std::string::npos) << error.message();
  }
}

TEST(Listing, OtherArchitecturesAreRefusedByName) {
  Cubin cubin = read_cubin(cubin_bytes("vecadd"), "vecadd.cubin");
  cubin.sm = 86;
  try {
    (void)disassemble(cubin, {});
    FAIL() << "listed";
  } catch (const base::InputError& error) {
    EXPECT_NE(error.message().find("sm_86"), std::string::npos);
  }
}

}  // namespace
}  // namespace heddle::sass
