// What a host program may rely on from the SystemC GPU as a device.
#include "gpu/gpu_device.h"

#include <gtest/gtest.h>

#include "cli/platform_files.h"

namespace heddle {
namespace {

// PTX ISA "Initializers": variables in .global and .const without one are zero.
TEST(GpuDevice, VariablesWithoutInitializerAreZeroWhereFreedMemoryWasNot) {
  gpu::GpuDevice device(cli::load_platform("tiny", {}), {});
  const std::vector<std::uint32_t> dirt(64, 0xdeadbeef);
  const std::uint64_t before = device.upload(dirt, "before");
  device.free(before);
  const auto module = device.load_ptx_text(
      ".version 7.5\n.target sm_75\n.address_size 64\n.const .b32 c[16];\n.global .b32 g[16];\n",
      "variables");
  EXPECT_EQ(device.symbol(module, "c"), before);  // so it does lie there
  for (const char* name : {"c", "g"})
    EXPECT_EQ(device.download<std::uint32_t>(device.symbol(module, name), 16),
              std::vector<std::uint32_t>(16, 0))
        << name;
}

TEST(GpuDevice, AllocationsAreZeroWhereFreedMemoryWasNot) {
  gpu::GpuDevice device(cli::load_platform("tiny", {}), {});
  const std::uint64_t before = device.upload(std::vector<std::uint32_t>(64, 0xdeadbeef), "before");
  device.free(before);
  const std::uint64_t after = device.allocate(512, "after");
  EXPECT_EQ(after, before);
  EXPECT_EQ(device.download<std::uint32_t>(after, 128), std::vector<std::uint32_t>(128, 0));
}

}  // namespace
}  // namespace heddle
