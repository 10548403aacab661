// Loading: names, scopes, and what the oracle refuses.
#include "unit/oracle/harness.h"

namespace heddle::oracle::test::load_test {
namespace {

std::string load_refusal(const std::string& body, const std::string& module = "") {
  OracleDevice device;
  return error_of<base::InputError>([&] {
    const auto handle = device.load_ptx_text(kernel_text({.module = module, .body = body}), "bad.ptx");
    (void)device.kernel(handle, "k");
  });
}

TEST(OracleLoad, RefusesByNameAtThePlace) {
  for (const auto& [body, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"match.any.b32 %r0, %r1;", "'match.any.b32'"},
           {"redux.sync.add.b32 %r0, %r1, -1;", "'redux.sync.add.b32'"},
           {"add.cc.u16 %h0, %h1, %h2;", "'add.cc.u16'"},
           {"add.ftz.bf16 %h0, %h1, %h2;", "'add.ftz.bf16'"},
           {"add.rz.f16 %h0, %h1, %h2;", "'add.rz.f16'"},
           {"cvt.bf16.f32 %h0, %f1;", "'cvt.bf16.f32'"},
           {"cvt.rm.f16x2.f32 %r0, %f1, %f2;", "'cvt.rm.f16x2.f32'"},
           {"atom.global.add.f16 %h0, [%out], %h1;", "'atom.global.add.f16'"},
           {"lop3.xor.b32 %r0, %r1, %r2, %r3, 1;", "'lop3.xor.b32'"},
           {"elect %r0|%p0, -1;", "'elect'"},
           {"add.b32 %r0, %r1, %r2;", "'add.b32'"},
           {"mul.s32 %r0, %r1, %r2;", "'mul.s32'"},
           {"mul.wide.u64 %w0, %w1, %w2;", "'mul.wide.u64'"},
           {"and.u32 %r0, %r1, %r2;", "'and.u32'"},
           {"setp.lt.b32 %p0, %r1, %r2;", "'setp.lt.b32'"},
           {"setp.ltu.s32 %p0, %r1, %r2;", "'setp.ltu.s32'"},
           {"setp.lo.s32 %p0, %r1, %r2;", "'setp.lo.s32'"},
           {"cvt.f32.s32 %f0, %r1;", "'cvt.f32.s32'"},
           {"cvt.s32.f32 %r0, %f1;", "'cvt.s32.f32'"},
           {"sin.f32 %f0, %f1;", "'sin.f32'"},
           {"atom.global.add.b32 %r0, [%out], 1;", "'atom.global.add.b32'"},
           {"st.const.u32 [%out], %r0;", "'st.const.u32'"},
           {"tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [t, {%r0}];", "'tex.1d.v4.f32.s32'"}}) {
    const std::string text = load_refusal(body);
    EXPECT_NE(text.find(name), std::string::npos) << text;
    EXPECT_NE(text.find("bad.ptx:18:"), std::string::npos) << text;
  }
}

TEST(OracleLoad, RefusesUnknownNamesAndWrongWidths) {
  EXPECT_NE(load_refusal("mov.u32 %r0, %r16;").find("%r16"), std::string::npos);
  EXPECT_NE(load_refusal("mov.u32 %r0, nowhere;").find("'nowhere' is not declared"), std::string::npos);
  EXPECT_NE(load_refusal("mov.u32 %r0, %aggr_smem_size;").find("special register"), std::string::npos);
  EXPECT_NE(load_refusal("bra $nowhere;").find("no label '$nowhere'"), std::string::npos);
  EXPECT_NE(load_refusal("add.u32 %r0, %r1, %w0;").find("'%w0' has 64 bits, 'add' needs 32"),
            std::string::npos);
  EXPECT_NE(load_refusal("ld.global.u64 %r0, [%out];").find("'%r0' has 32 bits"), std::string::npos);
  EXPECT_NE(load_refusal("@%r0 bra $x; $x:").find("not a predicate"), std::string::npos);
  EXPECT_NE(load_refusal("ld.shared.u32 %r0, [g];", ".global .u32 g;").find("not in the state space"),
            std::string::npos);
  EXPECT_NE(load_refusal("add.u32 %r0, %r1;").find("wrong number of operands"), std::string::npos);
  EXPECT_NE(load_refusal("setp.eq.f16 %p0|%p1, %h0, %h1;").find("'setp' of .f16 has one result"),
            std::string::npos);
  EXPECT_NE(load_refusal("cvt.sat.u32.u8 %r0, %h0;").find("'cvt' has no '.sat' where"), std::string::npos);
  EXPECT_NE(load_refusal("cvt.sat.s64.s64 %w0, %w1;").find("'cvt' has no '.sat' where"), std::string::npos);
  EXPECT_NE(load_refusal("ld.global.v2.u32 {%r0, %r1, %r2}, [%out];").find("2 elements"), std::string::npos);
}

TEST(OracleLoad, RefusesDoubleDeclarations) {
  EXPECT_NE(load_refusal("$a: mov.u32 %r0, 1;\n$a: mov.u32 %r0, 2;").find("'$a' is declared twice"),
            std::string::npos);
  EXPECT_NE(load_refusal(".reg .b32 %x; .reg .b32 %x;").find("'%x' is declared twice"), std::string::npos);
  EXPECT_NE(load_refusal("", ".global .u32 g; .global .u32 g;").find("'g' is declared twice"),
            std::string::npos);
}

TEST(OracleLoad, RefusesMoreThan64KiBOfConstants) {
  const std::string fits = ".const .b8 first[65520]; .const .b8 one; .const .u64 last; .global .b8 g[70000];";
  EXPECT_NO_THROW(OracleDevice().load_ptx_text(kernel_text({.module = fits}), "fits.ptx"));
  const std::string text = load_refusal("", fits + "\n.const .b8 more;");
  EXPECT_NE(text.find("bad.ptx:5:"), std::string::npos) << text;
  EXPECT_NE(text.find("65537 bytes with 'more'"), std::string::npos) << text;
  EXPECT_NE(text.find(".global"), std::string::npos) << text;
}

TEST(OracleLoad, ScopesNestAndShadow) {
  const auto out = run({.module = "",
                        .body = ".reg .u32 t;\nmov.u32 t, 1;\n{\n.reg .u32 t;\nmov.u32 t, 5;\nst.global.u32 "
                                "[%out+4], t;\nbra L;\nmov.u32 t, 6;\n"
                                "L: st.global.u32 [%out+8], t;\n}\nst.global.u32 [%out], t;"});
  EXPECT_EQ(out[0], 1u);
  EXPECT_EQ(out[1], 5u);
  EXPECT_EQ(out[2], 5u);
}

TEST(OracleLoad, NumberedRegistersMayHaveDigitsInTheirPrefix) {
  const auto out = run({.module = "",
                        .body = ".reg .u32 %f1<3>, %g<100000>;\nmov.u32 %f12, 7; mov.u32 %g99999, 8;\n"
                                "st.global.u32 [%out], %f12; st.global.u32 [%out+4], %g99999;"});
  EXPECT_EQ(out[0], 7u);
  EXPECT_EQ(out[1], 8u);
}

TEST(OracleLoad, KernelInformation) {
  OracleDevice device;
  const auto module = device.load_ptx_text(
      std::string(kHeader) +
          ".shared .align 8 .b8 used[40];\n.shared .align 4 .b8 other[400];\n.global .u32 g;\n"
          ".visible .entry one(.param .u64 p) .maxntid 64, 2, 1\n{ .local .align 8 .b8 l[24]; .shared .u32 "
          "s; .reg .u32 %r;\n"
          "mov.u32 %r, used; mov.u32 %r, s; ret; }\n.visible .entry two() { ret; }",
      "info.ptx");
  const auto kernel = device.kernel(module, "one");
  EXPECT_EQ(kernel->static_shared_bytes, 44u);
  EXPECT_EQ(kernel->local_bytes_per_thread, 24u);
  EXPECT_EQ(kernel->max_threads_per_cta, 128u);
  EXPECT_EQ(kernel->source->name, "info.ptx");
  EXPECT_NO_THROW(device.launch(module, "two", launch(3, 7), host::Args()));
  EXPECT_EQ(device.thread_instructions(), 21u);
  EXPECT_GE(device.symbol(module, "g"), isa::kGlobalBase);
  EXPECT_THROW((void)device.symbol(module, "h"), base::InputError);
  const std::string text = error_of<base::InputError>([&] { (void)device.kernel(module, "three"); });
  EXPECT_NE(text.find("Kernels: one, two"), std::string::npos) << text;
  EXPECT_THROW((void)device.kernel(module + 1, "one"), base::InputError);
  EXPECT_THROW(device.launch(module, "two", launch(1, 1025), host::Args()), base::InputError);
  EXPECT_THROW(device.launch(module, "one", launch(1, 1), host::Args()), base::InputError);
}

TEST(OracleLoad, SymbolsAreHostVisible) {
  OracleDevice device;
  const auto module = device.load_ptx_text(
      std::string(kHeader) +
          ".global .align 4 .u32 g[2] = {3, 4};\n.visible .entry k()\n{ .reg .u32 %r; ld.global.u32 %r, [g]; "
          "add.u32 %r, %r, 1; st.global.u32 [g+4], %r; ret; }",
      "symbols.ptx");
  const std::uint64_t g = device.symbol(module, "g");
  EXPECT_EQ(device.download<std::uint32_t>(g, 2), (std::vector<std::uint32_t>{3, 4}));
  const std::uint32_t nine = 9;
  device.write(g, std::as_bytes(std::span(&nine, 1)));
  device.launch(module, "k", {}, host::Args());
  EXPECT_EQ(device.download<std::uint32_t>(g, 2), (std::vector<std::uint32_t>{9, 10}));
}

}  // namespace
}  // namespace heddle::oracle::test::load_test
