#include "analysis/elimination.h"

#include <algorithm>
#include <map>
#include <optional>

namespace heddle::analysis {
namespace {

using base::kNoPc;
using base::Pc;

bool same_location(const isa::SourceLoc& a, const isa::SourceLoc& b) {
  return a.line == b.line && a.column == b.column;
}

/// A PTX instruction may have been decoded into several; a switch block can only stand between PTX
/// instructions.
Pc between_source_instructions(const CodeAnalysis& code, Pc point) {
  const auto& list = code.kernel().code;
  while (point != kNoPc && point.value() > 0 && list[point.value()].where.line != 0 &&
         same_location(list[point.value()].where, list[point.value() - 1].where) &&
         code.range_of(point.value()).first != point.value()) {
    const isa::Opcode op = list[point.value()].op;
    // The return that the decoder appends to code that runs off its end has the last instruction's source
    // location.
    if (op == isa::Opcode::kExit || op == isa::Opcode::kReturn) break;
    point = code.post_dominators().next(point);
  }
  return point;
}

/// A barrier between the loop's exits and a switch before `point`: threads that wait at one would never reach
/// the other.
std::optional<std::uint32_t> barrier_on_the_way(const CodeAnalysis& code, const EdgeLoop& loop, Pc point) {
  const ControlFlowGraph& cfg = code.cfg();
  std::vector<BlockId> from;
  for (const BlockId exit : loop.exits)
    for (const BlockId to : cfg.block(exit).successors)
      if (!loop.blocks.test(to)) from.push_back(to);
  const BlockId last = code.post_dominators().block_of(point);
  const BlockSet between = blocks_between(cfg, from, last);
  const auto in = [&](std::uint32_t first, std::uint32_t end) -> std::optional<std::uint32_t> {
    for (std::uint32_t i = first; i < end; ++i)
      if (cfg.code()[i].op == isa::Opcode::kBarrier && cfg.code()[i].barrier_kind == isa::BarrierKind::kSync)
        return i;
    return std::nullopt;
  };
  for (std::size_t b = between.find_first(); b != BlockSet::npos; b = between.find_next(b))
    if (const auto found =
            in(cfg.block(static_cast<BlockId>(b)).first, cfg.block(static_cast<BlockId>(b)).end))
      return found;
  return point == kNoPc ? std::nullopt : in(cfg.block(last).first, point.value());
}

}  // namespace

std::vector<std::uint32_t> early_exits_to(const CodeAnalysis& code, Pc point) {
  std::vector<std::uint32_t> exits;
  if (point == kNoPc) return exits;
  const ControlFlowGraph& cfg = code.cfg();
  const ControlFlowGraph& meeting = code.post_dominators().reconvergence_graph();
  const BlockId block = cfg.block_of(point.value());
  if (cfg.block(block).first != point.value()) return exits;
  const auto& kept = meeting.block(block).predecessors;
  for (const BlockId from : cfg.block(block).predecessors)
    if (std::find(kept.begin(), kept.end(), from) == kept.end()) exits.push_back(cfg.block(from).end - 1);
  return exits;
}

EliminationPlan plan_elimination(const CodeAnalysis& code, const std::vector<LoopFinding>& findings) {
  EliminationPlan plan;
  std::map<std::pair<std::uint32_t, std::uint32_t>, SwitchBlock> switches;  // by function and program point
  for (std::uint32_t l = 0; l < findings.size(); ++l) {
    const LoopFinding& finding = findings[l];
    if (!finding.flagged()) continue;
    const EdgeLoop& loop = finding.loop;
    const Pc point = between_source_instructions(code, finding.safe);
    if (finding.exit_branches.empty()) {
      plan.refusals.push_back({l, "the loop has no exit"});
      continue;
    }
    if (point != kNoPc && loop.blocks.test(code.cfg().block_of(point.value()))) {
      plan.refusals.push_back(
          {l, "no place behind the loop is passed by all its threads: a loop around it never ends"});
      continue;
    }
    if (const auto barrier = barrier_on_the_way(code, loop, point)) {
      plan.refusals.push_back({l, "threads that have left the loop meet a barrier (line " +
                                      std::to_string(code.kernel().code[*barrier].where.line) +
                                      ") before the place where the others would wait for them"});
      continue;
    }
    SwitchBlock& block = switches[{loop.function, point.value()}];
    block.function = loop.function;
    block.point = point;
    SwitchCase one;
    one.loop = l;
    one.latch = loop.latch;
    one.header = loop.header;
    one.shared_header = std::any_of(findings.begin(), findings.end(), [&](const LoopFinding& other) {
      return &other != &finding && other.loop.header == loop.header;
    });
    block.cases.push_back(one);
  }
  for (auto& [key, block] : switches) plan.switches.push_back(std::move(block));
  return plan;
}

}  // namespace heddle::analysis
