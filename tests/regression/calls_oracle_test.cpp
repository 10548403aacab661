// Programs of which the GPU model and the oracle must make the same: several modules, and what the two read
// independently in the manual.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "calls_support.h"
#include "oracle/oracle.h"

namespace heddle::calls::calls_oracle_test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kLanesOfOne = 32;

host::ModuleHandle load(host::Device& device, const std::string& text, const std::string& name) {
  return device.load_ptx_text(".version 7.7\n.target sm_75\n.address_size 64\n" + text, name);
}

/// What each lane of kernel k, behind `declarations` in the last module, stores at %at.
std::vector<std::uint32_t> run_on(host::Device& device, const std::vector<std::string>& modules,
                                  const std::string& declarations, const std::string& body) {
  for (std::size_t i = 0; i < modules.size(); ++i)
    load(device, modules[i], "module" + std::to_string(i) + ".ptx");
  const auto last = load(device,
                         declarations + "\n.visible .entry k(.param .u64 out, .param .b32 numbers[4]) {\n" +
                             kIndex + body + "\n}\n",
                         "main.ptx");
  const std::uint64_t out = device.allocate(std::size_t{4} * kLanesOfOne, "out");
  const std::array<std::uint32_t, 4> numbers{7, 11, 13, 17};
  device.launch(last, "k", {{1, 1, 1}, {kLanesOfOne, 1, 1}, 0}, Args().add(out).add(numbers));
  return device.download<std::uint32_t>(out, kLanesOfOne);
}

void expect_both(const std::vector<std::string>& modules, const std::string& declarations,
                 const std::string& body, const std::function<std::uint32_t(std::uint32_t)>& wanted,
                 const std::vector<std::string>& assignments = {}) {
  gpu::GpuDevice gpu(gpu::load_platform("tiny", assignments), {});
  oracle::OracleDevice oracle;
  EXPECT_EQ(run_on(oracle, modules, declarations, body), lanes(wanted)) << "the oracle";
  EXPECT_EQ(run_on(gpu, modules, declarations, body), lanes(wanted)) << "the GPU";
}

/// The error that both devices give, the oracle's first.
std::pair<std::string, std::string> refusals(const std::vector<std::string>& modules,
                                             const std::string& declarations, const std::string& body) {
  gpu::GpuDevice gpu(gpu::load_platform("tiny", {}), {});
  oracle::OracleDevice oracle;
  const auto error = [&](host::Device& device) -> std::string {
    try {
      run_on(device, modules, declarations, body);
    } catch (const base::Error& thrown) {
      return thrown.what();
    }
    return "nothing";
  };
  return {error(oracle), error(gpu)};
}

constexpr const char* kCallShift =
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %i; call (b), shift, (a); ld.param.b32 %t2, [b]; } ";

TEST(Modules, functions_and_variables_of_a_module_loaded_before) {
  // Both modules have an `offset` and a `helper` of their own: a body uses those of its module.
  const std::string library =
      ".global .u32 offset = 40; .visible .const .u32 scale[2] = {3, 5}; .shared .u32 box;\n"
      ".func (.reg .u32 o) helper (.reg .u32 x) { .reg .u32 %s; ld.global.u32 %s, [offset]; "
      "add.u32 o, x, %s; ret; }\n"
      ".visible .func (.param .b32 o) shift (.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; "
      "st.shared.u32 [box], 9; call (%r), helper, (%r); st.param.b32 [o], %r; ret; }";
  const std::string declarations =
      ".extern .func (.param .b32 o) shift (.param .b32 x); .extern .const .u32 scale[2]; "
      ".global .u32 offset = 1000; .shared .u32 box;\n"
      ".func (.reg .u32 o) helper (.reg .u32 x) { mul.lo.u32 o, x, 2; ret; }";
  expect_both({library}, declarations,
              std::string("st.shared.u32 [box], 100; ") + kCallShift +
                  "call (%t2), helper, (%t2); ld.const.u32 %t3, [scale+4]; mul.lo.u32 %t2, %t2, %t3; "
                  "ld.global.u32 %t4, [offset]; add.u32 %t2, %t2, %t4; ld.shared.u32 %t4, [box]; "
                  "add.u32 %t2, %t2, %t4; st.global.u32 [%at], %t2;",
              [](std::uint32_t i) { return (i + 40) * 2 * 5 + 1000 + 100; });
}

