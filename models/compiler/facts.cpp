#include "compiler/facts.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "analysis/cfg.h"
#include "analysis/dominators.h"
#include "analysis/retreating_edges.h"
#include "analysis/spin_branches.h"
#include "analysis/uniformity.h"
#include "base/error.h"

namespace heddle::compiler {
namespace {

using analysis::BlockId;
using analysis::ControlFlowGraph;
using base::Pc;
using isa::Instruction;
using isa::Opcode;
using isa::ProgramFacts;

bool is_branch(const Instruction& instruction) {
  return instruction.op == Opcode::kBranch || instruction.op == Opcode::kIndirect;
}

/// Bourdoncle's weak topological order (FMPA 1993) of the blocks reachable from the entries, one function
/// after the other.
class WeakOrder {
 public:
  explicit WeakOrder(const ControlFlowGraph& cfg) : cfg_(cfg), number_(cfg.block_count() + 1, 0) {
    if (cfg.block_count() > analysis::DominatorTree::kMostBlocks)
      throw std::length_error("too many basic blocks");  // the algorithm recurses along chains of blocks
  }

  /// Appends the blocks of a function in their order.
  void add(BlockId entry, std::vector<BlockId>& order) {
    if (number_[entry] != 0) return;
    reversed_.clear();
    visit(entry);
    order.insert(order.end(), reversed_.rbegin(), reversed_.rend());
  }

 private:
  static constexpr std::uint32_t kPlaced = std::numeric_limits<std::uint32_t>::max();

  /// The successor visited last comes first, so a branch's fall-through is placed after its target here.
  template <class Fn>
  void each_successor(BlockId block, Fn fn) {
    const auto& to = cfg_.block(block).successors;
    for (auto next = to.rbegin(); next != to.rend(); ++next)
      if (*next != cfg_.exit()) fn(*next);
  }

  std::uint32_t visit(BlockId block) {
    stack_.push_back(block);
    std::uint32_t head = number_[block] = ++count_;
    bool loop = false;
    each_successor(block, [&](BlockId to) {
      const std::uint32_t least = number_[to] == 0 ? visit(to) : number_[to];
      if (least > head) return;
      head = least;
      loop = true;
    });
    if (head != number_[block]) return head;
    number_[block] = kPlaced;
    BlockId top = pop();
    if (loop) {
      for (; top != block; top = pop()) number_[top] = 0;
      each_successor(block, [&](BlockId to) {
        if (number_[to] == 0) visit(to);
      });
    }
    reversed_.push_back(block);
    return head;
  }

  BlockId pop() {
    const BlockId top = stack_.back();
    stack_.pop_back();
    return top;
  }

  const ControlFlowGraph& cfg_;
  std::vector<std::uint32_t> number_;
  std::uint32_t count_ = 0;
  std::vector<BlockId> stack_;
  std::vector<BlockId> reversed_;
};

void mark_post_dominators(const isa::Kernel& kernel, ProgramFacts& facts) {
  for (const Instruction& instruction : kernel.code)
    if (is_branch(instruction) && instruction.rpc != base::kNoPc)
      facts.post_dominators.push_back(instruction.rpc);
  auto& all = facts.post_dominators;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  facts.post_dominator.assign(kernel.code.size(), ProgramFacts::kNone);
  facts.is_post_dominator.assign(kernel.code.size(), ProgramFacts::kNone);
  for (std::uint32_t id = 0; id < all.size(); ++id) {
    facts.is_post_dominator[all[id].value()] = id;
    facts.marks[all[id].value()] |= ProgramFacts::kPostDominator;
  }
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc)
    if (is_branch(kernel.code[pc]) && kernel.code[pc].rpc != base::kNoPc)
      facts.post_dominator[pc] = facts.is_post_dominator[kernel.code[pc].rpc.value()];
}

void rank_blocks(const isa::Kernel& kernel, const ControlFlowGraph& cfg, ProgramFacts& facts) {
  WeakOrder weak(cfg);
  std::vector<BlockId> order;
  for (const analysis::CodeRange& range : analysis::code_ranges(kernel))
    for (const std::uint32_t entry : range.entries) weak.add(cfg.block_of(entry), order);
  facts.order.assign(cfg.block_count(), ProgramFacts::kNone);
  std::uint32_t rank = 0;
  for (const BlockId block : order) facts.order[block] = rank++;
  for (std::uint32_t& unreachable : facts.order)
    if (unreachable == ProgramFacts::kNone) unreachable = rank++;
}

void note_flow(const isa::Kernel& kernel, const ControlFlowGraph& cfg, ProgramFacts& facts) {
  for (BlockId block = 0; block < cfg.block_count(); ++block) {
    auto& to = facts.successors.emplace_back(cfg.block(block).successors);
    std::replace(to.begin(), to.end(), cfg.exit(), ProgramFacts::kNone);
  }
  if (kernel.functions.empty()) return;
  facts.frame_bytes.assign(kernel.code.size(), 0);
  for (const isa::FunctionCode& function : kernel.functions)
    std::fill(facts.frame_bytes.begin() + function.first, facts.frame_bytes.begin() + function.end,
              function.frame_bytes);
}

void mark_spin_branches(const isa::Kernel& kernel, ProgramFacts& facts) {
  for (const Pc pc : analysis::find_spin_branches(kernel))
    facts.marks[pc.value()] |= ProgramFacts::kSpinBranch;
  for (const isa::SpinMark& mark : kernel.spin_marks)
    for (const Pc pc : spin_branches_of(kernel, mark))
      facts.marks[pc.value()] |= ProgramFacts::kNamedSpinBranch;
}

void note_convergence(const isa::Kernel& kernel, ProgramFacts& facts) {
  using isa::ConvergenceOp;
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
    const Instruction& instruction = kernel.code[pc];
    facts.exchanges = facts.exchanges || instruction.cross_lane;
    const bool sleeps = instruction.op == Opcode::kSleep;
    if (!sleeps && instruction.op != Opcode::kConvergence) continue;
    const ConvergenceOp op = instruction.convergence;
    if (sleeps || op == ConvergenceOp::kYield)
      facts.yields.emplace_back(pc);
    else if (op != ConvergenceOp::kSet && op != ConvergenceOp::kRead && op != ConvergenceOp::kReadClear)
      facts.convergence.emplace_back(pc);
  }
}

}  // namespace

