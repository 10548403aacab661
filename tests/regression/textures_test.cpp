// Kernels with textures and surfaces, without a CUDA runtime: model and oracle give the same bits for random objects and
// coordinates, caches and rates change no values, and what is wrong is a fault with its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "calls_support.h"
#include "isa/texture_header.h"
#include "oracle/oracle.h"

namespace heddle::calls::textures_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kModule = R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry fetch(.param .u64 handles, .param .u64 coordinates, .param .u64 out) {
  .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b32 %o<9>;
  ld.param.u64 %rd1, [handles]; ld.param.u64 %rd2, [coordinates]; ld.param.u64 %rd3, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 64, %r1;
  mul.wide.u32 %rd4, %r1, 8; add.u64 %rd4, %rd1, %rd4; ld.global.u64 %rd5, [%rd4];
  mul.wide.u32 %rd4, %r1, 16; add.u64 %rd4, %rd2, %rd4; ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd4];
  tex.2d.v4.u32.f32 {%o0, %o1, %o2, %o3}, [%rd5, {%f0, %f1}];
  tld4.b.2d.v4.f32.f32 {%o4, %o5, %o6, %o7}, [%rd5, {%f1, %f0}];
  mul.wide.u32 %rd4, %r1, 36; add.u64 %rd4, %rd3, %rd4;
  st.global.u32 [%rd4], %o0; st.global.u32 [%rd4+4], %o1; st.global.u32 [%rd4+8], %o2; st.global.u32 [%rd4+12], %o3;
  st.global.u32 [%rd4+16], %o4; st.global.u32 [%rd4+20], %o5; st.global.u32 [%rd4+24], %o6; st.global.u32 [%rd4+28], %o7;
  txq.width.b32 %o8, [%rd5]; st.global.u32 [%rd4+32], %o8;
  ret;
}
.visible .entry filter(.param .u64 handles, .param .u64 coordinates, .param .u64 out) {
  .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .pred %p;
  ld.param.u64 %rd1, [handles]; ld.param.u64 %rd2, [coordinates]; ld.param.u64 %rd3, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 64, %r1;
  mul.wide.u32 %rd4, %r1, 8; add.u64 %rd4, %rd1, %rd4; ld.global.u64 %rd5, [%rd4];
  mul.wide.u32 %rd4, %r1, 16; add.u64 %rd6, %rd2, %rd4; ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd6];
  add.u64 %rd4, %rd3, %rd4;
  mov.f32 %f4, 0f00000000; mov.f32 %f5, %f4; mov.f32 %f6, %f4; mov.f32 %f7, %f4;
  and.b32 %r3, %r1, 7; setp.ne.u32 %p, %r3, 3;
  @%p tex.level.3d.v4.f32.f32 {%f4, _, %f6, %f7}, [%rd5, {%f0, %f1, %f2, %f2}], %f3;
  st.global.v4.f32 [%rd4], {%f4, %f5, %f6, %f7};
  ret;
}
.visible .entry invert(.param .u64 surface, .param .u32 x, .param .u32 y) {
  .reg .b64 %rd<4>; .reg .b32 %r<8>;
  ld.param.u64 %rd1, [surface]; ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y];
  mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r3, 4, %r1; mov.u32 %r4, %ctaid.x; add.u32 %r2, %r2, %r4;
  suld.b.2d.b32.zero {%r5}, [%rd1, {%r1, %r2}];
  not.b32 %r5, %r5;
  sust.b.2d.b32.trap [%rd1, {%r1, %r2}], {%r5};
  ret;
}
)";

/// Fetches among writes to local memory, whose lines they displace from L1.
constexpr const char* kSpilling = R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry spill(.param .u64 texture, .param .u64 out) {
  .local .align 4 .b8 own[512];
  .reg .b64 %rd<5>; .reg .b32 %r<8>; .reg .f32 %f<6>; .reg .pred %p;
  ld.param.u64 %rd1, [texture]; ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r6, 0; mov.u32 %r5, 0;
WRITE:
  mov.u64 %rd3, own; cvt.u64.u32 %rd4, %r6; add.u64 %rd3, %rd3, %rd4;
  add.u32 %r2, %r1, %r6; st.local.u32 [%rd3], %r2;
  cvt.rn.f32.u32 %f4, %r1; cvt.rn.f32.u32 %f5, %r6;
  tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f4, %f5}];
  cvt.rzi.u32.f32 %r3, %f0; add.u32 %r5, %r5, %r3;
  add.u32 %r6, %r6, 4; setp.lt.u32 %p, %r6, 512; @%p bra WRITE;
  mov.u32 %r6, 0;
READ:
  mov.u64 %rd3, own; cvt.u64.u32 %rd4, %r6; add.u64 %rd3, %rd3, %rd4;
  ld.local.u32 %r2, [%rd3]; add.u32 %r5, %r5, %r2;
  add.u32 %r6, %r6, 4; setp.lt.u32 %p, %r6, 512; @%p bra READ;
  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd2, %rd3; st.global.u32 [%rd3], %r5;
  ret;
}
)";

