// Random kernels whose threads wait for each other (waiting/program.h), on every machine that promises to finish what ends
// under independent threads: each finishes and leaves the oracle's memory.
//
// HEDDLE_TEST_DEPTH multiplies the number of kernels, HEDDLE_RANDOM_KERNELS sets it, HEDDLE_RANDOM_SEED the first seed. A kernel
// that fails is reduced and saved, and the message names the file. HEDDLE_RANDOM_FAILURES: how many, HEDDLE_RANDOM_REDUCE=0: as they
// are; HEDDLE_RANDOM_VERBOSE=1 saves those that are refused.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "analysis/delayed_reconvergence.h"
#include "base/error.h"
#include "blocks/isolated.h"
#include "compiler/pipeline.h"
#include "depth.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/parser.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"
#include "ssde/ssde.h"
#include "waiting/program.h"

namespace heddle::waiting::waiting_kernels_test {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t kKernels = 100;  ///< on each machine
constexpr std::uint64_t kControlled = 40;
constexpr unsigned kReported = 3;      ///< failures, before a machine's test gives up
constexpr unsigned kReductions = 400;  ///< runs to reduce one

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}

/// A kernel's text before a machine gets it.
using Change = std::function<void(generator::GeneratedKernel&)>;

struct Machine {
  std::string name;
  std::vector<std::string> assignments;
  Choices choices{};
  std::shared_ptr<const compiler::Pass> pass{};  ///< instead of core.compiler
  Change change{};
};
void PrintTo(const Machine& machine, std::ostream* out) { *out << machine.name; }

const std::string kDelayed = "core.compiler=delayed_reconvergence";
const std::string kAware = "core.control_flow.mechanism=aware";
const std::string kMultiPath = "core.control_flow.mechanism=multi_path";
const std::string kMasks = "core.scoreboard.kind=per_thread_mask";

Machine hanoi(const char* profile, const std::vector<std::string>& placement = {}) {
  Machine result{
      std::string("hanoi_") + profile,
      {"core.control_flow.mechanism=hanoi", std::string("core.control_flow.hanoi.profile=") + profile},
      {}};
  result.assignments.insert(result.assignments.end(), placement.begin(), placement.end());
  return result;
}

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all{
      {"stack_ssde", {"core.compiler=ssde"}, {}},
      {"stack_ssde_not_taken", {"core.compiler=ssde", "core.control_flow.first_side=not_taken"}, {}},
      {"aware_delayed", {kAware, kDelayed}, {}},
      {"multi_path_delayed", {kMultiPath, kDelayed, kMasks}, {}},
      {"multi_path_early_delayed",
       {kMultiPath, kDelayed, kMasks, "core.control_flow.multi_path.opportunistic_reconvergence=true"},
       {}},
      {"aware_delayed_barriers", {kAware, kDelayed}, {.together = false, .divergent_barriers = true}},
      {"multi_path_delayed_barriers",
       {kMultiPath, kDelayed, kMasks},
       {.together = false, .divergent_barriers = true}},
      {"aware_timeout", {kAware, "core.control_flow.timeout.cycles=200"}, {}},
      hanoi("P"),
      hanoi("X"),
      // As an H100 has it: lanes meet right behind their loops, and do not wait there for others that yield.
      hanoi("barriers", {"core.convergence.delay=off", "core.convergence.yields=all"}),
  };
  return all;
}

gpu::GpuConfig config_of(const Machine& machine) {
  std::vector<std::string> assignments{"cores=1", "watchdog.check_cycles=256", "energy.enabled=false"};
  assignments.insert(assignments.end(), machine.assignments.begin(), machine.assignments.end());
  return gpu::load_platform("tiny", assignments);
}
gpu::RunOptions run_options(const Machine& machine) {
  gpu::RunOptions options;
  if (machine.pass)
    options.compiler = [pass = machine.pass](compiler::Pipeline& pipeline) {
      pipeline.add(compiler::Stage::kReconverge, pass);
    };
  options.max_cycles = 500'000;
  return options;
}

enum class Outcome : std::uint8_t { kRight, kWrong, kHang, kRefused, kOther };

struct Result {
  Outcome outcome = Outcome::kRight;
  std::string why{};
};

Result run_one(host::Device& gpu, const Machine& machine, generator::GeneratedKernel kernel) {
  oracle::OracleDevice oracle;
  const std::vector<std::byte> expected = memory_after(oracle, kernel);
  try {
    if (machine.change) machine.change(kernel);
    const std::string wrong = generator::difference(kernel, expected, memory_after(gpu, kernel));
    return {wrong.empty() ? Outcome::kRight : Outcome::kWrong, wrong};
  } catch (const base::InputError& error) {
    return {Outcome::kRefused, error.what()};
  } catch (const base::Error& error) {
    const bool hang = error.code() == base::ExitCode::kHang || error.code() == base::ExitCode::kCycleLimit;
    return {hang ? Outcome::kHang : Outcome::kOther, error.what()};
  }
}