std::vector<Pc> spin_branches_of(const isa::Kernel& kernel, const isa::SpinMark& mark) {
  std::vector<Pc> named = analysis::find_spin_branches(kernel, mark.pc);
  if (!named.empty()) return named;
  const auto leads_back = [&](const Instruction& branch) {
    return branch.op == Opcode::kBranch && branch.target <= mark.pc;
  };
  const auto next = std::find_if(kernel.code.begin() + mark.pc.value(), kernel.code.end(), leads_back);
  if (next == kernel.code.end())
    throw base::InputError(kernel.location(mark.pc),
                           "a pragma says that threads wait in a loop here, but there is none",
                           "Write it into the loop, before the branch back.");
  named.emplace_back(static_cast<std::uint32_t>(next - kernel.code.begin()));
  return named;
}

isa::ProgramFacts program_facts(const isa::Kernel& kernel) {
  ProgramFacts facts;
  facts.marks.assign(kernel.code.size(), 0);
  const ControlFlowGraph cfg(kernel.code, kernel.targets);
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
    facts.block.push_back(cfg.block_of(pc));
    if (cfg.block(facts.block.back()).first == pc) facts.marks[pc] |= ProgramFacts::kBlockStart;
  }
  rank_blocks(kernel, cfg, facts);
  note_flow(kernel, cfg, facts);
  mark_post_dominators(kernel, facts);
  const analysis::Uniformity uniformity(kernel, cfg);
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc)
    if (is_branch(kernel.code[pc]) && uniformity.uniform(pc)) facts.marks[pc] |= ProgramFacts::kUniformBranch;
  const analysis::Uniformity in_cta(kernel, cfg, analysis::UniformWithin::kCta);
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc)
    if (is_branch(kernel.code[pc]) && in_cta.uniform(pc))
      facts.marks[pc] |= ProgramFacts::kBlockUniformBranch;
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc)
    if (kernel.code[pc].op == Opcode::kFence || kernel.code[pc].op == Opcode::kSleep)
      facts.marks[pc] |= ProgramFacts::kWaits;
  if (!kernel.likely_points.empty()) facts.likely_point.assign(kernel.code.size(), base::kNoPc);
  for (const isa::LikelyPoint& likely : kernel.likely_points)
    facts.likely_point.at(likely.branch.value()) = likely.point;
  for (const Pc pc : kernel.likely_convergence)
    facts.marks.at(pc.value()) |= ProgramFacts::kLikelyConvergence;
  mark_spin_branches(kernel, facts);
  note_convergence(kernel, facts);
  return facts;
}

const isa::ProgramFacts& facts_of(const isa::Kernel& kernel) {
  return kernel.facts.get([&] { return program_facts(kernel); });
}

}  // namespace heddle::compiler
