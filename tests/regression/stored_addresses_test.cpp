// The memories of the GPU and of the oracle after the same program (cli/memory_compare.h): variables of modules are compared
// like buffers, and addresses that a kernel leaves in memory by what they point to. Each device has numbers of its own for
// functions, variables, buffers behind them, and shared and local memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/oracle_check.h"
#include "cli/tracked_device.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"

namespace heddle::stored_addresses_test {
namespace {

using host::Args;
using ::testing::HasSubstr;

const std::string kHeader = ".version 7.5\n.target sm_75\n.address_size 64\n";

class StoredAddresses : public ::testing::Test {
 protected:
  cli::MemoryVerdict compare(const std::function<void(host::Device&)>& program) {
    cli::TrackedDevice device(gpu_);
    program(device);
    return cli::compare_with_oracle(device, program);
  }

  /// One thread of a kernel k(.param .u64 out, .param .u64 other), %out and %other loaded: `out` has 256 bytes, `other` 64.
  cli::MemoryVerdict run(const std::string& declarations, const std::string& body) {
    return compare([&](host::Device& device) {
      const auto module =
          device.load_ptx_text(kHeader + declarations +
                                   "\n.visible .entry k(.param .u64 out, .param .u64 other)\n{\n.reg .b64 "
                                   "%out, %other, %w<8>; .reg .b32 "
                                   "%r<8>;\nld.param.u64 %out, [out]; ld.param.u64 %other, [other];\n" +
                                   body + "\nret;\n}\n",
                               "text.ptx");
      const std::uint64_t out = device.allocate(256, "out");
      const std::uint64_t other = device.allocate(64, "other");
      device.launch(module, "k", {{1}, {1}}, Args().add(out).add(other));
    });
  }

  gpu::GpuDevice gpu_{gpu::load_platform("tiny", {}), {}};
};

/// Makes the addresses of everything behind it differ: the GPU gives functions addresses in device memory, the oracle
/// does not, and it aligns variables less.
const std::string kShift = R"(.func f { ret; }
.func g { ret; }
.global .u64 pointers[3] = {f, 0, g};
.global .b8 odd[5] = {1, 2, 3, 4, 5};
.global .align 8 .b8 store[40];
)";

TEST_F(StoredAddresses, OfBuffersVariablesAndFunctions) {
  const auto verdict = run(kShift + ".alias h, f;\n.visible .const .u32 c[4] = {7};\n", R"(
    st.global.u64 [%out], %out;
    st.global.u64 [%out+8], %other;
    add.u64 %w0, %other, 64; st.global.u64 [%out+16], %w0;   // its end
    mov.u64 %w0, store; cvta.global.u64 %w0, %w0; add.u64 %w0, %w0, 12; st.global.u64 [%out+24], %w0;
    mov.u64 %w0, odd; st.global.u64 [%other], %w0;
    mov.u64 %w0, c; cvta.const.u64 %w0, %w0; st.global.u64 [%out+32], %w0;
    mov.u64 %w0, g; st.global.u64 [%out+40], %w0; st.global.u64 [store+8], %w0;
    ld.global.u64 %w1, [pointers]; st.global.u64 [%out+48], %w1;
    mov.b64 {%r0, %r1}, %w0; st.global.u32 [%out+60], %r0; st.global.u32 [%out+64], %r1;  // packed
  )");
  EXPECT_TRUE(verdict.passed) << verdict.summary;
  EXPECT_EQ(verdict.summary,
            "2 buffers and 4 variables, 405 bytes, are the same (12 addresses by what they point to)");
}

/// The oracle gives offsets to the variables of the kernel before those of the functions that it calls, and to those that
/// nothing names.
TEST_F(StoredAddresses, OfSharedAndLocalMemory) {
  const auto verdict = run(R"(.shared .b32 late[16];
.shared .b32 early[3];
.extern .shared .align 16 .b8 open[];
.func (.param .b64 d) callee
{
  .reg .b64 %w<4>; .local .b32 deep[2]; .shared .b32 unnamed[9]; .shared .b32 own[4];
  mov.u64 %w0, own; cvta.shared.u64 %w0, %w0; mov.u64 %w1, late; cvta.shared.u64 %w1, %w1;
  mov.u64 %w2, deep; cvta.local.u64 %w2, %w2;
  st.param.b64 [d], %w0; st.global.u64 [kept], %w1; st.global.u64 [kept+8], %w2;
  ret;
}
)" + std::string(".global .b64 kept[2];\n"),
                           R"(.local .b32 mine[4];
    mov.u64 %w0, early; cvta.shared.u64 %w0, %w0; add.u64 %w0, %w0, 4; st.global.u64 [%out], %w0;
    mov.u64 %w0, open; cvta.shared.u64 %w0, %w0; add.u64 %w0, %w0, 32; st.global.u64 [%out+8], %w0;
    mov.u64 %w0, mine; cvta.local.u64 %w0, %w0; st.global.u64 [%out+16], %w0;
    { .param .b64 d; call (d), callee; ld.param.b64 %w0, [d]; } st.global.u64 [%out+24], %w0;)");
  EXPECT_TRUE(verdict.passed) << verdict.summary;
  EXPECT_THAT(verdict.summary, HasSubstr("point to)"))
      << "both have the same layout: the test compares nothing";
}

