// What CUDA offers kernels beyond instructions: the grid's barrier, the heap, assertions. As nvcc compiles them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
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
      if (device == &gpu) {
        EXPECT_THAT(failure.what(), HasSubstr("thread: [20,0,0] Assertion")) << "a line a lane";
      }
    }
    EXPECT_EQ(error_of<base::Error>([&] { device->synchronize(); }).find("no such error"), std::string::npos);
  }
}

// --- the intrinsics that nvcc compiles to video instructions, or to what it has in their place

std::int64_t part_of(std::uint32_t word, unsigned index, unsigned width, bool is_signed) {
  const std::int64_t bits = word >> (index * width) & ((std::uint64_t{1} << width) - 1);
  return is_signed && bits >> (width - 1) != 0 ? bits - (std::int64_t{1} << width) : bits;
}
/// Lane by lane.
std::uint32_t lanes_of(unsigned width, bool is_signed, std::uint32_t x, std::uint32_t y,
                       const std::function<std::int64_t(std::int64_t, std::int64_t)>& function) {
  std::uint32_t all = 0;
  for (unsigned i = 0; i < 32 / width; ++i) {
    const std::int64_t value = function(part_of(x, i, width, is_signed), part_of(y, i, width, is_signed));
    all |= (static_cast<std::uint32_t>(value) & ((1u << width) - 1)) << (i * width);
  }
  return all;
}

/// What the CUDA Math API says of the functions that video.cu calls, in its order.
std::vector<std::uint32_t> intrinsics_of(std::uint32_t x, std::uint32_t y) {
  const auto distance = [](std::int64_t a, std::int64_t b) { return std::max(a, b) - std::min(a, b); };
  std::int64_t sum_of_distances = 0, products4 = 5, products2 = 9;
  std::uint32_t reversed = 0, found = ~0u, seen = 0;
  for (unsigned i = 0; i < 4; ++i) {
    sum_of_distances += distance(part_of(x, i, 8, true), part_of(y, i, 8, true));
    products4 += part_of(x, i, 8, true) * part_of(y, i, 8, true);
  }
  for (unsigned i = 0; i < 2; ++i) products2 += part_of(x, i, 16, false) * part_of(y, i, 8, false);
  for (unsigned i = 0; i < 32; ++i) reversed |= (x >> i & 1u) << (31 - i);
  for (unsigned i = 3; i < 32 && found == ~0u; ++i)
    if ((x >> i & 1u) != 0 && ++seen == 2) found = i;
  const std::uint64_t both = static_cast<std::uint64_t>(y) << 32 | x, wide = x;
  const auto word = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const auto signed24 = [](std::uint32_t value) { return part_of(value & 0xff'ffffu, 0, 24, true); };
  return {lanes_of(8, false, x, y, [](auto a, auto b) { return a + b; }),
          lanes_of(8, true, x, y, [](auto a, auto b) { return std::clamp<std::int64_t>(a + b, -128, 127); }),
          lanes_of(16, false, x, y, [](auto a, auto b) { return std::max<std::int64_t>(a - b, 0); }),
          lanes_of(8, true, x, y, distance),
          lanes_of(8, false, x, y, [](auto a, auto b) { return (a + b + 1) / 2; }),
          lanes_of(8, true, x, y, [](auto a, auto b) { return a > b ? 0xff : 0; }),
          lanes_of(16, true, x, y, [](auto a, auto b) { return std::max(a, b); }),
          lanes_of(8, false, x, y, [](auto a, auto b) { return std::min(a, b); }),
          word(sum_of_distances),
          lanes_of(16, false, x, y, [](auto a, auto b) { return a <= b ? 1 : 0; }),
          lanes_of(8, true, x, y, [](auto a, auto) { return -a; }),
          (x & 0xffu) | (y & 0xffu) << 8 | (x >> 8 & 0xffu) << 16 | (y >> 8 & 0xffu) << 24,
          static_cast<std::uint32_t>(both >> std::min(x & 63u, 32u)),
          found,
          reversed,
          word(distance(x, y) + 7),
          static_cast<std::uint32_t>((wide + y) / 2),
          static_cast<std::uint32_t>((wide + y + 1) / 2),
          static_cast<std::uint32_t>(wide * y >> 32),
          word(signed24(x) * signed24(y)),
          word(products4),
          word(products2),
          word(std::max<std::int32_t>(static_cast<std::int32_t>(x + y), -5)),
          std::max({x, y, 77u})};
}

TEST(VideoIntrinsics, AsTheCudaMathApiHasThem) {
  std::mt19937 random(5);
  constexpr std::uint32_t kEdges[] = {0, 0x7f80'80ff, 0xffff'ffff, 0x8000'7fff, 0x0102'0304, 24, 0x8080'8080};
  std::vector<std::uint32_t> x(32), y(32);
  for (std::size_t i = 0; i < 32; ++i) {
    x[i] = i < std::size(kEdges) ? kEdges[i] : static_cast<std::uint32_t>(random());
    y[i] = i % 3 == 0 ? kEdges[i % std::size(kEdges)] : static_cast<std::uint32_t>(random());
  }
  gpu::GpuDevice gpu(tiny(), {});
  oracle::OracleDevice oracle;
  for (host::Device* device : std::initializer_list<host::Device*>{&gpu, &oracle}) {
    const std::uint64_t out = device->allocate(32 * 24 * 4, "out");
    host::Args args;
    args.add(device->upload(x, "x")).add(device->upload(y, "y")).add(out);
    device->launch(device->load_ptx_file(data("video")), "simdvid", launch(1, 32), args);
    const auto words = device->download<std::uint32_t>(out, 32 * 24);
    for (std::size_t i = 0; i < 32; ++i) {
      const std::vector<std::uint32_t> expected = intrinsics_of(x[i], y[i]);
      for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_EQ(words[i * 24 + k], expected[k])
            << std::hex << "function " << k << " of " << x[i] << ", " << y[i];
    }
  }
}

}  // namespace
}  // namespace heddle::testing::device_services_test
