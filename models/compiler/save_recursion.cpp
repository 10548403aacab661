#include "compiler/save_recursion.h"

#include <algorithm>
#include <map>

#include "analysis/cfg.h"
#include "analysis/liveness.h"
#include "compiler/kernel_editor.h"
#include "compiler/new_instructions.h"

namespace heddle::compiler {
namespace {

using base::Pc;
using isa::Instruction;
using isa::Opcode;
using isa::RegId;
using isa::RowWidth;

/// Hides from liveness how a call sequence uses the rows in which the recursion passes values, since saving
/// restores them: copies of arguments end no live range, and copies of results start none.
void let_pass(const isa::RecursiveCall& call, std::vector<Instruction>& code) {
  const auto drop = [&](auto& list, std::uint8_t& count) {
    const auto end = std::remove_if(list.begin(), list.begin() + count, [&](RegId reg) {
      return std::find(call.passing.begin(), call.passing.end(), reg) != call.passing.end();
    });
    count = static_cast<std::uint8_t>(end - list.begin());
  };
  for (std::uint32_t i = call.begin; i <= call.call; ++i) drop(code[i].writes, code[i].write_count);
  for (std::uint32_t i = call.call + 1; i < call.end; ++i) drop(code[i].reads, code[i].read_count);
}

/// Saves for one function.
class Saver {
 public:
  Saver(isa::Kernel& kernel, KernelEditor& editor, const isa::Recursion& recursion,
        const isa::RecursiveFunction& function)
      : kernel_(kernel), editor_(editor), recursion_(recursion), function_(function) {}

  void run(const std::vector<Instruction>& code, const analysis::Liveness& liveness) {
    for (const isa::RecursiveCall& call : function_.calls) find_live(call, code, liveness);
    give_slots();
    for (std::size_t i = 0; i < function_.calls.size(); ++i) {
      const isa::RecursiveCall& call = function_.calls[i];
      for (const RegId reg : live_[i]) save(call, kernel_.registers.row(reg));
      for (const RegId reg : live_[i]) restore(call, kernel_.registers.row(reg));
    }
    // Every activation takes some stack, so that an infinite recursion overflows it.
    const std::uint64_t align = recursion_.stack_align;
    const std::uint64_t size = std::max(align, (end_ + align - 1) / align * align);
    kernel_.functions[function_.function].frame_bytes = static_cast<std::uint32_t>(size);
    if (function_.frame_sizes.empty()) return;
    const isa::Operand frame_size = editor_.constant(RowWidth::k64, size);
    for (const std::uint32_t at : function_.frame_sizes) editor_.at(Pc(at)).src[1] = frame_size;
    isa::FunctionCode& code_of = kernel_.functions[function_.function];
    code_of.frame = function_.frame;
    code_of.frame_size = frame_size;
    code_of.frame_align = static_cast<std::uint32_t>(align);
  }

 private:
  void find_live(const isa::RecursiveCall& call, const std::vector<Instruction>& code,
                 const analysis::Liveness& liveness) {
    auto& live = live_.emplace_back();
    for (const RegId reg : liveness.live_before(call.end)) {
      if (reg == function_.frame.reg || reg == recursion_.stack_pointer.reg) continue;
      bool taken = false;  // a result of the call
      for (std::uint32_t i = call.call; i < call.end; ++i)
        for (unsigned w = 0; w < code[i].write_count; ++w) taken = taken || code[i].writes[w] == reg;
      if (!taken) live.push_back(reg);
    }
  }

  void give_slots() {
    end_ = function_.storage_bytes;
    for (const bool wide : {true, false})
      for (const auto& list : live_)
        for (const RegId reg : list) {
          const bool is_wide = kernel_.registers.row(reg).width == RowWidth::k64;
          if (is_wide != wide || !slots_.try_emplace(reg, end_).second) continue;
          end_ += wide ? 8 : 4;
        }
  }

  [[nodiscard]] Instruction access(Opcode op, const isa::Operand& row, RegId saved) const {
    return frame_access(op, row, function_.frame, slots_.at(saved));
  }

  void save(const isa::RecursiveCall& call, const isa::Operand& row) {
    const auto add = [&](Instruction instruction) {
      instruction.where = kernel_.code[call.call].where;
      editor_.insert_before(Pc(call.begin), Entry::kJumpsToo, instruction);
    };
    const bool predicate = row.width == RowWidth::kPredicate;
    if (predicate) {
      add(lane_instruction(isa::LaneOp::kSelp, isa::Type::kB32, recursion_.flag,
                           {editor_.constant(RowWidth::k32, 1), editor_.constant(RowWidth::k32, 0), row}));
    }
    add(access(Opcode::kStore, predicate ? recursion_.flag : row, row.reg));
  }

  void restore(const isa::RecursiveCall& call, const isa::Operand& row) {
    const auto add = [&](Instruction instruction) {
      instruction.where = kernel_.code[call.call].where;
      editor_.insert_before(Pc(call.end), Entry::kFallThrough, instruction);
    };
    const bool predicate = row.width == RowWidth::kPredicate;
    add(access(Opcode::kLoad, predicate ? recursion_.flag : row, row.reg));
    if (!predicate) return;
    add(lane_instruction(isa::LaneOp::kSetp, isa::Type::kU32, row,
                         {recursion_.flag, editor_.constant(RowWidth::k32, 0)}));
  }

  isa::Kernel& kernel_;
  KernelEditor& editor_;
  const isa::Recursion& recursion_;
  const isa::RecursiveFunction& function_;
  std::vector<std::vector<RegId>> live_;  ///< by call
  std::map<RegId, std::uint64_t> slots_;  ///< offsets in the frame
  std::uint64_t end_ = 0;
};

}  // namespace

void SaveRecursion::run(isa::Kernel& kernel) const {
  if (kernel.recursion == nullptr) return;
  const auto recursion = std::move(kernel.recursion);
  kernel.recursion.reset();
  std::vector<Instruction> code = kernel.code;
  for (const isa::RecursiveFunction& function : recursion->functions)
    for (const isa::RecursiveCall& call : function.calls) let_pass(call, code);
  const analysis::ControlFlowGraph cfg(code, kernel.targets);
  const analysis::Liveness liveness(cfg, kernel.registers);
  KernelEditor editor(kernel);
  for (const isa::RecursiveFunction& function : recursion->functions)
    Saver(kernel, editor, *recursion, function).run(code, liveness);
  editor.finish();
}

}  // namespace heddle::compiler
