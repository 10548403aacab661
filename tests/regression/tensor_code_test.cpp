// Machine code of tensor cores, asynchronous copies, barriers in shared memory, narrow floats, what saturates, the slow paths of generic atomics, functions by address, warp operations of several masks at a time, and uniform registers that some lanes write: what ptxas makes of PTX leaves the
// memory that the PTX itself leaves, on the model and on the oracle, whose interpreters of the two have only the decoder in common.
// The modules have an instruction or two an entry (tests/data/sass/tensor).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>

#include "base/error.h"
#include "frontend/ptx/parser.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"

namespace heddle::tensor_code_test {
namespace {

const std::string kData = HEDDLE_SOURCE_DIR "/tests/data/sass/tensor/";
const std::string kPtxas = HEDDLE_PTXAS_PATH;  ///< empty: there is none

struct Row {
  const char* ptx;
  const char* arch;
};
void PrintTo(const Row& row, std::ostream* os) { *os << row.ptx << ' ' << row.arch; }

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

using Memory = std::vector<std::uint32_t>;
constexpr std::size_t kOutWords = 4096, kInWords = 4096;

/// Any bits: floats of all kinds but few that are infinite or NaN, which the kernels mask out where they would hide the rest.
std::vector<std::uint32_t> input() {
  std::mt19937 random(20261127);
  std::vector<std::uint32_t> words(kInWords);
  for (std::uint32_t& word : words) word = random();
  return words;
}

struct Module {
  host::Device& device;
  host::ModuleHandle handle;

  Module(host::Device& of, const std::string& bytes, const std::string& name)
      : device(of), handle(of.load_module(std::as_bytes(std::span(bytes)), name)) {}

  [[nodiscard]] Memory run(const std::string& kernel) const {
    const std::uint64_t out = device.allocate(kOutWords * 4, "out");
    const std::uint64_t in = device.allocate(kInWords * 4, "in");
    const std::vector<std::uint32_t> words_in = input();
    device.write(in, std::as_bytes(std::span(words_in)));
    host::Args args;
    args.add(out);
    args.add(in);
    const bool two_warps = kernel.starts_with("mbarrier");
    device.launch(handle, kernel, {{1, 1, 1}, {two_warps ? 64u : 32u, 1, 1}, 0}, args);
    Memory words = device.download<std::uint32_t>(out, kOutWords);
    device.free(in);
    device.free(out);
    return words;
  }
};

std::vector<std::string> kernels_of(const std::string& ptx) {
  std::vector<std::string> names;
  for (const auto& function : ptx::parse_text(ptx, "kernels.ptx").functions)
    if (function.is_entry) names.push_back(function.name);
  return names;
}

void expect_same(const std::string& kernel, const char* what, const Memory& expected, const Memory& found) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i] != found[i] && wrong++ < 4)
      ADD_FAILURE() << fmt::format("{} on {}: word {} (thread {}) is {:#010x}, not {:#010x}", kernel, what, i,
                                   i % 32, found[i], expected[i]);
  EXPECT_EQ(wrong, 0u) << kernel << " on " << what;
}

/// Runs all kernels of a module four ways.
void expect_equivalent(const std::string& ptx, const std::string& cubin, const std::string& arch,
                       const std::string& platform, std::vector<std::string> assignments) {
  oracle::OracleDevice oracle;
  const Module oracle_ptx(oracle, ptx, "kernels.ptx");
  const Module oracle_code(oracle, cubin, "kernels.cubin");
  gpu::GpuDevice gpu(gpu::load_platform(platform, assignments), {});
  const Module code(gpu, cubin, "kernels.cubin");
  std::size_t something = 0;
  for (const std::string& kernel : kernels_of(ptx)) {
    SCOPED_TRACE(arch);
    try {
      const Memory expected = oracle_ptx.run(kernel);
      something += std::count_if(expected.begin(), expected.end(), [](std::uint32_t w) { return w != 0; });
      expect_same(kernel, "the oracle's machine code", expected, oracle_code.run(kernel));
      expect_same(kernel, "the model's machine code", expected, code.run(kernel));
    } catch (const base::Error& error) {
      ADD_FAILURE() << kernel << ": " << error.what();
    }
  }
  EXPECT_GT(something, 30u * kernels_of(ptx).size());
}

std::vector<std::string> hanoi(const std::string& arch) {
  return {"core.control_flow.mechanism=hanoi", "core.control_flow.hanoi.barrier_registers=32",
          "core.control_flow.hanoi.private_registers=16",
          arch == "sm_90" ? "core.control_flow.hanoi.profile=barriers"
                          : "core.control_flow.hanoi.yield_releases=1"};
}
std::vector<std::string> control_codes(const std::string& arch) {
  std::vector<std::string> assignments = hanoi(arch);
  assignments.emplace_back("core.scoreboard.kind=control_codes");
  // ptxas may make two products of one, so sums are those of a machine for which that is the same.
  assignments.emplace_back("core.tensor_block_bits=128");
  assignments.emplace_back("core.tensor_extra_bits=1");
  return assignments;
}