TEST_F(StoredAddresses, OfBlocksThatKernelsAllocate) {
  const auto verdict = run(kShift + ".extern .func (.param .b64 block) malloc (.param .b64 bytes);\n", R"(
    { .param .b64 n; .param .b64 p; st.param.b64 [n], 24; call (p), malloc, (n); ld.param.b64 %w0, [p]; }
    { .param .b64 n; .param .b64 p; st.param.b64 [n], 40; call (p), malloc, (n); ld.param.b64 %w1, [p]; }
    st.global.u64 [%out], %w0;
    add.u64 %w2, %w1, 16; st.global.u64 [%w0+8], %w2;
    st.u64 [%w1], %w0; st.u64 [%w1+32], %out;)");
  EXPECT_TRUE(verdict.passed) << verdict.summary;
  EXPECT_THAT(verdict.summary, HasSubstr("by what they point to"))
      << "the heaps begin at the same address: the test compares nothing";
}

TEST_F(StoredAddresses, OfFreedBuffersAndUnloadedModules) {
  const auto verdict = compare([&](host::Device& device) {
    const auto module =
        device.load_ptx_text(kHeader + kShift + R"(.visible .entry k(.param .u64 out, .param .u64 gone)
{
  .reg .b64 %out, %w<4>;
  ld.param.u64 %out, [out]; ld.param.u64 %w0, [gone]; st.global.u64 [%out], %w0;
  mov.u64 %w1, store; st.global.u64 [%out+8], %w1; mov.u64 %w1, f; st.global.u64 [%out+16], %w1;
  ret;
})",
                             "text.ptx");
    const std::uint64_t out = device.allocate(256, "out");
    const std::uint64_t gone = device.allocate(64, "gone");
    device.launch(module, "k", {{1}, {1}}, Args().add(out).add(gone));
    device.free(gone);
    device.unload(module);
    (void)device.allocate(16, "in its place");
  });
  EXPECT_TRUE(verdict.passed) << verdict.summary;
  EXPECT_THAT(verdict.summary, HasSubstr("2 buffers, 272 bytes, are the same (3 addresses"));
}

// %nsmid is 2 on this GPU and 1 on the oracle.

TEST_F(StoredAddresses, OfAnotherByteDiffer) {
  const auto verdict = run(kShift, R"(
    mov.u32 %r0, %nsmid; mul.wide.u32 %w1, %r0, 4; mov.u64 %w0, store; add.u64 %w0, %w0, %w1;
    st.global.u64 [%out+8], %w0;)");
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.summary,
            "the address at byte 8 of buffer 'out' points to byte 8 of variable 'store', on the oracle to "
            "byte 4 of "
            "variable 'store'");
}

