// Fetches and surface accesses. What is in A and B: models/frontend/sass/forms_texture.cpp; ptxas' words have it so (texture_code_test.cpp). Texels that a
// coordinate names: CUDA C++ Programming Guide, Texture Fetching and Cubemap Textures.
#include <fmt/format.h>

#include <algorithm>

#include "regression/code_values/code_case.h"

namespace heddle::code_values {
namespace texture_rows {

struct Texel {
  unsigned x, y, z;
};
struct Shape {
  const char* name;
  /// Of threads 0 and 1: the layer, then coordinates, as numbers and as texels.
  std::vector<const char*> numbers[2], texels[2];
  Texel at[2];
  Texel gathered[2][4];  ///< where `numbers` points between four texels
};
// (1, 0.3, -0.6) is of face 0, at s = (0.6 + 1) / 2 and t = (-0.3 + 1) / 2; (-0.2, 0.1, -1) of face 5, at 0.6 and 0.45.
const std::vector<Shape> kShapes{
    {"1D", {{"1.2f"}, {"3.1f"}}, {{"1"}, {"3"}}, {{1, 0, 0}, {3, 0, 0}}, {}},
    {"2D",
     {{"1.7f", "2.2f"}, {"3.1f", "1.4f"}},
     {{"1", "2"}, {"3", "1"}},
     {{1, 2, 0}, {3, 1, 0}},
     {{{1, 2, 0}, {2, 2, 0}, {2, 1, 0}, {1, 1, 0}}, {{2, 1, 0}, {3, 1, 0}, {3, 0, 0}, {2, 0, 0}}}},
    {"3D",
     {{"1.2f", "2.2f", "3.5f"}, {"3.1f", "1.4f", "0.1f"}},
     {{"1", "2", "3"}, {"3", "1", "0"}},
     {{1, 2, 3}, {3, 1, 0}},
     {}},
    {"CUBE",
     {{"1f", "0.3f", "-0.6f"}, {"-0.2f", "0.1f", "-1f"}},
     {},
     {{3, 1, 0}, {2, 1, 5}},
     {{{2, 1, 0}, {3, 1, 0}, {3, 0, 0}, {2, 0, 0}}, {{1, 2, 5}, {2, 2, 5}, {2, 1, 5}, {1, 1, 5}}}},
    {"ARRAY_1D", {{"1", "1.2f"}, {"2", "3.1f"}}, {{"1", "1"}, {"2", "3"}}, {{1, 0, 1}, {3, 0, 2}}, {}},
    {"ARRAY_2D",
     {{"1", "1.7f", "2.2f"}, {"2", "3.1f", "1.4f"}},
     {{"1", "1", "2"}, {"2", "3", "1"}},
     {{1, 2, 1}, {3, 1, 2}},
     {{{1, 2, 1}, {2, 2, 1}, {2, 1, 1}, {1, 1, 1}}, {{2, 1, 2}, {3, 1, 2}, {3, 0, 2}, {2, 0, 2}}}},
    {"ARRAY_CUBE",
     {{"1", "1f", "0.3f", "-0.6f"}, {"2", "-0.2f", "0.1f", "-1f"}},
     {},
     {{3, 1, 6}, {2, 1, 17}},
     {{{2, 1, 6}, {3, 1, 6}, {3, 0, 6}, {2, 0, 6}}, {{1, 2, 17}, {2, 2, 17}, {2, 1, 17}, {1, 1, 17}}}},
};

enum class Place { kConstant, kRegister, kUniform };  ///< of the handle
struct Fetch {
  const char* name;
  Arch arch;
  unsigned code;
  Place handle;
};

/// " R4=a,b R5=c,d": words of both threads from a register on.
std::string words(unsigned first, const std::vector<std::pair<std::string, std::string>>& values) {
  std::string text;
  for (const auto& [of0, of1] : values) text += fmt::format(" R{}={},{}", first++, of0, of1);
  return text;
}

/// R20 to R23 have the components that the mask names.
std::string results(const Texel& of0, const Texel& of1, unsigned mask = 15) {
  std::string text;
  unsigned to = 20;
  for (unsigned c = 0; c < 4; ++c)
    if ((mask >> c & 1) != 0)
      text += fmt::format("R{}={},{} ", to++, texel(of0.x, of0.y, of0.z, c), texel(of1.x, of1.y, of1.z, c));
  return text;
}

struct Suffixes {
  std::string sources, dependency, eviction, last, together;
};

void add(std::vector<CodeCase>& all, const Fetch& of, const Shape& shape, const Suffixes& suffixes,
         const std::string& after, unsigned mask = 15) {
  const std::string_view op = of.name;
  const auto& at = op == "TLD" ? shape.texels : shape.numbers;
  std::vector<std::pair<std::string, std::string>> a, b;
  const bool layered = std::string_view(shape.name).starts_with("ARRAY");
  const bool given = of.handle != Place::kRegister;
  for (std::size_t i = 0; i < at[0].size(); ++i) a.emplace_back(at[0][i], at[1][i]);
  if (op == "TXD") {  // the handle, coordinates, the layer; gradients
    if (layered) std::rotate(a.begin(), a.begin() + 1, a.end());
    if (!given) a.insert(a.begin(), {"T", "T"});
    for (unsigned i = 0; i < 4; ++i) b.emplace_back("0.5f", "2f");
  } else {
    const std::size_t coordinates = a.size();
    if (!given) a.emplace_back("T", "T");
    if (suffixes.last == ".LL") a.emplace_back("0", "0");
    const std::size_t in_a = suffixes.sources.empty() ? coordinates : (a.size() + 1) / 2;
    b.assign(a.begin() + static_cast<std::ptrdiff_t>(in_a), a.end());
    a.resize(in_a);
  }
  std::string handle;
  if (of.handle == Place::kConstant) handle = fmt::format("40:14={}", (parameters_at(of.arch) + 28) / 4);
  if (of.handle == Place::kUniform) handle = "40:6=8";
  all.push_back({of.arch,
                 fmt::format("{}{}{}{}.{}{}{}@{:x} d=20 c=22 a=4 b=12 72:4={} {}", of.name, suffixes.sources,
                             suffixes.dependency, suffixes.eviction, shape.name, suffixes.last,
                             suffixes.together, of.code, mask, handle),
                 "UR8=T" + words(4, a) + words(12, b), after, 2, shape.name});
}

constexpr Fetch kFetches[] = {
    {"TEX", k75, 0xb60, Place::kConstant},  {"TEX", k75, 0x361, Place::kRegister},
    {"TEX", k90, 0xf60, Place::kUniform},   {"TLD", k75, 0xb66, Place::kConstant},
    {"TLD", k75, 0x367, Place::kRegister},  {"TLD", k90, 0xf66, Place::kUniform},
    {"TLD4", k75, 0xb63, Place::kConstant}, {"TLD4", k75, 0x364, Place::kRegister},
    {"TLD4", k90, 0xf63, Place::kUniform},  {"TXD", k75, 0xb6c, Place::kConstant},
    {"TXD", k75, 0x36d, Place::kRegister},  {"TXD", k90, 0xf6c, Place::kUniform},
};

/// Of four texels one component each.
std::string gathered(const Shape& shape, unsigned component) {
  std::string text;
  for (unsigned i = 0; i < 4; ++i) {
    const Texel& of0 = shape.gathered[0][i];
    const Texel& of1 = shape.gathered[1][i];
    text += fmt::format("R{}={},{} ", 20 + i, texel(of0.x, of0.y, of0.z, component),
                        texel(of1.x, of1.y, of1.z, component));
  }
  return text;
}

void add_fetch(std::vector<CodeCase>& all, const Fetch& of) {
  const std::string_view op = of.name;
  const bool gathers = op == "TLD4";
  const std::vector<std::string> lasts = gathers       ? std::vector<std::string>{".R", ".G", ".B", ".A"}
                                         : op == "TXD" ? std::vector<std::string>{""}
                                                       : std::vector<std::string>{"", ".LZ", ".LL"};
  for (const Shape& shape : kShapes) {
    const std::string_view name = shape.name;
    if (op == "TLD" && shape.texels[0].empty()) continue;  // no cubes
    if (gathers && shape.gathered[0][1].x == 0) continue;
    if (op == "TXD" && name.find("1D") == name.npos && name.find("2D") == name.npos) continue;
    for (unsigned last = 0; last < lasts.size(); ++last)
      for (const char* const sources : {"", ".SCR"})
        if (op != "TXD" || *sources == 0)
          add(all, of, shape, {sources, "", "", lasts[last], ""},
              gathers ? gathered(shape, last) : results(shape.at[0], shape.at[1]));
  }
  const Shape& plain = kShapes[1];
  const std::string after = gathers ? gathered(plain, 0) : results(plain.at[0], plain.at[1]);
  for (const std::string& eviction : kEvictions) add(all, of, plain, {"", "", eviction, lasts[0], ""}, after);
  add(all, of, plain, {"", ".NODEP", "", lasts[0], ""}, after);
  if (op == "TEX" || op == "TLD") add(all, of, plain, {"", "", "", ".LL", ".NDV"}, after);
  if (!gathers)
    add(all, of, plain, {"", "", "", lasts[0], ""}, results(plain.at[0], plain.at[1], 10) + "R22=0xdeadbeef",
        10);
}

// ---- Surfaces

/// Byte 20 of row 2 and byte 36 of row 1: components 1 of texels 1 and 2.
struct Access {
  const char* size;
  unsigned words;
};
constexpr Access kSizes[] = {{".U8", 1}, {".S8", 1}, {".U16", 1}, {".S16", 1},
                             {"", 1},    {".64", 2}, {".128", 4}};

struct Surface {
  Arch arch;
  unsigned load, store;
  Place handle;
};
constexpr Surface kSurfaces[] = {{k75, 0xb99, 0xb9d, Place::kConstant},
                                 {k75, 0x99a, 0x99e, Place::kRegister},
                                 {k90, 0xf99, 0xf9d, Place::kUniform}};

/// Coordinates: x in bytes, y, z, the layer; and the first word that they name.
struct Spot {
  const char* shape;
  const char* at;  ///< R4 to R7
  unsigned first[2];
};
constexpr Spot kSpots[] = {
    {"1D", "R4=16,32", {4, 8}},
    {"1D_BUFFER", "R4=16,32", {4, 8}},
    {"ARRAY_1D", "R4=16,32 R5=1,2", {16 + 4, 32 + 8}},
    {"2D", "R4=16,32 R5=2,1", {32 + 4, 16 + 8}},
    {"ARRAY_2D", "R4=16,32 R5=2,1 R6=1,2", {64 + 32 + 4, 128 + 16 + 8}},
    {"3D", "R4=16,32 R5=2,1 R6=3,0", {192 + 32 + 4, 16 + 8}},
};
std::uint32_t word_of(const Spot& spot, unsigned index) {
  const unsigned rows = std::string_view(spot.shape).find("1D") != std::string_view::npos ? 1 : 4;
  return texel(index / 4 % 4, index / 16 % rows, index / 16 / rows, index % 4);
}

class Surfaces {
 public:
  void add(const Surface& of, const Spot& spot, const Access& access, const std::string& order,
           const std::string& eviction, const std::string& outside) {
    const std::string handle = of.handle == Place::kConstant
                                   ? fmt::format("40:14={}", (parameters_at(of.arch) + 28) / 4)
                               : of.handle == Place::kUniform ? "40:6=8"
                                                              : "c=16";
    const std::string suffixes =
        fmt::format(".{}{}{}{}{}", spot.shape, access.size, order, eviction, outside);
    const std::string before = fmt::format("UR8=T R16=T {}", spot.at);
    std::string loaded = access.words < 4 ? fmt::format("R{}=0xdeadbeef", 20 + access.words) : "";
    std::string given, stored;
    for (unsigned i = 0; i < access.words; ++i) {
      std::array<std::uint32_t, 2> got{}, left{};
      for (unsigned thread = 0; thread < 2; ++thread) {
        const std::uint32_t there = word_of(spot, spot.first[thread] + i),
                            gives = 0x8182'8384 + 16 * i + thread;
        const std::string_view size = access.size;
        const std::uint32_t part = size == ".U8" || size == ".S8"     ? 0xff
                                   : size == ".U16" || size == ".S16" ? 0xffff
                                                                      : ~0u;
        const bool negative = size.starts_with(".S") && (there & ((part >> 1) + 1)) != 0;
        got[thread] = (there & part) | (negative ? ~part : 0);
        left[thread] = (there & ~part) | (gives & part);
        stored += fmt::format(" T{}={}", 4 * (spot.first[thread] + i), left[thread]);
      }
      loaded += fmt::format(" R{}={},{}", 20 + i, got[0], got[1]);
      given += fmt::format(" R{}={},{}", 12 + i, 0x8182'8384 + 16 * i, 0x8182'8384 + 16 * i + 1);
    }
    const std::string object = std::string("surface ") + spot.shape;
    all.push_back({of.arch, fmt::format("SULD.D.BA{}@{:x} d=20 a=4 {}", suffixes, of.load, handle), before,
                   loaded, 2, object});
    all.push_back({of.arch, fmt::format("SUST.D.BA{}@{:x} a=4 b=12 {}", suffixes, of.store, handle),
                   before + given, stored, 2, object});
  }
  std::vector<CodeCase> all;
};

}  // namespace texture_rows

std::vector<CodeCase> texture_cases() {
  using namespace texture_rows;
  std::vector<CodeCase> all;
  for (const Fetch& of : kFetches) add_fetch(all, of);
  return all;
}

std::vector<CodeCase> surface_cases() {
  using namespace texture_rows;
  Surfaces surfaces;
  for (const Surface& of : kSurfaces) {
    const std::string weak = of.arch == k75 ? ".SYS" : "";
    for (const Spot& spot : kSpots)
      for (const char* const outside : {".IGN", ".NEAR", ".TRAP"})
        surfaces.add(of, spot, kSizes[4], weak, "", outside);
    for (const Access& access : kSizes) surfaces.add(of, kSpots[3], access, weak, "", ".IGN");
    for (const std::string& eviction : kEvictions)
      surfaces.add(of, kSpots[3], kSizes[4], weak, eviction, ".IGN");
    for (const std::string& order : of.arch == k75 ? kOrders75 : kOrders90)
      surfaces.add(of, kSpots[3], kSizes[4], order, "", ".IGN");
  }
  return surfaces.all;
}

}  // namespace heddle::code_values
