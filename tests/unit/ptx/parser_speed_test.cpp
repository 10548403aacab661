// Time and memory must grow linearly with the text; hostile nesting must end in an error, not in a stack
// overflow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

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

double seconds(const std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  static_cast<void>(decode_module(text));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(PtxSpeed, a_megabyte_is_parsed_and_decoded_in_proportion_to_its_size) {
  const double small = seconds(long_kernel(100'000));
  const double large = seconds(long_kernel(1'000'000));
  EXPECT_LT(large, 5.0) << "even with sanitizers on a busy machine";
  EXPECT_LT(large, 60 * small + 0.5);
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
