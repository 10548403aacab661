#include "compiler/convergence/starvation.h"

#include <algorithm>

namespace heddle::compiler {
namespace {

using isa::Instruction;
using isa::Opcode;
using Kind = NodeCode::Kind;

/// Some lanes wait at it and others do not.
bool parts_lanes(const Instruction& instruction) {
  if (instruction.op != Opcode::kWarpSync && instruction.op != Opcode::kBarrier) return false;
  return instruction.guard.present || (instruction.op == Opcode::kWarpSync && !instruction.names_all_lanes);
}

}  // namespace

Starvation::Starvation(const isa::Kernel& kernel, const analysis::ControlFlowGraph& cfg,
                       const FunctionFlow& flow, const std::vector<WaitingLoop>& loops, bool returns,
                       bool next_iteration)
    : kernel_(kernel),
      cfg_(cfg),
      flow_(flow),
      graph_(flow.graph),
      returns_(returns),
      next_iteration_(next_iteration),
      stops_(flow.graph.none()) {
  if (loops.empty()) return;
  for (NodeId node = 0; node < graph_.size(); ++node) {
    const NodeCode& code = flow_.code[node];
    for (std::uint32_t pc = code.first; code.kind == Kind::kCode && pc < code.end; ++pc)
      if (is_stop(pc)) stops_.set(node);
  }
  find_spins(loops);
  if (!spins_.empty()) find_partings();
}

bool Starvation::is_stop(std::uint32_t pc) const { return analysis::is_full_barrier(kernel_.code[pc]); }

void Starvation::note_releases(const analysis::InstructionSet& releases, Spin& spin) const {
  for (NodeId node = 0; node < graph_.size(); ++node) {
    const NodeCode& code = flow_.code[node];
    if (code.kind != Kind::kCode) continue;
    bool behind = false;
    for (std::uint32_t pc = code.first; pc < code.end; ++pc) {
      behind = behind || is_stop(pc);
      if (releases.test(pc)) (behind ? spin.releases_behind : spin.releases).set(node);
    }
  }
}

void Starvation::find_spins(const std::vector<WaitingLoop>& loops) {
  const auto start = [&] { return Spin{graph_.none(), kNoNode, graph_.none(), graph_.none()}; };
  for (const WaitingLoop& loop : loops) {
    const auto header = flow_.starting.find(loop.header);
    if (header == flow_.starting.end()) continue;
    Spin spin = start();
    spin.header = header->second;
    for (NodeId node = 0; node < graph_.size(); ++node) {
      const NodeCode& code = flow_.code[node];
      const bool of_header = code.kind == Kind::kBefore || code.kind == Kind::kLatch;
      const std::uint32_t first = of_header ? flow_.code[code.header].first : code.first;
      if (code.kind != Kind::kEntry && loop.blocks.test(cfg_.block_of(first))) spin.nodes.set(node);
    }
    note_releases(loop.releases, spin);
    spins_.push_back(std::move(spin));
  }
  for (NodeId node = 0; node < graph_.size(); ++node) {
    const auto& called = flow_.calls[node].use.spins;
    if (called.empty()) continue;
    Spin spin = start();
    spin.nodes.set(node);
    for (const std::uint32_t loop : called) note_releases(loops[loop].releases, spin);
    spins_.push_back(std::move(spin));
  }
}

void Starvation::find_partings() {
  for (NodeId node = 0; node < graph_.size(); ++node) {
    Parting parting{node, {}};
    const auto& next = graph_[node].successors;
    if (graph_[node].parts) {
      for (const NodeId one : next)
        for (const NodeId other : next)
          if (one != other || next.size() == 1) parting.sides.emplace_back(one, other);
    }
    const NodeCode& code = flow_.code[node];
    bool apart = false;
    for (std::uint32_t pc = code.first; code.kind == Kind::kCode && pc < code.end; ++pc)
      apart = apart || parts_lanes(kernel_.code[pc]);
    if (apart) parting.sides.emplace_back(node, node);
    if (!parting.sides.empty()) partings_.push_back(std::move(parting));
  }
}

Starvation::Reach Starvation::reach(const std::vector<NodeId>& from, const NodeSet& avoid) const {
  Reach found{graph_.none(), graph_.none()};
  std::vector<std::pair<NodeId, bool>> work;
  for (const NodeId node : from) work.emplace_back(node, false);
  while (!work.empty()) {
    const auto [node, passed] = work.back();
    work.pop_back();
    NodeSet& set = passed ? found.after : found.before;
    if (set.test(node) || avoid.test(node)) continue;
    set.set(node);
    for (const NodeId next : graph_[node].successors) work.emplace_back(next, passed || stops_.test(node));
  }
  return found;
}

NodeSet Starvation::cycle(const Spin& spin, NodeSet within) const {
  within &= spin.nodes;
  if (spin.header == kNoNode) return within;
  within -= stops_;
  if (!within.test(spin.header)) return graph_.none();
  // Cycles that do not come by the header are those of other loops.
  NodeSet round = graph_.behind(spin.header, ~within);
  if (!round.test(spin.header)) return graph_.none();
  NodeSet back = graph_.none();
  std::vector<NodeId> work{spin.header};
  while (!work.empty()) {
    const NodeId node = work.back();
    work.pop_back();
    if (back.test(node)) continue;
    back.set(node);
    for (const NodeId before : graph_[node].predecessors)
      if (within.test(before)) work.push_back(before);
  }
  return round & back;
}

bool Starvation::waits_for(const Spin& spin, const Reach& at, const NodeSet& nodes, const Reach& others) {
  if (at.before.intersects(nodes) && others.before.intersects(spin.releases)) return true;
  return at.after.intersects(nodes) && (others.after.intersects(spin.releases | spin.releases_behind) ||
                                        others.before.intersects(spin.releases_behind));
}

NodeSet Starvation::meeting(NodeId node, const std::vector<Region>& regions) const {
  NodeSet meet = graph_.none();
  for (const Region& region : regions)
    if (region.body.test(node)) meet.set(region.to);
  return meet;
}

// ---- Regions

bool Starvation::meets_too_early(const Region& region) const {
  if (spins_.empty()) return false;
  NodeSet body = region.body;
  // The instructions of the opening node come before its BSSY, unless it is a call.
  if (!flow_.calls[region.from].behind) body.reset(region.from);
  NodeSet avoid = graph_.none();
  if (!next_iteration_) avoid.set(region.from);
  const Reach behind = reach({region.to}, avoid);
  return std::any_of(spins_.begin(), spins_.end(), [&](const Spin& spin) {
    return behind.before.intersects(spin.releases) && cycle(spin, body).any();
  });
}

/// By BREAK: those lanes are no siblings any more, and may be between others that are.
bool Starvation::left_by_some(const Region& region) const {
  return std::any_of(region.leaving.begin(), region.leaving.end(),
                     [&](const auto& edge) { return !graph_[edge.second].only_exits; });
}

/// Of two lanes that have parted, the one has opened the region, and the other is outside of it.
bool Starvation::outsiders_starve(const Region& region, const NodeSet& live, const Reach& one,
                                  const Reach& other, const NodeSet& meet) const {
  const bool stops = stops_.test(region.from);
  const bool before = one.before.test(region.from) && !stops;
  const bool after = one.after.test(region.from) || (one.before.test(region.from) && stops);
  if (!before && !after) return false;
  // All lanes of the region may wait for others while its entry is on top: nobody outside can give way then.
  bool blocks = false;
  for (NodeId node = 0; node < graph_.size(); ++node)
    blocks = blocks || (live.test(node) && flow_.calls[node].waits);
  for (const Spin& spin : spins_) {
    // The outer one is needed by those that wait within the region.
    const Reach at{before ? live : graph_.none(), after ? live : graph_.none()};
    NodeSet within = live;
    within.reset(region.to);
    const NodeSet inside = cycle(spin, std::move(within));
    if (inside.any() && waits_for(spin, at, inside, other)) return true;
    if (!blocks) continue;
    const NodeSet outside = cycle(spin, ~meet);
    if ((before && other.before.intersects(outside)) || (after && other.after.intersects(outside)))
      return true;
  }
  return false;
}

std::optional<std::size_t> Starvation::starving(const std::vector<Region>& regions,
                                                const std::vector<NodeSet>& live) const {
  if (spins_.empty()) return std::nullopt;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Region& region = regions[i];
    if (!returns_ && !left_by_some(region)) continue;
    // In a function, lanes of the warp may be anywhere outside of it, and everything may come behind its end.
    const Reach open = reach(graph_[region.from].successors, graph_.none());
    for (const Spin& spin : spins_) {
      NodeSet within = live[i];
      within.reset(region.to);
      const NodeSet nodes = cycle(spin, std::move(within));
      if (nodes.any() && (returns_ || waits_for(spin, open, nodes, open))) return i;
    }
  }
  for (const Parting& parting : partings_) {
    const NodeSet meet = meeting(parting.node, regions);
    for (const auto& [one, other] : parting.sides) {
      const Reach opens = reach({one}, meet);
      const Reach stays = reach({other}, meet);
      for (std::size_t i = 0; i < regions.size(); ++i)
        if (outsiders_starve(regions[i], live[i], opens, stays, meet)) return i;
    }
  }
  return std::nullopt;
}

