// Functions on the oracle: parameters, the stack, recursion, pointers, indexed branches.
#include "unit/oracle/harness.h"

namespace heddle::oracle::test::call_test {
namespace {

/// %r0 of each thread after `body`.
Words per_thread(const std::string& module, const std::string& body, std::uint32_t threads = 8) {
  return run({.module = module, .body = body + kStore, .shape = launch(1, threads), .words = threads});
}

std::string fault(const std::string& module, const std::string& body) {
  return error_of<base::KernelFault>([&] { (void)per_thread(module, body, 1); });
}

std::string call_refusal(const std::string& module, const std::string& body) {
  return error_of<base::InputError>([&] { (void)per_thread(module, body, 1); });
}

/// A call of a function (u32) -> u32, as compilers write it.
std::string call(const std::string& function, const std::string& result, const std::string& argument,
                 const std::string& table = "") {
  return "{ .param .b32 a; .param .b32 r; st.param.b32 [a+0], " + argument + "; call.uni (r), " + function +
         ", (a)" + (table.empty() ? "" : ", " + table) + "; ld.param.b32 " + result + ", [r+0]; }\n";
}

constexpr const char* kTwice =
    ".func (.param .b32 result) twice(.param .b32 value) { .reg .b32 %v; ld.param.u32 %v, [value]; add.u32 "
    "%v, %v, "
    "%v; st.param.b32 [result+0], %v; ret; }\n";
constexpr const char* kSquare =
    ".func (.param .b32 result) square(.param .b32 value) { .reg .b32 %v; ld.param.u32 %v, [value]; "
    "mul.lo.u32 %v, "
    "%v, %v; st.param.b32 [result+0], %v; ret; }\n";

TEST(OracleCall, ParametersAndResults) {
  EXPECT_EQ(per_thread(kTwice, call("twice", "%r0", "%r15") + call("twice", "%r0", "%r0")),
            (Words{0, 4, 8, 12, 16, 20, 24, 28}));
  // In registers, and constants as arguments; several results.
  const std::string both =
      ".func (.reg .u32 sum, .param .b32 product) both(.reg .u32 a, .param .b32 b) { .reg .b32 %b; "
      "ld.param.u32 %b, "
      "[b]; add.u32 sum, a, %b; mul.lo.u32 %b, a, %b; st.param.b32 [product], %b; }\n";
  EXPECT_EQ(per_thread(both, "call (%r1, %r2), both, (%r15, 3); mad.lo.u32 %r0, %r1, 100, %r2;", 3),
            (Words{300, 403, 506}));
  // No parameters or results; only a side effect.
  EXPECT_EQ(per_thread(".global .u32 g;\n.func note() { red.global.add.u32 [g], 1; ret; }\n",
                       "call note; call.uni note, (); bar.sync 0; ld.global.u32 %r0, [g];", 4),
            Words(4, 8));
}

TEST(OracleCall, StructuresAndTheirAddresses) {
  const std::string sum =
      ".func (.param .b32 result) sum(.param .align 8 .b8 s[16]) { .reg .b32 %a, %b; .reg .b64 %p, %g;\n"
      "ld.param.u32 %a, [s]; mov.b64 %p, s; ld.local.u32 %b, [%p+4]; add.u32 %a, %a, %b; cvta.local.u64 %g, "
      "%p; "
      "ld.u32 %b, [%g+8]; add.u32 %a, %a, %b; st.local.u32 [%p+12], 1000; ld.param.u32 %b, [s+12]; add.u32 "
      "%a, %a, "
      "%b; st.param.b32 [result], %a; ret; }\n";
  EXPECT_EQ(
      per_thread(sum,
                 "{ .param .align 8 .b8 s[16]; .param .b32 r; st.param.b32 [s], %r15; st.param.v2.b32 [s+8], "
                 "{%r15, %r15}; st.param.b32 [s+4], 10; call (r), sum, (s); ld.param.b32 %r0, [r]; }",
                 4),
      (Words{1010, 1012, 1014, 1016}));
}

TEST(OracleCall, EachActivationHasItsOwnRegistersAndFrame) {
  // fib(n), with a copy of n kept in the function's own local memory across both calls.
  const std::string fib =
      ".func (.param .b32 result) fib(.param .b32 n) { .local .align 4 .b8 kept[4]; .reg .b32 %n, %a, %b; "
      ".reg .pred "
      "%p;\n"
      "ld.param.u32 %n, [n]; setp.lt.u32 %p, %n, 2; @%p st.param.b32 [result], %n; @%p ret;\n"
      "st.local.u32 [kept], %n; sub.u32 %a, %n, 1;\n" +
      call("fib", "%a", "%a") + "ld.local.u32 %b, [kept]; sub.u32 %b, %b, 2;\n" + call("fib", "%b", "%b") +
      "add.u32 %a, %a, %b; st.param.b32 [result], %a; ret; }\n";
  EXPECT_EQ(per_thread(fib, call("fib", "%r0", "%r15"), 16),
            (Words{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610}));
}

TEST(OracleCall, MutualRecursionAcrossDeclarations) {
  const std::string text =
      ".func (.param .b32 r) odd(.param .b32 n);\n"
      ".func (.param .b32 r) even(.param .b32 n) { .reg .b32 %n; .reg .pred %p; ld.param.u32 %n, [n]; "
      "setp.eq.u32 %p, "
      "%n, 0; @%p st.param.b32 [r], 1; @%p ret; sub.u32 %n, %n, 1;\n{ .param .b32 a, s; st.param.b32 [a], "
      "%n; call "
      "(s), odd, (a); ld.param.b32 %n, [s]; } st.param.b32 [r], %n; ret; }\n"
      ".func (.param .b32 r) odd(.param .b32 n) { .reg .b32 %n; .reg .pred %p; ld.param.u32 %n, [n]; "
      "setp.eq.u32 %p, "
      "%n, 0; @%p st.param.b32 [r], 0; @%p ret; sub.u32 %n, %n, 1;\n{ .param .b32 a, s; st.param.b32 [a], "
      "%n; call "
      "(s), even, (a); ld.param.b32 %n, [s]; } st.param.b32 [r], %n; ret; }\n";
  EXPECT_EQ(per_thread(text, call("even", "%r0", "%r15")), (Words{1, 0, 1, 0, 1, 0, 1, 0}));
}

TEST(OracleCall, ThroughPointers) {
  const std::string module = std::string(kTwice) + kSquare +
                             ".global .align 8 .u64 table[2] = {twice, square};\n"
                             ".alias renamed, square;\n";
  const std::string body =
      "$proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      "and.b32 %r1, %r15, 1; mul.wide.u32 %w0, %r1, 8; mov.u64 %w1, table; add.s64 %w1, %w1, %w0; "
      "ld.global.u64 %w2, "
      "[%w1];\n" +
      call("%w2", "%r0", "%r15", "$proto");
  EXPECT_EQ(per_thread(module, body), (Words{0, 1, 4, 9, 8, 25, 12, 49}));
  EXPECT_EQ(per_thread(module,
                       "$t: .calltargets twice, square;\nmov.u64 %w2, square; setp.lt.u32 %p0, %r15, 4; @%p0 "
                       "mov.u64 %w2, twice;\n" +
                           call("%w2", "%r0", "%r15", "$t")),
            (Words{0, 2, 4, 6, 16, 25, 36, 49}));
  EXPECT_EQ(per_thread(module, call("renamed", "%r0", "%r15")), (Words{0, 1, 4, 9, 16, 25, 36, 49}));
  EXPECT_NE(fault(module, "$proto: .callprototype (.param .b32 _) _ (.param .b32 _);\nmov.u64 %w2, 64;" +
                              call("%w2", "%r0", "%r15", "$proto"))
                .find("not a function"),
            std::string::npos);
  EXPECT_NE(fault(module, "$t: .calltargets square;\nmov.u64 %w2, twice;" + call("%w2", "%r0", "%r15", "$t"))
                .find("not in the list"),
            std::string::npos);
}

TEST(OracleCall, DivergentReturnsAndExits) {
  const std::string text =
      ".func (.param .b32 r) pick(.param .b32 n) { .reg .b32 %n; .reg .pred %p, %q; ld.param.u32 %n, [n];\n"
      "st.param.b32 [r], 5; and.b32 %n, %n, 3; setp.eq.u32 %p, %n, 0; @%p ret; setp.eq.u32 %q, %n, 1; @%q "
      "exit;\n"
      "st.param.b32 [r], %n; ret; }\n";
  EXPECT_EQ(per_thread(text, call("pick", "%r0", "%r15")), (Words{5, 0, 2, 3, 5, 0, 2, 3}));
}

TEST(OracleCall, SharedMemoryAndBarriersOfFunctions) {
  const std::string text =
      ".shared .align 4 .b8 common[64];\n"
      ".func rotate(.reg .u32 me, .reg .u32 value) { .shared .align 4 .b8 own[64]; .reg .b32 %a, %b, %v; "
      "mov.u32 %a, "
      "own; mad.lo.u32 %b, me, 4, %a; st.shared.u32 [%b], value; bar.sync 0; xor.b32 %b, me, 1; mad.lo.u32 "
      "%b, %b, 4, "
      "%a; ld.shared.u32 %v, [%b]; mov.u32 %a, common; mad.lo.u32 %a, me, 4, %a; st.shared.u32 [%a], %v; "
      "ret; }\n";
  EXPECT_EQ(
      per_thread(
          text,
          "add.u32 %r1, %r15, 100; call rotate, (%r15, %r1); mov.u32 %r2, common; mad.lo.u32 %r2, %r15, "
          "4, %r2; ld.shared.u32 %r0, [%r2];"),
      (Words{101, 100, 103, 102, 105, 104, 107, 106}));
}

TEST(OracleCall, IndexedBranches) {
  EXPECT_EQ(
      per_thread("",
                 "$ts: .branchtargets $a, $b, $c;\nrem.u32 %r1, %r15, 3; brx.idx %r1, $ts;\n$a: mov.u32 %r0, "
                 "10; bra $end;\n$b: mov.u32 %r0, 20; bra $end;\n$c: add.u32 %r0, %r0, 30;\n$end:"),
      (Words{10, 20, 30, 10, 20, 30, 10, 20}));
  EXPECT_NE(fault("", "$ts: .branchtargets $a;\nmov.u32 %r1, 1; brx.idx %r1, $ts; $a:").find("entry 1 of 1"),
            std::string::npos);
}

TEST(OracleCall, StackAllocation) {
  // Each thread allocates as many words as its number, fills them and adds them up again.
  EXPECT_EQ(
      per_thread(
          "",
          "stacksave.u64 %w3; add.u32 %r1, %r15, 1; mul.wide.u32 %w0, %r1, 4; alloca.u64 %w1, %w0, 16;\n"
          "and.b64 %w2, %w1, 15; cvt.u32.u64 %r5, %w2; mov.u32 %r2, 0; mov.b64 %w2, %w1;\n"
          "$fill: st.local.u32 [%w2], %r2; add.s64 %w2, %w2, 4; add.u32 %r2, %r2, 1; setp.lt.u32 %p0, "
          "%r2, %r1; @%p0 bra $fill;\n"
          "mov.u32 %r0, %r5; mov.u32 %r2, 0; mov.b64 %w2, %w1;\n"
          "$sum: ld.local.u32 %r3, [%w2]; add.u32 %r0, %r0, %r3; add.s64 %w2, %w2, 4; add.u32 %r2, %r2, "
          "1; setp.lt.u32 %p0, %r2, %r1; @%p0 bra $sum;\n"
          "stackrestore.u64 %w3; alloca.u64 %w4, 4; setp.ne.u64 %p1, %w4, %w1; @%p1 add.u32 %r0, %r0, "
          "1000;"),
      (Words{0, 1, 3, 6, 10, 15, 21, 28}));
  EXPECT_NE(fault("", "stacksave.u64 %w3; alloca.u64 %w1, 64; stackrestore.u64 %w3; st.local.u32 [%w1], 1;")
                .find("outside"),
            std::string::npos);
}

TEST(OracleCall, Faults) {
  const std::string endless = ".func endless() { call endless; ret; }\n";
  EXPECT_NE(fault(endless, "call endless;").find("calls deep"), std::string::npos);
  const std::string wide = ".func endless() { .local .b8 big[65536]; call endless; ret; }\n";
  EXPECT_NE(fault(wide, "call endless;").find("stack of local memory"), std::string::npos);
  EXPECT_NE(fault(".func stop() { trap; }\n", "call stop;").find("trap"), std::string::npos);
}

TEST(OracleCall, FunctionsOfTheRuntime) {
  const std::string module =
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
      ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 "
      "s);\n"
      // "%d %%%5.*f"
      ".global .b8 format[] = {37, 100, 32, 37, 37, 37, 53, 46, 42, 102, 0};\n.global .b8 text[] = {120, "
      "0};\n"
      // 7 and 2, 1.0
      ".global .align 8 .b64 packed[2] = {8589934599, 4607182418800017408};\n";
  EXPECT_EQ(per_thread(module,
                       "{ .param .b64 f, a; .param .b32 r; mov.u64 %w0, format; cvta.global.u64 %w0, %w0; "
                       "st.param.b64 [f], %w0; mov.u64 %w0, packed; cvta.global.u64 %w0, %w0; st.param.b64 "
                       "[a], %w0; call.uni (r), vprintf, (f, a); ld.param.b32 %r0, "
                       "[r]; }",
                       2),
            (Words{3, 3}));
  const std::string failed = error_of<base::AssertionFailed>(
      [&] { (void)per_thread(module, "mov.u64 %w0, text; call __assertfail, (%w0, %w0, 7, %w0, 1);", 1); });
  EXPECT_NE(failed.find("\nx:7: x: block: [0,0,0], thread: [0,0,0] Assertion `x` failed."),
            std::string::npos);
}

TEST(OracleCall, Refusals) {
  EXPECT_NE(
      call_refusal(".extern .func elsewhere();\n", "call elsewhere;").find("'elsewhere' is not defined"),
      std::string::npos);
  EXPECT_NE(call_refusal(".extern .func vprintf();\n", "call vprintf;").find("1 results and 2 parameters"),
            std::string::npos);
  EXPECT_NE(call_refusal(kTwice, "call twice, (%r1);").find("'twice' has 1 results, the call 0"),
            std::string::npos);
  EXPECT_NE(
      call_refusal(kTwice, "{ .param .b64 a; .param .b32 r; call (r), twice, (a); }").find("'a' has 8 bytes"),
      std::string::npos);
  EXPECT_NE(call_refusal(kTwice, "call (%r0), %w1, (%r1);").find("needs a prototype"), std::string::npos);
  EXPECT_NE(call_refusal("", "brx.idx %r0, $nowhere;").find("no table '$nowhere'"), std::string::npos);
  EXPECT_NE(call_refusal("", "st.param.u32 [out], %r0;").find("cannot be written"), std::string::npos);
}

}  // namespace
}  // namespace heddle::oracle::test::call_test
