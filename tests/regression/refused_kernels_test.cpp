// Modules that contain something unsupported: only the kernels that may reach it are refused, on the GPU
// model and on the oracle. And launches that the kernel's own directives refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "calls_support.h"
#include "oracle/oracle.h"

namespace heddle::calls::refused_kernels_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kVersion = ".version 7.5\n.target sm_75\n.address_size 64\n";

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Applies `action` to a GPU and to an oracle.
void on_both(const std::function<void(host::Device&)>& action,
             const std::vector<std::string>& assignments = {}) {
  gpu::GpuDevice gpu(gpu::load_platform("tiny", assignments), {});
  oracle::OracleDevice oracle;
  for (host::Device* device : {static_cast<host::Device*>(&gpu), static_cast<host::Device*>(&oracle)}) {
    SCOPED_TRACE(device->properties().name);
    action(*device);
  }
}

/// A kernel with kIndex that stores %t1 of each lane, on one line.
std::string storing(const std::string& name, const std::string& body) {
  std::string index = kIndex;
  index.pop_back();
  return ".visible .entry " + name + "(.param .u64 out) { " + index + body +
         " st.global.u32 [%at], %t1; ret; }\n";
}

void expect_lanes(host::Device& device, host::ModuleHandle module, const std::string& kernel,
                  std::uint32_t factor) {
  const std::uint64_t out = device.allocate(128, "out");
  device.launch(module, kernel, {{1, 1, 1}, {32, 1, 1}, 0}, Args().add(out));
  EXPECT_EQ(device.download<std::uint32_t>(out, 32), lanes([=](std::uint32_t i) { return i * factor; }))
      << kernel;
  device.free(out);
}

/// Requesting the kernel and launching it give the same error.
std::string refusal(host::Device& device, host::ModuleHandle module, const std::string& kernel) {
  const std::string asked = error_of([&] { (void)device.kernel(module, kernel); });
  const std::string launched = error_of([&] {
    device.launch(module, kernel, {{1, 1, 1}, {32, 1, 1}, 0}, Args().add(std::uint64_t{0}));
  });
  EXPECT_EQ(asked, launched);
  return asked;
}

// Lines 4 to 16: one function and one kernel each; the unsupported instructions are on lines 6, 8 and 10.
std::string mixed_module() {
  return std::string(kVersion) + ".global .texref image; .global .surfref plane; .global .b128 wide;\n" +
         storing("plain", "mul.lo.u32 %t1, %i, 3;") +
         ".func (.param .b32 o) matrix (.param .b32 x) { .reg .b32 %r<4>; wgmma.fence.sync.aligned; "
         "ret; }\n" +
         ".func (.param .b32 o) twice (.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; shl.b32 %r, %r, "
         "1; "
         "st.param.b32 [o], %r; ret; }\n" +
         storing("textured", "tex.1d.v4.s32.s32 {%t1, %t2, %t3, %t4}, [image, {%i}];") +
         storing("by_name",
                 "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %i; call (b), matrix, (a); "
                 "ld.param.b32 %t1, [b]; }") +
         storing("typo", "mov.u32 %t1, %nothing;") +
         storing("called",
                 "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %i; call (b), twice, (a); "
                 "ld.param.b32 %t1, [b]; }") +
         ".global .u64 pointer = matrix; .global .u64 wider = wide_enough;\n" +
         storing("by_pointer",
                 ".reg .b64 %f; P: .callprototype (.param .b32 _) _ (.param .b32 _); "
                 "ld.global.u64 %f, [pointer]; { .param .b32 a; .param .b32 b; st.param.b32 [a], %i; "
                 "call (b), %f, (a), P; ld.param.b32 %t1, [b]; }") +
         storing("other_pointer",
                 ".reg .b64 %f, %v; P: .callprototype (.param .b64 _) _ (.param .b64 _); "
                 "ld.global.u64 %f, [wider]; cvt.u64.u32 %v, %i; { .param .b64 a; .param .b64 b; "
                 "st.param.b64 [a], %v; call (b), %f, (a), P; ld.param.b64 %v, [b]; } cvt.u32.u64 %t1, %v;") +
         ".func (.param .b64 o) wide_enough (.param .b64 x) { .reg .b64 %r; ld.param.b64 %r, [x]; "
         "mul.lo.u64 %r, %r, 5; st.param.b64 [o], %r; ret; }\n" +
         storing("surface", ".reg .b64 %s; mov.u64 %s, plane; cvt.u32.u64 %t1, %s;");
}

void expect_mixed(host::Device& device) {
  const host::ModuleHandle module = device.load_ptx_text(mixed_module(), "mixed.ptx");
  expect_lanes(device, module, "plain", 3);
  expect_lanes(device, module, "called", 2);
  expect_lanes(device, module, "other_pointer", 5);
  EXPECT_THAT(
      refusal(device, module, "textured"),
      AllOf(StartsWith("mixed.ptx:8:"), HasSubstr("instruction 'tex.1d.v4.s32.s32' is not supported")));
  for (const char* kernel : {"by_name", "by_pointer"})
    EXPECT_THAT(refusal(device, module, kernel),
                AllOf(StartsWith("mixed.ptx:6:"), HasSubstr("'wgmma.fence.sync.aligned' is not supported")))
        << kernel;
  EXPECT_THAT(refusal(device, module, "typo"), AllOf(StartsWith("mixed.ptx:10:"), HasSubstr("%nothing")));
  EXPECT_THAT(refusal(device, module, "surface"),
              AllOf(StartsWith("mixed.ptx:16:"), HasSubstr("variable 'plane' of type '.surfref'")));
  const std::string unknown = error_of([&] { (void)device.kernel(module, "nobody"); });
  EXPECT_THAT(unknown, AllOf(HasSubstr("plain"), HasSubstr("textured (refused)")));
  expect_lanes(device, module, "plain", 3);  // still usable
}

