// Functions on the GPU, hand-written PTX: what compilers seldom emit, faults, and what functions of the
// device do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "calls_support.h"

namespace heddle::calls::calls_hand_written_test {
namespace {

using ::testing::HasSubstr;

TEST(HandWritten, a_jump_table_with_divergence_and_fall_through) {
  Machine m("tiny", {});
  const auto got = lanes_of(m, "", R"(
    mov.u32 %t1, 0; mov.u32 %t2, 0;
    LOOP: and.b32 %t3, %i, 3; add.u32 %t3, %t3, %t2; and.b32 %t3, %t3, 3;
    T: .branchtargets A, B, C, D;
    setp.lt.u32 %p, %i, 28;
    @%p brx.idx %t3, T;
    add.u32 %t1, %t1, 1000;
    A: add.u32 %t1, %t1, 1; bra E;
    B: add.u32 %t1, %t1, 10;
    C: add.u32 %t1, %t1, 100; bra E;
    D: mul.lo.u32 %t1, %t1, 2;
    E: add.u32 %t2, %t2, 1; setp.lt.u32 %p, %t2, 5; @%p bra LOOP;
    st.global.u32 [%at], %t1;)");
  EXPECT_EQ(got, lanes([](std::uint32_t i) {
              std::uint32_t v = 0;
              for (std::uint32_t k = 0; k < 5; ++k) {
                const std::uint32_t c = i < 28 ? (i + k) & 3 : 4;
                if (c == 4) v += 1001;
                if (c == 0) v += 1;
                if (c == 1) v += 110;
                if (c == 2) v += 100;
                if (c == 3) v *= 2;
              }
              return v;
            }));
}

// Own registers as arguments in another order: nothing may be overwritten before it is read.
TEST(HandWritten, recursion_with_register_parameters_that_swap) {
  Machine m("tiny", {});
  const auto got = lanes_of(
      m,
      ".func (.reg .u32 o) f (.reg .u32 n, .reg .u32 a, .reg .u32 b) { .reg .pred %p; .reg .u32 %r, %s; "
      "setp.eq.u32 %p, n, 0; @%p bra END; sub.u32 %s, n, 1; call (%r), f, (%s, b, a); "
      "mad.lo.u32 o, %r, 3, a; ret; END: sub.u32 o, a, b; }",
      "and.b32 %t1, %i, 7; add.u32 %t2, %i, 50; call (%t3), f, (%t1, %t2, %i); st.global.u32 [%at], %t3;");
  const std::function<std::uint32_t(std::uint32_t, std::uint32_t, std::uint32_t)> f =
      [&](std::uint32_t n, std::uint32_t a, std::uint32_t b) {
        return n == 0 ? a - b : f(n - 1, b, a) * 3 + a;
      };
  EXPECT_EQ(got, lanes([&](std::uint32_t i) { return f(i & 7, i + 50, i); }));
}

// The function's own parameters passed on in another order, as variables.
TEST(HandWritten, recursion_with_parameter_variables_that_swap) {
  Machine m("tiny", {});
  const auto got = lanes_of(
      m,
      ".func (.param .u32 o) f (.param .u32 n, .param .u32 a, .param .u32 b) { .reg .pred %p; .reg .u32 %r, "
      "%s, %v; "
      "ld.param.u32 %s, [n]; ld.param.u32 %v, [a]; setp.eq.u32 %p, %s, 0; @%p bra END; "
      "{ .param .u32 q; sub.u32 %s, %s, 1; st.param.u32 [q], %s; call (%r), f, (q, b, a); } "
      "mad.lo.u32 %r, %r, 3, %v; st.param.u32 [o], %r; ret; "
      "END: ld.param.u32 %r, [b]; sub.u32 %r, %v, %r; st.param.u32 [o], %r; ret; }",
      "and.b32 %t1, %i, 7; add.u32 %t2, %i, 50; call (%t3), f, (%t1, %t2, %i); st.global.u32 [%at], %t3;");
  const std::function<std::uint32_t(std::uint32_t, std::uint32_t, std::uint32_t)> f =
      [&](std::uint32_t n, std::uint32_t a, std::uint32_t b) {
        return n == 0 ? a - b : f(n - 1, b, a) * 3 + a;
      };
  EXPECT_EQ(got, lanes([&](std::uint32_t i) { return f(i & 7, i + 50, i); }));
}

// Two results that arrive in each other's destination, as in Euclid's extended algorithm.
TEST(HandWritten, recursion_with_results_that_swap) {
  Machine m("tiny", {});
  const auto got = lanes_of(m,
                            ".func (.reg .u32 x, .reg .u32 y) f (.reg .u32 n) { .reg .pred %p; .reg .u32 %s; "
                            "setp.ne.u32 %p, n, 0; @%p bra REC; mov.u32 x, 1; mov.u32 y, 2; ret; "
                            "REC: sub.u32 %s, n, 1; call (y, x), f, (%s); add.u32 x, x, 10; ret; }",
                            "and.b32 %t1, %i, 7; call (%t2, %t3), f, (%t1); mad.lo.u32 %t2, %t2, 1000, %t3; "
                            "st.global.u32 [%at], %t2;");
  const std::function<std::pair<std::uint32_t, std::uint32_t>(std::uint32_t)> f =
      [&](std::uint32_t n) -> std::pair<std::uint32_t, std::uint32_t> {
    if (n == 0) return {1, 2};
    const auto [y, x] = f(n - 1);
    return {x + 10, y};
  };
  EXPECT_EQ(got, lanes([&](std::uint32_t i) { return f(i & 7).first * 1000 + f(i & 7).second; }));
}

TEST(HandWritten, part_of_a_parameter_is_written_over) {
  Machine m("tiny", {});
  const auto got =
      lanes_of(m, ".func (.reg .u32 o) f (.param .b32 x) { ld.param.u32 o, [x]; add.u32 o, o, 1; ret; }",
               "{ .param .b32 a; st.param.b32 [a], 0x11223344; st.param.b8 [a], %i; call (%t2), f, (a); } "
               "st.global.u32 [%at], %t2;");
  EXPECT_EQ(got, lanes([](std::uint32_t i) { return 0x11223300 + i + 1; }));
}

TEST(HandWritten, variables_of_a_function_are_aligned_as_they_say) {
  Machine m("tiny", {});
  const auto got = lanes_of(
      m,
      ".func (.reg .u32 o) f (.reg .u32 x) { .local .align 64 .b8 big[64]; .reg .u64 %a; mov.u64 %a, big; "
      "cvt.u32.u64 o, %a; and.b32 o, o, 63; ret; }",
      ".local .b32 small; st.local.u32 [small], %i; call (%t1), f, (%i); ld.local.u32 %t2, [small]; "
      "add.u32 %t1, %t1, %t2; st.global.u32 [%at], %t1;");
  EXPECT_EQ(got, lanes([](std::uint32_t i) { return i; }));
}

TEST(HandWritten, guarded_calls_returns_and_exits_in_functions) {
  Machine m("tiny", {});
  const auto got = lanes_of(
      m,
      ".func (.param .b32 o) f (.param .b32 x) { .reg .b32 %r; .reg .pred %p, %q; ld.param.b32 %r, [x]; "
      "setp.gt.u32 %q, %r, 29; @%q exit; add.u32 %r, %r, 100; st.param.b32 [o], %r; setp.lt.u32 %p, %r, 110; "
      "@%p ret; add.u32 %r, %r, 1000; st.param.b32 [o], %r; ret; }",
      "mov.u32 %t2, 7; and.b32 %t1, %i, 1; setp.eq.u32 %p, %t1, 0; "
      "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %i; @%p call (b), f, (a); @%p ld.param.b32 %t2, "
      "[b]; } "
      "st.global.u32 [%at], %t2;");
  EXPECT_EQ(got, lanes([](std::uint32_t i) {
              if (i % 2 != 0) return 7u;
              return i > 29 ? 0u : i < 10 ? i + 100 : i + 1100;
            }));
}

TEST(HandWritten, predicates_and_parts_of_parameters_survive_recursion) {
  Machine m("tiny", {});
  const auto got = lanes_of(
      m,
      ".func (.param .b64 o) f (.param .b64 x) { .reg .b32 %lo, %hi; .reg .pred %p, %q; .reg .b64 %r; "
      "ld.param.v2.b32 {%lo, %hi}, [x]; setp.eq.u32 %q, %lo, 0; @%q bra END; and.b32 %hi, %lo, 1; "
      "setp.eq.u32 %p, %hi, 1; sub.u32 %lo, %lo, 1; mov.b64 %r, {%lo, %hi}; "
      "{ .param .b64 a; .param .b64 b; st.param.b64 [a], %r; call (b), f, (a); ld.param.b32 %hi, [b+4]; } "
      "@%p add.u32 %hi, %hi, %lo; st.param.b32 [o+4], %hi; st.param.b32 [o], %lo; ret; "
      "END: st.param.v2.b32 [o], {%lo, %lo}; ret; }",
      ".reg .b64 %d; and.b32 %t1, %i, 15; mov.b64 %d, {%t1, %t1}; "
      "{ .param .b64 a; .param .b64 b; st.param.b64 [a], %d; call (b), f, (a); ld.param.b32 %t2, [b+4]; } "
      "st.global.u32 [%at], %t2;");
  EXPECT_EQ(got, lanes([](std::uint32_t i) {
              std::uint32_t sum = 0;
              for (std::uint32_t n = i & 15; n > 0; --n) sum += n % 2 == 1 ? n - 1 : 0;
              return sum;
            }));
}

TEST(HandWritten, allocations_on_the_stack_within_recursion) {
  Machine m("tiny", {});
  const auto got = lanes_of(
      m,
      ".func (.param .b32 o) f (.param .b32 n) { .reg .b32 %n, %r, %s, %z; .reg .b64 %p, %q, %w; .reg .pred "
      "%e; "
      ".local .b32 own; ld.param.b32 %n, [n]; st.local.b32 [own], %n; setp.eq.u32 %e, %n, 0; mov.u32 %s, 0; "
      "@%e bra END; mul.wide.u32 %q, %n, 4; alloca.u64 %p, %q; st.local.b32 [%p], %n; add.u64 %w, %p, %q; "
      "st.local.b32 [%w+-4], %n; sub.u32 %r, %n, 1; "
      "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r; call (b), f, (a); ld.param.b32 %s, [b]; } "
      "ld.local.b32 %r, [%p]; add.u32 %s, %s, %r; ld.local.b32 %r, [own]; add.u32 %s, %s, %r; "
      "END: st.param.b32 [o], %s; ret; }",
      "and.b32 %t1, %i, 7; { .param .b32 a; .param .b32 b; st.param.b32 [a], %t1; call (b), f, (a); "
      "ld.param.b32 %t2, [b]; } st.global.u32 [%at], %t2;");
  EXPECT_EQ(got, lanes([](std::uint32_t i) { return (i & 7) * ((i & 7) + 1); }));
}

TEST(HandWritten, functions_of_a_module_loaded_before) {
  Machine m("tiny", {});
  m.load_text(
      ".visible .global .u32 offset = 40;\n.visible .func (.param .b32 o) shift (.param .b32 x) "
      "{ .reg .b32 %r, %s; ld.param.b32 %r, [x]; ld.global.u32 %s, [offset]; add.u32 %r, %r, %s; "
      "st.param.b32 [o], %r; ret; }");
  const auto got =
      lanes_of(m, ".extern .func (.param .b32 o) shift (.param .b32 x); .extern .global .u32 offset;",
               "ld.global.u32 %t1, [offset]; { .param .b32 a; .param .b32 b; st.param.b32 [a], %i; call (b), "
               "shift, (a); "
               "ld.param.b32 %t2, [b]; } add.u32 %t2, %t2, %t1; st.global.u32 [%at], %t2;");
  EXPECT_EQ(got, lanes([](std::uint32_t i) { return i + 80; }));
}

/// What the launch of a hand-written kernel throws.
base::Error failure(Machine& m, const std::string& functions, const std::string& body) {
  try {
    lanes_of(m, functions, body);
  } catch (const base::Error& error) {
    return error;
  }
  return {base::ExitCode::kOk, "", "nothing"};
}

TEST(Faults, endless_recursion_overflows_the_stack) {
  Machine m("tiny", {}, {"stack_bytes_per_thread=1024"});
  const base::Error e = failure(m, ".func f { call f; ret; }", "call f;");
  EXPECT_EQ(e.code(), base::ExitCode::kKernelFault);
  EXPECT_THAT(e.what(), HasSubstr("stack overflow"));
  EXPECT_THAT(e.what(), HasSubstr("the thread's stack has 1024 bytes"));
  EXPECT_THAT(e.what(), HasSubstr("in function f of kernel k"));
  EXPECT_THAT(e.what(), HasSubstr("stack_bytes_per_thread"));
}

/// The watchdog would name the endless loop first.
TEST(Faults, endless_recursion_that_keeps_nothing_on_the_stack) {
  Machine m("tiny", {}, {"watchdog.enabled=false"});
  const base::Error e = failure(m, ".func f { L: call f; bra L; }", "call f;");
  EXPECT_EQ(e.code(), base::ExitCode::kKernelFault);
  EXPECT_THAT(e.what(), HasSubstr("calls nest more than 65536 deep"));
}

TEST(Faults, call_targets_of_different_kinds) {
  Machine m("tiny", {});
  const base::Error e = failure(m, ".func f (.param .b32 x) { ret; } .func g (.param .b64 x) { ret; }",
                                ".reg .b64 %f; mov.u64 %f, f; T: .calltargets f, g; call %f, (5), T;");
  EXPECT_EQ(e.code(), base::ExitCode::kBadInput);
  EXPECT_THAT(e.what(), HasSubstr("differ in parameters or results"));
}

TEST(Faults, a_null_function_pointer) {
  Machine m("tiny", {});
  const base::Error e = failure(m, ".func f { ret; } .global .u64 t = f;",
                                ".reg .b64 %f; mov.u64 %f, 0; P: .callprototype _ (); call %f, P;");
  EXPECT_EQ(e.code(), base::ExitCode::kKernelFault);
  EXPECT_THAT(e.what(), HasSubstr("thread (0,0,0) of CTA (0,0,0) calls address 0x0, where no function is"));
}

TEST(Faults, a_function_of_another_prototype) {
  Machine m("tiny", {});
  const base::Error e = failure(m, ".func f { ret; } .func g (.param .b32 x) { ret; } .global .u64 t = f;",
                                ".reg .b64 %f; mov.u64 %f, g; P: .callprototype _ (); call %f, P;");
  EXPECT_THAT(e.what(), HasSubstr("calls function g, but its parameters are not those of the call"));
}

TEST(Faults, an_index_beyond_the_jump_table) {
  Machine m("tiny", {});
  const base::Error e = failure(m, "", "T: .branchtargets L, L; brx.idx %i, T; L: ret;");
  EXPECT_THAT(e.what(), HasSubstr("thread (2,0,0) of CTA (0,0,0) branches to target 2 of 2"));
}

TEST(Faults, a_spin_in_a_function_is_diagnosed_as_a_hang) {
  Machine m("tiny", {});
  const base::Error e =
      failure(m,
              ".global .u32 lock = 1; .func wait { .reg .b32 %r; .reg .pred %p; "
              "L: ld.volatile.global.u32 %r, [lock]; setp.ne.u32 %p, %r, 0; @%p bra L; ret; }",
              "setp.gt.u32 %p, %i, 3; @%p bra E; call wait; E: ret;");
  EXPECT_EQ(e.code(), base::ExitCode::kHang);
  EXPECT_THAT(e.what(), HasSubstr("in function wait of kernel k"));
}

TEST(Services, printf_prints_in_the_order_of_execution) {
  std::string printed;
  gpu::RunOptions options;
  options.on_print = [&](const std::string& text) { printed += text; };
  Machine m("tiny", std::move(options));
  m.load("services.nvcc");
  m.run("prints", Args().add(std::int32_t{31}), 32);
  std::string wanted;
  for (int i = 0; i < 32; i += 2) {
    char line[100];
    std::snprintf(line, sizeof line, "thread %d of %s: %5.2f 0x%llx %c%%\n", i, "CTA", 1.5 * i,
                  0x100000000ull + static_cast<unsigned>(i), 'a' + i);
    wanted += line;
  }
  EXPECT_EQ(printed, wanted + "done\n");
}

TEST(Services, a_failed_assertion_stops_the_run_with_its_text) {
  Machine m("tiny", {});
  m.load("services.nvcc");
  auto values = table<std::int32_t>(32, [](std::int32_t i) { return i; });
  m.run("asserts", Args().add(m.up(values)), 32);
  values[5] = 100;
  try {
    m.run("asserts", Args().add(m.up(values)), 32);
    FAIL() << "the assertion of thread 5 holds";
  } catch (const base::AssertionFailed& failed) {
    EXPECT_THAT(failed.what(),
                HasSubstr("services.cu:13: void asserts(const int *): block: [0,0,0], thread: [5,0,0] "
                          "Assertion `values[threadIdx.x] < 100` failed."));
  }
}

}  // namespace
}  // namespace heddle::calls::calls_hand_written_test
