// printf and assert of kernels: where strings and arguments may lie, and that they are what the thread wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "calls_support.h"
#include "oracle/oracle.h"

namespace heddle::calls::calls_print_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPrintf = ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n";
constexpr const char* kAssert =
    ".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 "
    "s);\n";
/// "%d %s\n" and its length
constexpr const char* kFormat = ".global .b8 format[7] = {37, 100, 32, 37, 115, 10, 0};\n";
constexpr const char* kCallPrintf =
    "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %fmt; st.param.b64 [a], %args; "
    "call.uni (r), vprintf, (f, a); ld.param.b32 %t8, [r]; }\n";

std::string printed_by(Machine& m, std::string& printed, const std::string& functions,
                       const std::string& body, std::uint32_t threads) {
  m.load_text(functions + "\n.visible .entry k(.param .u64 out) {\n" + kIndex + body + "\n}\n");
  const std::uint64_t out = m.room(65536);
  m.run("k", Args().add(out), threads);
  return std::exchange(printed, {});
}

/// Lane 3 of a warp copies the format to shared memory, writes arguments and a string there, and prints.
constexpr const char* kSharedBody =
    ".shared .align 8 .b8 words[64]; .reg .b64 %fmt, %args, %from, %to; .reg .b16 %c;\n"
    "setp.ne.u32 %p, %i, 3; @%p ret; mov.u32 %t1, 0;\n"
    "L: ld.global.u8 %c, format[%t1]; st.shared.u8 words[%t1], %c; add.u32 %t1, %t1, 1; setp.lt.u32 %p, %t1, "
    "7; "
    "@%p bra L;\n"
    "st.shared.u32 [words+8], 42; mov.u64 %to, words+32; cvta.shared.u64 %to, %to; st.shared.u64 [words+16], "
    "%to; "
    "st.shared.u32 [words+32], 0x00646568;\n"  // "hed"
    "mov.u64 %fmt, words; cvta.shared.u64 %fmt, %fmt; mov.u64 %args, words+8; cvta.shared.u64 %args, "
    "%args;\n";

TEST(Print, format_arguments_and_strings_in_shared_memory) {
  std::string printed;
  gpu::RunOptions options;
  options.on_print = [&](const std::string& text) { printed += text; };
  Machine m("tiny", std::move(options));
  EXPECT_EQ(printed_by(m, printed, std::string(kPrintf) + kFormat,
                       std::string(kSharedBody) + kCallPrintf + "st.global.u32 [%at], %t8;", 32),
            "42 hed\n");
}

TEST(Print, the_oracle_counts_arguments_of_a_format_in_shared_memory) {
  oracle::OracleDevice device;
  const auto module =
      device.load_ptx_text(std::string(".version 7.5\n.target sm_75\n.address_size 64\n") + kPrintf +
                               kFormat + "\n.visible .entry k(.param .u64 out) {\n" + kIndex + kSharedBody +
                               kCallPrintf + "st.global.u32 [%at], %t8;\n}\n",
                           "text");
  const std::uint64_t out = device.allocate(128, "out");
  device.launch(module, "k", {{1, 1, 1}, {32, 1, 1}, 0}, Args().add(out));
  EXPECT_EQ(device.download<std::uint32_t>(out, 4)[3], 2u);
}

TEST(Print, a_pointer_beyond_the_shared_memory_of_the_CTA) {
  Machine m("tiny", {});
  std::string printed;
  try {
    printed_by(m, printed, std::string(kPrintf) + kFormat,
               std::string(kSharedBody) + "add.u64 %fmt, %fmt, 64;\n" + kCallPrintf, 32);
    FAIL() << "there is nothing to read";
  } catch (const base::KernelFault& fault) {
    EXPECT_THAT(fault.what(), HasSubstr("thread (3,0,0) of CTA (0,0,0) prints from address"));
    EXPECT_THAT(fault.what(), HasSubstr("outside of the CTA's shared memory"));
  }
}

TEST(Print, an_assertion_whose_text_is_in_shared_memory) {
  const std::string body =
      std::string(kSharedBody) +
      "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s; "
      "st.param.b64 [m], %to; st.param.b64 [f], %to; st.param.b32 [l], 7; "
      "st.param.b64 [n], %to; st.param.b64 [s], 1; call __assertfail, (m, f, l, n, s); }";
  Machine m("tiny", {});
  std::string printed;
  try {
    printed_by(m, printed, std::string(kAssert) + kFormat, body, 32);
    FAIL() << "the assertion fails";
  } catch (const base::AssertionFailed& failure) {
    EXPECT_EQ(failure.code(), base::ExitCode::kAssertion);
    EXPECT_THAT(failure.what(),
                HasSubstr("\nhed:7: hed: block: [0,0,0], thread: [3,0,0] Assertion `hed` failed."));
  }
}

// Half of the warps write their arguments to local memory, which L1 keeps, wait for a load, and print; the
// misses of the others displace the lines meanwhile. What is on its way to L2 counts: the fence in front of
// printing waits for the warp's own operations only.
TEST(Print, arguments_whose_line_another_warp_displaces) {
  std::string printed;
  gpu::RunOptions options;
  options.on_print = [&](const std::string& text) { printed += text; };
  Machine m("tiny", std::move(options));
  constexpr std::uint32_t kWarps = 16, kRounds = 50;
  m.load_text(
      std::string(kPrintf) + ".global .b8 format[4] = {37, 100, 10, 0};\n" +
      ".visible .entry k(.param .u64 out) {\n" + kIndex +
      ".local .b32 args[2]; .reg .b64 %fmt, %args, %far; .reg .b32 %k, %v<4>, %warp; .reg .pred %q; "
      "mov.u64 %fmt, format; cvta.global.u64 %fmt, %fmt; mov.u64 %args, args; cvta.local.u64 %args, "
      "%args; mov.u32 %k, 0; ld.param.u64 %at, [out]; mul.wide.u32 %far, %i, 128; add.u64 %far, %far, "
      "%at; shr.u32 %warp, %i, 5; and.b32 %t1, %warp, 1; setp.eq.u32 %q, %t1, 1; @%q bra STREAM;\n"
      "and.b32 %t1, %i, 31; setp.ne.u32 %q, %t1, 0;\n"
      "AGAIN: mad.lo.u32 %t2, %warp, 1000, %k; st.local.u32 [args], %t2; "
      "ld.volatile.global.u32 %v0, [%at];\n"
      "@%q bra NO;\n" +
      kCallPrintf +
      "NO: add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 50; @%p bra AGAIN; ret;\n"
      // every lane a line
      "STREAM: ld.global.u32 %v0, [%far]; ld.global.u32 %v1, [%far+65536]; add.u32 %t1, %v0, %v1; "
      "add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 100; @%p bra STREAM; ret;\n}\n");
  m.device().launch(m.module(), "k", {{1, 1, 1}, {32 * kWarps, 1, 1}, 0}, Args().add(m.room(131072)));
  std::vector<std::uint32_t> values, wanted;
  std::istringstream text(printed);
  for (std::uint32_t value = 0; text >> value;) values.push_back(value);
  std::sort(values.begin(), values.end());
  for (std::uint32_t warp = 0; warp < kWarps; warp += 2)
    for (std::uint32_t k = 0; k < kRounds; ++k) wanted.push_back(warp * 1000 + k);
  EXPECT_EQ(values, wanted);
}

}  // namespace
}  // namespace heddle::calls::calls_print_test
