#include <fmt/format.h>

#include <array>
#include <string_view>

#include "case.h"
#include "regression/generator/random_source.h"
#include "sweep.h"

namespace heddle::card {
namespace {

using generator::RandomSource;

constexpr std::array kTypes = {"u32", "s32"};
constexpr std::uint64_t kSeed = 42;

std::string selector(RandomSource& random) {
  return random.pick<const char*>({"", "", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"});
}

Case video(const std::string& instruction, const std::string& d, const std::string& a, const std::string& b,
           bool has_c) {
  Case made;
  made.body = fmt::format("{} $d0{}, {}, {}{};", instruction, d, a, b, has_c ? ", $s2" : "");
  made.name = made.body;
  made.sources.assign(has_c ? 3 : 2, Values::kInteger32);
  made.results = {isa::Type::kU32};
  return made;
}

/// Of vadd and its like: the ways in which the result and the third operand are combined, with random parts of operands.
void add_scalar(const std::string& head, const std::string& tail, RandomSource& random,
                std::vector<Case>& all) {
  constexpr unsigned kPartsOfEach = 2;
  for (unsigned i = 0; i < kPartsOfEach; ++i) {
    const auto a = [&] { return "$s0" + selector(random); };
    const auto b = [&] { return "$s1" + selector(random); };
    all.push_back(video(head + tail, "", a(), b(), false));
    for (const char* const second : {".add", ".min", ".max"})
      all.push_back(video(head + tail + second, "", a(), b(), true));
    all.push_back(video(head + tail, random.pick<const char*>({".b0", ".b1", ".b2", ".b3", ".h0", ".h1"}),
                        a(), b(), true));
  }
}

void add_scalars(RandomSource& random, std::vector<Case>& all) {
  for (const char* const a : kTypes)
    for (const char* const b : kTypes) {
      for (const char* const compare : {"eq", "ne", "lt", "le", "gt", "ge"})
        add_scalar(fmt::format("vset.{}.{}.{}", a, b, compare), "", random, all);
      for (const char* const d : kTypes)
        for (const char* const sat : {"", ".sat"})
          for (const char* const name : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"})
            add_scalar(fmt::format("{}.{}.{}.{}", name, d, a, b), sat, random, all);
    }
  for (const char* const d : kTypes)
    for (const char* const a : kTypes)
      for (const char* const sat : {"", ".sat"})
        for (const char* const mode : {".clamp", ".wrap"})
          for (const char* const name : {"vshl", "vshr"})
            add_scalar(fmt::format("{}.{}.{}.u32", name, d, a), std::string(sat) + mode, random, all);
}

void add_products(RandomSource& random, std::vector<Case>& all) {
  for (const char* const d : kTypes)
    for (const char* const a : kTypes)
      for (const char* const b : kTypes)
        for (const char* const sat : {"", ".sat"})
          for (const char* const scale : {"", ".shr7", ".shr15"})
            for (const char* const po : {"", ".po"}) {
              const std::string name = fmt::format("vmad.{}.{}.{}{}{}{}", d, a, b, po, sat, scale);
              const std::string first = "$s0" + selector(random), second = "$s1" + selector(random);
              all.push_back(video(name, "", first, second, true));
              if (*po != '\0') continue;
              all.push_back(video(name, "", "-" + first, second, true));
              Case minus_c = video(name, "", first, second, true);
              minus_c.body.replace(minus_c.body.rfind("$s2"), 3, "-$s2");
              minus_c.name = minus_c.body;
              all.push_back(std::move(minus_c));
            }
}

void add_simd(RandomSource& random, std::vector<Case>& all) {
  const auto lanes = [&](unsigned count) {
    if (random.chance(40)) return std::string{};
    std::string text = count == 4 ? ".b" : ".h";
    for (unsigned i = 0; i < count; ++i) text += static_cast<char>('0' + random.below(2 * count));
    return text;
  };
  const auto add = [&](const std::string& name, unsigned count) {
    const std::string mask = count == 4 ? random.pick<const char*>({"", ".b3210", ".b20", ".b3", ".b210"})
                                        : random.pick<const char*>({"", ".h10", ".h1", ".h0"});
    all.push_back(video(name, "", "$s0" + lanes(count), "$s1" + lanes(count), true));
    all.push_back(video(name, mask, "$s0" + lanes(count), "$s1" + lanes(count), true));
    all.push_back(video(name + ".add", mask, "$s0" + lanes(count), "$s1" + lanes(count), true));
  };
  for (const unsigned count : {2u, 4u})
    for (const char* const a : kTypes)
      for (const char* const b : kTypes) {
        for (const char* const compare : {"eq", "ne", "lt", "le", "gt", "ge"})
          add(fmt::format("vset{}.{}.{}.{}", count, a, b, compare), count);
        for (const char* const d : kTypes)
          for (const char* const sat : {"", ".sat"})
            for (const char* const name : {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"})
              add(fmt::format("{}{}.{}.{}.{}{}", name, count, d, a, b, sat), count);
      }
}

}  // namespace

std::vector<Case> video_cases() {
  RandomSource random(kSeed);
  std::vector<Case> all;
  add_scalars(random, all);
  add_products(random, all);
  add_simd(random, all);
  return accepted(std::move(all));
}

}  // namespace heddle::card