/// In a process of its own.
Result run_apart(const Machine& machine, const generator::GeneratedKernel& kernel) {
  const ordered_json result = tb::isolated([&]() -> ordered_json {
    gpu::GpuDevice gpu(config_of(machine), run_options(machine));
    const Result one = run_one(gpu, machine, kernel);
    return {{"outcome", static_cast<int>(one.outcome)}, {"why", one.why}};
  });
  if (result.contains("errors")) return {Outcome::kOther, result.dump()};
  return {static_cast<Outcome>(result["outcome"].get<int>()), result["why"]};
}

std::string saved(const Machine& machine, const generator::GeneratedKernel& kernel, const std::string& why) {
  std::string path =
      ::testing::TempDir() + "waiting-" + machine.name + "-" + std::to_string(kernel.seed) + ".ptx";
  std::string command = "heddle run --ptx FILE --entry k --grid " + std::to_string(kernel.shape.grid.x) +
                        " --block " + std::to_string(kernel.shape.block.x);
  for (const generator::Buffer& buffer : kernel.buffers)
    command += " --arg buf=" + buffer.name + ":" + std::to_string(buffer.initial.size());
  command += " --platform tiny --set cores=1";
  for (const std::string& assignment : machine.assignments) command += " --set " + assignment;
  std::ofstream file(path);
  file << "// seed " << kernel.seed << ": " << command << "\n// " << why.substr(0, why.find('\n')) << "\n"
       << kernel.ptx;
  return path;
}

/// Runs kernels of the seeds [from, end) until one fails: {"next": seed behind the last one that ran, "refused", "outcome",
/// "why"}.
ordered_json run_until_failure(const Machine& machine, std::uint64_t from, std::uint64_t end) {
  return tb::isolated([&]() -> ordered_json {
    gpu::GpuDevice gpu(config_of(machine), run_options(machine));
    unsigned refused = 0;
    Result one;
    std::uint64_t seed = from;
    while (seed < end && (one.outcome == Outcome::kRight || one.outcome == Outcome::kRefused)) {
      one = run_one(gpu, machine, emit(generate(seed++, machine.choices)));
      if (one.outcome != Outcome::kRefused) continue;
      ++refused;
      if (setting("HEDDLE_RANDOM_VERBOSE", 0) == 0) continue;
      std::cout << "seed " << seed - 1 << " is refused: " << one.why << '\n';
      saved(machine, emit(generate(seed - 1, machine.choices)), one.why);
    }
    return {{"next", seed},
            {"refused", refused},
            {"outcome", static_cast<int>(one.outcome)},
            {"why", one.why.substr(0, 600)}};
  });
}

Program shrink(const Machine& machine, Program program, Outcome outcome) {
  unsigned left = kReductions;
  for (bool again = true; again && left > 0;) {
    again = false;
    for (const Program& smaller : reductions(program)) {
      if (left-- == 0) break;
      if (run_apart(machine, emit(smaller)).outcome != outcome) continue;
      program = smaller;
      again = true;
      break;
    }
  }
  return program;
}

class WaitingKernels : public ::testing::TestWithParam<Machine> {};

TEST_P(WaitingKernels, FinishWithTheOraclesMemory) {
  const Machine& machine = GetParam();
  const std::uint64_t first = setting("HEDDLE_RANDOM_SEED", 0);
  const std::uint64_t end = first + setting("HEDDLE_RANDOM_KERNELS", depth::times(kKernels));
  const bool reduce = setting("HEDDLE_RANDOM_REDUCE", 1) != 0;
  const std::uint64_t most = setting("HEDDLE_RANDOM_FAILURES", kReported);
  unsigned refused = 0;
  unsigned failures = 0;
  std::uint64_t seed = first;
  while (seed < end && failures < most) {
    const ordered_json result = run_until_failure(machine, seed, end);
    ASSERT_FALSE(result.contains("errors")) << "after seed " << seed << ": " << result.dump();
    seed = result["next"];
    refused += result["refused"].get<unsigned>();
    const auto outcome = static_cast<Outcome>(result["outcome"].get<int>());
    if (outcome == Outcome::kRight || outcome == Outcome::kRefused) continue;
    ++failures;
    const Program program = generate(seed - 1, machine.choices);
    const Program small = reduce ? shrink(machine, program, outcome) : program;
    ADD_FAILURE() << "seed " << seed - 1 << ": " << result["why"].get<std::string>() << "\nkernel of "
                  << size_of(small.body)
                  << " statements: " << saved(machine, emit(small), result["why"].get<std::string>());
  }
  RecordProperty("kernels", static_cast<int>(seed - first));
  RecordProperty("refused", static_cast<int>(refused));
  std::cout << machine.name << ": " << seed - first << " kernels, " << failures << " failed, " << refused
            << " refused\n";
}

INSTANTIATE_TEST_SUITE_P(On, WaitingKernels, ::testing::ValuesIn(machines()),
                         [](const auto& test) { return test.param.name; });