TEST(Modules, the_first_module_that_defines_a_name_provides_it) {
  const auto library = [](int offset) {
    return ".visible .func (.param .b32 o) shift (.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; "
           "add.u32 "
           "%r, %r, " +
           std::to_string(offset) + "; st.param.b32 [o], %r; ret; }";
  };
  expect_both({library(1), library(2)}, ".extern .func (.param .b32 o) shift (.param .b32 x);",
              std::string(kCallShift) + "st.global.u32 [%at], %t2;", [](std::uint32_t i) { return i + 1; });
}

TEST(Modules, pointers_to_functions_of_other_modules) {
  const std::string library =
      ".func (.param .b32 o) twice (.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; shl.b32 %r, %r, 1; "
      "st.param.b32 [o], %r; ret; }\n"
      ".func (.param .b32 o) next (.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; add.u32 %r, %r, 1; "
      "st.param.b32 [o], %r; ret; }\n"
      ".visible .global .u64 table[2] = {twice, next};";
  expect_both({library}, ".extern .global .u64 table[2];",
              ".reg .b64 %f; P: .callprototype (.param .b32 _) _ (.param .b32 _); and.b32 %t1, %i, 1; "
              "ld.global.u64 %f, table[%t1]; { .param .b32 a; .param .b32 b; st.param.b32 [a], %i; "
              "call (b), %f, (a), P; ld.param.b32 %t2, [b]; } st.global.u32 [%at], %t2;",
              [](std::uint32_t i) { return i % 2 == 0 ? 2 * i : i + 1; });
}

// Neither module that takes the address is the one that defines the function.
TEST(Modules, a_function_has_one_address_whichever_module_takes_it) {
  const std::string library =
      ".visible .func (.param .b32 o) shift (.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; add.u32 "
      "%r, "
      "%r, 5; st.param.b32 [o], %r; ret; }";
  const std::string taker =
      ".extern .func (.param .b32 o) shift (.param .b32 x); .visible .global .u64 taken = shift;";
  expect_both({library, taker},
              ".extern .func (.param .b32 o) shift (.param .b32 x); .extern .global .u64 taken; "
              ".global .u64 again = shift;",
              ".reg .b64 %f, %g; P: .callprototype (.param .b32 _) _ (.param .b32 _); mov.u64 %g, shift; "
              "ld.global.u64 %f, [taken]; setp.eq.u64 %p, %f, %g; selp.u32 %t3, 1000, 0, %p; "
              "ld.global.u64 %g, [again]; setp.eq.u64 %p, %f, %g; selp.u32 %t4, 2000, 0, %p; "
              "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %i; call (b), %f, (a), P; "
              "ld.param.b32 %t2, [b]; } add.u32 %t2, %t2, %t3; add.u32 %t2, %t2, %t4; "
              "st.global.u32 [%at], %t2;",
              [](std::uint32_t i) { return i + 5 + 3000; });
}

TEST(Modules, names_that_others_may_not_see) {
  const auto [oracle, gpu] = refusals({".func shift { ret; }"}, ".extern .func shift;", "call shift;");
  EXPECT_THAT(oracle, HasSubstr("'shift' is not defined in this module or one loaded before"));
  EXPECT_THAT(gpu, HasSubstr("function 'shift' is called but not defined"));
}

TEST(Modules, functions_declared_otherwise_than_defined) {
  const auto [oracle, gpu] = refusals({".visible .func shift (.param .b64 x) { ret; }"},
                                      ".extern .func shift (.param .b32 x);", "ret;");
  EXPECT_THAT(oracle, HasSubstr("'shift' has other parameters where it is defined, at module0.ptx:4"));
  EXPECT_THAT(gpu, HasSubstr("function 'shift' has other parameters in module module0.ptx"));
}

TEST(Modules, variables_that_no_module_defines) {
  const auto [oracle, gpu] = refusals({}, ".extern .global .u32 nowhere;", "ld.global.u32 %t1, [nowhere];");
  EXPECT_THAT(oracle, HasSubstr("'nowhere' is not declared"));
  EXPECT_THAT(gpu, HasSubstr("external variable 'nowhere' is not defined"));
}

