// Every kernel of the PTX corpus and of the workloads, with instructions inserted by the test passes: the
// control flow must be the same except for the inserted instructions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "analysis/cfg.h"
#include "compiler/kernel_editor.h"
#include "compiler/pipeline.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/parser.h"
#include "regression/test_passes.h"
#include "unit/ptx/support.h"

namespace heddle::compiler::corpus_test {
namespace {

using base::Pc;
using isa::Instruction;
using isa::Opcode;

std::vector<std::string> corpus() {
  const std::filesystem::path root = HEDDLE_SOURCE_DIR;
  std::vector<std::string> files;
  for (const char* folder : {"tests/data/ptx/good", "tests/data/calls", "platforms/workloads/ptx"})
    for (const auto& entry : std::filesystem::directory_iterator(root / folder))
      if (entry.path().extension() == ".ptx") files.push_back(entry.path().lexically_relative(root).string());
  std::sort(files.begin(), files.end());
  return files;
}

constexpr std::uint64_t kInserted = 0x1e57;

bool ends_thread(const Instruction& instruction) {
  return instruction.op == Opcode::kExit || instruction.op == Opcode::kReturn;
}

/// Inserts a marked instruction at each of the three insertion points before every instruction. Thread exits
/// are left out: with an instruction before it, an exit is not an early one, and threads reconverge there.
class Everywhere : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "everywhere"; }
  void run(isa::Kernel& kernel) const override {
    KernelEditor editor(kernel);
    Instruction marked;
    marked.immediate = kInserted;
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
      if (ends_thread(kernel.code[pc])) continue;
      editor.insert_before(Pc(pc), Entry::kJumpsToo, marked);
      editor.insert_before(Pc(pc), Entry::kFallThrough, marked);
      if (!ends_thread(kernel.code[std::min<std::size_t>(pc + 1, kernel.code.size() - 1)]))
        editor.insert_after(Pc(pc), marked);
    }
    editor.finish();
  }
};

bool inserted(const Instruction& instruction) {
  return instruction.op == Opcode::kNop && instruction.immediate == kInserted;
}

std::uint32_t constant(const isa::Kernel& kernel, const isa::Operand& operand) {
  std::uint32_t value = 0;
  std::memcpy(&value, kernel.constants.data() + operand.offset, sizeof value);
  return value;
}

/// The kernel's original instructions, and for every PC the original instruction that a thread there executes
/// next.
struct Own {
  explicit Own(const isa::Kernel& kernel) : next(kernel.code.size() + 1) {
    for (const Instruction& instruction : kernel.code)
      if (!inserted(instruction)) code.push_back(&instruction);
    auto number = static_cast<std::uint32_t>(code.size());
    next.back() = number;
    for (std::size_t pc = kernel.code.size(); pc-- > 0;)
      next[pc] = inserted(kernel.code[pc]) ? number : --number;
  }
  [[nodiscard]] std::uint32_t at(Pc pc) const { return pc == base::kNoPc ? pc.value() : next.at(pc.value()); }
  std::vector<const Instruction*> code;
  std::vector<std::uint32_t> next;
};

