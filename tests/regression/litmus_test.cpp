// Litmus tests on whole GPUs under random delays. Where core.memory_model=scoped, no outcome comes that the PTX memory
// consistency model forbids, and weak ones that it allows do come. Where it is legacy, the model does not apply: L1 may keep stale
// lines, and message passing finds them.
//
// HEDDLE_TEST_DEPTH multiplies the number of programs; a depth of 100 takes all styles of all shapes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "blocks/isolated.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "litmus/axioms.h"
#include "litmus/kernel.h"
#include "litmus/shapes.h"
#include "regression/depth.h"
#include "regression/generator/random_source.h"

namespace heddle::litmus_test {
namespace {

using Json = nlohmann::ordered_json;
using litmus::Outcome;

struct Machine {
  std::string name;
  std::string platform;
  std::vector<std::string> keys;
};

std::vector<std::string> perturbed(std::uint64_t seed) {
  const std::string number = std::to_string(seed);
  return {"memory.crossbar.perturb_seed=" + number, "memory.crossbar.perturb_cycles=24",
          "memory.dram.perturb_seed=" + number, "core.scheduler.perturb_seed=" + number,
          "core.start_jitter.perturb_seed=" + number};
}

const std::vector<Machine> kScoped{
    {"whole_lines", "tiny", {"core.memory_model=scoped"}},
    {"sectors",
     "tiny",
     {"core.memory_model=scoped", "cores=3", "memory.partitions=3", "core.l1d.sector_bytes=32",
      "core.l1d.global_write=write_through", "memory.l2.write_miss=byte_mask"}},
    {"multi_path",
     "tiny",
     {"core.memory_model=scoped", "cores=4", "core.control_flow.mechanism=multi_path",
      "core.scoreboard.kind=per_thread_mask"}},
    {"hanoi", "tiny", {"core.memory_model=scoped", "cores=4", "core.control_flow.mechanism=hanoi"}},
    {"rtx2060", "rtx2060", {"cores=6"}},
};
const Machine kLegacy{"gtx480", "gtx480", {"cores=6"}};

gpu::GpuConfig config(const Machine& machine, std::uint64_t seed) {
  std::vector<std::string> keys = machine.keys;
  for (const std::string& key : perturbed(seed)) keys.push_back(key);
  return gpu::load_platform(machine.platform, keys);
}

gpu::RunOptions options() {
  gpu::RunOptions run;
  run.max_cycles = 5'000'000;
  run.on_print = [](const std::string&) {};
  return run;
}

/// Programs of all shapes: of each a few styles in some placement, which follow those of the turn before, and random ones.
std::vector<litmus::Program> programs(std::uint64_t turn) {
  const auto all = litmus::styles();
  const std::uint64_t of_styles = depth::times(5), random = depth::times(5);
  std::vector<litmus::Program> chosen;
  for (std::size_t s = 0; s < litmus::shapes().size(); ++s) {
    const litmus::Shape& shape = litmus::shapes()[s];
    auto placements = litmus::placements(shape);
    if (!has_barriers(shape)) placements.emplace_back();
    const std::uint64_t ways = all.size() * placements.size();
    for (std::uint64_t i = 0; i < std::min(of_styles, ways); ++i) {
      // A stride without a common divisor visits all.
      constexpr std::uint64_t kStride = 7919;
      const std::uint64_t way = (turn * of_styles + i + s * 131) * kStride % ways;
      chosen.push_back(program_of(shape, all[way / placements.size()], placements[way % placements.size()]));
    }
    for (std::uint64_t i = 0; i < random; ++i)
      chosen.push_back(random_program(shape, (turn * 1000 + s) * 1'000'000 + i));
  }
  return chosen;
}

std::string text_of(const litmus::Program& program, const Outcome& outcome) {
  std::string text = program.text() + " ->";
  for (std::size_t i = 0; i < outcome.size(); ++i)
    text += i < program.registers
                ? fmt::format(" r{}={}", i, outcome[i])
                : fmt::format(" {}={}", static_cast<char>('x' + i - program.registers), outcome[i]);
  return text;
}

/// {"forbidden": [text], "shapes": {name: [programs that allow weak outcomes, that showed some, weak outcomes]}}.
Json outcomes(const Machine& machine, std::uint64_t turn) {
  return tb::isolated([&] {
    gpu::GpuDevice device(config(machine, turn + 1), options());
    Json result{{"forbidden", Json::array()}, {"shapes", Json::object()}};
    generator::RandomSource random(turn);
    for (const litmus::Program& program : programs(turn)) {
      const auto weak = litmus::allowed(program);
      const auto strict = litmus::sequential(program);
      const litmus::Trial trial{.seed = random.next(), .one_line = random.chance(25)};
      std::uint64_t seen = 0;
      for (const auto& [outcome, count] : litmus::run(device, program, trial)) {
        if (!weak.contains(outcome))
          result["forbidden"].push_back(fmt::format("{} ({} times)", text_of(program, outcome), count));
        else if (!strict.contains(outcome))
          seen += count;
      }
      const std::string shape = program.name.substr(0, program.name.find_first_of("/#"));
      Json& row = result["shapes"][shape];
      if (row.is_null()) row = Json::array({0, 0, 0});
      row[0] = row[0].get<std::uint64_t>() + (weak != strict ? 1 : 0);
      row[1] = row[1].get<std::uint64_t>() + (seen != 0 ? 1 : 0);
      row[2] = row[2].get<std::uint64_t>() + seen;
      device.forget_launches();
    }
    return result;
  });
}

void print(const Machine& machine, const Json& shapes) {
  std::printf(
      "%s: programs that allow outcomes beyond sequential consistency, that showed some, such outcomes\n",
      machine.name.c_str());
  for (const auto& [shape, row] : shapes.items())
    std::printf("  %-12s %4d %4d %6d\n", shape.c_str(), row[0].get<int>(), row[1].get<int>(),
                row[2].get<int>());
}

class Litmus : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Litmus, NothingForbiddenComesAndWeakOutcomesDo) {
  const Machine& machine = kScoped[GetParam()];
  const Json result = outcomes(machine, GetParam());
  ASSERT_FALSE(result.contains("errors")) << result["errors"].dump();
  for (const Json& each : result["forbidden"]) ADD_FAILURE() << each.get<std::string>();
  print(machine, result["shapes"]);
  for (const char* const shape : {"MP", "SB", "R", "2+2W"})
    EXPECT_GT(result["shapes"][shape][2].get<int>(), 0) << shape;
}

INSTANTIATE_TEST_SUITE_P(All, Litmus, ::testing::Range(std::size_t{0}, kScoped.size()),
                         [](const auto& test) { return kScoped[test.param].name; });

}  // namespace
}  // namespace heddle::litmus_test