TEST(Modules, a_fault_is_at_its_place_in_the_other_module) {
  const auto [oracle, gpu] = refusals({".visible .func shift\n{ st.shared.u32 [4096], 1; ret; }"},
                                      ".extern .func shift;", "call shift;");
  EXPECT_THAT(oracle, HasSubstr("module0.ptx:5"));
  EXPECT_THAT(gpu, HasSubstr("module0.ptx:5"));
}

TEST(Subscripts, by_registers_in_all_spaces) {
  expect_both(
      {}, ".global .b32 g[32]; .const .b16 c[3][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}};",
      ".shared .v2 .b32 s[33]; .local .b32 l[4]; .reg .s32 %n; .reg .u64 %w; .reg .u16 %h;\n"
      "st.global.u32 g[%i], %i; bar.sync 0; xor.b32 %t1, %i, 31; ld.global.u32 %t2, g[%t1];\n"     // 31 - i
      "st.shared.v2.u32 s[%i+1], {%i, %t2}; ld.shared.u32 %t3, s[%i+1]; add.u32 %t2, %t2, %t3;\n"  // + i
      "and.b32 %t4, %i, 3; st.local.u32 l[%t4], 100; ld.local.u32 %t3, l[%t4]; "
      "add.u32 %t2, %t2, %t3;\n"  // + 100
      "sub.s32 %n, 1, 3; ld.const.u16 %h, c[%n+4][%t4]; cvt.u32.u16 %t3, %h; "
      "mad.lo.u32 %t2, %t3, 1000, %t2;\n"  // + (8 + i % 4) * 1000
      "cvt.u64.u32 %w, %t4; ld.param.u32 %t3, numbers[%w]; mad.lo.u32 %t2, %t3, 100000, %t2;\n"
      "bar.sync 0; atom.global.add.u32 %t3, g[%i], 1; sub.u32 %t3, %t3, %i; add.u32 %t2, %t2, %t3;"  // + 0
      "st.global.u32 [%at], %t2;",
      [](std::uint32_t i) {
        const std::uint32_t numbers[] = {7, 11, 13, 17};
        return 31 + 100 + (8 + i % 4) * 1000 + numbers[i % 4] * 100000;
      });
}

TEST(Subscripts, addresses_and_several_registers) {
  expect_both({}, ".global .b8 m[4][8];",
              ".reg .u64 %a, %b, %c, %d; .reg .u32 %j; shr.u32 %j, %i, 3; and.b32 %t1, %i, 7;\n"
              "st.global.u8 m[%j][%t1], %i; mov.u64 %a, m; mov.u64 %b, m[%j][%t1]; sub.u64 %c, %b, %a; "
              "cvt.u32.u64 %t2, %c;\n"  // i
              "cvta.global.u64 %d, m[%j][%t1]; ld.u8 %t3, [%d]; mad.lo.u32 %t2, %t3, 100, %t2;\n"
              "mov.u64 %b, m[%j-1][%t1+2]; sub.u64 %c, %b, %a; cvt.u32.u64 %t3, %c; sub.u32 %t3, %t3, %i; "
              "mad.lo.u32 %t2, %t3, 10000, %t2; st.global.u32 [%at], %t2;",
              [](std::uint32_t i) { return i + 100 * i + 10000 * static_cast<std::uint32_t>(-8 + 2); });
}