class TensorCode : public ::testing::TestWithParam<Row> {
 protected:
  [[nodiscard]] static std::string ptx() { return read_file(kData + GetParam().ptx + ".ptx"); }
  [[nodiscard]] static std::string cubin() {
    return read_file(kData + GetParam().ptx + "." + GetParam().arch + ".cubin");
  }
};

TEST_P(TensorCode, GivesThePtxsMemory) {
  expect_equivalent(ptx(), cubin(), GetParam().arch, "tiny", hanoi(GetParam().arch));
}

// Stall counts and the six counters are all that waits there.
TEST_P(TensorCode, GivesThePtxsMemoryWithControlCodes) {
  if (std::string_view(GetParam().arch) != "sm_90") GTEST_SKIP() << "the latencies are those of an H100";
  expect_equivalent(ptx(), cubin(), GetParam().arch, "h100", control_codes(GetParam().arch));
}

// A word that is made of several instructions divides no group of lanes, whatever decides which lanes run.
class TensorCodeMechanisms : public ::testing::TestWithParam<const char*> {};
TEST_P(TensorCodeMechanisms, GiveThePtxsMemory) {
  const std::string mechanism = GetParam();
  std::vector<std::string> assignments{"core.control_flow.mechanism=" + mechanism,
                                       "core.control_flow.ignores_convergence_instructions=true"};
  if (mechanism == "multi_path") assignments.emplace_back("core.scoreboard.kind=per_thread_mask");
  // The policy goes by PC, and sequences stand behind the code.
  if (mechanism == "resync") assignments.emplace_back("core.control_flow.resync.aging_selections=16");
  expect_equivalent(read_file(kData + "hopper.ptx"), read_file(kData + "hopper.sm_90.cubin"), "sm_90", "tiny",
                    assignments);
}
INSTANTIATE_TEST_SUITE_P(All, TensorCodeMechanisms,
                         ::testing::Values("simt_stack", "aware", "multi_path", "resync"),
                         [](const auto& test) { return std::string(test.param); });

// Only Hanoi parts lanes of several masks at a WARPSYNC.EXCLUSIVE or .COLLECTIVE; what follows takes all that run for one mask's.
TEST_P(TensorCodeMechanisms, RefuseLanesOfSeveralMasksAtOnce) {
  std::vector<std::string> assignments{std::string("core.control_flow.mechanism=") + GetParam(),
                                       "core.control_flow.ignores_convergence_instructions=true"};
  if (GetParam() == std::string_view("multi_path"))
    assignments.emplace_back("core.scoreboard.kind=per_thread_mask");
  gpu::GpuDevice gpu(gpu::load_platform("tiny", assignments), {});
  const Module code(gpu, read_file(kData + "collective.sm_90.cubin"), "kernels.cubin");
  try {
    static_cast<void>(code.run("reductions"));
    ADD_FAILURE() << "it ran";
  } catch (const base::KernelFault& error) {
    EXPECT_NE(std::string_view(error.what()).find("name several masks"), std::string_view::npos)
        << error.what();
  }
}

TEST_P(TensorCode, OfThePtxasThatIsThereGivesThePtxsMemory) {
  if (kPtxas.empty()) GTEST_SKIP() << "ptxas was not found";
  const std::filesystem::path made = std::filesystem::path(::testing::TempDir()) /
                                     fmt::format("{}.{}.cubin", GetParam().ptx, GetParam().arch);
  const std::string command = fmt::format("'{}' -arch={} -O1 -o '{}' '{}{}.ptx'", kPtxas, GetParam().arch,
                                          made.string(), kData, GetParam().ptx);
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  expect_equivalent(ptx(), read_file(made.string()), GetParam().arch, "tiny", hanoi(GetParam().arch));
  std::filesystem::remove(made);
}

TEST(TensorPtx, GivesTheOraclesMemory) {
  oracle::OracleDevice oracle;
  gpu::GpuDevice gpu(gpu::load_platform("tiny", {}), {});
  for (const char* const name : {"matrices", "ampere", "hopper"}) {
    const std::string ptx = read_file(kData + name + ".ptx");
    const Module expected(oracle, ptx, name);
    const Module found(gpu, ptx, name);
    for (const std::string& kernel : kernels_of(ptx))
      expect_same(kernel, "the model", expected.run(kernel), found.run(kernel));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, TensorCode,
    ::testing::Values(Row{"matrices", "sm_75"}, Row{"matrices", "sm_90"}, Row{"ampere", "sm_90"},
                      Row{"hopper", "sm_90"}, Row{"saturation", "sm_75"}, Row{"saturation", "sm_90"},
                      Row{"language", "sm_75"}, Row{"language", "sm_90"}, Row{"shared", "sm_75"},
                      Row{"shared", "sm_90"}, Row{"collective", "sm_90"}, Row{"uniform", "sm_90"},
                      Row{"masks", "sm_75"}, Row{"spaces", "sm_75"}, Row{"spaces", "sm_90"}),
    [](const auto& test) { return std::string(test.param.ptx) + "_" + test.param.arch; });

}  // namespace
}  // namespace heddle::tensor_code_test