void compare(const isa::Kernel& before, const isa::Kernel& after) {
  const Own own(after);
  ASSERT_EQ(own.code.size(), before.code.size());
  for (std::uint32_t pc = 0; pc < before.code.size(); ++pc) {
    const Instruction& was = before.code[pc];
    const Instruction& is = *own.code[pc];
    ASSERT_EQ(is.op, was.op);
    EXPECT_EQ(is.lane_fn, was.lane_fn);
    EXPECT_EQ(own.at(is.target), was.target.value());
    EXPECT_EQ(own.at(is.rpc), was.rpc.value()) << before.location(Pc(pc));
    ASSERT_EQ(is.table_count, was.table_count);
    for (std::uint32_t i = 0; i < was.table_count; ++i)
      EXPECT_EQ(own.at(after.targets[is.table_first + i]), before.targets[was.table_first + i].value());
    for (unsigned i = 0; i < isa::kMaxSources; ++i) {
      ASSERT_EQ(is.src[i].present, was.src[i].present);
      if (!was.src[i].present || was.src[i].space != isa::RowSpace::kConstant) continue;
      const auto pointer = [&](const isa::CodePointer& p) { return p.offset == was.src[i].offset; };
      if (std::any_of(before.code_pointers.begin(), before.code_pointers.end(), pointer)) {
        EXPECT_EQ(own.at(Pc(constant(after, is.src[i]))), constant(before, was.src[i]))
            << before.location(Pc(pc));
      } else {
        EXPECT_EQ(constant(after, is.src[i]), constant(before, was.src[i]));
      }
    }
  }
  ASSERT_EQ(after.functions.size(), before.functions.size());
  for (std::size_t f = 0; f < before.functions.size(); ++f) {
    EXPECT_EQ(own.at(Pc(after.functions[f].first)), before.functions[f].first);
    EXPECT_EQ(own.at(Pc(after.functions[f].entry)), before.functions[f].entry);
    EXPECT_EQ(own.at(Pc(after.functions[f].end)), before.functions[f].end);
  }
  for (const auto& [address, function] : before.function_addresses)
    EXPECT_EQ(own.at(after.function_addresses.at(address).entry), function.entry.value());
  ASSERT_EQ(after.variable_uses.size(), before.variable_uses.size());
  for (std::size_t i = 0; i < before.variable_uses.size(); ++i)
    EXPECT_EQ(own.at(Pc(after.variable_uses[i].instruction)), before.variable_uses[i].instruction);
  EXPECT_EQ(after.registers_per_thread, before.registers_per_thread);
  EXPECT_EQ(after.live_at_loop_heads.size(), before.live_at_loop_heads.size());
  for (const auto& [head, live] : after.live_at_loop_heads) {
    const auto was = before.live_at_loop_heads.find(own.at(Pc(head)));
    ASSERT_NE(was, before.live_at_loop_heads.end());
    EXPECT_EQ(live, was->second);
  }
}

class Corpus : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static isa::Module compiled(const Pipeline& pipeline) {
    const ptx::Module tree = ptx::parse_file(HEDDLE_SOURCE_DIR "/" + GetParam());
    std::uint64_t next = isa::kGlobalBase;
    isa::Module module = ptx::decode(tree, [&](const std::string&, std::uint64_t bytes, std::uint32_t) {
      return std::exchange(next, next + (bytes + 255) / 256 * 256);
    });
    pipeline.run(module);
    return module;
  }
};

TEST_P(Corpus, GoesWhereItWentWithInstructionsInsertedEverywhere) {
  const isa::Module before = compiled(Pipeline::standard());
  Pipeline pipeline = Pipeline::standard();
  pipeline.add(Stage::kTransform, std::make_shared<const Everywhere>());
  const isa::Module after = compiled(pipeline);
  ASSERT_EQ(after.kernels.size(), before.kernels.size());
  for (std::size_t k = 0; k < before.kernels.size(); ++k) {
    EXPECT_GT(after.kernels[k]->code.size(), 2 * before.kernels[k]->code.size());
    compare(*before.kernels[k], *after.kernels[k]);
  }
}

TEST_P(Corpus, KeepsItsRegisterListsWithAllTestPasses) {
  Pipeline pipeline = Pipeline::standard();
  testing::add_test_passes(pipeline);
  for (const auto& kernel : compiled(pipeline).kernels)
    for (const Instruction& instruction : kernel->code) {
      Instruction again = instruction;
      isa::list_registers(again);
      EXPECT_EQ(again.reads, instruction.reads);
      EXPECT_EQ(again.writes, instruction.writes);
      EXPECT_EQ(again.register_signature, instruction.register_signature);
      for (unsigned i = 0; i < instruction.read_count; ++i)
        EXPECT_LT(instruction.reads[i], kernel->registers.registers());
    }
}

INSTANTIATE_TEST_SUITE_P(Data, Corpus, ::testing::ValuesIn(corpus()),
                         [](const auto& file) { return ptx::testing::as_test_name(file.param); });

}  // namespace
}  // namespace heddle::compiler::corpus_test
