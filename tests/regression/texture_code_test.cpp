// Textures and surfaces in machine code: what ptxas makes of PTX (tests/data/sass/texture, an instruction an entry) gives what the PTX gives
// on the oracle, on the model and on the oracle. Objects, coordinates and texels are random.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calls_support.h"
#include "host/module_bytes.h"
#include "isa/texture_header.h"
#include "oracle/oracle.h"

namespace heddle::calls::texture_code_test {
namespace {

using isa::ChannelKind;
using isa::TextureHeader;

const std::string kData = HEDDLE_SOURCE_DIR "/tests/data/sass/texture/textures.";
constexpr std::size_t kThreads = 64;

struct Entry {
  const char* name;
  /// Of each coordinate: f a number, d a direction, i a texel, l a layer, else bytes of a surface access of so many.
  const char* coordinates;
  bool surface = false;
};
constexpr Entry kEntries[] = {
    {"tex_1d", "f"},
    {"tex_1d_s32", "i"},
    {"tex_2d", "ff"},
    {"tex_2d_m", "ff"},
    {"tex_2d_s32", "ii"},
    {"tex_2d_some", "ff"},
    {"tex_3d", "fff"},
    {"tex_3d_m", "fff"},
    {"tex_3d_s32", "iii"},
    {"tex_a1d", "lf"},
    {"tex_a1d_m", "lf"},
    {"tex_a1d_s32", "li"},
    {"tex_a2d", "lff"},
    {"tex_a2d_s32", "lii"},
    {"tex_a2d_s32_m", "lii"},
    {"tex_cube", "ddd"},
    {"tex_acube", "lddd"},
    {"tex_acube_m", "lddd"},
    {"level_2d", "fff"},
    {"level_0_2d", "ff"},
    {"level_a2d", "lfff"},
    {"level_a2d_m", "lfff"},
    {"grad_1d", "fff"},
    {"grad_2d", "ffff"},
    {"grad_a2d", "lfff"},
    {"grad_a2d_m", "lfff"},
    {"tld4_g_2d", "ff"},
    {"tld4_a_a2d", "lff"},
    {"tld4_a_a2d_m", "lff"},
    {"txq_size", ""},
    {"txq_size_m", ""},
    {"suld_1d_b8", "1", true},
    {"suld_2d_v2b32", "8i", true},
    {"suld_a1d_b16", "l2", true},
    {"suld_a2d_b32", "l4i", true},
    {"suld_a2d_b32_m", "l4i", true},
    {"suld_3d_v4b32", "Gii", true},
    {"sust_2d_b32", "4i", true},
    {"sust_a2d_v2b16", "l4i", true},
    {"sust_3d_v4b32", "Gii", true},
    {"sust_3d_v4b32_m", "Gii", true},
    {"grad_a1d", "lfff"},
    {"grad_a1d_m", "lfff"},
    {"grad_1d_m", "fff"},
    {"tld4_r_2d", "ff"},
    {"tld4_r_2d_m", "ff"},
    {"tld4_b_2d", "ff"},
    {"tld4_b_2d_m", "ff"},
    {"tld4_g_cube", "ddd"},
    {"tld4_g_cube_m", "ddd"},
    {"tld4_b_acube", "lddd"},
    {"tld4_b_acube_m", "lddd"},
    {"tex_cube_m", "ddd"},
    {"tex_1d_s32_m", "i"},
    {"tex_3d_s32_m", "iii"},
    {"tex_a1d_s32_m", "li"},
    {"tex_2d_s32_m", "ii"},
    {"level_1d_s32", "i"},
    {"level_1d_s32_m", "i"},
    {"level_2d_s32", "ii"},
    {"level_2d_s32_m", "ii"},
    {"level_a2d_s32", "lii"},
    {"level_a2d_s32_m", "lii"},
    {"level_cube", "ddd"},
    {"level_cube_m", "ddd"},
    {"level_acube", "lddd"},
    {"level_acube_m", "lddd"},
    {"level_3d", "fff"},
    {"level_3d_m", "fff"},
    {"suld_1d_b32_cg", "4", true},
    {"suld_1d_b32_cg_m", "4", true},
    {"suld_2d_b64_cs", "8i", true},
    {"suld_2d_b64_cs_m", "8i", true},
    {"suld_a1d_b8_cv", "l1", true},
    {"suld_a1d_b8_cv_m", "l1", true},
    {"suld_2d_b16", "2i", true},
    {"suld_2d_b16_m", "2i", true},
    {"suld_3d_v4b32_m", "Gii", true},
    {"sust_1d_b8", "1", true},
    {"sust_1d_b8_m", "1", true},
    {"sust_a1d_b16_cs", "l2", true},
    {"sust_a1d_b16_cs_m", "l2", true},
    {"sust_2d_v2b32_wt", "8i", true},
    {"sust_2d_v2b32_wt_m", "8i", true},
    {"sust_2d_b32_wb", "4i", true},
    {"sust_2d_b32_wb_m", "4i", true},
};

/// Channels of an object, and how it is read.
struct Format {
  ChannelKind kind;
  std::uint8_t bits, channels, linear, normalized;
};
constexpr Format kFormats[] = {{ChannelKind::kFloat, 32, 4, 0, 0},
                               {ChannelKind::kFloat, 16, 2, 1, 0},
                               {ChannelKind::kUnsigned, 8, 4, 1, 1},
                               {ChannelKind::kSigned, 16, 1, 0, 1}};

TextureHeader header_of(const Entry& entry, const Format& format, unsigned variant) {
  const std::string_view name = entry.name;
  const auto has = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
  TextureHeader header;
  header.kind = format.kind;
  header.bits = format.bits;
  header.channels = format.channels;
  header.linear_filter = format.linear;
  header.normalized_values = format.normalized;
  header.surface = entry.surface ? 1 : 0;
  header.layered = has("_a") && !has("_a_a") ? 1 : has("_a_a2d") ? 1 : 0;
  header.cube = has("cube") ? 1 : 0;
  header.dimensions = has("1d") ? 1 : has("3d") ? 3 : 2;
  header.width = header.cube != 0 ? 8 : 16;
  header.height = header.dimensions == 1 ? 1 : header.cube != 0 ? 8 : 11;
  header.depth = header.cube != 0 ? 12 : header.dimensions == 3 || header.layered != 0 ? 3 : 1;
  for (auto& mode : header.addressing) mode = static_cast<isa::TextureAddressing>(variant % 4);
  header.normalized_coordinates = variant / 4 % 2 != 0 ? 1 : 0;
  std::fill(std::begin(header.border), std::end(header.border), 0.25f);
  return header;
}

struct Case {
  TextureHeader header;
  std::vector<std::uint32_t> texels, at;
};

Case case_of(const Entry& entry, const Format& format, unsigned variant) {
  std::mt19937 random(variant * 16 + format.bits);
  Case made;
  made.header = header_of(entry, format, variant);
  made.texels.resize((isa::lay_out_array(made.header, variant % 2 == 0) + 3) / 4);
  // Halves and singles that are numbers.
  for (std::uint32_t& word : made.texels) word = random() & 0x3bff'3bffu;
  made.at.assign(kThreads * 4, 0);
  const auto below = [&](unsigned limit) { return static_cast<std::int32_t>(random() % limit); };
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    unsigned along = 0;
    const std::uint32_t extents[] = {made.header.width, made.header.height, made.header.depth, 1};
    for (std::size_t c = 0; entry.coordinates[c] != 0; ++c) {
      std::uint32_t& to = made.at[thread * 4 + c];
      const char kind = entry.coordinates[c];
      const auto extent = kind == 'l' ? 0 : extents[std::min(along++, 3u)];
      const float part = static_cast<float>(below(3000) - 1000) / 1000.f;  // -1 to 2
      if (kind == 'f')
        to = std::bit_cast<std::uint32_t>(
            made.header.normalized_coordinates != 0 ? part : part * static_cast<float>(extent));
      else if (kind == 'd')
        to = std::bit_cast<std::uint32_t>(part + 0.0005f);
      else if (kind == 'i')
        to = static_cast<std::uint32_t>(below(extent + 4) - 2);
      else if (kind == 'l')
        to = static_cast<std::uint32_t>(below(made.header.depth + 1));
      else {
        const int bytes = kind == 'G' ? 16 : kind - '0';
        const auto accesses = extent * made.header.texel_bytes() / static_cast<unsigned>(bytes);
        to = static_cast<std::uint32_t>((below(accesses + 4) - 2) * bytes);
      }
    }
  }
  return made;
}

/// Results, then the texels.
std::vector<std::uint32_t> run(host::Device& device, host::ModuleHandle module, const Entry& entry,
                               const Case& with) {
  const bool in_memory = std::string_view(entry.name).ends_with("_m");
  TextureHeader header = with.header;
  header.base = device.upload(with.texels, "texels");
  const std::uint64_t object = device.upload(std::vector{header}, "object");
  const std::uint64_t handle = in_memory ? device.upload(std::vector{object}, "handle") : object;
  const std::uint64_t at = device.upload(with.at, "at"), out = device.allocate(kThreads * 16, "out");
  device.launch(module, entry.name, {{1, 1, 1}, {kThreads, 1, 1}, 0}, Args().add(handle).add(at).add(out));
  auto words = device.download<std::uint32_t>(out, kThreads * 4);
  const auto texels = device.download<std::uint32_t>(header.base, with.texels.size());
  words.insert(words.end(), texels.begin(), texels.end());
  for (const std::uint64_t each : {header.base, object, at, out}) device.free(each);
  if (in_memory) device.free(handle);
  return words;
}

class TextureCode : public ::testing::TestWithParam<const char*> {};

TEST_P(TextureCode, GivesWhatThePtxGives) {
  const std::string arch = GetParam();
  const std::string code = host::read_module_file(kData + arch + ".cubin");
  oracle::OracleDevice oracle;
  gpu::GpuDevice gpu(
      gpu::load_platform("tiny",
                         {"core.control_flow.mechanism=hanoi", "core.control_flow.hanoi.barrier_registers=20",
                          arch == "sm_90" ? "core.control_flow.hanoi.profile=barriers"
                                          : "core.control_flow.hanoi.yield_releases=1"}),
      {});
  const auto load = [](host::Device& device, const std::string& bytes) {
    return device.load_module(std::as_bytes(std::span(bytes)), "textures");
  };
  const auto ptx = load(oracle, host::read_module_file(kData + "ptx"));
  const auto on_oracle = load(oracle, code), on_model = load(gpu, code);
  std::size_t something = 0;
  for (const Entry& entry : kEntries)
    for (unsigned variant = 0; variant < 8; ++variant) {
      const Format& format = kFormats[variant % std::size(kFormats)];
      const Case with = case_of(entry, format, variant);
      const auto wanted = run(oracle, ptx, entry, with);
      SCOPED_TRACE(fmt::format("{} of {}, variant {}", entry.name, arch, variant));
      EXPECT_EQ(run(oracle, on_oracle, entry, with), wanted) << "on the oracle";
      EXPECT_EQ(run(gpu, on_model, entry, with), wanted) << "on the model";
      something += static_cast<std::size_t>(
          std::count_if(wanted.begin(), wanted.begin() + kThreads * 4, [](auto word) { return word != 0; }));
    }
  EXPECT_GT(something, 20'000u);
}

INSTANTIATE_TEST_SUITE_P(Architectures, TextureCode, ::testing::Values("sm_75", "sm_90"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace heddle::calls::texture_code_test
