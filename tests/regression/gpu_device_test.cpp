// Guarantees of the SystemC GPU to host programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "base/error.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "gpu_device_support.h"
#include "oracle/oracle.h"

namespace heddle::device_tests::gpu_device_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// PTX ISA "Initializers": variables in .global and .const without one are zero.
TEST(GpuDevice, VariablesWithoutInitializerAreZeroWhereFreedMemoryWasNot) {
  gpu::GpuDevice device(gpu::load_platform("tiny", {}), {});
  const std::vector<std::uint32_t> dirt(64, 0xdeadbeef);
  const std::uint64_t before = device.upload(dirt, "before");
  device.free(before);
  const auto module = device.load_ptx_text(
      ".version 7.5\n.target sm_75\n.address_size 64\n.const .b32 c[16];\n.global .b32 g[16];\n",
      "variables");
  EXPECT_EQ(device.symbol(module, "c"), before);  // so it has the same address
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

// They pass by the partitions where L2 has nothing of the lines, and only there.
TEST(GpuDevice, LargeCopiesSeeWhatTheCachesHold) {
  gpu::GpuDevice device(gpu::load_platform("tiny", {"memory.partitions=3", "memory.address_map=ipoly"}), {});
  constexpr std::uint32_t kWords = 100'003, kStep = 37;
  const auto module = device.load_ptx_text(
      kHeader +
          ".visible .entry add(.param .u64 p) { .reg .b32 %r<3>; .reg .b64 %d<3>; mov.u32 %r1, %ctaid.x;\n"
          "mul.wide.u32 %d1, %r1, 148; ld.param.u64 %d2, [p]; add.u64 %d1, %d1, %d2;\n"
          "ld.global.u32 %r2, [%d1]; add.u32 %r2, %r2, 7; st.global.u32 [%d1], %r2; ret; }\n",
      "kernels.ptx");
  std::vector<std::uint32_t> words(kWords);
  const std::uint64_t at = device.allocate(kWords * 4 + 64, "words") + 12;
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < kWords; ++i) words[i] = i * 3 + round;
    (void)device.take_written_pages();
    device.write(at, std::as_bytes(std::span(words)));
    const auto pages = device.take_written_pages();
    ASSERT_TRUE(pages);
    EXPECT_EQ(pages->size(), (at + kWords * 4 - 1) / 4096 - at / 4096 + 1);
    EXPECT_EQ(pages->front(), at / 4096);
    EXPECT_EQ(device.download<std::uint32_t>(at, kWords), words);
    device.launch(module, "add", {{1000, 1, 1}, {1, 1, 1}, 0}, host::Args().add(at));
    for (std::uint32_t i = 0; i < 1000; ++i) words[std::size_t{i} * kStep] += 7;
    EXPECT_EQ(device.download<std::uint32_t>(at, kWords), words) << "round " << round;
  }
}

TEST(GpuDevice, TheHostDoesNotCopyIntoOrOutOfTheDeviceSOwnMemory) {
  gpu::GpuDevice device(gpu::load_platform("tiny", {"tm.enabled=true"}), {});
  const auto module = device.load_ptx_text(
      kHeader +
          ".extern .func tx_begin ();\n.extern .func tx_commit ();\n.const .align 4 .u32 fixed;\n"
          ".visible .entry empty() { { call.uni tx_begin, (); } { call.uni tx_commit, (); } ret; }\n",
      "kernels.ptx");
  device.launch(module, "empty", {{1, 1, 1}, {32, 1, 1}, 0}, {});
  std::vector<std::byte> bytes(4);
  unsigned own = 0;
  for (const auto& [address, allocation] : device.allocations().all()) {
    if (allocation.owner != host::Owner::kDevice) {
      device.write(address, bytes);  // buffers and variables, constants too
      continue;
    }
    ++own;
    for (const auto& copy : {std::function<void()>([&] { device.write(address, bytes); }),
                             std::function<void()>([&] { device.read(address, bytes); }),
                             std::function<void()>([&] { device.free(address); })}) {
      const auto error = error_of(copy);
      ASSERT_TRUE(error) << allocation.name;
      EXPECT_EQ(error->code(), base::ExitCode::kBadInput);
      EXPECT_THAT(error->what(), HasSubstr("'logs of transactions (tm)'"));
      EXPECT_THAT(error->what(), HasSubstr("the device's own memory"));
    }
  }
  EXPECT_EQ(own, 1u);
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

TEST(GpuDevice, AfterAFailedLaunchMemoryIsThereAndNothingRuns) {
  gpu::GpuDevice device(gpu::load_platform("tiny", {}), {});
  device.synchronize();
  const auto module = device.load_ptx_text(kKernels, "kernels");
  device.launch(module, "nothing", {}, {});
  device.synchronize();
  const std::vector<std::uint32_t> values(64, 7);
  const std::uint64_t before = device.upload(values, "before");
  EXPECT_THROW(device.launch(module, "stop", {}, {}), base::KernelFault);
  for (const auto& refused : {std::function<void()>([&] { device.synchronize(); }),
                              std::function<void()>([&] { device.launch(module, "nothing", {}, {}); })}) {
    const auto error = error_of(refused);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), base::ExitCode::kDeviceFailed);
    EXPECT_EQ(static_cast<int>(error->code()), 7);
    EXPECT_THAT(error->what(), AllOf(HasSubstr("launch of kernel stop: this launch failed ("),
                                     HasSubstr("kernels:6"), HasSubstr("nothing can run")));
  }
  EXPECT_EQ(device.download<std::uint32_t>(before, 64), values);
  const std::uint64_t after = device.upload(values, "after");
  EXPECT_EQ(device.download<std::uint32_t>(after, 64), values);
  device.free(after);
  device.unload(device.load_ptx_text(kKernels, "again"));
  EXPECT_EQ(device.launch_count(), 2u) << "a launch that is refused is none";
}

