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
#include "waiting/program.h"

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

/// What ptxas may do otherwise than Heddle, and does otherwise than the PTX ISA says, both on an H200's CUDA 13.0:
/// - without a rounding modifier it may contract a product and a sum;
/// - of guarded testp and set it executes a part without the guard, so they are jumped over;
/// - it folds constant positions of bfe and lengths of bfi that exceed 32 bits to other values;
/// - a byte that it stores from the result of an f16 operation is that number as an integer.
std::string as_ptxas_compiles_it(std::string text) {
  static const std::pair<std::regex, const char*> kChanges[] = {
      {std::regex(R"(([\t ])(add|sub|mul)((?:\.ftz)?(?:\.sat)?\.(?:f16|f16x2|f32|f64)) )"), "$1$2.rn$3 "},
      {std::regex(R"(\b(bfe\.[us]32 %\w+, %\w+), (?:3[2-9]|[4-6]\d), )"), "$1, 31, "},
      {std::regex(R"(\b(bfi\.b32 %\w+, %\w+, %\w+, \d+), (?:3[2-9]|[4-6]\d);)"), "$1, 31;"},
      {std::regex(R"(((?:@!?%\w+ )?st\.[\w.]*[bus]8 \[[^\]]*\], )(%k\d);)"),
       "and.b16 %h3, $2, 255;\n\t$1%h3;"},
  };
  for (const auto& [what, with] : kChanges) text = std::regex_replace(text, what, with);
  static const std::regex kGuarded(R"(@(!?)(%\w+) ((?:testp|set)\.[^;]*;))");
  std::string result;
  auto from = text.cbegin();
  unsigned number = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), kGuarded), none; at != none; ++at) {
    result.append(from, (*at)[0].first);
    result += fmt::format("@{}{} bra $L_over{};\n\t{}\n$L_over{}:", (*at)[1].length() == 0 ? "!" : "",
                          (*at)[2].str(), number, (*at)[3].str(), number);
    ++number;
    from = (*at)[0].second;
  }
  return result.append(from, text.cend());
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

/// `run`: all memory after a kernel on a device.
template <class Generate, class Run>
void compare(const std::string& kind, const Generate& generate, const Run& run, host::Device& oracle,
             host::Device& card, const Seeds& seeds, const Share& share, Findings& findings) {
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    if (seed % share.parts != share.part) continue;
    GeneratedKernel kernel = generate(seed);
    if (has_several_results(kernel)) {
      findings.compared(kind + " kernels left out");
      continue;
    }
    kernel.ptx = as_ptxas_compiles_it(without_approximations(kernel.ptx));
    const std::string name = fmt::format("{} kernel of seed {}", kind, seed);
    std::string problem;
    try {
      const std::vector<std::byte> expected = run(oracle, kernel);
      problem = difference(kernel, expected, run(card, kernel));
    } catch (const base::InputError& error) {
      findings.refused("REFUSED", name + kept(kernel, kind, error.what()), error);
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
  compare("structured", generate, generator::run, oracle, card, seeds, share, findings);
}

void compare_unstructured(host::Device& oracle, host::Device& card, const Seeds& seeds, const Share& share,
                          Findings& findings) {
  compare(
      "unstructured", [](std::uint64_t seed) { return generator::generate_unstructured(seed); },
      generator::run, oracle, card, seeds, share, findings);
}

void compare_waiting(host::Device& oracle, host::Device& card, const Seeds& seeds, const Share& share,
                     Findings& findings) {
  compare(
      "waiting", [](std::uint64_t seed) { return waiting::emit(waiting::generate(seed)); },
      waiting::memory_after, oracle, card, seeds, share, findings);
}

}  // namespace heddle::card
