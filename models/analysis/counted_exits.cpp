#include "analysis/counted_exits.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "isa/lane_ops.h"

namespace heddle::analysis {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::RowSpace;

bool is_one_of(const Instruction& instruction, const std::vector<isa::LaneFn>& fns) {
  return instruction.op == Opcode::kLane &&
         std::find(fns.begin(), fns.end(), instruction.lane_fn) != fns.end();
}

std::vector<isa::LaneFn> lane_functions(isa::LaneOp op, const std::vector<isa::Compare>& compares) {
  std::vector<isa::LaneFn> fns;
  for (const isa::Type type :
       {isa::Type::kU32, isa::Type::kS32, isa::Type::kB32, isa::Type::kU64, isa::Type::kS64, isa::Type::kB64})
    for (const isa::Compare compare : compares) {
      isa::LaneSpec spec;
      spec.op = op;
      spec.type = type;
      spec.compare = compare;
      if (const isa::LaneFn fn = isa::find_lane_fn(spec); fn != nullptr) fns.push_back(fn);
    }
  return fns;
}

bool defines(const Instruction& instruction, isa::RegId reg) {
  const auto* const end = instruction.writes.data() + instruction.write_count;
  return std::find(instruction.writes.data(), end, reg) != end;
}

class Counter {
 public:
  Counter(const isa::Kernel& kernel, const ControlFlowGraph& cfg, const BlockSet& cycle, BlockId exit)
      : kernel_(kernel), cfg_(cfg), cycle_(cycle), exit_(exit) {}

  [[nodiscard]] bool counts() const {
    using isa::Compare;
    static const auto orders =
        lane_functions(isa::LaneOp::kSetp, {Compare::kLt, Compare::kLe, Compare::kGt, Compare::kGe,
                                            Compare::kLo, Compare::kLs, Compare::kHi, Compare::kHs});
    static const auto equalities = lane_functions(isa::LaneOp::kSetp, {Compare::kEq, Compare::kNe});
    const Instruction& branch = kernel_.code[cfg_.block(exit_).end - 1];
    if (branch.op != Opcode::kBranch || !branch.guard.present || branch.guard2.present) return false;
    const Instruction* const test = last_in_block(branch.guard.reg);
    if (test == nullptr || test->guard.present || test->source_count != 2) return false;
    const bool ordered = is_one_of(*test, orders);
    if (!ordered && !is_one_of(*test, equalities)) return false;
    return (is_counter(test->src[0], ordered) && stays(test->src[1])) ||
           (is_counter(test->src[1], ordered) && stays(test->src[0]));
  }

 private:
  [[nodiscard]] const Instruction* last_in_block(isa::RegId reg) const {
    const BasicBlock& block = cfg_.block(exit_);
    for (std::uint32_t i = block.end - 1; i-- > block.first;)
      if (defines(kernel_.code[i], reg)) return &kernel_.code[i];
    return nullptr;
  }

  /// The instructions of the cycle that write the register; a call may write any.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> writers(isa::RegId reg) const {
    std::vector<std::uint32_t> all;
    for (std::size_t b = cycle_.find_first(); b != BlockSet::npos; b = cycle_.find_next(b))
      for (std::uint32_t i = cfg_.block(static_cast<BlockId>(b)).first;
           i < cfg_.block(static_cast<BlockId>(b)).end; ++i) {
        if (kernel_.code[i].op == Opcode::kCall) return std::nullopt;
        if (defines(kernel_.code[i], reg)) all.push_back(i);
      }
    return all;
  }

  [[nodiscard]] bool stays(const Operand& operand) const {
    if (!operand.present) return false;
    if (operand.space != RowSpace::kRegister) return operand.space == RowSpace::kConstant;
    const auto all = writers(operand.reg);
    return all && all->empty();
  }

  [[nodiscard]] std::optional<std::int64_t> constant(const Operand& operand) const {
    if (!operand.present || operand.space != RowSpace::kConstant) return std::nullopt;
    for (const isa::LaunchConstant& launched : kernel_.launch_constants)
      if (launched.offset == operand.offset) return std::nullopt;
    std::int32_t value = 0;
    std::memcpy(&value, kernel_.constants.data() + operand.offset, sizeof value);
    return value;
  }

  [[nodiscard]] bool is_counter(const Operand& operand, bool any_step) const {
    static const auto sums = lane_functions(isa::LaneOp::kAdd, {isa::Compare::kEq});
    static const auto differences = lane_functions(isa::LaneOp::kSub, {isa::Compare::kEq});
    if (!operand.present || operand.space != RowSpace::kRegister) return false;
    const auto all = writers(operand.reg);
    if (!all || all->size() != 1) return false;
    const Instruction& step = kernel_.code[all->front()];
    if (step.guard.present || step.source_count != 2 ||
        (!is_one_of(step, sums) && !is_one_of(step, differences)))
      return false;
    const bool first =
        step.src[0].space == RowSpace::kRegister && step.src[0].present && step.src[0].reg == operand.reg;
    const bool second =
        step.src[1].space == RowSpace::kRegister && step.src[1].present && step.src[1].reg == operand.reg;
    if (first == second || (second && is_one_of(step, differences))) return false;
    const auto by = constant(step.src[first ? 1 : 0]);
    if (!by || *by == 0 || (!any_step && *by != 1 && *by != -1)) return false;
    return is_passed(cfg_.block_of(all->front()));
  }

  /// Each round by way of the exit passes the block.
  [[nodiscard]] bool is_passed(BlockId block) const {
    if (block == exit_) return true;
    BlockSet seen = no_blocks(cfg_);
    std::vector<BlockId> work = within(cfg_.block(exit_).successors);
    while (!work.empty()) {
      const BlockId at = work.back();
      work.pop_back();
      if (at == block || seen.test(at)) continue;
      if (at == exit_) return false;
      seen.set(at);
      for (const BlockId next : within(cfg_.block(at).successors)) work.push_back(next);
    }
    return true;
  }

  [[nodiscard]] std::vector<BlockId> within(const std::vector<BlockId>& blocks) const {
    std::vector<BlockId> some;
    for (const BlockId block : blocks)
      if (cycle_.test(block)) some.push_back(block);
    return some;
  }

  const isa::Kernel& kernel_;
  const ControlFlowGraph& cfg_;
  const BlockSet& cycle_;
  BlockId exit_;
};

}  // namespace

bool is_counted(const isa::Kernel& kernel, const ControlFlowGraph& cfg, const BlockSet& cycle, BlockId exit) {
  return Counter(kernel, cfg, cycle, exit).counts();
}

}  // namespace heddle::analysis