TEST(GpuDevice, AFailedLaunchIsTheLastOneOfItsKernel) {
  unsigned ended = 0, failed = 0;
  gpu::RunOptions options{.profile = true, .per_launch = true};
  options.on_launch = [&](const gpu::LaunchRecord& launch) { ++(launch.complete ? ended : failed); };
  gpu::GpuDevice device(gpu::load_platform("tiny", {}), options);
  const auto module = device.load_ptx_text(kKernels, "kernels");
  const std::uint64_t out = device.allocate(4, "out");
  device.launch(module, "nothing", {}, {});
  device.launch(module, "add", {}, host::Args().add(out).add(1u));
  EXPECT_THROW(device.launch(module, "add", {}, host::Args().add(out + 4096).add(1u)), base::KernelFault);
  EXPECT_EQ(ended, 2u);
  EXPECT_EQ(failed, 1u);
  ASSERT_EQ(device.kernels().size(), 2u);
  EXPECT_TRUE(device.kernels()[0].complete);
  const gpu::KernelRecord& kernel = device.kernels()[1];
  EXPECT_FALSE(kernel.complete);
  EXPECT_EQ(kernel.launches, 2u);
  ASSERT_EQ(device.launches().size(), 3u);
  const gpu::LaunchRecord &whole = device.launches()[1], &cut = device.last_launch();
  EXPECT_TRUE(whole.complete);
  EXPECT_FALSE(cut.complete);
  EXPECT_GT(cut.warp_instructions, 0u);
  EXPECT_GT(cut.simulation_seconds, 0);
  EXPECT_GE(cut.host_seconds, cut.simulation_seconds);
  EXPECT_EQ(kernel.cycles, whole.cycles + cut.cycles);
  EXPECT_EQ(kernel.warp_instructions, whole.warp_instructions + cut.warp_instructions);
  EXPECT_EQ(device.statistics(cut.values), device.stats().to_json());
}

TEST(GpuDevice, AnyThreadMayCallOneAtATime) {
  gpu::RunOptions options;
  gpu::GpuDevice* gpu = nullptr;
  std::string other, same;
  std::uint64_t seen = 0;
  options.on_launch = [&](const gpu::LaunchRecord& launch) {
    std::thread([&] { other = text_of([&] { (void)gpu->allocate(4, "x"); }); }).join();
    same = text_of([&] { gpu->synchronize(); });
    seen = gpu->kernels().front().cycles;
    EXPECT_EQ(gpu->last_launch().cycles, launch.cycles);
  };
  gpu::GpuDevice device(gpu::load_platform("tiny", {}), options);
  gpu = &device;
  host::ModuleHandle module = 0;
  std::thread([&] {
    module = device.load_ptx_text(kKernels, "kernels");
    device.launch(module, "nothing", {}, {});
  }).join();
  EXPECT_THAT(other, HasSubstr("allocate() is called while launch() of the same device is in progress"));
  EXPECT_THAT(same, HasSubstr("synchronize() is called from within launch()"));
  EXPECT_GT(seen, 0u);
  device.launch(module, "nothing", {}, {});  // and from another thread than before
  EXPECT_EQ(device.launch_count(), 2u);
}

// Without per_launch only sums are kept of a launch: 3000 statistics trees would take a gigabyte.
TEST(GpuDevice, MemoryDoesNotGrowWithLaunches) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer keeps what is freed";
  gpu::GpuDevice device(gpu::load_platform("tiny", {}), {.profile = true});
  const auto module = device.load_ptx_text(kKernels, "kernels");
  const std::uint64_t out = device.allocate(4, "out");
  const auto launch = [&](unsigned times) {
    for (unsigned i = 0; i < times; ++i) device.launch(module, "add", {}, host::Args().add(out).add(1u));
  };
  launch(300);
  const std::uint64_t before = resident_bytes();
  launch(2700);
  EXPECT_LT(resident_bytes(), before + kSlackBytes);
  ASSERT_EQ(device.kernels().size(), 1u);
  EXPECT_EQ(device.kernels().front().launches, 3000u);
  EXPECT_EQ(device.download<std::uint32_t>(out, 1).front(), 3000u);
  EXPECT_THROW((void)device.launches(), base::InputError);
}

