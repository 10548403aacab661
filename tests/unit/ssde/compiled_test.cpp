// SSDE on what compilers write: every workload's PTX. And the lines of the CUDA source.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analysis/deadlock.h"
#include "compiler/pipeline.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/parser.h"
#include "frontend/ptx/source_lines.h"
#include "ssde/ssde.h"
#include "unit/ssde/ptxas.h"

namespace heddle::ssde_test::compiled_test {
namespace {

std::vector<std::string> compiled_kernels() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(HEDDLE_WORKLOAD_PTX))
    if (file.path().extension() == ".ptx") names.push_back(file.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

class CompiledKernels : public testing::TestWithParam<std::string> {};

TEST_P(CompiledKernels, TransformToWhatPtxasAcceptsAndNothingIsFlaggedIn) {
  std::stringstream text;
  text << std::ifstream(std::string(HEDDLE_WORKLOAD_PTX) + "/" + GetParam()).rdbuf();
  const auto decode = [](const ptx::Module& tree) {
    isa::Module module = ptx::decode(
        tree, [next = isa::kGlobalBase](const std::string&, std::uint64_t bytes, std::uint32_t) mutable {
          const std::uint64_t at = next;
          next += (bytes + 255) / 256 * 256;
          return at;
        });
    compiler::Pipeline::standard().run(module);
    module.require_all();
    return module;
  };
  const ptx::Module tree = ptx::parse_text(text.str(), GetParam());
  // Once what the analysis asks for, once every loop there is.
  for (const bool every_loop : {false, true}) {
    ssde::SsdeOptions options;
    options.every_loop = every_loop;
    const ssde::SsdeResult result = ssde::eliminate_simt_deadlocks(text.str(), tree, decode(tree), options);
    for (const auto& refusal : result.refusals) ADD_FAILURE() << refusal.function << ": " << refusal.reason;
    const ptx::Module after_tree = ptx::parse_text(result.text, "transformed");
    const isa::Module after = decode(after_tree);
    for (const auto& kernel : after.kernels) {
      const auto function =
          std::find_if(after_tree.functions.begin(), after_tree.functions.end(),
                       [&](const ptx::Function& f) { return f.is_entry && f.name == kernel->name; });
      if (ssde::has_no_ssde_pragma(after_tree, *function)) continue;  // warp-synchronous: left as it is
      analysis::CodeAnalysis code(*kernel);
      for (const auto& finding : analysis::find_simt_deadlocks(code))
        EXPECT_TRUE(every_loop || !finding.flagged())
            << kernel->name << ": "
            << kernel->location(base::Pc(code.cfg().block(finding.loop.header).first));
    }
    if (!result.switches.empty() && has_ptxas()) {
      EXPECT_EQ(ptxas(GetParam(), result.text), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CompiledKernels, testing::ValuesIn(compiled_kernels()), [](const auto& test) {
  std::string name = test.param;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
});

// --- lines of the CUDA source

TEST(SourceLines, AreThoseOfTheLastLocInTheFunction) {
  const std::string text = R"(.version 7.0
.target sm_75
.address_size 64
.file 1 "src/lock.cu"
.file	2 "other.h"
.visible .entry a() {
.loc 1 12 3
nop;
nop;
	.loc	2 7 1, function_name $L__info, inlined_at 1 12 3
nop;
ret; }
.visible .entry b() {
nop;
ret; }
)";
  isa::SourceText source;
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);) source.lines.push_back(line);
  const ptx::SourceLines map(source);
  ASSERT_TRUE(map.of({9, 1}).has_value());
  EXPECT_EQ(map.of({9, 1})->file, "src/lock.cu");
  EXPECT_EQ(map.of({9, 1})->line, 12u);
  ASSERT_TRUE(map.of({11, 1}).has_value());
  EXPECT_EQ(map.of({11, 1})->file, "other.h");
  EXPECT_EQ(map.of({11, 1})->line, 7u);
  EXPECT_FALSE(map.of({14, 1}).has_value());
  EXPECT_FALSE(map.of({2, 1}).has_value());
}

}  // namespace
}  // namespace heddle::ssde_test::compiled_test