TEST(Subscripts, within_functions_and_recursion) {
  expect_both(
      {},
      ".func (.param .b32 o) f (.param .b32 x[4], .param .b32 n) { .reg .b32 %n, %s, %r; .reg .pred %p; "
      ".reg .u64 %a, %b; .local .align 4 .b32 own[4];\n"
      "ld.param.b32 %n, [n]; st.local.b32 own[%n], %n; ld.param.b32 %s, x[%n]; setp.eq.u32 %p, %n, 0; "
      "@%p bra END; sub.u32 %r, %n, 1;\n"
      "{ .param .b32 y[4]; .param .b32 m; .param .b32 q; mov.u32 %n, 0; L: ld.param.b32 %r, x[%n]; "
      "add.u32 %r, %r, 1; st.param.b32 y[%n], %r; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 4; @%p bra L; "
      "ld.param.b32 %n, [n]; sub.u32 %r, %n, 1; st.param.b32 [m], %r; call (q), f, (y, m); "
      "ld.param.b32 %r, [q]; add.u32 %s, %s, %r; }\n"
      "mov.u64 %a, own[%n]; ld.local.b32 %r, [%a]; add.u32 %s, %s, %r; END: st.param.b32 [o], %s; ret; }",
      "{ .param .b32 y[4]; .param .b32 m; .param .b32 q; and.b32 %t1, %i, 3; st.param.b32 y[0], %i; "
      "st.param.b32 y[1], 100; st.param.b32 y[2], 1000; st.param.b32 y[3], 10000; st.param.b32 [m], %t1; "
      "call (q), f, (y, m); ld.param.b32 %t2, [q]; } st.global.u32 [%at], %t2;",
      [](std::uint32_t i) {
        std::uint32_t x[] = {i, 100, 1000, 10000}, sum = 0;
        for (std::uint32_t n = i & 3, depth = 0;; --n, ++depth) {
          sum += x[n] + depth + n;
          if (n == 0) return sum;
        }
      });
}

TEST(Results, more_than_fit_in_an_instruction) {
  expect_both(
      {},
      ".func (.reg .u32 a, .reg .u64 b, .param .b32 c, .reg .u32 d, .reg .pred e, .param .align 8 .b8 f[8]) "
      "many "
      "(.reg .u32 x) { add.u32 a, x, 1; mul.wide.u32 b, x, 2; st.param.b32 [c], x; add.u32 d, x, 1000; "
      "setp.gt.u32 e, x, 15; st.param.b32 [f+4], a; ret; }",
      ".reg .u64 %w; { .param .align 8 .b8 r[8]; call (%t1, %w, %t3, %t4, %p, r), many, (%i); "
      "ld.param.b32 %t6, [r+4]; } cvt.u32.u64 %t2, %w; add.u32 %t1, %t1, %t2; add.u32 %t1, %t1, %t3; "
      "add.u32 %t1, %t1, %t4; @%p add.u32 %t1, %t1, 100000; mad.lo.u32 %t1, %t6, 1000000, %t1; "
      "st.global.u32 [%at], %t1;",
      [](std::uint32_t i) {
        return (i + 1) + 2 * i + i + (i + 1000) + (i > 15 ? 100000 : 0) + (i + 1) * 1000000;
      });
}

// The results rotate at every level: nothing may be overwritten before it is read, and what waits for the
// inner call to return is kept.
TEST(Results, more_than_fit_in_an_instruction_in_recursion) {
  expect_both({},
              ".func (.reg .u32 a, .reg .u32 b, .reg .u32 c, .reg .u32 d, .reg .u32 e) turn (.reg .u32 n) { "
              ".reg .pred %p; .reg .u32 %m; setp.ne.u32 %p, n, 0; @%p bra REC; mov.u32 a, 1; mov.u32 b, 2; "
              "mov.u32 c, 3; mov.u32 d, 4; mov.u32 e, 5; ret; "
              "REC: mul.lo.u32 e, n, 7; sub.u32 %m, n, 1; { .reg .u32 %v; call (b, c, d, %v, a), turn, (%m); "
              "add.u32 e, e, %v; } ret; }",
              "and.b32 %t1, %i, 7; call (%t1, %t2, %t3, %t4, %t5), turn, (%t1); "
              "mad.lo.u32 %t1, %t1, 31, %t2; mad.lo.u32 %t1, %t1, 31, %t3; mad.lo.u32 %t1, %t1, 31, %t4; "
              "mad.lo.u32 %t1, %t1, 31, %t5; st.global.u32 [%at], %t1;",
              [](std::uint32_t i) {
                std::uint32_t a = 1, b = 2, c = 3, d = 4, e = 5;
                for (std::uint32_t n = 1; n <= (i & 7); ++n) {
                  const std::uint32_t was[] = {a, b, c, d, e};
                  b = was[0], c = was[1], d = was[2], e = n * 7 + was[3], a = was[4];
                }
                return (((a * 31 + b) * 31 + c) * 31 + d) * 31 + e;
              });
}