TEST(GpuDevice, LaunchesAddUpByKernel) {
  gpu::GpuDevice device(gpu::load_platform("tiny", {}), {.profile = true, .per_launch = true});
  EXPECT_THROW((void)device.last_launch(), base::InputError);
  const auto module = device.load_ptx_text(kKernels, "kernels");
  const std::uint64_t out = device.allocate(4, "out");
  base::StatValues sum;
  const auto add = [&](std::uint32_t ctas) {
    device.launch(module, "add", {{ctas}, {}, 0}, host::Args().add(out).add(1u));
    device.stats().add_to(sum);
  };
  add(1);
  device.launch(module, "nothing", {}, {});
  add(3);
  add(2);
  EXPECT_EQ(device.statistics(device.last_launch().values), device.stats().to_json());
  ASSERT_EQ(device.kernels().size(), 2u);
  const gpu::KernelRecord& kernel = device.kernels().front();
  EXPECT_EQ(kernel.kernel, "add");
  EXPECT_EQ(kernel.module, "kernels");
  EXPECT_EQ(kernel.launches, 3u);
  EXPECT_FALSE(kernel.one_shape);
  EXPECT_EQ(device.statistics(kernel.values), device.statistics(sum));
  std::uint64_t cycles = 0, issues = 0;
  double seconds = 0;
  ASSERT_EQ(device.launches().size(), 4u);
  for (const gpu::LaunchRecord& launch : device.launches()) {
    EXPECT_GE(launch.host_seconds, launch.simulation_seconds);
    EXPECT_GT(launch.simulation_seconds, 0);
    if (launch.kernel != "add") continue;
    cycles += launch.cycles;
    seconds += launch.host_seconds;
    for (const core::PcProfile& pc : launch.profile->by_pc()) issues += pc.issues;
  }
  EXPECT_EQ(kernel.cycles, cycles);
  EXPECT_DOUBLE_EQ(kernel.host_seconds, seconds);
  EXPECT_EQ(kernel.warp_instructions, issues);
  EXPECT_EQ(kernel.warp_instructions,
            device.statistics(kernel.values)["core0"]["issue"]["warp_instructions"].get<std::uint64_t>() +
                device.statistics(kernel.values)["core1"]["issue"]["warp_instructions"].get<std::uint64_t>());
  std::uint64_t profiled = 0;
  for (const core::PcProfile& pc : kernel.profile->by_pc()) profiled += pc.issues;
  EXPECT_EQ(profiled, issues);
  device.forget_launches();
  EXPECT_TRUE(device.kernels().empty());
  EXPECT_EQ(device.launch_count(), 4u);
  device.launch(module, "nothing", {}, {});
  EXPECT_EQ(device.kernels().front().launches, 1u);
}

TEST(Oracle, AfterAFailedLaunchMemoryIsThereAndNothingRuns) {
  oracle::OracleDevice device;
  const auto module = device.load_ptx_text(kKernels, "kernels");
  const std::uint64_t out = device.upload(std::vector<std::uint32_t>{1, 2}, "out");
  EXPECT_THROW(device.launch(module, "stop", {}, {}), base::KernelFault);
  for (const auto& refused : {std::function<void()>([&] { device.synchronize(); }),
                              std::function<void()>([&] { device.launch(module, "nothing", {}, {}); })}) {
    const auto error = error_of(refused);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), base::ExitCode::kDeviceFailed);
  }
  EXPECT_EQ(device.download<std::uint32_t>(out, 2), (std::vector<std::uint32_t>{1, 2}));
}

TEST(Oracle, CallsOfAnotherThreadAreRefused) {
  oracle::OracleDevice device;
  const auto module = device.load_ptx_text(kKernels, "kernels");
  std::atomic<bool> done{false};
  std::string text;
  std::thread other([&] {
    while (text.find("launch()") == std::string::npos) text = text_of([&] { device.synchronize(); });
    done = true;
  });
  // Launches that collide with the other thread's call are refused themselves.
  while (!done) (void)text_of([&] { device.launch(module, "count", {}, {}); });
  other.join();
  EXPECT_THAT(text, HasSubstr("synchronize() is called while launch() of the same device is in progress"));
}

TEST(GpuDevice, OneAProcess) {
  const gpu::GpuConfig config = gpu::load_platform("tiny", {});
  const gpu::GpuDevice first(config, {});
  EXPECT_THROW((gpu::GpuDevice{config, {}}), base::InputError);
}

}  // namespace
}  // namespace heddle::device_tests::gpu_device_test
