// Fetches, gathers and surface accesses with values worked out by hand, on the model and on the oracle: shapes and resources, bits
// of floats, operands that are refused, headers that are damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "calls_support.h"
#include "isa/texture_header.h"
#include "oracle/oracle.h"

namespace heddle::calls::texture_values_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

/// One instruction, which has the thread's %c0 to %c3 and gives %o0 to %o3.
std::string module_of(const std::string& instruction) {
  return R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry one(.param .u64 object, .param .u64 at, .param .u64 out) {
  .reg .b64 %rd<5>; .reg .b32 %r<2>, %c<4>, %o<4>;
  ld.param.u64 %rd1, [object]; ld.param.u64 %rd2, [at]; ld.param.u64 %rd3, [out];
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 16; add.u64 %rd2, %rd2, %rd4; add.u64 %rd3, %rd3, %rd4;
  ld.global.v4.b32 {%c0, %c1, %c2, %c3}, [%rd2];
  mov.b32 %o0, 0; mov.b32 %o1, 0; mov.b32 %o2, 0; mov.b32 %o3, 0;
  )" + instruction +
         R"(
  st.global.v4.b32 [%rd3], {%o0, %o1, %o2, %o3};
  ret;
}
)";
}

constexpr const char* kResults = "{%o0, %o1, %o2, %o3}, [%rd1, ";
using Words = std::array<std::uint32_t, 4>;

std::uint32_t word(float value) { return std::bit_cast<std::uint32_t>(value); }

/// What the instruction gives for each of the coordinates.
std::vector<Words> results(host::Device& device, const std::string& instruction, isa::TextureHeader header,
                           const std::vector<std::uint32_t>& texels, const std::vector<Words>& at) {
  header.base = device.upload(texels, "texels");
  const host::ModuleHandle module = device.load_ptx_text(module_of(instruction), "one.ptx");
  const std::uint64_t object = device.upload(std::vector{header}, "object"), given = device.upload(at, "at");
  const std::uint64_t out = device.allocate(at.size() * 16, "out");
  device.launch(module, "one", {{1, 1, 1}, {static_cast<std::uint32_t>(at.size()), 1, 1}, 0},
                Args().add(object).add(given).add(out));
  return device.download<Words>(out, at.size());
}

