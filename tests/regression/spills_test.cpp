// Kernels whose registers a core has not for a CTA of the launch: compiled for its size, they spill.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "isa_support.h"

namespace heddle::testing::spills_test {
namespace {

constexpr unsigned kValues = 60;
constexpr std::uint32_t kThreads = 1024;

/// Values x0, x1 ... that are all live across a loop that changes them; some 64 bits wide, some written by half of the
/// threads.
std::string many_values() {
  std::string body =
      ".reg .u32 %x<64>; .reg .u64 %y<64>; mov.u32 %r9, 0; and.b32 %r8, %t, 1; setp.eq.u32 %p1, %r8, 1;";
  for (unsigned i = 0; i < kValues; ++i) {
    const std::string n = std::to_string(i);
    body +=
        "mad.lo.u32 %x" + n + ", %t, " + std::to_string(i + 1) + ", 5; cvt.u64.u32 %y" + n + ", %x" + n + ";";
  }
  body += "\nLOOP: ";
  for (unsigned i = 0; i < kValues; ++i) {
    const std::string n = std::to_string(i);
    body += "@%p1 add.u32 %x" + n + ", %x" + n + ", %r9; add.u64 %y" + n + ", %y" + n + ", 3;";
  }
  body += "add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 3; @%p2 bra LOOP; mov.u32 %r1, 0;";
  for (unsigned i = 0; i < kValues; ++i) {
    const std::string n = std::to_string(i);
    body += "add.u32 %r1, %r1, %x" + n + "; cvt.u32.u64 %r2, %y" + n + "; xor.b32 %r1, %r1, %r2;";
  }
  return body + "st.global.u32 [%mine], %r1;";
}

std::uint32_t expected(std::uint32_t thread) {
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < kValues; ++i) {
    const std::uint32_t first = thread * (i + 1) + 5;
    sum = (sum + first + (thread % 2 == 1 ? 3 : 0)) ^ (first + 9);
  }
  return sum;
}

TEST(Spills, KernelThatNeedsMoreRegistersThanACoreHasRuns) {
  for (const std::uint32_t threads : {32u, kThreads}) {
    const auto out = run({.body = many_values(), .shape = {{1, 1, 1}, {threads, 1, 1}, 0}, .words = threads});
    for (std::uint32_t thread = 0; thread < threads; ++thread)
      EXPECT_EQ(out[thread], expected(thread)) << thread;
  }
}

TEST(Spills, ListSchedulingKeepsTheLimitsOfLaunchesAndBounds) {
  gpu::GpuDevice device(gpu::load_platform("tiny", {"core.schedule=list", "core.schedule_registers=255"}),
                        {});
  std::string text = fragment_text({.body = many_values()});
  const auto module = device.load_ptx_text(text, "fragment.ptx");
  const std::uint64_t out = device.allocate(kThreads * 4, "out");
  host::Args args;
  args.add(out);
  device.launch(module, "k", {{1, 1, 1}, {kThreads, 1, 1}, 0}, args);
  const auto words = device.download<std::uint32_t>(out, kThreads);
  for (std::uint32_t thread = 0; thread < kThreads; ++thread)
    EXPECT_EQ(words[thread], expected(thread)) << thread;

  const std::string end = "(.param .u64 out)";
  text.insert(text.find(end) + end.size(), " .maxnreg 40");
  EXPECT_LE(device.kernel(device.load_ptx_text(text, "bounded.ptx"), "k")->registers_per_thread, 40u);
}

std::size_t instructions_with(const std::string& registers) {
  gpu::GpuDevice device(gpu::load_platform("tiny", {}), {});
  const std::string text =
      ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) .maxnreg " +
      registers +
      " { .reg .b32 %a<9>, %x<9>; .reg .f32 %c<9>; .reg .b64 %p; ld.param.u64 %p, [out];"
      "ld.global.v4.u32 {%a0,%a1,%a2,%a3}, [%p]; ld.global.v2.u32 {%a4,%a5}, [%p+16];"
      "ld.global.v4.f32 {%c0,%c1,%c2,%c3}, [%p]; ld.global.v4.u32 {%x0,%x1,%x2,%x3}, [%p];"
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0,%c1,%c2,%c3}, {%a0,%a1,%a2,%a3}, {%a4,%a5}, "
      "{%c0,%c1,%c2,%c3}; st.global.v4.f32 [%p], {%c0,%c1,%c2,%c3}; st.global.v4.u32 [%p], {%x0,%x1,%x2,%x3};"
      "ret; }";
  return device.kernel(device.load_ptx_text(text, "bounded.ptx"), "k")->code.size();
}

TEST(Spills, ALimitBelowWhatOneInstructionNeedsSpillsNoMoreThanThatNeed) {
  EXPECT_EQ(tb::isolated([] { return nlohmann::ordered_json(instructions_with("4")); }),
            tb::isolated([] { return nlohmann::ordered_json(instructions_with("10")); }));
}

TEST(Spills, WhatIsSpilledLiesBehindLocalVariables) {
  const auto out = run({.body = ".local .align 4 .b32 own; st.local.u32 [own], %t;" + many_values() +
                                "ld.local.u32 %r3, [own]; add.u32 %r1, %r1, %r3; st.global.u32 [%mine], %r1;",
                        .shape = {{1, 1, 1}, {kThreads, 1, 1}, 0},
                        .words = kThreads});
  for (std::uint32_t thread = 0; thread < kThreads; ++thread)
    EXPECT_EQ(out[thread], expected(thread) + thread);
}

}  // namespace
}  // namespace heddle::testing::spills_test
