// Convergence instructions placed into every kernel of the PTX corpus and of the workloads: each BSSY has a BSYNC of its
// own, and threads that are alone go where they went.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "compiler/convergence/place_convergence.h"
#include "compiler/pipeline.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/parser.h"
#include "unit/ptx/support.h"

namespace heddle::compiler::convergence_corpus_test {
namespace {

using base::Pc;
using isa::ConvergenceOp;
using isa::Instruction;
using isa::Opcode;

std::vector<std::string> ptx_files() {
  const std::filesystem::path root = HEDDLE_SOURCE_DIR;
  std::vector<std::string> files;
  for (const char* folder : {"tests/data/ptx/good", "tests/data/calls", "platforms/workloads/ptx"})
    for (const auto& entry : std::filesystem::directory_iterator(root / folder))
      if (entry.path().extension() == ".ptx") files.push_back(entry.path().lexically_relative(root).string());
  std::sort(files.begin(), files.end());
  return files;
}

/// The kernel's own instructions, and by PC the next of them that a thread there executes.
struct OwnCode {
  explicit OwnCode(const isa::Kernel& kernel) {
    std::uint32_t number = 0;
    for (const Instruction& instruction : kernel.code) {
      numbers.push_back(number);
      if (instruction.inserted) continue;
      code.push_back(&instruction);
      ++number;
    }
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
      std::uint32_t to = pc;
      while (kernel.code[to].inserted)
        to = kernel.code[to].op == Opcode::kBranch ? kernel.code[to].target.value() : to + 1;
      next.push_back(numbers[to]);
    }
  }
  [[nodiscard]] std::uint32_t at(Pc pc) const { return next.at(pc.value()); }
  std::vector<const Instruction*> code;
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint32_t> next;
};

void expect_same_ways(const isa::Kernel& before, const isa::Kernel& after) {
  const OwnCode own(after);
  ASSERT_EQ(own.code.size(), before.code.size());
  for (std::uint32_t pc = 0; pc < before.code.size(); ++pc) {
    const Instruction& was = before.code[pc];
    const Instruction& is = *own.code[pc];
    if (was.op == Opcode::kReturn && is.op == Opcode::kBranch) {
      EXPECT_EQ(before.code[own.at(is.target)].op, Opcode::kReturn) << "returns of a function are merged";
      continue;
    }
    ASSERT_EQ(is.op, was.op) << before.location(Pc(pc));
    if (was.op == Opcode::kBranch || (was.op == Opcode::kCall && was.target != base::kNoPc)) {
      EXPECT_EQ(own.at(is.target), was.target.value()) << before.location(Pc(pc));
    }
    ASSERT_EQ(is.table_count, was.table_count);
    for (std::uint32_t i = 0; i < was.table_count; ++i)
      EXPECT_EQ(own.at(after.targets[is.table_first + i]), before.targets[was.table_first + i].value());
    // What falls through: the instruction behind it in the new code.
    const auto now = static_cast<std::uint32_t>(&is - after.code.data());
    const bool ends = (was.op == Opcode::kBranch || was.op == Opcode::kIndirect || was.op == Opcode::kExit ||
                       was.op == Opcode::kReturn || was.op == Opcode::kTrap) &&
                      !was.guard.present;
    if (!ends && pc + 1 < before.code.size()) {
      EXPECT_EQ(own.at(Pc(now + 1)), pc + 1) << before.location(Pc(pc));
    }
  }
}

void expect_pairs(const isa::Kernel& kernel, std::uint32_t registers) {
  std::set<std::uint32_t> joined;
  std::size_t syncs = 0;
  for (const Instruction& instruction : kernel.code) {
    if (instruction.op != Opcode::kConvergence) continue;
    EXPECT_LT(instruction.barrier, registers);
    if (instruction.convergence == ConvergenceOp::kSync) ++syncs;
    if (instruction.convergence != ConvergenceOp::kSet) continue;
    const std::uint32_t sync = instruction.target.value() - 1;
    EXPECT_EQ(kernel.code.at(sync).convergence, ConvergenceOp::kSync);
    EXPECT_EQ(kernel.code.at(sync).barrier, instruction.barrier);
    EXPECT_TRUE(joined.insert(sync).second);
  }
  EXPECT_EQ(joined.size(), syncs);
}

class PlacedCorpus : public ::testing::TestWithParam<std::string> {};

TEST_P(PlacedCorpus, RegionsArePairsAndThreadsGoWhereTheyWent) {
  const ptx::Module tree = ptx::parse_file(HEDDLE_SOURCE_DIR "/" + GetParam());
  std::uint64_t next = isa::kGlobalBase;
  isa::Module module = ptx::decode(tree, [&](const std::string&, std::uint64_t bytes, std::uint32_t) {
    return std::exchange(next, next + (bytes + 255) / 256 * 256);
  });
  Pipeline::standard().run(module);
  for (const auto& kernel : module.kernels)
    for (const std::uint32_t registers : {1u, 2u, 7u}) {
      ConvergenceOptions options;
      options.allocation.registers = registers;
      isa::Kernel placed = *kernel;
      for (Instruction& instruction : placed.code) instruction.inserted = false;  // saves of recursions
      const PlacementReport report = place_convergence(placed, options);
      SCOPED_TRACE(kernel->name);
      expect_pairs(placed, registers);
      expect_same_ways(*kernel, placed);
      for (const PlacementReport::Region& region : report.regions) {
        EXPECT_EQ(placed.code.at(region.opens.value()).convergence, ConvergenceOp::kSet);
        EXPECT_EQ(placed.code.at(region.opens.value()).target.value(), region.meets.value() + 1);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Data, PlacedCorpus, ::testing::ValuesIn(ptx_files()),
                         [](const auto& file) { return ptx::testing::as_test_name(file.param); });

}  // namespace
}  // namespace heddle::compiler::convergence_corpus_test
