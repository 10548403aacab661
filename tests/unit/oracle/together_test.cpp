// Warp-wide instructions without a member mask, reductions, and corner cases of the state spaces.
#include <numeric>

#include "unit/oracle/harness.h"

namespace heddle::oracle::test::together_test {
namespace {

Words per_thread(const std::string& body, std::uint32_t threads, const std::string& module = "",
                 Options options = {}) {
  return run({.module = module,
              .body = body + kStore,
              .shape = launch(1, threads),
              .words = threads,
              .options = options});
}

TEST(OracleTogether, WholeWarpsWhereAllThreadsPass) {
  for (const std::uint32_t slice : {1u, 7u, 128u}) {
    const Options options{.slice = slice};
    EXPECT_EQ(per_thread("activemask.b32 %r0;", 32, "", options), Words(32, ~0u));
    EXPECT_EQ(per_thread("activemask.b32 %r0;", 20, "", options), Words(20, 0xf'ffff));
    const std::string p = "setp.lt.u32 %p0, %r15, 3;\n";
    EXPECT_EQ(per_thread(p + "vote.ballot.b32 %r0, %p0;", 32, "", options), Words(32, 7));
    EXPECT_EQ(per_thread(p + "vote.any.pred %p1, %p0; selp.u32 %r0, 1, 0, %p1;", 32, "", options),
              Words(32, 1));
    EXPECT_EQ(per_thread(p + "vote.all.pred %p1, %p0; selp.u32 %r0, 1, 0, %p1;", 32, "", options),
              Words(32, 0));
    Words reversed(32);
    std::iota(reversed.rbegin(), reversed.rend(), 0u);
    EXPECT_EQ(per_thread("shfl.bfly.b32 %r0, %r15, 31, 31;", 32, "", options), reversed);
  }
}

TEST(OracleTogether, OneSideOfABranch) {
  const Words out = per_thread(
      "mov.u32 %r0, 0; setp.ge.u32 %p0, %r15, 10; @%p0 bra $else;\nactivemask.b32 %r0; bra $end;\n"
      "$else: activemask.b32 %r0; $end:",
      32);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 10 ? 0x3ffu : 0xffff'fc00u);
  // The guard excludes the other lanes, and exited threads are not active.
  EXPECT_EQ(per_thread("setp.lt.u32 %p0, %r15, 4; @%p0 activemask.b32 %r0; @!%p0 mov.u32 %r0, 0;", 8),
            (Words{15, 15, 15, 15, 0, 0, 0, 0}));
  EXPECT_EQ(per_thread("setp.lt.u32 %p0, %r15, 4; @%p0 exit; activemask.b32 %r0;", 8),
            (Words{0, 0, 0, 0, 0xf0, 0xf0, 0xf0, 0xf0}));
}

TEST(OracleTogether, DoesNotWaitForThreadsThatWaitForIt) {
  // Thread 0 holds a lock that its warp spins on while it reads the active mask.
  const Words out = per_thread(
      "setp.ne.u32 %p0, %r15, 0; @%p0 bra $spin;\nactivemask.b32 %r0; st.volatile.shared.u32 [flag], 1; bra "
      "$end;\n"
      "$spin: ld.volatile.shared.u32 %r1, [flag]; setp.eq.u32 %p1, %r1, 0; @%p1 bra $spin; mov.u32 %r0, "
      "7;\n$end:",
      4, ".shared .align 4 .u32 flag;");
  EXPECT_EQ(out, (Words{1, 7, 7, 7}));
}

TEST(OracleTogether, Reductions) {
  const auto reduce = [](const std::string& op) {
    return per_thread("sub.u32 %r1, %r15, 4; redux.sync." + op + " %r0, %r1, -1;", 32);
  };
  EXPECT_EQ(reduce("add.s32"), Words(32, 31 * 32 / 2 - 4 * 32));
  EXPECT_EQ(reduce("min.s32"), Words(32, static_cast<std::uint32_t>(-4)));
  EXPECT_EQ(reduce("min.u32"), Words(32, 0));
  EXPECT_EQ(reduce("max.s32"), Words(32, 27));
  EXPECT_EQ(reduce("max.u32"), Words(32, ~0u));
  EXPECT_EQ(reduce("or.b32"), Words(32, ~0u));
  EXPECT_EQ(reduce("and.b32"), Words(32, 0));
  EXPECT_EQ(per_thread("redux.sync.xor.b32 %r0, %r15, -1;", 31), Words(31, 31));
  // Two halves of a warp separately.
  const Words halves = per_thread(
      "setp.ge.u32 %p0, %r15, 16; @%p0 bra $b; redux.sync.add.u32 %r0, %r15, 0xffff; bra $end;\n"
      "$b: redux.sync.add.u32 %r0, %r15, 0xffff0000; $end:",
      32);
  EXPECT_EQ(halves[3], 120u);
  EXPECT_EQ(halves[20], 376u);
}

TEST(OracleMemory, ClocksNeverGoBack) {
  EXPECT_EQ(per_thread(
                "mov.u32 %r1, %clock; mov.u64 %w1, %clock64; mov.u64 %w2, %globaltimer; nanosleep.u32 100; "
                "mov.u32 %r2, %clock; mov.u64 %w3, %globaltimer; setp.lt.u32 %p0, %r1, %r2; setp.lt.u64 %p1, "
                "%w2, %w3; and.pred %p0, %p0, %p1; selp.u32 %r0, 1, 0, %p0;",
                2),
            Words(2, 1));
}

TEST(OracleMemory, SpacesOfGenericAddresses) {
  const std::string module =
      ".global .u32 g; .const .u32 c = 5; .shared .u32 s;\n"
      ".func (.reg .u32 r) spaces(.reg .u64 a) { .reg .pred %p; mov.u32 r, 0;\n"
      "isspacep.global %p, a; @%p or.b32 r, r, 1; isspacep.shared %p, a; @%p or.b32 r, r, 2; isspacep.local "
      "%p, a; "
      "@%p or.b32 r, r, 4; isspacep.const %p, a; @%p or.b32 r, r, 8; isspacep.param %p, a; @%p or.b32 r, r, "
      "16; }\n";
  const std::string body =
      ".local .u32 l;\nmov.u64 %w0, g; cvta.global.u64 %w0, %w0; call (%r1), spaces, (%w0); mov.u64 %w1, s; "
      "cvta.shared.u64 %w1, %w1; call (%r2), spaces, (%w1); mov.u64 %w2, l; cvta.local.u64 %w2, %w2; call "
      "(%r3), "
      "spaces, (%w2);\nmov.u64 %w3, c; cvta.const.u64 %w3, %w3; call (%r4), spaces, (%w3); mov.u64 %w4, out; "
      "cvta.param.u64 %w4, %w4; call (%r5), spaces, (%w4);\nshl.b32 %r0, %r1, 5; or.b32 %r0, %r0, %r2; "
      "shl.b32 %r0, "
      "%r0, 5; or.b32 %r0, %r0, %r3; shl.b32 %r0, %r0, 5; or.b32 %r0, %r0, %r4; shl.b32 %r0, %r0, 5; or.b32 "
      "%r0, %r0, "
      "%r5;\n"
      "ld.u64 %w5, [%w4]; setp.ne.u64 %p0, %w5, %out; @%p0 mov.u32 %r0, 0; ld.u32 %r6, [%w3]; setp.ne.u32 "
      "%p0, %r6, "
      "5; @%p0 mov.u32 %r0, 1;";
  EXPECT_EQ(per_thread(body, 1, module)[0],
            (1u << 20) | (2u << 15) | (4u << 10) | (8u << 5) | 17u);  // .param is a part of .global
}

TEST(OracleMemory, VectorRegisters) {
  EXPECT_EQ(
      run({.module = "",
           .body =
               ".reg .v4 .u32 %q<2>; .reg .v2 .u32 pair;\nmov.u32 %q0.x, 1; mov.u32 %q0.y, 2; mov.u32 %q0.b, "
               "3; mov.u32 %q0.w, 4; st.global.v4.u32 [%out], %q0; ld.global.v4.u32 %q1, [%out];\n"
               "add.u32 pair.x, %q1.r, %q1.z; add.u32 pair.y, %q1.g, %q1.a; st.global.v2.u32 [%out+16], "
               "pair;",
           .words = 6}),
      (Words{1, 2, 3, 4, 4, 6}));
}

TEST(OracleMemory, AddressesInInitialValues) {
  const std::string module =
      ".global .u64 first = second;\n.global .align 8 .u64 list[3] = {second+4, generic(second), "
      "k};\n.global .u32 "
      "second[2] = {7, 9};\n.func k() { ret; }\n.global .align 8 .b8 raw[8] = {0xFF(second), 0xFF00(second), "
      "0xFF0000(second), 0xFF000000(second), 0xFF00000000(second), 0, 0, 0};\n";
  EXPECT_EQ(
      per_thread(
          "ld.global.u64 %w0, [first]; ld.global.u32 %r1, [%w0]; ld.global.u64 %w1, [list]; ld.global.u32 "
          "%r2, [%w1]; ld.global.u64 %w2, [list+8]; ld.u32 %r3, [%w2+4]; ld.global.u64 %w3, [raw]; "
          "ld.global.u32 %r4, [%w3]; mad.lo.u32 %r0, %r1, 10, %r2; mad.lo.u32 %r0, %r0, 10, %r3; "
          "mad.lo.u32 %r0, %r0, 10, %r4;",
          1, module)[0],
      7997u);
}

TEST(OracleMemory, HintsDoNothing) {
  EXPECT_EQ(
      per_thread("prefetch.global.L1 [%out]; prefetch.global.L2 [%out+64]; prefetchu.L1 [%out]; prefetch.L2 "
                 "[%out]; fence.proxy.alias; fence.acq_rel.gpu; fence.sc.sys; membar.cta; pmevent 3; "
                 "mov.u32 %r0, 1;",
                 1)[0],
      1u);
}

TEST(OracleMemory, EveryQualifier) {
  for (const char* load :
       {"ld.global.ca.u32", "ld.global.cg.u32", "ld.global.cs.u32", "ld.global.lu.u32", "ld.global.cv.u32",
        "ld.weak.global.u32", "ld.relaxed.gpu.global.u32", "ld.acquire.sys.global.u32",
        "ld.volatile.global.u32", "ld.global.nc.u32", "ld.global.nc.L1::evict_last.u32",
        "ld.global.L1::no_allocate.L2::128B.u32", "ldu.global.u32", "ld.mmio.relaxed.sys.global.u32",
        "ld.relaxed.cta.u32", "ld.global.L2::evict_first.u32"})
    EXPECT_EQ(per_thread("st.global.u32 [%out], 77; " + std::string(load) + " %r0, [%out];", 1)[0], 77u)
        << load;
  for (const char* store :
       {"st.global.wb.u32", "st.global.cg.u32", "st.global.cs.u32", "st.global.wt.u32", "st.weak.global.u32",
        "st.relaxed.gpu.global.u32", "st.release.sys.global.u32", "st.volatile.global.u32",
        "st.release.cta.u32", "st.global.L1::evict_last.u32", "st.mmio.relaxed.sys.global.u32"})
    EXPECT_EQ(per_thread(std::string(store) + " [%out], 78; ld.global.u32 %r0, [%out];", 1)[0], 78u) << store;
}

}  // namespace
}  // namespace heddle::oracle::test::together_test