TEST_F(StoredAddresses, OfAnotherThingDiffer) {
  const auto verdict = run(kShift, R"(.reg .pred %p;
    mov.u32 %r0, %nsmid; setp.eq.u32 %p, %r0, 1; mov.u64 %w0, f; mov.u64 %w1, g; selp.b64 %w0, %w0, %w1, %p;
    st.global.u64 [pointers+8], %w0;)");
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(
      verdict.summary,
      "the address at byte 8 of variable 'pointers' points to function 'g', on the oracle to function 'f'");
}

TEST_F(StoredAddresses, OfSharedVariablesAreOfTheSameOnes) {
  const auto verdict = run(".shared .b32 a[4];\n.shared .b32 b[4];", R"(
    .reg .pred %p;
    mov.u32 %r0, %nsmid; setp.eq.u32 %p, %r0, 1; mov.u64 %w0, a; mov.u64 %w1, b; selp.b64 %w0, %w0, %w1, %p;
    cvta.shared.u64 %w0, %w0; st.global.u64 [%out], %w0;)");
  EXPECT_FALSE(verdict.passed);
  EXPECT_THAT(verdict.summary,
              HasSubstr("to byte 0 of shared variable 'b', on the oracle to byte 0 of shared variable 'a'"));
}

TEST_F(StoredAddresses, NumbersThatAreNoAddressesAreComparedAsTheyAre) {
  const auto verdict = run(kShift, "mov.u32 %r0, %nsmid; st.global.u32 [store+20], %r0;");
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.summary, "byte 20 of variable 'store' is 0x02, on the oracle it is 0x01");
}

TEST_F(StoredAddresses, AnInitialValueCounts) {
  // The host writes another one on one of the devices only.
  int runs = 0;
  const auto verdict = compare([&](host::Device& device) {
    const auto module = device.load_ptx_text(kHeader + kShift, "text.ptx");
    if (runs++ == 0) device.write(device.symbol(module, "odd") + 3, std::as_bytes(std::span("x", 1)));
  });
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.summary, "byte 3 of variable 'odd' is 0x78, on the oracle it is 0x04");
}

class VirtualFunctions : public StoredAddresses, public ::testing::WithParamInterface<const char*> {};

TEST_P(VirtualFunctions, LeaveTheirTablesInObjects) {
  constexpr std::int32_t kObjects = 256;
  const std::function<std::int32_t(std::int32_t, std::int32_t)> area = [&](std::int32_t i,
                                                                           std::int32_t depth) {
    if (i % 3 == 0) return i * i + depth;
    const std::int32_t size = i % 3 == 1 ? i % 17 : i;
    if (i % 3 == 1) return size * (size - 1) / 2 * depth;
    return depth > 0 ? size + area(i - 1, depth - 1) * 2 : size;
  };
  std::vector<std::int32_t> want(kObjects);
  for (std::int32_t i = 0; i < kObjects; ++i)
    want[static_cast<std::size_t>(i)] = area(i * 7 % kObjects, i % 4);
  const auto verdict = compare([&](host::Device& device) {
    const auto module = device.load_ptx_file(std::string(HEDDLE_SOURCE_DIR) + "/tests/data/calls/virtual." +
                                             GetParam() + ".ptx");
    const std::uint64_t shapes = device.allocate(8 * kObjects, "shapes");
    const std::uint64_t out = device.allocate(4 * kObjects, "out");
    device.launch(module, "objects", {{1}, {kObjects}}, Args().add(shapes).add(out));
    EXPECT_EQ(device.download<std::int32_t>(out, kObjects), want) << device.properties().name;
  });
  EXPECT_TRUE(verdict.passed) << verdict.summary;
  // Three tables, what points to them in every object, and the pointers to and between objects.
  EXPECT_THAT(verdict.summary, HasSubstr("2 buffers and 4 variables, "));
  EXPECT_THAT(verdict.summary, HasSubstr(" addresses by what they point to)"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, VirtualFunctions, ::testing::Values("nvcc", "clang"),
                         [](const auto& compiler) { return std::string(compiler.param); });

}  // namespace
}  // namespace heddle::stored_addresses_test