isa::TextureHeader random_header(std::mt19937& random, unsigned dimensions, bool numbers) {
  isa::TextureHeader header;
  header.dimensions = static_cast<std::uint8_t>(dimensions);
  header.width = 1 + random() % 40;
  header.height = 1 + random() % 70;
  header.depth = dimensions == 3 ? 1 + random() % 5 : 1;
  const auto choose = [&](unsigned count) { return static_cast<std::uint8_t>(random() % count); };
  header.channels = static_cast<std::uint8_t>(1 << choose(3));
  header.bits = static_cast<std::uint8_t>(8 << choose(numbers ? 2 : 3));
  header.kind = static_cast<isa::ChannelKind>(choose(header.bits == 8 ? 2 : 3));
  header.normalized_values = numbers && header.kind != isa::ChannelKind::kFloat ? 1 : 0;
  header.srgb = header.normalized_values != 0 && header.bits == 8 ? choose(2) : 0;
  for (auto& mode : header.addressing) mode = static_cast<isa::TextureAddressing>(choose(4));
  header.linear_filter = numbers ? choose(2) : 0;
  header.normalized_coordinates = choose(2);
  for (float& border : header.border) border = static_cast<float>(choose(100));
  return header;
}

float random_coordinate(std::mt19937& random, bool normalized) {
  switch (random() % 16) {
    case 0:
      return std::bit_cast<float>(static_cast<std::uint32_t>(random()));  // any bits
    case 1:
      return static_cast<float>(static_cast<int>(random() % 8) - 4);
    default:
      return (static_cast<float>(random() % 4096) / 1024 - 1.5f) * (normalized ? 1.f : 40.f);
  }
}

/// Random objects, one of each thread, and what a kernel makes of them: the same on every device that `random` is the same for.
std::vector<std::uint32_t> run(host::Device& device, const std::string& kernel, unsigned dimensions,
                               unsigned words) {
  constexpr unsigned kObjects = 24, kGrid = 3;
  std::mt19937 random(dimensions);
  const host::ModuleHandle module = device.load_ptx_text(kModule, "textures.ptx");
  std::vector<std::uint64_t> objects, handles;
  std::vector<bool> normalized;
  for (unsigned i = 0; i < kObjects; ++i) {
    isa::TextureHeader header = random_header(random, dimensions, kernel == "filter");
    std::vector<std::uint32_t> texels(isa::lay_out_array(header, i % 4 != 0) / 4);
    for (std::uint32_t& word : texels) word = static_cast<std::uint32_t>(random());
    header.base = device.upload(texels, "array");
    normalized.push_back(header.normalized_coordinates != 0);
    objects.push_back(device.upload(std::vector{header}, "object"));
  }
  std::vector<float> coordinates;
  for (unsigned i = 0; i < kGrid * 64; ++i) {
    const std::size_t object =
        i < 64 ? i / 32 : random() % kObjects;  // some warps have one object, others many
    handles.push_back(objects[object]);
    for (unsigned c = 0; c < 4; ++c) coordinates.push_back(random_coordinate(random, normalized[object]));
  }
  const std::uint64_t given = device.upload(handles, "handles"),
                      at = device.upload(coordinates, "coordinates");
  const std::uint64_t out = device.allocate(std::uint64_t{kGrid} * 64 * words * 4, "out");
  device.launch(module, kernel, {{kGrid, 1, 1}, {64, 1, 1}, 0}, Args().add(given).add(at).add(out));
  return device.download<std::uint32_t>(out, std::size_t{kGrid} * 64 * words);
}

std::vector<std::uint32_t> on_oracle(const std::string& kernel, unsigned dimensions, unsigned words) {
  oracle::OracleDevice oracle;
  return run(oracle, kernel, dimensions, words);
}

class Textures : public ::testing::TestWithParam<const char*> {
 protected:
  static std::vector<std::string> settings() {
    const std::string given = GetParam();
    std::vector<std::string> all;
    for (std::size_t at = 0; at < given.size();) {
      const std::size_t end = std::min(given.find(' ', at), given.size());
      all.push_back(given.substr(at, end - at));
      at = end + 1;
    }
    return all;
  }
};

TEST_P(Textures, fetches_and_gathers_give_the_oracles_bits) {
  gpu::GpuDevice gpu(gpu::load_platform("tiny", settings()), {});
  EXPECT_EQ(run(gpu, "fetch", 2, 9), on_oracle("fetch", 2, 9));
}

TEST_P(Textures, filtering_gives_the_oracles_bits) {
  gpu::GpuDevice gpu(gpu::load_platform("tiny", settings()), {});
  EXPECT_EQ(run(gpu, "filter", 3, 4), on_oracle("filter", 3, 4));
}

INSTANTIATE_TEST_SUITE_P(
    Machines, Textures,
    ::testing::Values("", "core.texture.cached=false", "core.l1d.enabled=false",
                      "core.texture.lanes_per_cycle=32 core.texture.queue_entries=1 "
                      "core.texture.latency_cycles=0",
                      "core.l1d.mshr_entries=1 core.l1d.mshr_targets=1 core.lsu.queue_entries=1",
                      "core.control_flow.mechanism=dwf"));

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

