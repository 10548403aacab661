#include "compiler/convergence/regions.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <tuple>

#include "compiler/convergence/starvation.h"

namespace heddle::compiler {

Regions::Regions(const FlowGraph& graph, const RegionOptions& options, const Starvation* starvation)
    : graph_(graph),
      options_(options),
      starvation_(starvation),
      dominators_(graph.dominators()),
      meets_(graph.size(), kNoNode),
      depth_(graph.size(), 0),
      main_end_(graph.size(), kNoNode) {
  find_post_dominators();
}

// ---- Step 1: post-dominators that early ends do not hide

void Regions::find_post_dominators() {
  NodeSet rest = graph_.from(0, graph_.none());
  while (rest.any()) post_dominators_within(rest);
}

/// The one that most nodes lead to; in code that never ends, the last node.
NodeId Regions::main_end(const NodeSet& rest) const {
  NodeId best = kNoNode;
  std::size_t most = 0;
  for (NodeId end = 0; end < graph_.size(); ++end) {
    if (!rest.test(end) || !graph_[end].ends) continue;
    const std::size_t leading = (graph_.before(end, kNoNode) & rest).count();
    if (best != kNoNode && leading < most) continue;
    best = end;
    most = leading;
  }
  if (best != kNoNode) return best;
  for (NodeId node = 0; node < graph_.size(); ++node)
    if (rest.test(node)) best = node;
  return best;
}

void Regions::post_dominators_within(NodeSet& rest) {
  const NodeId end = main_end(rest);
  NodeSet within = graph_.before(end, kNoNode) & rest;
  within.set(end);
  std::vector<std::vector<NodeId>> reversed(graph_.size());
  for (NodeId node = 0; node < graph_.size(); ++node) {
    if (!within.test(node) || node == end) continue;
    for (const NodeId to : graph_[node].successors)
      if (within.test(to)) reversed[to].push_back(node);
  }
  const DominatorTree tree = DominatorTree::of(reversed, end);
  for (NodeId node = 0; node < graph_.size(); ++node) {
    if (!within.test(node)) continue;
    meets_[node] = tree.parent(node);
    main_end_[node] = end;
    for (NodeId up = tree.parent(node); up != kNoNode; up = tree.parent(up)) ++depth_[node];
  }
  rest -= within;
}

// ---- Steps 2 and 3: a region for each place where branches meet

Region Regions::region(NodeId from, NodeId to, std::vector<NodeId> branches) const {
  Region region;
  region.from = from;
  region.to = to;
  region.branches = std::move(branches);
  region.body = graph_.behind(from, to) & graph_.before(to, from);
  region.body.set(from);
  for (NodeId node = 0; node < graph_.size(); ++node) {
    if (!region.body.test(node)) continue;
    for (const NodeId next : graph_[node].successors)
      if (next != to && !region.body.test(next)) region.leaving.emplace_back(node, next);
  }
  return region;
}

/// The nearest place that all lanes pass on their way to the branches and to `to`, once each time.
NodeId Regions::opening(NodeId to, const std::vector<NodeId>& branches) const {
  for (NodeId from = dominators_.parent(to); from != kNoNode; from = dominators_.parent(from)) {
    const bool before_all = std::all_of(branches.begin(), branches.end(),
                                        [&](NodeId branch) { return dominators_.dominates(from, branch); });
    if (!before_all) continue;
    if (options_.arms_once && graph_.behind(from, to).test(from)) continue;
    if (options_.joins_once && graph_.behind(to, from).test(to)) continue;
    return too_early(from, to) ? kNoNode : from;
  }
  return kNoNode;
}

bool Regions::too_early(NodeId from, NodeId to) const {
  return starvation_ != nullptr && starvation_->meets_too_early(region(from, to, {}));
}

void Regions::find_joins(const std::vector<NodeId>& calls) {
  struct Group {
    std::uint32_t depth;
    NodeId to;
    std::uint32_t loop;
    /// Farthest from the end first: those without a region join the groups behind.
    auto operator<=>(const Group& other) const {
      return std::tie(other.depth, to, loop) <=> std::tie(depth, other.to, other.loop);
    }
    bool operator==(const Group&) const = default;
  };
  std::map<Group, std::vector<NodeId>> groups;
  const auto meet = [&](NodeId branch, NodeId to, std::uint32_t loop) {
    // Lanes that exit at once need not meet before, unless others wait for them.
    if (to != kNoNode && (loop != 0 || !graph_[to].only_exits))
      groups[{depth_[to], to, loop}].push_back(branch);
  };
  for (NodeId node = 0; node < graph_.size(); ++node) {
    if (!graph_[node].parts || graph_[node].successors.size() < 2) continue;
    const auto other = elsewhere_.find(node);
    if (other != elsewhere_.end()) {
      meet(node, other->second.at, other->second.loop);
      continue;
    }
    const auto& sides = graph_[node].successors;
    const auto goes_there = [&](NodeId side) { return main_end_[side] == main_end_[node]; };
    if (std::count_if(sides.begin(), sides.end(), goes_there) >= 2) meet(node, meets_[node], 0);
  }
  for (const NodeId call : calls) meet(call, meets_[graph_[call].successors.front()], 0);
  while (!groups.empty()) {
    const auto [group, branches] = *groups.begin();
    groups.erase(groups.begin());
    std::map<NodeId, std::vector<NodeId>> opened;
    const NodeId from = opening(group.to, branches);
    if (from != kNoNode) {
      opened[from] = branches;
    } else {
      for (const NodeId branch : branches) {
        const NodeId own = opening(group.to, {branch});
        if (own == kNoNode)
          meet(branch, meets_[group.to], group.loop);
        else
          opened[own].push_back(branch);
      }
    }
    for (const auto& [opens, some] : opened) add(opens, group.to, some, group.loop != 0);
  }
}

void Regions::add(NodeId from, NodeId to, const std::vector<NodeId>& branches, bool waits) {
  const auto same = std::find_if(regions_.begin(), regions_.end(),
                                 [&](const Region& each) { return each.from == from && each.to == to; });
  if (same == regions_.end()) {
    regions_.push_back(region(from, to, branches));
    regions_.back().waits = waits;
    return;
  }
  same->branches.insert(same->branches.end(), branches.begin(), branches.end());
  std::sort(same->branches.begin(), same->branches.end());
  same->waits = same->waits || waits;
}

// ---- As ptxas does it: lanes that leave a loop one after the other, by one of several ways

/// Instructions of the nodes that lanes come to by `node` only.
std::uint32_t Regions::work_behind(NodeId node) const {
  std::uint32_t sum = 0;
  for (NodeId each = 0; each < graph_.size(); ++each)
    if (dominators_.dominates(node, each)) sum += graph_[each].instructions;
  return sum;
}

/// Worth meeting for. `others_go_on`: all other ways out lead straight to where all meet.
bool Regions::is_work(NodeId exit, bool others_go_on) const {
  // Between 10 and 12 of ours without a store, 5 and 10 with three, in kernels made for it.
  constexpr std::uint32_t kMuch = 12;
  constexpr std::uint32_t kMoreForAStore = 2;
  const FlowNode& node = graph_[exit];
  const bool is_one_block =
      node.successors.size() == 1 && !dominators_.dominates(exit, node.successors.front());
  return !is_one_block || node.instructions + kMoreForAStore * node.stores >= kMuch ||
         (others_go_on && node.stores != 0);
}

/// The latch's way out. Where all ways end without meeting: the first one's, or the latch's if there is more to do.
NodeId Regions::exit_to_meet_at(NodeId header, NodeId latch, const NodeSet& loop) const {
  NodeId last = kNoNode;
  std::vector<NodeId> others;
  bool parts = false;
  for (NodeId node = 0; node < graph_.size(); ++node) {
    if (!loop.test(node)) continue;
    for (const NodeId to : graph_[node].successors) {
      if (loop.test(to)) continue;
      parts = parts || graph_[node].parts;
      const auto& from = graph_[to].predecessors;
      const bool only = std::all_of(from.begin(), from.end(), [&](NodeId each) { return loop.test(each); });
      if (node == latch && from.size() == 1)
        last = to;
      else if (only || node != latch)
        others.push_back(only && !graph_[to].only_exits ? to : kNoNode);
    }
  }
  if (!parts || others.empty()) return kNoNode;
  const NodeId meets = meets_[header];
  if (meets != kNoNode && !graph_[meets].only_exits) {
    const bool others_go_on =
        std::all_of(others.begin(), others.end(), [&](NodeId to) { return to == kNoNode; });
    return last != kNoNode && is_work(last, others_go_on) ? last : kNoNode;
  }
  const auto first = std::find_if(others.begin(), others.end(), [](NodeId to) { return to != kNoNode; });
  if (first == others.end()) return last != kNoNode && !graph_[last].only_exits ? last : kNoNode;
  return last != kNoNode && work_behind(last) > work_behind(*first) ? last : *first;
}

void Regions::find_loop_exits() {
  for (NodeId header = 0; header < graph_.size(); ++header) {
    for (const NodeId latch : graph_[header].predecessors) {
      if (!dominators_.dominates(header, latch)) continue;
      NodeSet loop = graph_.before(latch, header);
      loop.set(header);
      loop.set(latch);
      const NodeId exit = exit_to_meet_at(header, latch, loop);
      const auto ends_there = [&](const Region& region) { return region.to == exit; };
      if (exit == kNoNode || std::any_of(regions_.begin(), regions_.end(), ends_there)) continue;
      Region early = region(dominators_.parent(header), exit, {latch});
      early.early = true;
      if (early_is_right(early)) regions_.push_back(std::move(early));
    }
  }
}

/// A region for a loop's exit begins within it and ends outside.
bool Regions::ends_a_loop_elsewhere(const Region& early) const {
  return options_.loop_exits && std::any_of(regions_.begin(), regions_.end(), [&](const Region& other) {
           return other.early && other.to != early.to && early.body.test(other.from) &&
                  !early.body.test(other.to);
         });
}

// ---- Step 4: joins that no branch has as its post-dominator

bool Regions::early_is_right(const Region& early) const {
  // Lanes that may be waited for must not wait before their own meeting place.
  for (const auto& [branch, place] : elsewhere_)
    if (early.body.test(branch) && (place.at == kNoNode || !early.body.test(place.at))) return false;
  if (!options_.checks_early) return true;
  if (graph_.behind(early.to, early.from).test(early.to)) return false;
  NodeSet stops = graph_.none();
  stops.set(early.to);
  for (const Region& other : regions_)
    if (!other.early && encloses(other, early)) stops.set(other.to);
  return !graph_.behind(early.from, stops).test(early.from);
}

void Regions::find_early() {
  NodeSet taken = graph_.none();
  for (const Region& region : regions_) taken.set(region.to);
  for (NodeId join = 0; join < graph_.size(); ++join) {
    if (graph_[join].predecessors.size() < 2 || taken.test(join) || graph_[join].only_exits) continue;
    const NodeId from = dominators_.parent(join);
    if (from == kNoNode || !graph_[from].parts || graph_[from].successors.size() < 2) continue;
    Region early = region(from, join, {from});
    early.early = true;
    if (early_is_right(early) && !ends_a_loop_elsewhere(early)) regions_.push_back(std::move(early));
  }
}

void Regions::check_early() {
  std::erase_if(regions_, [this](const Region& region) { return region.early && !early_is_right(region); });
}

// ---- Step 5: order

bool Regions::encloses(const Region& outer, const Region& inner) const {
  if (outer.from == inner.from) return outer.body.test(inner.to);
  if (outer.to == inner.to) return dominators_.dominates(outer.from, inner.from);
  if (!outer.body.test(inner.from)) return false;
  if (!inner.body.test(outer.from)) return true;
  const std::size_t a = outer.body.count();
  const std::size_t b = inner.body.count();
  return a != b ? a > b : outer.from < inner.from;
}

bool Regions::cross(const Region& a, const Region& b) const {
  if (a.to == b.to) return false;
  if (a.from == b.from) return a.body.test(b.to) && b.body.test(a.to);
  return a.body.test(b.from) && b.body.test(a.to);
}

void Regions::remove_crossing() {
  for (std::size_t i = 0; i < regions_.size(); ++i)
    for (std::size_t k = 0; k < regions_.size(); ++k) {
      const Region& a = regions_[i];
      const Region& b = regions_[k];
      if (i == k || !cross(a, b)) continue;
      const std::size_t inner = a.early != b.early ? (a.early ? i : k) : encloses(a, b) ? k : i;
      drop(inner);
      i = 0;
      k = 0;
    }
}

void Regions::drop(std::size_t region) {
  regions_.erase(regions_.begin() + static_cast<std::ptrdiff_t>(region));
  check_early();
}

void Regions::find(const std::map<NodeId, MeetingPlace>& elsewhere, const std::vector<NodeId>& calls) {
  elsewhere_ = elsewhere;
  std::vector<NodeId> later;
  std::copy_if(calls.begin(), calls.end(), std::back_inserter(later),
               [&](NodeId call) { return too_early(call, graph_[call].successors.front()); });
  find_joins(later);
  if (options_.loop_exits) find_loop_exits();
  if (options_.early) find_early();
  remove_crossing();
  for (const NodeId call : calls)
    if (std::find(later.begin(), later.end(), call) == later.end())
      regions_.push_back(region(call, graph_[call].successors.front(), {call}));
}

}  // namespace heddle::compiler
