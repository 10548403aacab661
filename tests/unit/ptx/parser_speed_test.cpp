// Time and memory must grow linearly with the text; hostile nesting must end in an error, not in a stack
// overflow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "unit/ptx/support.h"

namespace heddle::ptx::testing::parser_speed_test {
namespace {

using ::testing::HasSubstr;

/// A kernel of about `bytes` of ordinary code with a loop every 20 instructions.
std::string long_kernel(std::size_t bytes) {
  std::string body;
  for (unsigned i = 0; body.size() < bytes; ++i) {
    const std::string n = std::to_string(i);
    body += "$L" + n + ":\n";
    for (int k = 0; k < 18; ++k) body += "\tmad.lo.s32 \t%r1, %r2, " + std::to_string(i + k) + ", %r1;\n";
    body += "\tsetp.lt.s32 \t%p1, %r1, " + n + ";\n\t@%p1 bra \t$L" + n + ";\n";
  }
  return kernel_text(body);
}

/// Of this process: what else the machine does hardly counts.
double processor_seconds(const std::string& text) {
  const std::clock_t start = std::clock();
  static_cast<void>(decode_module(text));
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(PtxSpeed, a_megabyte_is_parsed_and_decoded_in_proportion_to_its_size) {
  const double small = processor_seconds(long_kernel(100'000));
  const double large = processor_seconds(long_kernel(1'000'000));
  EXPECT_LT(large, 60 * small + 0.5) << "ten times the text; a square would be a hundred times as long";
}

TEST(PtxSpeed, nesting_is_limited) {
  EXPECT_THAT(error_of(kHeader + (".entry k() {" + std::string(500'000, '{'))),
              HasSubstr("nested more than 64 deep"));
  EXPECT_THAT(error_of(kHeader + (".global .b8 x[] = {" + std::string(500'000, '{'))),
              HasSubstr("nested deeper than its dimensions"));
  const std::string fine = ".entry k() {" + std::string(60, '{') + "exit;" + std::string(60, '}') + "}";
  EXPECT_EQ(error_of(kHeader + fine), "");
}

TEST(PtxSpeed, a_declaration_of_very_many_registers_costs_nothing) {
  EXPECT_EQ(body_error(".reg .b32 x<4000000000>; mov.u32 x3999999999, 1;"), "");
  const auto k = kernel(".reg .b32 x<4000000000>; mov.u32 x3999999999, 1;");
  EXPECT_EQ(k->registers.rows32, 1u);
}

TEST(PtxSpeed, huge_arrays_do_not_take_memory) {
  const isa::Module m = decode_module(std::string(kHeader) + ".global .b8 x[1099511627776] = {1, 2};");
  EXPECT_EQ(m.globals.at(0).bytes, std::uint64_t{1} << 40);
  EXPECT_EQ(m.globals.at(0).initial.size(), 2u);
}

}  // namespace
}  // namespace heddle::ptx::testing::parser_speed_test