std::uint64_t surface(host::Device& device, std::uint64_t& array) {
  isa::TextureHeader header;
  header.width = 64;
  header.height = 4;
  header.surface = 1;
  array = device.allocate(isa::lay_out_array(header, false), "array");
  header.base = array;
  return device.upload(std::vector{header}, "object");
}

void expect_surfaces(host::Device& device) {
  const host::ModuleHandle module = device.load_ptx_text(kModule, "textures.ptx");
  std::uint64_t array = 0;
  const std::uint64_t object = surface(device, array);
  const auto invert = [&](std::uint64_t handle, std::uint32_t x, std::uint32_t y, std::uint32_t threads) {
    device.launch(module, "invert", {{2, 1, 1}, {threads, 1, 1}, 0}, Args().add(handle).add(x).add(y));
  };
  invert(object, 0, 1, 64);
  invert(object, 8, 2, 16);
  const auto rows = device.download<std::uint32_t>(array, 256);
  for (std::uint32_t i = 0; i < 256; ++i) {
    const std::uint32_t x = i % 64, y = i / 64,
                        times = (y == 1 || y == 2 ? 1 : 0) + ((y == 2 || y == 3) && x >= 2 && x < 18 ? 1 : 0);
    ASSERT_EQ(rows[i], times % 2 == 1 ? 0xffff'ffffu : 0u) << x << ", " << y;
  }
  EXPECT_THAT(error_of([&] { invert(object, 4, 0, 64); }),
              AllOf(HasSubstr("textures.ptx:"), HasSubstr("outside"), HasSubstr("trap")));
}

TEST(Surfaces, are_loaded_and_stored) {
  gpu::GpuDevice gpu(gpu::load_platform("tiny", {}), {});
  expect_surfaces(gpu);
  oracle::OracleDevice oracle;
  expect_surfaces(oracle);
}

TEST(Textures, of_a_wrong_handle_are_a_fault) {
  const auto expect = [](host::Device& device, std::uint64_t handle, const char* says) {
    const host::ModuleHandle module = device.load_ptx_text(kModule, "textures.ptx");
    const std::vector<std::uint64_t> handles(64, handle);
    const std::uint64_t given = device.upload(handles, "handles"), at = device.allocate(2048, "at");
    const std::uint64_t out = device.allocate(64 * 36, "out");
    EXPECT_THAT(
        error_of([&] {
          device.launch(module, "fetch", {{1, 1, 1}, {64, 1, 1}, 0}, Args().add(given).add(at).add(out));
        }),
        AllOf(HasSubstr("textures.ptx:"), HasSubstr(says)));
  };
  gpu::GpuDevice gpu(gpu::load_platform("tiny", {}), {});
  expect(gpu, 12345, "handle 0x3039");
  oracle::OracleDevice first, second;
  expect(first, 12345, "handle 0x3039");
  std::uint64_t array = 0;
  expect(second, surface(second, array), "surface");
}

TEST(Textures, displace_local_memory_which_comes_back) {
  gpu::GpuDevice gpu(gpu::load_platform("tiny", {}), {});
  const host::ModuleHandle module = gpu.load_ptx_text(kSpilling, "spilling.ptx");
  isa::TextureHeader header;
  header.width = 64;
  header.height = 512;
  std::vector<float> texels(isa::lay_out_array(header, false) / 4);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i % 7);
  header.base = gpu.upload(texels, "array");
  const std::uint64_t object = gpu.upload(std::vector{header}, "object"), out = gpu.allocate(512, "out");
  gpu.launch(module, "spill", {{1, 1, 1}, {64, 1, 1}, 0}, Args().add(object).add(out));
  const auto sums = gpu.download<std::uint32_t>(out, 64);
  for (std::uint32_t i = 0; i < 64; ++i) {
    std::uint32_t sum = 0;
    for (std::uint32_t y = 0; y < 512; y += 4) sum += i + y + (y * 64 + i) % 7;
    ASSERT_EQ(sums[i], sum) << i;
  }
  EXPECT_GT(gpu.stats().sum("core*.l1d.write_backs"), 0u);
}

TEST(Textures, are_counted_and_take_the_units_time) {
  gpu::GpuDevice gpu(gpu::load_platform("tiny", {"core.texture.lanes_per_cycle=1"}), {});
  run(gpu, "filter", 3, 4);
  const auto sum = [&](const char* name) {
    return gpu.stats().sum(std::string("core*.lsu.texture.") + name);
  };
  EXPECT_EQ(sum("lanes"), 3u * 64 * 7 / 8);
  EXPECT_EQ(sum("instructions"), 6u);
  EXPECT_GT(sum("filtered"), 0u);
  EXPECT_GE(sum("texels"), sum("accesses"));
  EXPECT_GT(sum("busy_cycles"), sum("lanes"));  // those of eight texels take two
  EXPECT_LE(sum("busy_cycles"), 2 * sum("lanes"));
  EXPECT_GT(gpu.last_launch().cycles, 2u * 28);
}

}  // namespace
}  // namespace heddle::calls::textures_test