TEST(RefusedKernels, leave_the_others_of_their_module_alone) { on_both(expect_mixed); }

TEST(RefusedKernels, leave_the_others_alone_under_ssde) { on_both(expect_mixed, {"core.compiler=ssde"}); }

TEST(RefusedKernels, leave_the_others_alone_under_delayed_reconvergence) {
  on_both(expect_mixed, {"core.compiler=delayed_reconvergence"});
}

TEST(RefusedKernels, say_what_to_do_instead) {
  gpu::GpuDevice device(gpu::load_platform("tiny", {}), {});
  const host::ModuleHandle module = device.load_ptx_text(mixed_module(), "mixed.ptx");
  EXPECT_THAT(refusal(device, module, "textured"),
              AllOf(HasSubstr("Texture references are not modelled"), HasSubstr("\n  "), HasSubstr("^")));
  EXPECT_THAT(refusal(device, module, "surface"), HasSubstr("Texture references are not modelled"));
}

TEST(RefusedKernels, of_a_function_in_a_module_loaded_before) {
  on_both([](host::Device& device) {
    device.load_ptx_text(std::string(kVersion) +
                             ".visible .func (.param .b32 o) matrix (.param .b32 x)\n{ wgmma.fence; ret; }\n",
                         "library.ptx");
    const host::ModuleHandle module = device.load_ptx_text(
        std::string(kVersion) + ".extern .func (.param .b32 o) matrix (.param .b32 x);\n" +
            storing("plain", "mul.lo.u32 %t1, %i, 3;") +
            storing("calling",
                    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %i; call (b), matrix, (a); "
                    "ld.param.b32 %t1, [b]; }"),
        "main.ptx");
    EXPECT_THAT(refusal(device, module, "calling"),
                AllOf(StartsWith("library.ptx:5:"), HasSubstr("'wgmma.fence' is not supported")));
    expect_lanes(device, module, "plain", 3);
  });
}

// Programs with dynamic parallelism have tables of kernels in their library.
TEST(RefusedKernels, tables_of_kernels_refuse_nothing) {
  on_both([](host::Device& device) {
    const std::string text = std::string(kVersion) + ".global .align 8 .u64 table[2] = {plain, 0};\n" +
                             storing("plain", "mul.lo.u32 %t1, %i, 3;");
    expect_lanes(device, device.load_ptx_text(text, "table.ptx"), "plain", 3);
  });
}

// A syntax error refuses everything, because the extent of functions is then unknown.
TEST(RefusedKernels, are_not_what_syntax_errors_make) {
  on_both([](host::Device& device) {
    const std::string text = std::string(kVersion) + storing("plain", "mul.lo.u32 %t1, %i, 3;") +
                             ".entry bad() { add %t1 %t2; }\n";
    EXPECT_THAT(error_of([&] { device.load_ptx_text(text, "syntax.ptx"); }), StartsWith("syntax.ptx:5:"));
  });
}

TEST(RequiredBlock, is_what_a_launch_must_have) {
  on_both([](host::Device& device) {
    const host::ModuleHandle module =
        device.load_ptx_text(std::string(kVersion) +
                                 ".visible .entry exact() .reqntid 16, 4 { ret; }\n"
                                 ".visible .entry most() .maxntid 16, 4 .minnctapersm 2 { ret; }\n"
                                 ".visible .entry hints() .minnctapersm 64 .maxnreg 1 { ret; }\n",
                             "shapes.ptx");
    const auto launch = [&](const std::string& kernel, host::Dim3 block) {
      return error_of([&] { device.launch(module, kernel, {{1, 1, 1}, block, 0}, {}); });
    };
    EXPECT_EQ(launch("exact", {16, 4, 1}), "no error");
    for (const auto& [block, given] : std::vector<std::pair<host::Dim3, const char*>>{
             {{4, 16, 1}, "4 x 16 x 1"}, {{64, 1, 1}, "64 x 1 x 1"}, {{16, 4, 2}, "16 x 4 x 2"}})
      EXPECT_THAT(launch("exact", block), AllOf(StartsWith("launch of kernel exact: the block is"),
                                                HasSubstr(given), HasSubstr(".reqntid requires 16 x 4 x 1")));
    EXPECT_EQ(launch("most", {64, 1, 1}), "no error");
    EXPECT_THAT(launch("most", {65, 1, 1}), HasSubstr(".maxntid allows 64"));
    EXPECT_EQ(launch("hints", {256, 1, 1}), "no error");
  });
}

}  // namespace
}  // namespace heddle::calls::refused_kernels_test