// ---- Yields

std::vector<NodeId> Starvation::headers() const {
  std::vector<NodeId> nodes;
  for (const Spin& spin : spins_)
    if (spin.header != kNoNode) nodes.push_back(spin.header);
  return nodes;
}

std::vector<NodeId> Starvation::waiting() const {
  std::vector<NodeId> nodes;
  for (const Spin& spin : spins_)
    nodes.push_back(spin.header != kNoNode ? spin.header : static_cast<NodeId>(spin.nodes.find_first()));
  return nodes;
}

std::vector<NodeId> Starvation::yielding(const std::vector<Region>& regions) const {
  NodeSet headers = graph_.none();
  for (const Spin& spin : spins_)
    if (returns_ && spin.header != kNoNode) headers.set(spin.header);
  for (const Parting& parting : partings_) {
    const NodeSet meet = meeting(parting.node, regions);
    for (const auto& [one, other] : parting.sides) {
      const Reach stays = reach({one}, meet);
      // Where regions are not given up, lanes may be let go from their BSYNC by YIELDs of the others
      // ([Hanoi:A18]).
      const Reach goes = reach({other}, next_iteration_ ? meet : graph_.none());
      for (const Spin& spin : spins_)
        if (spin.header != kNoNode && !headers.test(spin.header) &&
            waits_for(spin, stays, cycle(spin, ~meet), goes))
          headers.set(spin.header);
    }
  }
  std::vector<NodeId> nodes;
  for (std::size_t node = headers.find_first(); node != NodeSet::npos; node = headers.find_next(node))
    nodes.push_back(static_cast<NodeId>(node));
  return nodes;
}

}  // namespace heddle::compiler
