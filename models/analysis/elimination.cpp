#include "analysis/elimination.h"

#include <algorithm>
#include <map>

namespace heddle::analysis {
namespace {

using sim::kNoPc;
using sim::Pc;

bool same_place(const isa::SourceLoc& a, const isa::SourceLoc& b) {
  return a.line == b.line && a.column == b.column;
}

/// A PTX instruction may have become several; a switch block can only stand between PTX instructions.
Pc between_source_instructions(const CodeAnalysis& code, Pc place) {
  const auto& list = code.kernel().code;
  while (place != kNoPc && place.value() > 0 && list[place.value()].where.line != 0 &&
         same_place(list[place.value()].where, list[place.value() - 1].where) &&
         code.range_of(place.value()).first != place.value()) {
    const isa::Opcode op = list[place.value()].op;
    // The return that the decoder adds to code that runs off its end has the last instruction's place.
    if (op == isa::Opcode::kExit || op == isa::Opcode::kReturn) break;
    place = code.places().next(place);
  }
  return place;
}

}  // namespace

std::vector<std::uint32_t> early_exits_to(const CodeAnalysis& code, Pc place) {
  std::vector<std::uint32_t> exits;
  if (place == kNoPc) return exits;
  const ControlFlowGraph& cfg = code.cfg();
  const ControlFlowGraph& meeting = code.places().reconvergence_graph();
  const BlockId block = cfg.block_of(place.value());
  if (cfg.block(block).first != place.value()) return exits;
  const auto& kept = meeting.block(block).predecessors;
  for (const BlockId from : cfg.block(block).predecessors)
    if (std::find(kept.begin(), kept.end(), from) == kept.end()) exits.push_back(cfg.block(from).end - 1);
  return exits;
}

EliminationPlan plan_elimination(const CodeAnalysis& code, const std::vector<LoopFinding>& findings) {
  EliminationPlan plan;
  std::map<std::pair<std::uint32_t, std::uint32_t>, SwitchBlock> switches;  // by function and place
  for (std::uint32_t l = 0; l < findings.size(); ++l) {
    const LoopFinding& finding = findings[l];
    if (!finding.flagged()) continue;
    const EdgeLoop& loop = finding.loop;
    const Pc place = between_source_instructions(code, finding.safe);
    if (finding.exit_branches.empty()) {
      plan.refusals.push_back({l, "the loop has no exit"});
      continue;
    }
    if (place != kNoPc && loop.blocks.test(code.cfg().block_of(place.value()))) {
      plan.refusals.push_back(
          {l, "no place behind the loop is passed by all its threads: a loop around it never ends"});
      continue;
    }
    SwitchBlock& block = switches[{loop.function, place.value()}];
    block.function = loop.function;
    block.place = place;
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
