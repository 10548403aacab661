// What CUDA offers kernels beyond instructions: the grid's barrier, the heap, assertions. As nvcc compiles them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"

namespace heddle::testing::device_services_test {
namespace {

using ::testing::HasSubstr;
using Ints = std::vector<std::int32_t>;

std::string data(const std::string& stem) {
  return std::string(HEDDLE_SOURCE_DIR) + "/tests/data/cuda/" + stem + ".nvcc.ptx";
}

gpu::GpuConfig tiny(const std::vector<std::string>& keys = {}) { return gpu::load_platform("tiny", keys); }

host::Launch launch(std::uint32_t grid, std::uint32_t block, bool cooperative = false) {
  return {{grid, 1, 1}, {block, 1, 1}, 0, cooperative};
}

template <class Error>
std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no such error";
}

// --- cooperative launches

/// b of grid_sync: every thread's number is known.
Ints grid_sync_by(host::Device& device, std::uint32_t grid, std::uint32_t block, bool cooperative = true) {
  const std::uint32_t threads = grid * block;
  const std::uint64_t a = device.allocate(threads * 4, "a");
  const std::uint64_t b = device.allocate(threads * 4, "b");
  host::Args args;
  args.add(a).add(b);
  device.launch(device.load_ptx_file(data("grid_sync")), "grid_sync", launch(grid, block, cooperative), args);
  return device.download<std::int32_t>(b, threads);
}
Ints grid_sync_expected(std::uint32_t threads) {
  Ints all(threads);
  const auto last = static_cast<std::int32_t>(threads) - 1;
  // b[i] = 3 * (last - i); a[i] = b[last - i] + 1 = 3 * i + 1
  for (std::int32_t i = 0; i <= last; ++i)
    all[static_cast<std::size_t>(i)] = 3 * (last - i) + 1000 * (3 * (last - i) + 1);
  return all;
}

TEST(Cooperative, TheGridsBarrierHoldsEveryCta) {
  gpu::GpuDevice device(tiny(), {});
  EXPECT_EQ(grid_sync_by(device, 4, 64), grid_sync_expected(256));
  EXPECT_EQ(grid_sync_by(device, 8, 96), grid_sync_expected(768)) << "four on each core, all that fit";
  EXPECT_EQ(grid_sync_by(device, 1, 32), grid_sync_expected(32));
}

TEST(Cooperative, OnTheOracleWhateverItsTurns) {
  for (const std::uint32_t slice : {1u, 7u, 100'000u}) {
    oracle::Options options;
    options.slice = slice;
    options.resident_threads = 64;  // of launches that are not cooperative
    oracle::OracleDevice device(options);
    EXPECT_EQ(grid_sync_by(device, 8, 96), grid_sync_expected(768));
  }
}

TEST(Cooperative, AGridThatDoesNotFitIsRefusedWithTheLargest) {
  gpu::GpuDevice device(tiny(), {});
  const std::string error = error_of<base::InputError>([&] { (void)grid_sync_by(device, 9, 64); });
  EXPECT_THAT(
      error,
      HasSubstr("a cooperative grid of 9 CTAs; at most 8 are resident at once (4 on each of 2 cores)"));
  EXPECT_THAT(error, HasSubstr("launch at most 8 CTAs"));
}

TEST(Cooperative, WithoutItTheTrapSaysWhy) {
  gpu::GpuDevice device(tiny(), {});
  const std::string error = error_of<base::KernelFault>([&] { (void)grid_sync_by(device, 4, 64, false); });
  EXPECT_THAT(error, HasSubstr("executed trap"));
  EXPECT_THAT(error, HasSubstr("--cooperative"));
  oracle::OracleDevice oracle;
  EXPECT_THAT(error_of<base::KernelFault>([&] { (void)grid_sync_by(oracle, 4, 64, false); }),
              HasSubstr("cooperative launch"));
}

TEST(Cooperative, AKernelMayAskWhetherItIs) {
  gpu::GpuDevice gpu(tiny(), {});
  oracle::OracleDevice oracle;
  for (host::Device* device : std::initializer_list<host::Device*>{&gpu, &oracle})
    for (const bool cooperative : {false, true}) {
      const std::uint64_t out = device->allocate(4 * 32, "out");
      host::Args args;
      args.add(out);
      device->launch(device->load_ptx_file(data("grid_sync")), "asks_first", launch(1, 32, cooperative),
                     args);
      EXPECT_EQ(device->download<std::int32_t>(out, 32), Ints(32, cooperative ? 1 : 2));
    }
}

// --- the heap

Ints lists_by(host::Device& device, std::int32_t length) {
  constexpr std::uint32_t kThreads = 256;
  const std::uint64_t sums = device.allocate(kThreads * 4, "sums");
  host::Args args;
  args.add(length).add(sums);
  device.launch(device.load_ptx_file(data("heap")), "lists", launch(4, 64), args);
  return device.download<std::int32_t>(sums, kThreads);
}
Ints lists_expected(std::int32_t length) {
  Ints all(256);
  for (std::int32_t i = 0; i < 256; ++i)
    all[static_cast<std::size_t>(i)] = length * i + length * (length - 1) / 2;
  return all;
}

TEST(Heap, ListsOfNodes) {
  gpu::GpuDevice gpu(tiny(), {});
  EXPECT_EQ(lists_by(gpu, 5), lists_expected(5));
  EXPECT_EQ(lists_by(gpu, 9), lists_expected(9));
  oracle::OracleDevice oracle;
  EXPECT_EQ(lists_by(oracle, 9), lists_expected(9));
}

TEST(Heap, BlocksLiveOnAfterTheLaunch) {
  gpu::GpuDevice gpu(tiny(), {});
  oracle::OracleDevice oracle;
  for (host::Device* device : std::initializer_list<host::Device*>{&gpu, &oracle}) {
    const std::uint64_t kept = device->allocate(32 * 8, "kept");
    const std::uint64_t sums = device->allocate(32 * 4, "sums");
    const auto module = device->load_ptx_file(data("heap"));
    host::Args keep;
    keep.add(kept);
    device->launch(module, "keep", launch(1, 32), keep);
    const auto pointers = device->download<std::uint64_t>(kept, 32);
    EXPECT_EQ(std::set(pointers.begin(), pointers.end()).size(), 32u);
    for (const std::uint64_t pointer : pointers) EXPECT_EQ(pointer % 16, 0u);
    // The host sees them, too.
    EXPECT_EQ(device->download<std::int32_t>(pointers[7], 4), (Ints{70, 71, 72, 73}));
    host::Args use;
    use.add(kept).add(sums);
    device->launch(module, "use", launch(1, 32), use);
    Ints expected(32);
    for (std::int32_t i = 0; i < 32; ++i) expected[static_cast<std::size_t>(i)] = 40 * i + 6;
    EXPECT_EQ(device->download<std::int32_t>(sums, 32), expected);
    EXPECT_ANY_THROW(device->download<std::int32_t>(pointers[7], 4)) << "it has been deleted";
  }
}

std::int32_t blocks_until_exhausted(host::Device& device, std::uint64_t bytes) {
  const std::uint64_t count = device.allocate(4, "count");
  host::Args args;
  args.add(bytes).add(count);
  device.launch(device.load_ptx_file(data("heap")), "exhaust", launch(1, 1), args);
  return device.download<std::int32_t>(count, 1)[0];
}

TEST(Heap, MallocGivesNothingWhenItIsExhausted) {
  gpu::GpuDevice gpu(tiny({"heap_kib=4"}), {});
  oracle::Options options;
  options.heap_bytes = 4096;
  oracle::OracleDevice oracle(options);
  for (host::Device* device : std::initializer_list<host::Device*>{&gpu, &oracle}) {
    EXPECT_EQ(blocks_until_exhausted(*device, 5000), 0);
    EXPECT_EQ(blocks_until_exhausted(*device, ~std::uint64_t{0}), 0);
    EXPECT_EQ(blocks_until_exhausted(*device, 1000), 4);  // rounded up to 1008 bytes
    EXPECT_EQ(blocks_until_exhausted(*device, 1), 4);     // the 64 bytes that are left
  }
}

std::string fault_of(host::Device& device, const std::string& kernel, const host::Args& args) {
  return error_of<base::KernelFault>(
      [&] { device.launch(device.load_ptx_file(data("heap")), kernel, launch(1, 1), args); });
}

TEST(Heap, FreedTwice) {
  gpu::GpuDevice gpu(tiny(), {});
  oracle::OracleDevice oracle;
  for (host::Device* device : std::initializer_list<host::Device*>{&gpu, &oracle}) {
    host::Args args;
    args.add(device->allocate(8, "out"));
    EXPECT_THAT(fault_of(*device, "twice", args),
                HasSubstr("no block begins there, or it has been freed already"));
  }
}

TEST(Heap, WildPointersAreNotFreed) {
  gpu::GpuDevice gpu(tiny(), {});
  oracle::OracleDevice oracle;
  for (host::Device* device : std::initializer_list<host::Device*>{&gpu, &oracle}) {
    host::Args args;
    args.add(device->allocate(64, "buffer"));
    EXPECT_THAT(fault_of(*device, "wild", args), HasSubstr("it is not in the heap"));
  }
}

TEST(Heap, AccessesBeyondABlockAreOutOfBounds) {
  gpu::GpuDevice gpu(tiny(), {});
  oracle::OracleDevice oracle;
  for (host::Device* device : std::initializer_list<host::Device*>{&gpu, &oracle}) {
    host::Args inside;
    inside.add(39);
    device->launch(device->load_ptx_file(data("heap")), "beyond", launch(1, 1), inside);
    host::Args beyond;
    beyond.add(40);
    EXPECT_THAT(fault_of(*device, "beyond", beyond),
                HasSubstr("0 bytes past the end of a block of 40 bytes"));
  }
}

TEST(Heap, FreedBlocksAreOutOfBounds) {
  gpu::GpuDevice gpu(tiny(), {});
  oracle::OracleDevice oracle;
  for (host::Device* device : std::initializer_list<host::Device*>{&gpu, &oracle}) {
    host::Args args;
    args.add(device->allocate(4, "out"));
    EXPECT_THAT(fault_of(*device, "after", args), HasSubstr("in the device heap"));
  }
}

// --- assertions

TEST(Assertion, EndsTheLaunchWithCudasText) {
  gpu::GpuDevice gpu(tiny(), {});
  oracle::OracleDevice oracle;
  for (host::Device* device : std::initializer_list<host::Device*>{&gpu, &oracle}) {
    Ints values(32, 5);
    values[3] = values[20] = 100;
    host::Args args;
    args.add(device->upload(values, "values"));
    const auto module = device->load_ptx_file(data("heap"));
    try {
      device->launch(module, "asserts", launch(1, 32), args);
      FAIL() << "two threads' assertions fail";
    } catch (const base::AssertionFailed& failure) {
      EXPECT_EQ(static_cast<int>(failure.code()), 9);
      EXPECT_THAT(failure.what(),
                  HasSubstr("\nheap.cu:69: void asserts(const int *): block: [0,0,0], thread: "
                            "[3,0,0] Assertion `values[threadIdx.x] < 100` failed."));
      if (device == &gpu) EXPECT_THAT(failure.what(), HasSubstr("thread: [20,0,0] Assertion"));
    }
    EXPECT_EQ(error_of<base::Error>([&] { device->synchronize(); }).find("no such error"), std::string::npos);
  }
}

}  // namespace
}  // namespace heddle::testing::device_services_test