/// Delayed reconvergence with some of what SOUNDNESS.md adds to the publication left out.
class Delayed : public compiler::Pass {
 public:
  Delayed(bool closure, analysis::DelayRules rules) : rules_(rules) { options_.closure = closure; }
  [[nodiscard]] std::string_view name() const override { return "delayed_as_published"; }
  void run(isa::Kernel& kernel) const override {
    analysis::CodeAnalysis code(kernel);
    analysis::apply_reconvergence(kernel, analysis::delayed_reconvergence(code, options_, rules_));
  }

 private:
  analysis::DeadlockOptions options_;
  analysis::DelayRules rules_;
};

/// SSDE without the check of its result.
void eliminate_unchecked(generator::GeneratedKernel& kernel) {
  const ptx::Module tree = ptx::parse_text(kernel.ptx, "waiting.ptx");
  isa::Module decoded = ptx::decode(
      tree, [next = isa::kGlobalBase](const std::string&, std::uint64_t bytes, std::uint32_t) mutable {
        const std::uint64_t at = next;
        next += (bytes + 255) / 256 * 256;
        return at;
      });
  compiler::Pipeline::standard().run(decoded);
  kernel.ptx = ssde::eliminate_simt_deadlocks(kernel.ptx, tree, decoded).text;
}

/// Machines on which diverged lanes may wait for ever, and the least that hang of 1000 kernels.
struct Unsound : Machine {
  unsigned least = 0;
};
const std::vector<Unsound>& unsound_machines() {
  static const std::vector<Unsound> all = [] {
    std::vector<Unsound> list{
        {{"stack", {}}, 120}, {{"aware", {kAware}}, 100}, {{"multi_path", {kMultiPath, kMasks}}, 100}};
    const auto delayed = [&](const char* name, bool closure, analysis::DelayRules rules) {
      Unsound machine{{name, {kAware}}, 0};
      machine.pass = std::make_shared<const Delayed>(closure, rules);
      machine.choices.divergent_barriers = std::string(name) == "aware_delayed_without_barriers";
      list.push_back(std::move(machine));
    };
    delayed("aware_delayed_as_published", false, {.every_branch = false});
    delayed("aware_delayed_without_closure", false, {.barriers = true});
    delayed("aware_delayed_at_loop_exits", true, {.every_branch = false, .barriers = true});
    delayed("aware_delayed_without_barriers", true, {});
    Unsound unchecked{{"stack_ssde_unchecked", {}}, 0};
    unchecked.change = eliminate_unchecked;
    list.push_back(std::move(unchecked));
    return list;
  }();
  return all;
}

class WaitingKernelsControl : public ::testing::TestWithParam<Unsound> {};

// Otherwise the kernels would prove nothing. With more kernels this shows what each correction of the published algorithms is
// good for.
TEST_P(WaitingKernelsControl, SomeHang) {
  const std::uint64_t first = setting("HEDDLE_RANDOM_SEED", 0);
  const std::uint64_t end = first + setting("HEDDLE_RANDOM_KERNELS", depth::times(kControlled));
  std::uint64_t hangs = 0;
  std::uint64_t wrong = 0;
  for (std::uint64_t seed = first; seed < end;) {
    const ordered_json result = run_until_failure(GetParam(), seed, end);
    ASSERT_FALSE(result.contains("errors")) << "after seed " << seed << ": " << result.dump();
    seed = result["next"];
    const auto outcome = static_cast<Outcome>(result["outcome"].get<int>());
    hangs += outcome == Outcome::kHang ? 1 : 0;
    wrong += outcome == Outcome::kWrong || outcome == Outcome::kOther ? 1 : 0;
  }
  std::cout << GetParam().name << ": " << hangs << " of " << end - first << " kernels hang, " << wrong
            << " go wrong\n";
  EXPECT_GE(1000 * hangs, GetParam().least * (end - first));
}

INSTANTIATE_TEST_SUITE_P(On, WaitingKernelsControl, ::testing::ValuesIn(unsound_machines()),
                         [](const auto& test) { return test.param.name; });

// The generator's promise: they end whatever the order of their threads, and leave the same memory.
TEST(WaitingKernelsGenerator, EndAlikeUnderEveryOrder) {
  const std::uint64_t first = setting("HEDDLE_RANDOM_SEED", 0);
  const std::uint64_t end = first + setting("HEDDLE_RANDOM_KERNELS", depth::times(kKernels));
  for (std::uint64_t seed = first; seed < end; ++seed) {
    const generator::GeneratedKernel kernel = emit(generate(seed));
    std::vector<std::byte> expected;
    for (const std::uint32_t slice : {128u, 1u, 7u, 300u}) {
      oracle::Options options{
          .slice = slice, .seed = slice == 128 ? 0u : slice, .max_thread_instructions = 20'000'000};
      oracle::OracleDevice oracle(options);
      std::vector<std::byte> memory;
      ASSERT_NO_THROW(memory = memory_after(oracle, kernel)) << "seed " << seed << "\n" << kernel.ptx;
      if (slice == 128) expected = memory;
      ASSERT_EQ(generator::difference(kernel, expected, memory), "") << "seed " << seed << "\n" << kernel.ptx;
    }
  }
}

}  // namespace
}  // namespace heddle::waiting::waiting_kernels_test
