// Modules as written by nvcc 13 and clang 14: everything in tests/data/ptx/good, and every workload, can be
// parsed and decoded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "compiler/pipeline.h"
#include "unit/ptx/support.h"

namespace heddle::ptx::testing::compilers_test {
namespace {

/// Paths below the source folder.
std::vector<std::string> good_files() {
  const std::filesystem::path root = HEDDLE_SOURCE_DIR;
  std::vector<std::string> files;
  for (const char* folder : {"tests/data/ptx/good", "platforms/workloads/ptx"})
    for (const auto& entry : std::filesystem::directory_iterator(root / folder))
      if (entry.path().extension() == ".ptx") files.push_back(entry.path().lexically_relative(root).string());
  std::sort(files.begin(), files.end());
  return files;
}

class PtxGoodFile : public ::testing::TestWithParam<std::string> {};

TEST_P(PtxGoodFile, decodes_into_consistent_kernels) {
  const Module ast = parse_file(HEDDLE_SOURCE_DIR "/" + GetParam());
  std::uint64_t next = isa::kGlobalBase;
  isa::Module m = decode(ast, [&](const std::string&, std::uint64_t bytes, std::uint32_t align) {
    next = (next + align - 1) / align * align;
    return std::exchange(next, next + bytes);
  });
  compiler::Pipeline::standard().run(m);
  ASSERT_NO_THROW(m.require_all());
  ASSERT_GE(m.kernels.size(), 1u);
  for (const auto& k : m.kernels) {
    ASSERT_FALSE(k->code.empty());
    // Functions follow the kernel, and each ends in its return.
    EXPECT_EQ(k->code.back().op, k->functions.empty() ? isa::Opcode::kExit : isa::Opcode::kReturn);
    EXPECT_EQ(k->register_names.size(), k->registers.registers());
    EXPECT_GE(k->registers_per_thread, 1u);
    for (const isa::Instruction& i : k->code) {
      EXPECT_GT(i.where.line, 0u);
      if (i.op == isa::Opcode::kLane) {
        EXPECT_NE(i.lane_fn, nullptr);
        EXPECT_TRUE(i.dst[0].present) << k->source->line(i.where.line);
      }
      if (i.op == isa::Opcode::kBranch) {
        EXPECT_LT(i.target.value(), k->code.size());
        EXPECT_TRUE(i.rpc == base::kNoPc || i.rpc.value() < k->code.size());
      }
      for (const isa::Operand& operand : i.src) {
        const unsigned row = operand.width == isa::RowWidth::k64   ? 256
                             : operand.width == isa::RowWidth::k32 ? 128
                                                                   : 4;
        const std::size_t block = operand.space == isa::RowSpace::kRegister   ? k->registers.bytes()
                                  : operand.space == isa::RowSpace::kConstant ? k->constants.size()
                                                                              : isa::kSpecialBlockBytes;
        if (operand.present) {
          EXPECT_LE(operand.offset + row, block);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Data, PtxGoodFile, ::testing::ValuesIn(good_files()),
                         [](const auto& file) { return as_test_name(file.param); });

}  // namespace
}  // namespace heddle::ptx::testing::compilers_test
