#include "analysis/stack_check.h"

#include <algorithm>

#include "analysis/uniformity.h"
#include "isa/lane_ops.h"

namespace heddle::analysis {
namespace {

using base::Pc;
using isa::Instruction;
using isa::Opcode;

/// Lane functions of votes and ballots.
bool is_vote(const Instruction& instruction) {
  static const auto votes = [] {
    std::vector<isa::LaneFn> fns;
    for (const isa::LaneOp op :
         {isa::LaneOp::kVoteAll, isa::LaneOp::kVoteAny, isa::LaneOp::kVoteUni, isa::LaneOp::kBallot})
      for (const isa::Type type : {isa::Type::kPred, isa::Type::kB32, isa::Type::kU32})
        for (const bool member_mask : {false, true}) {
          isa::LaneSpec spec;
          spec.op = op;
          spec.type = type;
          spec.member_mask = member_mask;
          if (const isa::LaneFn fn = isa::find_lane_fn(spec); fn != nullptr) fns.push_back(fn);
        }
    return fns;
  }();
  return instruction.cross_lane && instruction.lane_fn != nullptr &&
         std::find(votes.begin(), votes.end(), instruction.lane_fn) != votes.end();
}

bool is_active_mask(const Instruction& instruction) {
  return instruction.cross_lane && instruction.op == Opcode::kLane && instruction.source_count == 0;
}

class BlockValues {
 public:
  BlockValues(const CodeAnalysis& code, BlockId block)
      : code_(code.kernel().code), block_(code.cfg().block(block)) {}

  /// All lanes that run the block together have the same value at `before`.
  [[nodiscard]] bool same(const isa::Operand& operand, std::uint32_t before) const {
    if (!operand.present || operand.space == isa::RowSpace::kConstant) return true;
    if (operand.space != isa::RowSpace::kRegister) return false;
    for (std::uint32_t i = before; i-- > block_.first;) {
      const Instruction& instruction = code_[i];
      const auto* const end = instruction.writes.data() + instruction.write_count;
      if (std::find(instruction.writes.data(), end, operand.reg) != end) return same_result(i);
    }
    return always_one_constant(operand.reg);
  }

 private:
  [[nodiscard]] bool same_result(std::uint32_t i) const {
    const Instruction& instruction = code_[i];
    if (instruction.guard.present || instruction.time_dependent) return false;
    if (is_vote(instruction)) {
      if (instruction.member_mask == Instruction::kNoMemberMask) return false;
      return same(instruction.src[instruction.member_mask], i);
    }
    if (instruction.op != Opcode::kLane || instruction.cross_lane || instruction.memory.base.present)
      return false;
    return std::all_of(instruction.src.begin(), instruction.src.end(),
                       [&](const isa::Operand& source) { return same(source, i); });
  }

  /// Whatever writes the register writes the same constant.
  [[nodiscard]] bool always_one_constant(isa::RegId reg) const {
    std::optional<std::uint32_t> row;
    for (const Instruction& instruction : code_) {
      const auto* const end = instruction.writes.data() + instruction.write_count;
      if (std::find(instruction.writes.data(), end, reg) == end) continue;
      const isa::Operand& from = instruction.src[0];
      if (instruction.op != Opcode::kLane || instruction.source_count != 1 ||
          instruction.destination_count != 1 || from.space != isa::RowSpace::kConstant ||
          (row && *row != from.offset))
        return false;
      row = from.offset;
    }
    return row.has_value();
  }