TEST(Results, more_than_fit_in_an_instruction_through_a_pointer) {
  expect_both(
      {},
      ".func (.reg .u32 a, .reg .u32 b, .reg .u32 c, .reg .u32 d, .reg .u32 e) spread (.reg .u32 x) { "
      "add.u32 a, x, 1; add.u32 b, x, 2; add.u32 c, x, 3; add.u32 d, x, 4; add.u32 e, x, 5; ret; } "
      ".global .u64 to = spread;",
      ".reg .u64 %f; ld.global.u64 %f, [to]; P: .callprototype (.reg .u32 _, .reg .u32 _, .reg .u32 _, "
      ".reg .u32 _, .reg .u32 _) _ (.reg .u32 _); call (%t1, %t2, %t3, %t4, %t5), %f, (%i), P; "
      "mad.lo.u32 %t1, %t1, 31, %t2; mad.lo.u32 %t1, %t1, 31, %t3; mad.lo.u32 %t1, %t1, 31, %t4; "
      "mad.lo.u32 %t1, %t1, 31, %t5; st.global.u32 [%at], %t1;",
      [](std::uint32_t i) { return ((((i + 1) * 31 + i + 2) * 31 + i + 3) * 31 + i + 4) * 31 + i + 5; });
}

TEST(Alignment, of_variables_within_recursion) {
  // %r collects what is not aligned; alloca and an inner frame of 16 come in between.
  expect_both(
      {},
      ".func (.reg .u32 o) f (.reg .u32 n) { .local .align 128 .b8 big[132]; .reg .u64 %a, %q; "
      ".reg .u32 %m, %r, %s; .reg .pred %p; mov.u64 %a, big; cvt.u32.u64 %r, %a; and.b32 %r, %r, 127; "
      "st.local.u32 [big+128], n; mov.u32 %s, 0; setp.eq.u32 %p, n, 0; @%p bra END; "
      "mul.wide.u32 %q, n, 4; alloca.u64 %a, %q, 64; cvt.u32.u64 %m, %a; and.b32 %m, %m, 63; "
      "or.b32 %r, %r, %m; sub.u32 %m, n, 1; call (%s), g, (%m); "
      "END: add.u32 o, %r, %s; ld.local.u32 %m, [big+128]; add.u32 o, o, %m; ret; }\n"
      ".func (.reg .u32 o) g (.reg .u32 n) { .local .b32 little; st.local.u32 [little], 1; "
      "call (o), f, (n); ld.local.u32 n, [little]; add.u32 o, o, n; ret; }",
      "and.b32 %t1, %i, 7; call (%t2), g, (%t1); st.global.u32 [%at], %t2;",
      [](std::uint32_t i) { return (i & 7) * ((i & 7) + 1) / 2 + (i & 7) + 1; },
      {"stack_bytes_per_thread=16384"});
}

// PTX ISA 7.7 on sm_70: the window of a kernel's parameters, which lies in that of global memory.
TEST(Spaces, of_kernel_parameters) {
  expect_both({},
              ".func (.reg .u32 o) spaces (.reg .u64 a) { .reg .pred %p; mov.u32 o, 0; isspacep.param %p, a; "
              "@%p or.b32 o, o, 1; isspacep.param::entry %p, a; @%p or.b32 o, o, 2; isspacep.global %p, a; "
              "@%p or.b32 o, o, 4; isspacep.shared %p, a; @%p or.b32 o, o, 8; ret; }",
              ".reg .u64 %a; .shared .b32 s; mov.u64 %a, numbers; cvta.param.u64 %a, %a; "
              "call (%t1), spaces, (%a); call (%t2), spaces, (%at); mov.u64 %a, s; cvta.shared.u64 %a, %a; "
              "call (%t3), spaces, (%a); mad.lo.u32 %t1, %t1, 16, %t2; mad.lo.u32 %t1, %t1, 16, %t3; "
              "st.global.u32 [%at], %t1;",
              [](std::uint32_t) { return 0x748u; });
}

}  // namespace
}  // namespace heddle::calls::calls_oracle_test
