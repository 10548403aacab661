#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <regex>
#include <string>

#include "base/error.h"
#include "generator/generated_kernel.h"
#include "generator/unstructured.h"
#include "groups.h"

namespace heddle::card {
namespace {

using generator::GeneratedKernel;

/// Approximate functions would make every kernel differ: they become moves and exact sums on both devices.
std::string exact_text(const std::string& ptx) {
  static const std::regex kDivision(R"(\bdiv\.(approx|full)(\.ftz)?\.f32\b)");
  static const std::regex kFunction(
      R"(\b(rcp|sqrt|rsqrt|sin|cos|lg2|ex2|tanh)\.approx(\.ftz)?\.(f16x2|f16|f32|f64)\b)");
  std::string text = std::regex_replace(ptx, kDivision, "add.rn.f32");
  std::string result;
  auto from = text.cbegin();
  for (std::sregex_iterator at(text.begin(), text.end(), kFunction), none; at != none; ++at) {
    const std::string type = (*at)[3];
    result.append(from, (*at)[0].first);
    result += type == "f64" ? "mov.b64" : type == "f16" ? "mov.b16" : "mov.b32";
    from = (*at)[0].second;
  }
  result.append(from, text.cend());
  return result;
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
    kernel.ptx = exact_text(kernel.ptx);
    const std::string name = fmt::format("{} kernel of seed {}", kind, seed);
    std::string problem;
    try {
      const std::vector<std::byte> expected = run(oracle, kernel);
      problem = difference(kernel, expected, run(card, kernel));
    } catch (const base::InputError& error) {
      findings.report("REFUSED", fmt::format("{}: {}{}", name, error.what(), kept(kernel, kind, error.what())));
      continue;
    }
    findings.compared(kind + " kernels");
    if (!problem.empty())
      findings.report(shows_convergence(kernel) ? "CONVERGENCE-DIFFERS" : "MISMATCH",
                      fmt::format("{}: {}{}", name, problem, kept(kernel, kind, problem)));
  }
}

}  // namespace

void compare_random(host::Device& oracle, host::Device& card, const Seeds& seeds, const Share& share, Findings& findings) {
  compare("structured", [](std::uint64_t seed) { return generator::generate(seed); }, oracle, card, seeds, share, findings);
}

void compare_unstructured(host::Device& oracle, host::Device& card, const Seeds& seeds, const Share& share,
                          Findings& findings) {
  compare("unstructured", [](std::uint64_t seed) { return generator::generate_unstructured(seed); }, oracle, card, seeds,
          share, findings);
}

}  // namespace heddle::card