/// On devices of its own: a fault may be the last that a device does. A process has one GPU only, so a child makes it.
void on_each(const std::function<void(host::Device&)>& action) {
  std::fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    try {
      gpu::GpuDevice gpu(gpu::load_platform("tiny", {}), {});
      action(gpu);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    std::fflush(nullptr);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "on the model; its words are above";
  oracle::OracleDevice oracle;
  action(oracle);
}

/// Rows without blocks, of floats 100 z + 10 y + x.
std::vector<std::uint32_t> numbered(isa::TextureHeader& header) {
  if (header.resource == isa::TextureResource::kArray) isa::lay_out_array(header, false);
  std::vector<std::uint32_t> texels(std::max<std::size_t>(header.slice, 64) / 4 * header.depth);
  for (std::uint32_t z = 0; z < header.depth; ++z)
    for (std::uint32_t y = 0; y < header.height; ++y)
      for (std::uint32_t x = 0; x < header.width; ++x)
        texels[(z * header.slice + std::size_t{y} * header.pitch) / 4 + x] =
            word(static_cast<float>(100 * z + 10 * y + x));
  return texels;
}

/// The first component.
void expect_firsts(const std::string& instruction, isa::TextureHeader header, const std::vector<Words>& at,
                   const std::vector<float>& wanted) {
  const auto texels = numbered(header);
  on_each([&](host::Device& device) {
    const auto all = results(device, instruction, header, texels, at);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_EQ(std::bit_cast<float>(all[i][0]), wanted[i]) << instruction << " " << i;
  });
}

TEST(TextureValues, of_one_dimension) {
  isa::TextureHeader header;
  header.dimensions = 1;
  header.width = 4;
  const std::string tex = std::string("tex.1d.v4.f32.f32 ") + kResults + "{%c0}];",
                    whole = std::string("tex.1d.v4.f32.s32 ") + kResults + "{%c0}];";
  expect_firsts(tex, header, {{word(0.5f)}, {word(3.9f)}, {word(9)}, {word(-1)}}, {0, 3, 3, 0});
  expect_firsts(whole, header, {{2}, {7}, {0u - 3}}, {2, 3, 0});
  header.addressing[0] = isa::TextureAddressing::kBorder;
  header.border[0] = 77;
  expect_firsts(whole, header, {{2}, {4}, {0u - 1}}, {2, 77, 77});
}

TEST(TextureValues, of_layers) {
  isa::TextureHeader header;
  header.dimensions = 1;
  header.layered = 1;
  header.width = 4;
  header.depth = 3;
  expect_firsts(std::string("tex.a1d.v4.f32.f32 ") + kResults + "{%c0, %c1}];", header,
                {{1, word(2.5f)}, {7, word(0.5f)}}, {102, 200});
  header.dimensions = 2;
  header.height = 3;
  expect_firsts(std::string("tex.a2d.v4.f32.f32 ") + kResults + "{%c0, %c1, %c2, %c2}];", header,
                {{2, word(1.5f), word(1.5f)}, {0xffff'ffff, word(3), word(9)}}, {211, 223});
  expect_firsts(std::string("tex.a2d.v4.f32.s32 ") + kResults + "{%c0, %c1, %c2, %c2}];", header,
                {{0, 3, 2}, {1, 0, 1}}, {23, 110});
}

TEST(TextureValues, of_cubes) {
  // Faces +x, -x, +y, -y, +z, -z; where on them: (-z, -y), (z, -y), (x, z), (x, -z), (x, -y), (-x, -y).
  isa::TextureHeader header;
  header.cube = 1;
  header.width = header.height = 2;
  header.depth = 6;
  const auto at = [](float x, float y, float z) { return Words{word(x), word(y), word(z)}; };
  expect_firsts(
      std::string("tex.cube.v4.f32.f32 ") + kResults + "{%c0, %c1, %c2, %c2}];", header,
      {at(1, 0, 0), at(-1, 0, 0), at(0, 1, 0), at(0, -1, 0), at(0, 0, 1), at(0, 0, -1), at(1, .5f, .25f),
       at(-1, .5f, .25f), at(.25f, 1, .5f), at(-.25f, -1, .5f), at(.25f, .5f, 1), at(.25f, -.5f, -1)},
      {11, 111, 211, 311, 411, 511, 0, 101, 211, 300, 401, 510});
  header.layered = 1;
  header.depth = 12;
  const auto in = [](std::uint32_t layer, float x, float y, float z) {
    return Words{layer, word(x), word(y), word(z)};
  };
  expect_firsts(std::string("tex.acube.v4.f32.f32 ") + kResults + "{%c0, %c1, %c2, %c3}];", header,
                {in(1, 0, 1, 0), in(5, -1, .5f, -.25f), in(0, .25f, -.5f, -1), in(2, 1, .5f, .25f)},
                {811, 700, 510, 600});
}

TEST(TextureValues, of_plain_memory) {
  isa::TextureHeader header;
  header.resource = isa::TextureResource::kLinear;
  header.dimensions = 1;
  header.width = 4;
  header.border[0] = 5;
  expect_firsts(std::string("tex.1d.v4.f32.s32 ") + kResults + "{%c0}];", header, {{3}, {4}, {0u - 1}},
                {3, 5, 5});
  header.resource = isa::TextureResource::kPitch;
  header.dimensions = 2;
  header.width = 5;
  header.height = 3;
  header.pitch = 32;
  header.slice = 96;
  const std::string tex = std::string("tex.2d.v4.f32.f32 ") + kResults + "{%c0, %c1}];";
  expect_firsts(tex, header, {{word(4.5f), word(2.5f)}, {word(8), word(0)}}, {24, 4});
  header.linear_filter = 1;
  expect_firsts(tex, header, {{word(1), word(.5f)}, {word(2.5f), word(2)}}, {0.5f, 17});
}

TEST(TextureValues, unfiltered_floats_keep_their_bits) {
  isa::TextureHeader header;
  header.width = header.height = 2;
  isa::lay_out_array(header, false);
  std::vector<std::uint32_t> texels(32);
  texels[0] = 0xffff'ffff, texels[1] = 0x7f80'0001, texels[16] = 0xffc0'0123, texels[17] = 0x8000'0000;
  const std::vector<Words> at = {{word(.5f), word(.5f)}, {word(1.5f), word(.5f)}, {word(1), word(1)}};
  on_each([&](host::Device& device) {
    const auto fetched =
        results(device, std::string("tex.2d.v4.f32.f32 ") + kResults + "{%c0, %c1}];", header, texels, at);
    EXPECT_EQ(fetched[0], (Words{0xffff'ffff, 0, 0, 0}));
    EXPECT_EQ(fetched[1][0], 0x7f80'0001u);
    const auto gathered =
        results(device, std::string("tld4.r.2d.v4.f32.f32 ") + kResults + "{%c0, %c1}];", header, texels, at);
    EXPECT_EQ(gathered[2], (Words{0xffc0'0123, 0x8000'0000, 0x7f80'0001, 0xffff'ffff}));
  });
}

TEST(TextureOperands, levels_and_gradients_are_taken_offsets_and_depths_refused_by_name) {
  const std::string place = std::string(kResults) + "{%c0, %c1}]";
  const std::string level = "tex.level.2d.v4.f32.f32 ", grad = "tex.grad.2d.v4.f32.f32 ";
  isa::TextureHeader header;
  header.width = header.height = 3;
  const std::vector<Words> at = {{word(2.5f), word(1.5f)}};
  expect_firsts(level + place + ", %c2;", header, at, {12});
  expect_firsts(grad + place + ", {%c2, %c3}, {%c3, %c2};", header, at, {12});
  const auto expect = [&](const std::string& instruction, const char* says) {
    on_each([&](host::Device& device) {
      const host::ModuleHandle module = device.load_ptx_text(module_of(instruction), "one.ptx");
      EXPECT_THAT(error_of([&] { (void)device.kernel(module, "one"); }), HasSubstr(says)) << instruction;
    });
  };
  const std::string plain = "tex.2d.v4.f32.f32 " + place, gather = "tld4.r.2d.v4.f32.f32 " + place;
  for (const std::string& given :
       {plain, gather, level + place + ", %c2", grad + place + ", {%c2, %c3}, {%c3, %c2}"}) {
    expect(given + ", {%c2, %c3};", "an offset vector");
    expect(given + ", %c2;", "a depth compare operand");
    expect(given + ", {%c2, %c3}, %c2;", "an offset vector");
  }
  expect(level + place + ";", "tex");
  expect(grad + place + ", {%c2, %c3};", "tex");
}

TEST(SurfaceValues, clamp_to_the_last_whole_access) {
  isa::TextureHeader header;
  header.width = 5;
  header.surface = 1;
  isa::lay_out_array(header, false);
  const std::string load = "suld.b.2d.v2.b32.clamp {%o0, %o1}, [%rd1, {%c0, %c1}];";
  on_each([&](host::Device& device) {
    const auto all =
        results(device, load, header, {10, 11, 12, 13, 14, 15, 16, 17}, {{16}, {0u - 8}, {800, 9}});
    EXPECT_EQ(all[0], (Words{12, 13, 0, 0}));
    EXPECT_EQ(all[1], (Words{10, 11, 0, 0}));
    EXPECT_EQ(all[2], (Words{12, 13, 0, 0}));
    EXPECT_THAT(error_of([&] { results(device, load, header, {0}, {{804}}); }), HasSubstr("misaligned"));
  });
}

TEST(TextureHeaders, that_are_damaged_are_a_fault) {
  const std::string tex = std::string("tex.2d.v4.f32.f32 ") + kResults + "{%c0, %c1}];";
  const auto expect = [&](const std::string& instruction, bool surface, const auto& change) {
    isa::TextureHeader header;
    header.surface = surface ? 1 : 0;
    isa::lay_out_array(header, false);
    change(header);
    on_each([&](host::Device& device) {
      EXPECT_THAT(error_of([&] {
                    results(device, instruction, header, {1, 2, 3, 4}, {{}});
                  }),
                  AllOf(HasSubstr("one.ptx:"), HasSubstr("handle 0x"), HasSubstr("damaged")));
    });
  };
  using Header = isa::TextureHeader;
  expect(tex, false, [](Header& header) { header.bits = 0; });
  expect(tex, false, [](Header& header) { header.bits = 248; });
  expect(tex, false, [](Header& header) { header.channels = 3; });
  expect(tex, false, [](Header& header) { header.dimensions = 9; });
  expect(tex, false, [](Header& header) { header.width = 0; });
  expect(tex, false, [](Header& header) { header.depth = 0; });
  expect(tex, false, [](Header& header) { header.block_height_log2 = 64; });
  expect(tex, false, [](Header& header) { header.kind = isa::ChannelKind{9}; });
  expect(tex, false, [](Header& header) { header.resource = isa::TextureResource{9}; });
  expect(tex, false, [](Header& header) { header.addressing[0] = isa::TextureAddressing{9}; });
  expect("suld.b.2d.b32.zero %o0, [%rd1, {%c0, %c1}];", true, [](Header& header) { header.channels = 255; });
  expect("sust.b.2d.b32.zero [%rd1, {%c0, %c1}], %o0;", true, [](Header& header) { header.height = 0; });
  expect("txq.width.b32 %o0, [%rd1];", false, [](Header& header) { header.bits = 1; });
}

}  // namespace
}  // namespace heddle::calls::texture_values_test
