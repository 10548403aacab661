#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "groups.h"
#include "regression/generator/random_source.h"
#include "regression/litmus/axioms.h"
#include "regression/litmus/kernel.h"
#include "regression/litmus/program.h"
#include "regression/litmus/shapes.h"

namespace heddle::card {
namespace {

constexpr unsigned kStylesOfEach = 16, kRandomOfEach = 8;
constexpr unsigned kRounds = 400, kTestsAtOnce = 4;

std::vector<litmus::Program> programs() {
  std::vector<litmus::Program> all;
  const auto styles = litmus::styles();
  for (std::size_t s = 0; s < litmus::shapes().size(); ++s) {
    const litmus::Shape& shape = litmus::shapes()[s];
    auto placements = litmus::placements(shape);
    if (!has_barriers(shape)) placements.emplace_back();
    const std::size_t ways = styles.size() * placements.size();
    for (std::size_t i = 0; i < std::min<std::size_t>(kStylesOfEach, ways); ++i) {
      constexpr std::size_t kStride = 7919;  // without a common divisor: it visits all
      const std::size_t way = (i + s * 131) * kStride % ways;
      all.push_back(program_of(shape, styles[way / placements.size()], placements[way % placements.size()]));
    }
    // Nothing synchronises, and as many CTAs as there may be: what may come shows at first here.
    for (const litmus::Order data : {litmus::Order::kWeak, litmus::Order::kRelaxed}) {
      litmus::Style style;
      style.data = data;
      style.flag = litmus::Order::kRelaxed;
      const auto apart = litmus::placements(shape);
      all.push_back(program_of(shape, style, apart.back()));
    }
    for (std::uint64_t i = 0; i < kRandomOfEach; ++i) all.push_back(random_program(shape, s * 1'000'000 + i));
  }
  return all;
}

std::string text_of(const litmus::Program& program, const litmus::Outcome& outcome) {
  std::string text = program.text() + " ->";
  for (std::size_t i = 0; i < outcome.size(); ++i)
    text += i < program.registers
                ? fmt::format(" r{}={}", i, outcome[i])
                : fmt::format(" {}={}", static_cast<char>('x' + i - program.registers), outcome[i]);
  return text;
}

/// Of a shape.
struct Tally {
  std::uint64_t programs = 0, showed = 0, weak = 0, all = 0;
};

}  // namespace

void run_litmus(host::Device& card, unsigned launches, const Share& share, Findings& findings) {
  std::map<std::string, Tally> tallies;
  const auto all = programs();
  generator::RandomSource random(share.part + 1);
  for (std::size_t p = share.part; p < all.size(); p += share.parts) {
    const litmus::Program& program = all[p];
    const auto allowed = litmus::allowed(program);
    const auto strict = litmus::sequential(program);
    Tally& tally = tallies[program.name.substr(0, program.name.find_first_of("/#"))];
    std::uint64_t weak = 0;
    for (unsigned launch = 0; launch < launches; ++launch) {
      const litmus::Trial trial{.seed = random.next(),
                                .rounds = kRounds,
                                .lanes = kTestsAtOnce,
                                .one_line = random.chance(25),
                                .noise_ctas = random.below(4)};
      for (const auto& [outcome, count] : litmus::run(card, program, trial)) {
        tally.all += count;
        if (!allowed.contains(outcome))
          findings.report("FORBIDDEN", fmt::format("{} ({} times)", text_of(program, outcome), count));
        else if (!strict.contains(outcome))
          weak += count;
      }
    }
    findings.compared("litmus programs");
    tally.programs += allowed != strict ? 1 : 0;
    tally.showed += weak != 0 ? 1 : 0;
    tally.weak += weak;
  }
  for (const auto& [shape, tally] : tallies) {
    findings.compared("outcomes", tally.all);
    findings.compared("weak outcomes", tally.weak);
    Findings::note(fmt::format("litmus {}: {} of {} programs that allow it showed weak outcomes, {} of {}",
                               shape, tally.showed, tally.programs, tally.weak, tally.all));
  }
}

}  // namespace heddle::card