  const std::vector<Instruction>& code_;
  const BasicBlock& block_;
};

}  // namespace

bool decided_by_vote(const CodeAnalysis& code, std::uint32_t branch) {
  const Instruction& instruction = code.kernel().code[branch];
  if (instruction.op != Opcode::kBranch || !instruction.guard.present) return false;
  const BlockValues values(code, code.cfg().block_of(branch));
  return values.same(instruction.guard, branch) && values.same(instruction.guard2, branch);
}

namespace {

bool decides_alike(const CodeAnalysis& code, const Uniformity& uniformity, std::uint32_t branch) {
  const Opcode op = code.kernel().code[branch].op;
  if ((op == Opcode::kBranch || op == Opcode::kIndirect) && uniformity.uniform(branch)) return true;
  return decided_by_vote(code, branch);
}

}  // namespace

std::vector<BlockedWrite> blocked_writes(CodeAnalysis& code, const WaitingSets& sets) {
  const ControlFlowGraph& cfg = code.cfg();
  const PostDominators& post_dominators = code.post_dominators();
  std::vector<BlockedWrite> found;
  if (!sets.any_waits()) return found;
  const Uniformity uniformity(code.kernel(), cfg);
  for (BlockId b = 0; b < cfg.block_count(); ++b) {
    const auto& successors = cfg.block(b).successors;
    const std::uint32_t branch = cfg.block(b).end - 1;
    if (successors.size() < 2 || decides_alike(code, uniformity, branch)) continue;
    const Pc meets = post_dominators.behind(branch);
    const BlockId stop = post_dominators.block_of(meets);
    std::vector<BlockSet> sides;
    for (const BlockId side : successors) sides.push_back(blocks_between(cfg, {side}, stop));
    const BarrierFreePaths behind(cfg, meets);
    const auto blocks = [&](std::size_t stays_in, std::uint32_t write) {
      if (behind.reaches(write)) return true;
      for (std::size_t side = 0; side < sides.size(); ++side)
        if (side != stays_in && sides[side].test(cfg.block_of(write))) return true;
      return false;
    };
    for (std::size_t s = 0; s < sets.all().size() && (found.empty() || found.back().branch != branch); ++s) {
      const WaitingSet& set = sets.all()[s];
      // Who goes round past a barrier of the CTA waits for all of it there.
      if (!set.waits() || set.has_barrier) continue;
      for (std::size_t side = 0; side < sides.size(); ++side) {
        if (!sets.stays(s, sides[side])) continue;
        const auto write = std::find_if(set.all_needs.begin(), set.all_needs.end(),
                                        [&](std::uint32_t w) { return blocks(side, w); });
        if (write == set.all_needs.end()) continue;
        found.push_back({branch, s, *write});
        break;
      }
    }
  }
  return found;
}

std::vector<std::uint32_t> parting_branches(const CodeAnalysis& code, const CodeRange& range) {
  const ControlFlowGraph& cfg = code.cfg();
  std::vector<std::uint32_t> branches;
  for (BlockId b = 0; b < cfg.block_count(); ++b) {
    const std::uint32_t last = cfg.block(b).end - 1;
    if (last < range.first || last >= range.end) continue;
    const Instruction& instruction = cfg.code()[last];
    const bool parts = instruction.op == Opcode::kBranch || instruction.op == Opcode::kExit ||
                       instruction.op == Opcode::kReturn;
    if ((parts && instruction.guard.present) || instruction.op == Opcode::kIndirect) branches.push_back(last);
  }
  return branches;
}

std::vector<Together> parted_lanes(const CodeAnalysis& code, const CodeRange& range,
                                   const std::vector<std::uint32_t>& branches) {
  const ControlFlowGraph& cfg = code.cfg();
  std::vector<Together> all;
  for (std::uint32_t i = range.first; i < range.end; ++i) {
    const Instruction& instruction = cfg.code()[i];
    if (instruction.op == Opcode::kWarpSync || (instruction.cross_lane && !is_active_mask(instruction)))
      all.push_back({i, {}});
  }
  if (all.empty()) return all;
  const Uniformity uniformity(code.kernel(), cfg);
  for (std::size_t b = 0; b < branches.size(); ++b) {
    if (decides_alike(code, uniformity, branches[b])) continue;
    const BlockId stop = code.post_dominators().block_of(code.post_dominators().behind(branches[b]));
    const BlockSet between = blocks_between(cfg, cfg.block(cfg.block_of(branches[b])).successors, stop);
    for (Together& one : all)
      if (between.test(cfg.block_of(one.instruction))) one.parted_by.push_back(b);
  }
  return all;
}

namespace {

bool has_one_entry(const ControlFlowGraph& cfg, const BlockSet& blocks) {
  unsigned entries = 0;
  for (std::size_t b = blocks.find_first(); b != BlockSet::npos; b = blocks.find_next(b)) {
    const auto& before = cfg.block(static_cast<BlockId>(b)).predecessors;
    if (std::any_of(before.begin(), before.end(), [&](BlockId from) { return !blocks.test(from); }))
      ++entries;
  }
  return entries == 1;
}

/// Threads that wait may take the loop's edge back.
bool is_cut(const ControlFlowGraph& cfg, const WaitingSets& sets, const EdgeLoop& loop) {
  const auto within = [&](const WaitingSet& set) {
    return set.blocks.test(loop.latch) && set.blocks.test(loop.header);
  };
  return std::any_of(sets.all().begin(), sets.all().end(), [&](const WaitingSet& set) {
    if (!set.waits() || !within(set)) return false;
    return std::none_of(sets.all().begin(), sets.all().end(), [&](const WaitingSet& inner) {
      return !inner.waits() && within(inner) && inner.blocks.is_proper_subset_of(set.blocks) &&
             has_one_entry(cfg, inner.blocks);
    });
  });
}

}  // namespace

void use_common_point(CodeAnalysis& code, const WaitingSets& sets, std::uint32_t function,
                      std::vector<LoopFinding>& findings) {
  const ControlFlowGraph& cfg = code.cfg();
  const PostDominators& post_dominators = code.post_dominators();
  std::vector<LoopFinding*> cut;
  BlockSet involved = no_blocks(cfg);
  std::optional<Pc> point;
  const auto pass = [&](Pc by) { point = point ? post_dominators.common(*point, by) : by; };
  for (std::uint32_t l = 0; l < findings.size(); ++l) {
    LoopFinding& finding = findings[l];
    if (finding.loop.function != function || finding.exit_branches.empty() ||
        !is_cut(cfg, sets, finding.loop))
      continue;
    if (!finding.flagged()) finding.because_of = l;
    cut.push_back(&finding);
    pass(finding.safe);
    involved |= finding.loop.blocks;
  }
  if (cut.empty()) return;
  for (const WaitingSet& set : sets.all()) {
    if (set.function != function || !set.waits()) continue;
    involved |= set.blocks;
    for (const std::uint32_t branch : set.exits) pass(post_dominators.behind(branch));
    for (const std::uint32_t write : set.all_needs) {
      pass(post_dominators.behind(write));
      involved.set(cfg.block_of(write));
    }
  }
  for (BlockId b = 0; b < cfg.block_count(); ++b) {
    if (cfg.block(b).successors.size() < 2) continue;
    const Pc meets = post_dominators.behind(cfg.block(b).end - 1);
    if (blocks_between(cfg, cfg.block(b).successors, post_dominators.block_of(meets)).intersects(involved))
      pass(meets);
  }
  for (LoopFinding* finding : cut) finding->safe = *point;
}

}  // namespace heddle::analysis
