#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <regex>
#include <string>
#include <utility>

#include "base/error.h"
#include "generator/generated_kernel.h"
#include "generator/unstructured.h"
#include "groups.h"

namespace heddle::card {
namespace {

using generator::GeneratedKernel;

/// Approximate functions would make every kernel differ: they become moves and exact sums on both devices.
std::string without_approximations(const std::string& ptx) {
  static const std::regex kDivision(R"(\bdiv\.(approx|full)(\.ftz)?\.f32\b)");
  static const std::regex kFunction(
      R"(\b(rcp|sqrt|rsqrt|sin|cos|lg2|ex2|tanh)\.approx(\.ftz)?\.(f16x2|f16|f32|f64)\b)");
  const std::string text = std::regex_replace(ptx, kDivision, "add.rn.f32");
  std::string result;
  auto from = text.cbegin();
  for (std::sregex_iterator at(text.begin(), text.end(), kFunction), none; at != none; ++at) {
    const std::string type = (*at)[3];
    result.append(from, (*at)[0].first);
    result += type == "f64" ? "mov.b64" : type == "f16" ? "mov.b16" : "mov.b32";
    from = (*at)[0].second;
  }
  return result.append(from, text.cend());
}

/// What Heddle takes and ptxas does not: saturation between integers (which it takes only where it clamps), two predicates of
/// setp.f16, additions of .s64 in memory.
std::string accepted_by_ptxas(std::string text) {
  static const std::pair<std::regex, const char*> kChanges[] = {
      {std::regex(R"(\bcvt\.sat\.([us]\d+)\.([us]\d+))"), "cvt.$1.$2"},
      {std::regex(R"((\bsetp\.[\w.]*\.f16 %\w+)\|%\w+)"), "$1"},
      {std::regex(R"(\b((?:atom|red)\.[\w.]*add)\.s64)"), "$1.u64"},
  };
  for (const auto& [what, with] : kChanges) text = std::regex_replace(text, what, with);
  return text;
}

/// ptxas takes functions of several results only if these are registers.
bool has_several_results(const GeneratedKernel& kernel) {
  static const std::regex kSeveral(R"(\.func \([^)]*,)");
  return std::regex_search(kernel.ptx, kSeveral);
}

/// Results that depend on which lanes run together, other than in .sync instructions.
bool shows_convergence(const GeneratedKernel& kernel) {
  static const std::regex kShows(R"(\bactivemask\.|\b(vote|shfl)\.(?!sync))");
  return std::regex_search(kernel.ptx, kShows);
}

/// Where a kernel that differs is kept: HEDDLE_CARD_KERNELS, a folder; otherwise nowhere.
std::string kept(const GeneratedKernel& kernel, const std::string& kind, const std::string& why) {
  const char* const folder = std::getenv("HEDDLE_CARD_KERNELS");
  if (folder == nullptr) return {};
  const std::string path = fmt::format("{}/{}-{}.ptx", folder, kind, kernel.seed);
  save(kernel, path, why);
  return "; kernel: " + path;
}

template <class Generate>
void compare(const std::string& kind, const Generate& generate, host::Device& oracle, host::Device& card,
             const Seeds& seeds, const Share& share, Findings& findings) {
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    if (seed % share.parts != share.part) continue;
    GeneratedKernel kernel = generate(seed);
    if (has_several_results(kernel)) {
      findings.compared(kind + " kernels left out");
      continue;
    }
    kernel.ptx = accepted_by_ptxas(without_approximations(kernel.ptx));
    const std::string name = fmt::format("{} kernel of seed {}", kind, seed);
    std::string problem;
    try {
      const std::vector<std::byte> expected = run(oracle, kernel);
      problem = difference(kernel, expected, run(card, kernel));
    } catch (const base::InputError& error) {
      findings.report("REFUSED",
                      fmt::format("{}: {}{}", name, error.what(), kept(kernel, kind, error.what())));
      continue;
    }
    findings.compared(kind + " kernels");
    if (!problem.empty())
      findings.report(shows_convergence(kernel) ? "CONVERGENCE-DIFFERS" : "MISMATCH",
                      fmt::format("{}: {}{}", name, problem, kept(kernel, kind, problem)));
  }
}

}  // namespace

void compare_random(host::Device& oracle, host::Device& card, const Seeds& seeds, const Share& share,
                    Findings& findings) {
  const auto generate = [](std::uint64_t seed) {
    GeneratedKernel kernel = generator::generate(seed);
    return has_several_results(kernel) ? generator::generate(seed, {.calls = false}) : kernel;
  };
  compare("structured", generate, oracle, card, seeds, share, findings);
}

void compare_unstructured(host::Device& oracle, host::Device& card, const Seeds& seeds, const Share& share,
                          Findings& findings) {
  compare(
      "unstructured", [](std::uint64_t seed) { return generator::generate_unstructured(seed); }, oracle, card,
      seeds, share, findings);
}

}  // namespace heddle::card
