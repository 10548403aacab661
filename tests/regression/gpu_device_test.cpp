// What a host program may rely on from the SystemC GPU as a device.
#include "gpu/gpu_device.h"

#include <gtest/gtest.h>

#include "gpu/platform_files.h"
#include "sim/error.h"

namespace heddle {
namespace {

// PTX ISA "Initializers": variables in .global and .const without one are zero.
TEST(GpuDevice, VariablesWithoutInitializerAreZeroWhereFreedMemoryWasNot) {
  gpu::GpuDevice device(gpu::load_platform("tiny", {}), {});
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
  gpu::GpuDevice device(gpu::load_platform("tiny", {}), {});
  const std::uint64_t before = device.upload(std::vector<std::uint32_t>(64, 0xdeadbeef), "before");
  device.free(before);
  const std::uint64_t after = device.allocate(512, "after");
  EXPECT_EQ(after, before);
  EXPECT_EQ(device.download<std::uint32_t>(after, 128), std::vector<std::uint32_t>(128, 0));
}

TEST(GpuDevice, PropertiesAreThoseOfThePlatform) {
  const gpu::GpuDevice device(gpu::load_platform("tiny", {"memory.partitions=3", "memory.l2.size_kib=64"}),
                              {});
  const host::DeviceProperties properties = device.properties();
  EXPECT_EQ(properties.name, "tiny");
  EXPECT_EQ(properties.multiprocessors, 2u);
  EXPECT_EQ(properties.warp_size, 32u);
  EXPECT_EQ(properties.max_threads_per_multiprocessor, 32u * 32u);
  EXPECT_EQ(properties.max_threads_per_block, 1024u);
  EXPECT_EQ(properties.max_blocks_per_multiprocessor, 4u);
  EXPECT_EQ(properties.memory_partitions, 3u);
  EXPECT_EQ(properties.l2_bytes, 3u * 64 * 1024);
}

TEST(GpuDevice, SynchronizeTellsOfAFailedLaunchForGood) {
  gpu::GpuDevice device(gpu::load_platform("tiny", {}), {});
  device.synchronize();
  const auto module = device.load_ptx_text(
      ".version 7.5\n.target sm_75\n.address_size 64\n"
      ".visible .entry stop()\n{\n  trap;\n}\n.visible .entry nothing()\n{\n  ret;\n}\n",
      "kernels");
  device.launch(module, "nothing", {}, {});
  device.synchronize();
  EXPECT_THROW(device.launch(module, "stop", {}, {}), sim::KernelFault);
  EXPECT_THROW(device.synchronize(), sim::Error);
  EXPECT_THROW(device.launch(module, "nothing", {}, {}), sim::Error);
}

TEST(GpuDevice, OneAProcess) {
  const gpu::GpuConfig config = gpu::load_platform("tiny", {});
  const gpu::GpuDevice first(config, {});
  EXPECT_THROW((gpu::GpuDevice{config, {}}), sim::InputError);
}

}  // namespace
}  // namespace heddle
