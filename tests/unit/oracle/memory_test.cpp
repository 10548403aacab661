// State spaces, vectors, atomics and faults of the oracle.
#include "unit/oracle/harness.h"

namespace heddle::oracle::test::memory_test {
namespace {

Words first(Words words, std::size_t count) {
  words.resize(count);
  return words;
}

TEST(OracleMemory, NarrowLoadsExtendToTheRegister) {
  const Words out =
      run({.module = "",
           .body = "mov.u32 %r0, 0x8182f3f4; st.global.u32 [%out], %r0;\n"
                   "ld.global.s8 %r1, [%out]; st.global.u32 [%out+4], %r1;\n"
                   "ld.global.u8 %r2, [%out+3]; st.global.u32 [%out+8], %r2;\n"
                   "ld.global.s16 %r3, [%out]; st.global.u32 [%out+12], %r3;\n"
                   "ld.global.s32 %w1, [%out]; st.global.u64 [%out+16], %w1;\n"
                   "st.global.u8 [%out+24], %r0; st.global.u16 [%out+26], %r0;\n"
                   "ld.global.s8 %h0, [%out]; cvt.u32.u16 %r4, %h0; st.global.u32 [%out+28], %r4;"});
  EXPECT_EQ(first(out, 8), (Words{0x8182'f3f4, 0xffff'fff4, 0x81, 0xffff'f3f4, 0x8182'f3f4, 0xffff'ffff,
                                  0xf3f4'00f4, 0xfff4}));
}

TEST(OracleMemory, Vectors) {
  const Words out =
      run({.module = "",
           .body = "mov.u32 %r0, 1; mov.u32 %r1, 2; mov.u32 %r2, 3; mov.u32 %r3, 4;\n"
                   "st.global.v4.u32 [%out], {%r0, %r1, %r2, %r3};\n"
                   "ld.global.v2.u32 {%r5, %r4}, [%out+8]; st.global.v2.b32 [%out+16], {%r4, %r5};\n"
                   "ld.global.v2.u64 {%w1, %w2}, [%out]; st.global.u64 [%out+24], %w2;\n"
                   "ld.global.v4.u8 {%r6, _, %r7, _}, [%out+4]; st.global.u32 [%out+32], %r6;"});
  EXPECT_EQ(first(out, 9), (Words{1, 2, 3, 4, 4, 3, 3, 4, 2}));
}

TEST(OracleMemory, GlobalAndConstVariables) {
  const Words out =
      run({.module = ".global .align 4 .u32 table[4] = {10, 20, -1};\n"
                     ".const .align 4 .f32 half = 0f3F000000;\n"
                     ".global .align 8 .u64 where = table;\n"
                     ".global .align 2 .b8 bytes[4] = {1, 2, 3};\n",
           .body = "ld.global.u32 %r0, [table+4]; st.global.u32 [%out], %r0;\n"
                   "mov.u64 %w0, table; ld.global.u32 %r0, [%w0+8]; st.global.u32 [%out+4], %r0;\n"
                   "ld.global.u32 %r0, [table+12]; st.global.u32 [%out+8], %r0;\n"
                   "ld.const.f32 %f0, [half]; st.global.f32 [%out+12], %f0;\n"
                   "ld.global.u64 %w1, [where]; ld.global.u32 %r0, [%w1]; st.global.u32 [%out+16], %r0;\n"
                   "ld.global.u16 %r0, [bytes+2]; st.global.u32 [%out+20], %r0;\n"
                   "cvta.const.u64 %w0, 0; setp.eq.u64 %p0, %w0, 0; selp.u32 %r0, 1, 0, %p0; st.global.u32 "
                   "[%out+24], %r0;"});
  EXPECT_EQ(first(out, 7), (Words{20, 0xffff'ffff, 0, 0x3f00'0000, 10, 3, 1}));
}

TEST(OracleMemory, SharedIsPerCtaAndLocalPerThread) {
  const Words out =
      run({.module = ".shared .align 4 .b8 unused[4096];\n.shared .align 4 .u32 sum;\n",
           .body = ".local .align 4 .b8 mine[16];\n"
                   "mov.u64 %w0, mine; cvta.local.u64 %w1, %w0;\n"
                   "st.local.u32 [%w0+4], %r14; ld.u32 %r0, [%w1+4];\n"
                   "atom.shared.add.u32 %r1, [sum], %r0; bar.sync 0;\n"
                   "mov.u64 %w2, sum; cvta.shared.u64 %w2, %w2; ld.u32 %r2, [%w2];\n"
                   "cvta.to.shared.u64 %w3, %w2; cvt.u32.u64 %r3, %w3; ld.shared.u32 %r4, [%r3];\n"
                   "add.u32 %r2, %r2, %r4;\n"
                   "mul.wide.u32 %w4, %r14, 4; add.s64 %w4, %out, %w4; st.global.u32 [%w4], %r2;",
           .shape = launch(2, 4)});
  EXPECT_EQ(first(out, 8), (Words{12, 12, 12, 12, 44, 44, 44, 44}));
}

TEST(OracleMemory, DynamicSharedLiesBehindStatic) {
  const Words out =
      run({.module = ".extern .shared .align 16 .b8 tail[];\n.shared .align 4 .u32 fixed;\n",
           .body = "mov.u32 %r0, fixed; mov.u32 %r1, tail; mov.u32 %r2, 7; mov.u32 %r3, 9;\n"
                   "st.shared.u32 [%r0], %r2; st.shared.u32 [%r1+28], %r3; ld.shared.u32 %r4, [fixed];\n"
                   "ld.shared.u32 %r5, [tail+28]; st.global.u32 [%out], %r4; st.global.u32 [%out+4], %r5;\n"
                   "mov.u32 %r6, %dynamic_smem_size; st.global.u32 [%out+8], %r6;",
           .shape = launch(1, 1, 32)});
  EXPECT_EQ(first(out, 3), (Words{7, 9, 32}));
}

TEST(OracleMemory, StructParameters) {
  OracleDevice device;
  const auto module = device.load_ptx_text(std::string(kHeader) +
                                               ".visible .entry k(.param .u32 n, .param .align 8 .b8 s[24], "
                                               ".param .u64 out)\n{\n.reg .u32 %r<4>; .reg .u64 %w<4>;\n"
                                               "ld.param.u64 %w0, [out]; ld.param.u32 %r0, [n]; ld.param.u32 "
                                               "%r1, [s+4]; ld.param.v2.u32 {%r2, %r3}, [s+16];\n"
                                               "add.u32 %r0, %r0, %r1; mov.b64 %w1, s; ld.param.u32 %r1, "
                                               "[%w1+8]; add.u32 %r0, %r0, %r1; add.u32 %r2, %r2, %r3;\n"
                                               "st.global.v2.u32 [%w0], {%r0, %r2}; ret; }",
                                           "params.ptx");
  const auto kernel = device.kernel(module, "k");
  ASSERT_EQ(kernel->params.size(), 3u);
  EXPECT_EQ(kernel->params[1].offset, 8u);
  EXPECT_EQ(kernel->params[1].bytes, 24u);
  EXPECT_EQ(kernel->params[2].offset, 32u);
  EXPECT_EQ(kernel->param_bytes, 40u);
  const std::uint64_t out = device.allocate(8, "out");
  device.launch(module, "k", {},
                host::Args().add(5u).add(std::array<std::uint32_t, 6>{1, 20, 300, 4, 50, 60}).add(out));
  EXPECT_EQ(device.download<std::uint32_t>(out, 2), (Words{325, 110}));
}

TEST(OracleAtomic, EveryOperation) {
  const auto atomic = [](const std::string& op, const std::string& operands, std::uint32_t before,
                         std::uint32_t operand) {
    const Words out = run({.module = "",
                           .body = "mov.u32 %r0, " + std::to_string(before) + "; mov.u32 %r1, " +
                                   std::to_string(operand) + "; st.global.u32 [%out], %r0; atom.global." +
                                   op + " %r2, [%out], " + operands + "; st.global.u32 [%out+4], %r2;"});
    EXPECT_EQ(out[1], before) << op;
    return out[0];
  };
  EXPECT_EQ(atomic("add.u32", "%r1", 5, 0xffff'ffff), 4u);
  EXPECT_EQ(atomic("min.s32", "%r1", 5, 0xffff'ffff), 0xffff'ffffu);
  EXPECT_EQ(atomic("min.u32", "%r1", 5, 0xffff'ffff), 5u);
  EXPECT_EQ(atomic("max.s32", "%r1", 5, 0xffff'ffff), 5u);
  EXPECT_EQ(atomic("max.u32", "%r1", 5, 0xffff'ffff), 0xffff'ffffu);
  EXPECT_EQ(atomic("and.b32", "%r1", 12, 10), 8u);
  EXPECT_EQ(atomic("or.b32", "%r1", 12, 10), 14u);
  EXPECT_EQ(atomic("xor.b32", "%r1", 12, 10), 6u);
  EXPECT_EQ(atomic("exch.b32", "%r1", 12, 10), 10u);
  EXPECT_EQ(atomic("cas.b32", "12, %r1", 12, 10), 10u);
  EXPECT_EQ(atomic("cas.b32", "11, %r1", 12, 10), 12u);
  EXPECT_EQ(atomic("inc.u32", "%r1", 9, 10), 10u);
  EXPECT_EQ(atomic("inc.u32", "%r1", 10, 10), 0u);
  EXPECT_EQ(atomic("dec.u32", "%r1", 0, 10), 10u);
  EXPECT_EQ(atomic("dec.u32", "%r1", 11, 10), 10u);
  EXPECT_EQ(atomic("dec.u32", "%r1", 3, 10), 2u);
  EXPECT_EQ(atomic("acquire.gpu.cas.b32", "12, %r1", 12, 10), 10u);
}

TEST(OracleAtomic, FloatAdditionFlushesInGlobalMemoryOnly) {
  const Words out = run(
      {.module = ".shared .align 4 .f32 s;",
       .body =
           "mov.u32 %r0, 0x00400000; mov.b32 %f0, %r0; st.global.f32 [%out], %f0; st.shared.f32 [s], %f0;\n"
           "red.global.add.f32 [%out], 0f00000000; red.shared.add.f32 [s], 0f00000000;\n"
           "ld.shared.f32 %f1, [s]; st.global.f32 [%out+4], %f1;"});
  EXPECT_EQ(first(out, 2), (Words{0, 0x0040'0000}));
}

// Measured on an H200, but for two NaNs in global memory.
TEST(OracleAtomic, SumsOfDoublePrecisionKeepNans) {
  const Words out = run({.module = ".shared .align 8 .b64 s;",
                         .body = "mov.b64 %w0, 0x7ff0000000000001; mov.b64 %w1, 0xfff8000000000123; mov.b64 "
                                 "%w2, 0x3ff0000000000000;\n"
                                 "red.global.add.f64 [%out], %w0;\n"
                                 "st.global.b64 [%out+8], %w0; red.global.add.f64 [%out+8], %w2;\n"
                                 "st.global.b64 [%out+16], %w0; red.global.add.f64 [%out+16], %w1;\n"
                                 "st.shared.b64 [s], %w2; red.shared.add.f64 [s], %w0; ld.shared.b64 %w3, "
                                 "[s]; st.global.b64 [%out+24], %w3;\n"
                                 "st.shared.b64 [s], %w1; red.shared.add.f64 [s], %w0; ld.shared.b64 %w3, "
                                 "[s]; st.global.b64 [%out+32], %w3;\n"});
  EXPECT_EQ(first(out, 10),
            (Words{1, 0x7ff0'0000, 1, 0x7ff0'0000, 0x123, 0xfff8'0000, 1, 0x7ff8'0000, 1, 0x7ff8'0000}));
}

TEST(OracleAtomic, SixtyFourBits) {
  const Words out = run(
      {.module = "",
       .body = "mov.u64 %w0, 0x1ffffffff; red.global.add.u64 [%out], %w0; red.global.add.u64 [%out], %w0;\n"
               "atom.global.cas.b64 %w1, [%out+8], 0, %w0; red.global.max.s64 [%out+16], -1;\n"
               "red.global.min.s64 [%out+24], -1;"});
  EXPECT_EQ(first(out, 8), (Words{0xffff'fffe, 3, 0xffff'ffff, 1, 0, 0, 0xffff'ffff, 0xffff'ffff}));
}

std::string fault(const std::string& body, const std::string& module = "", host::Launch shape = {}) {
  return error_of<base::KernelFault>([&] { run({.module = module, .body = body, .shape = shape}); });
}

TEST(OracleFault, NamesPlaceThreadAndAddress) {
  const std::string text =
      fault("setp.eq.u32 %p0, %r14, 5;\n\t@%p0 st.global.u32 [%out+256], %r0;\n", "", launch(2, 4));
  EXPECT_NE(text.find("grid.ptx:19 (kernel k)"), std::string::npos) << text;
  EXPECT_NE(text.find("thread (1, 0, 0) of CTA (1, 0, 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("0 bytes past the end of 'out'"), std::string::npos) << text;
  EXPECT_NE(text.find("\n    @%p0 st.global.u32 [%out+256], %r0;"), std::string::npos) << text;
}

TEST(OracleFault, OfEveryKind) {
  EXPECT_NE(fault("ld.global.u32 %r0, [%out+2];").find("misaligned"), std::string::npos);
  EXPECT_NE(fault("ld.global.v2.u32 {%r0, %r1}, [%out+4];").find("load of 8 bytes"), std::string::npos);
  EXPECT_NE(fault("mov.u64 %w0, 0; ld.global.u32 %r0, [%w0];").find("out of bounds"), std::string::npos);
  EXPECT_NE(fault("mov.u64 %w0, 0; atom.global.add.u32 %r0, [%w0], 1;").find("atomic of 4 bytes"),
            std::string::npos);
  EXPECT_NE(
      fault("st.shared.u32 [s+16], %r0;", ".shared .align 4 .b8 s[16];").find("16 bytes of shared memory"),
      std::string::npos);
  EXPECT_NE(fault(".local .align 4 .b8 l[8]; mov.u64 %w0, l; ld.local.u32 %r0, [%w0+8];")
                .find("8 bytes of local memory"),
            std::string::npos);
  EXPECT_NE(fault("mov.u64 %w0, out; ld.param.u32 %r0, [%w0+8];").find("bytes of the kernel's parameters"),
            std::string::npos);
  EXPECT_NE(fault("trap;").find("trap"), std::string::npos);
  EXPECT_NE(fault("brkpt;").find("executed brkpt"), std::string::npos);
  EXPECT_NE(fault("mov.u32 %r0, 16; bar.sync %r0;").find("there are 16"), std::string::npos);
  EXPECT_NE(fault("mov.u32 %r0, 33; bar.sync 0, %r0;").find("multiple of 32"), std::string::npos);
  EXPECT_NE(fault("bar.warp.sync 2;").find("does not contain the thread"), std::string::npos);
}

TEST(OracleFault, ConstantsAreReadByKernelsAndWrittenByNone) {
  const std::string constants = ".const .align 4 .b32 fixed[4] = {1, 2, 3, 4};\n";
  const std::string address = "mov.u64 %w0, fixed; cvta.const.u64 %w0, %w0; ";
  for (const char* const access :
       {"st.u32 [%w0+8], %r0;", "st.global.u32 [%w0+8], %r0;", "atom.add.u32 %r0, [%w0+8], 1;"}) {
    const std::string text = fault(address + access, constants);
    EXPECT_NE(text.find("8 bytes into 'fixed'"), std::string::npos) << text;
    EXPECT_NE(text.find("a .const variable, which kernels only read"), std::string::npos) << text;
  }
  const Words out =
      run({.module = constants, .body = address + "ld.u32 %r0, [%w0+8]; st.global.u32 [%out], %r0;"});
  EXPECT_EQ(out[0], 3u);
  EXPECT_NE(fault(address + "ld.u32 %r0, [%w0+16];", constants).find("0 bytes past the end of 'fixed'"),
            std::string::npos);
}

TEST(OracleHost, WritesConstants) {
  OracleDevice device;
  const auto module = device.load_ptx_text(std::string(kHeader) + ".const .align 4 .u32 k[2];\n", "k.ptx");
  const std::uint64_t k = device.symbol(module, "k");
  device.write(k, std::as_bytes(std::span("abcdefg")));
  EXPECT_EQ(device.download<char>(k, 8)[6], 'g');
}

TEST(OracleHost, ChecksItsOwnAccesses) {
  OracleDevice device;
  const std::uint64_t a = device.allocate(16, "a");
  EXPECT_EQ(a % 256, 0u);
  std::array<std::byte, 20> bytes{};
  EXPECT_THROW(device.write(a, bytes), base::InputError);
  EXPECT_THROW(device.read(a + 15, std::span(bytes).first(2)), base::InputError);
  device.write(a, std::as_bytes(std::span("0123456789abcde")));
  device.free(a);
  EXPECT_THROW(device.free(a), base::InputError);
  EXPECT_EQ(device.download<std::uint64_t>(device.allocate(16, "b"), 2), (std::vector<std::uint64_t>{0, 0}));
}

TEST(OracleHost, MemorySpansPages) {
  OracleDevice device;
  std::vector<std::uint32_t> values(100'000);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * 2654435761u;
  const std::uint64_t a = device.upload(values, "a");
  EXPECT_EQ(device.download<std::uint32_t>(a, values.size()), values);
}

}  // namespace
}  // namespace heddle::oracle::test::memory_test
