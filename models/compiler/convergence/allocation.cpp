#include "compiler/convergence/allocation.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <optional>

#include "compiler/convergence/starvation.h"

namespace heddle::compiler {
namespace {

constexpr std::uint32_t kSpilled = PlacedRegion::kSpilled;
constexpr std::uint32_t kNone = 0xffff'fffeu;

class Allocator {
 public:
  Allocator(Regions regions, const std::vector<NodeCalls>& calls, const std::vector<NodeId>& waiting,
            bool returns, const AllocationOptions& options, const Starvation* starvation)
      : regions_(std::move(regions)),
        graph_(regions_.graph()),
        calls_(calls),
        waiting_(waiting),
        returns_(returns),
        options_(options),
        starvation_(starvation) {}

  Allocation run() {
    while (true) {
      find_live();
      if (const auto escaping = find_escaping()) {
        drop(*escaping);
        continue;
      }
      if (starvation_ != nullptr)
        if (const auto starving = starvation_->starving(all(), live_)) {
          drop(*starving);
          continue;
        }
      if (const auto entered = find_entered_apart()) {
        drop(*entered);
        continue;
      }
      find_pinned();
      if (const auto deep = find_too_deep()) {
        drop(*deep);
        continue;
      }
      // Number 0 is kept for spills only if there are any.
      std::optional<std::size_t> failed = colour(0);
      if (!failed) return result();
      if (options_.spills) {
        failed = colour(1);
        if (!failed) return result();
      } else {
        failed = to_drop(*failed);
      }
      drop(*failed);
    }
  }

 private:
  [[nodiscard]] const std::vector<Region>& all() const { return regions_.all(); }

  void drop(std::size_t region) {
    // Regions within go first: what is left then has fewer conditions to fulfil.
    regions_.drop(region);
    ++dropped_;
  }

  // ---- Step 7

  /// Nodes where lanes may be while others of theirs are still in the region.
  void find_live() {
    live_.clear();
    for (const Region& region : all()) {
      NodeSet live = region.body;
      // The instructions of the opening node come before its BSSY, unless it is a call.
      if (!calls_[region.from].behind) live.reset(region.from);
      if (options_.until_left_lanes_meet)
        for (const auto& [from, to] : region.leaving) {
          NodeSet meet = graph_.none();
          for (const Region& outer : all())
            if (&outer != &region && regions_.encloses(outer, region) &&
                (outer.to == to || outer.body.test(to)))
              meet.set(outer.to);
          live |= graph_.from(to, meet);
        }
      live_.push_back(std::move(live));
    }
  }

  /// Lanes that have left a region return from the function, and may come to it again while it is open.
  [[nodiscard]] std::optional<std::size_t> find_escaping() const {
    if (!returns_) return std::nullopt;
    for (std::size_t i = 0; i < all().size(); ++i)
      for (NodeId node = 0; node < graph_.size(); ++node)
        if (live_[i].test(node) && graph_[node].ends && !graph_[node].may_exit) return i;
    return std::nullopt;
  }

  /// Nodes that lanes which have parted at `branch` may come to one after the other, without having met.
  void add_apart(NodeId branch, NodeSet& apart) const {
    NodeSet meet = graph_.none();
    for (const Region& region : all())
      if (region.body.test(branch)) meet.set(region.to);
    const std::vector<NodeId>& sides = graph_[branch].successors;
    NodeSet once = graph_.none();
    for (const NodeId side : sides) {
      const NodeSet reached = graph_.from(side, meet);
      apart |= sides.size() == 1 ? reached : once & reached;  // one side: they come back from a call
      once |= reached;
    }
  }

  /// While some lanes wait in the region at a .sync instruction or a CTA barrier, others execute its BSSY ([Hanoi:K1],
  /// [Hanoi:K5]): P would forget the former. Functions may be called by lanes that are apart.
  [[nodiscard]] std::optional<std::size_t> find_entered_apart() const {
    if (!options_.entered_together) return std::nullopt;
    NodeSet waits = graph_.none();
    for (NodeId node = 0; node < graph_.size(); ++node)
      if (calls_[node].waits) waits.set(node);
    if (waits.none()) return std::nullopt;
    NodeSet apart = graph_.none();
    if (returns_) apart.set();
    for (NodeId node = 0; node < graph_.size() && !returns_; ++node)
      if (graph_[node].parts) add_apart(node, apart);
    for (std::size_t i = 0; i < all().size(); ++i)
      if (apart.test(all()[i].from) && (live_[i] & waits).any()) return i;
    return std::nullopt;
  }

  /// Regions of one function that may be open at the same time.
  [[nodiscard]] bool interfere(std::size_t a, std::size_t b) const {
    return all()[a].from == all()[b].from || live_[a].test(all()[b].from) || live_[b].test(all()[a].from);
  }

  // ---- Step 8

  void find_pinned() {
    pinned_.assign(all().size(), !options_.spills);
    if (!options_.pins || !options_.spills) return;
    for (std::size_t i = 0; i < all().size(); ++i) {
      const Region& region = all()[i];
      bool pinned = region.waits || !region.leaving.empty();
      for (NodeId node = 0; node < graph_.size(); ++node)
        pinned = pinned || (live_[i].test(node) &&
                            (graph_[node].may_exit || graph_[node].ends || calls_[node].use.may_exit));
      pinned_[i] = pinned;
    }
    // A loop without a region of its own yields within the innermost one around it.
    for (const NodeId node : waiting_) {
      std::optional<std::size_t> innermost;
      for (std::size_t i = 0; i < all().size(); ++i)
        if (all()[i].body.test(node) && (!innermost || regions_.encloses(all()[*innermost], all()[i])))
          innermost = i;
      if (innermost) pinned_[*innermost] = true;
    }
  }

  [[nodiscard]] bool overwritten(std::size_t region, std::uint32_t barrier) const {
    for (NodeId node = 0; node < graph_.size(); ++node)
      if (live_[region].test(node) && calls_[node].use.overwrites.contains(barrier)) return true;
    return false;
  }

  [[nodiscard]] std::uint32_t free_barrier(std::size_t region, std::uint32_t first) const {
    for (std::uint32_t barrier = first; barrier < options_.registers; ++barrier) {
      bool taken = overwritten(region, barrier);
      for (std::size_t other = 0; other < all().size() && !taken; ++other)
        taken = other != region && barrier_[other] == barrier && interfere(region, other);
      if (!taken) return barrier;
    }
    return kNone;
  }

  /// Outer regions first: they last longer.
  [[nodiscard]] std::vector<std::size_t> in_order() const {
    std::vector<std::size_t> order;
    std::vector<std::size_t> depth(all().size(), 0);
    for (std::size_t i = 0; i < all().size(); ++i) {
      order.push_back(i);
      for (std::size_t k = 0; k < all().size(); ++k)
        if (i != k && regions_.encloses(all()[k], all()[i])) ++depth[i];
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return depth[a] < depth[b]; });
    return order;
  }

  /// Numbers from `first` on; with 1, number 0 is for spills. A region to be dropped, if that is not enough.
  std::optional<std::size_t> colour(std::uint32_t first) {
    barrier_.assign(all().size(), kNone);
    spill_register_.assign(all().size(), 0);
    const std::vector<std::size_t> order = in_order();
    for (const bool pinned : {true, false})
      for (const std::size_t region : order) {
        if (pinned_[region] != pinned) continue;
        barrier_[region] = free_barrier(region, first);
        if (barrier_[region] != kNone) continue;
        if (pinned) return first == 0 ? region : to_drop(region);
        if (first == 0) return region;
        spill(region);
      }
    return std::nullopt;
  }

  void spill(std::size_t region) {
    barrier_[region] = kSpilled;
    std::set<std::uint32_t> taken;
    for (std::size_t other = 0; other < all().size(); ++other)
      if (other != region && barrier_[other] == kSpilled && interfere(region, other))
        taken.insert(spill_register_[other]);
    while (taken.contains(spill_register_[region])) ++spill_register_[region];
  }

  /// One of those that are in the way of `region`: an early one, the inner ones first.
  [[nodiscard]] std::size_t to_drop(std::size_t region) const {
    const std::vector<std::size_t> order = in_order();
    for (auto other = order.rbegin(); other != order.rend(); ++other)
      if (all()[*other].early && pinned_[*other] && (*other == region || interfere(*other, region)))
        return *other;
    // Without its own region a loop that waits does so in the one around it, which is worse than anything.
    if (all()[region].waits)
      for (auto other = order.rbegin(); other != order.rend(); ++other)
        if (!all()[*other].waits && pinned_[*other] && interfere(*other, region)) return *other;
    return region;
  }

  // ---- [Hanoi:K6]: entries of the REC stack

  /// Longest chain of regions each of which may be opened while those before it are open.
  [[nodiscard]] std::vector<std::uint32_t> chain_lengths() const {
    const std::size_t count = all().size();
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> opens(count);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 0; b < count; ++b)
        if (a != b && (live_[a].test(all()[b].from) ||
                       (all()[a].from == all()[b].from && regions_.encloses(all()[a], all()[b]))))
          boost::add_edge(a, b, opens);
    std::vector<std::uint32_t> component(count);
    const auto components = boost::strong_components(
        opens, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, opens)));
    // Components are numbered such that edges lead to smaller numbers.
    std::vector<std::uint32_t> length(static_cast<std::size_t>(components), 0);
    std::vector<std::uint32_t> called(count, 0);
    for (std::size_t i = 0; i < count; ++i)
      for (NodeId node = 0; node < graph_.size(); ++node)
        if (live_[i].test(node)) called[i] = std::max(called[i], calls_[node].use.entries);
    for (std::uint32_t c = 0; c < length.size(); ++c) {
      std::uint32_t own = 0;
      std::uint32_t behind = 0;
      for (std::size_t i = 0; i < count; ++i) {
        if (component[i] != c) continue;
        ++own;
        behind = std::max(behind, called[i]);
        for (auto [edge, end] = boost::out_edges(i, opens); edge != end; ++edge) {
          const std::uint32_t to = component[boost::target(*edge, opens)];
          if (to != c) behind = std::max(behind, length[to]);
        }
      }
      length[c] = own + behind;
    }
    std::vector<std::uint32_t> lengths;
    for (std::size_t i = 0; i < count; ++i) lengths.push_back(length[component[i]]);
    return lengths;
  }

  [[nodiscard]] std::optional<std::size_t> find_too_deep() {
    entries_ = 0;
    for (const NodeCalls& each : calls_) entries_ = std::max(entries_, each.use.entries);
    const std::vector<std::uint32_t> lengths = chain_lengths();
    for (const std::uint32_t length : lengths) entries_ = std::max(entries_, length);
    if (entries_ <= options_.entries || all().empty()) return std::nullopt;
    // An early one, otherwise the innermost.
    std::size_t best = 0;
    for (std::size_t i = 1; i < all().size(); ++i)
      if (std::tuple(!all()[i].early, all()[i].waits, lengths[i]) <
          std::tuple(!all()[best].early, all()[best].waits, lengths[best]))
        best = i;
    return best;
  }

  // ---- Result

  [[nodiscard]] Allocation result() const {
    Allocation out;
    out.dropped = dropped_;
    for (const std::size_t i : in_order()) {
      out.regions.push_back({all()[i], barrier_[i], spill_register_[i]});
      out.use.overwrites.insert(out.regions.back().number());
    }
    out.use.entries = entries_;
    for (NodeId node = 0; node < graph_.size(); ++node) {
      const FunctionUse& called = calls_[node].use;
      out.use.overwrites.insert(called.overwrites.begin(), called.overwrites.end());
      out.use.waits = out.use.waits || calls_[node].waits;
      out.use.may_exit = out.use.may_exit || graph_[node].may_exit || called.may_exit;
      out.use.returns_apart = out.use.returns_apart || (graph_[node].parts && !joined(node));
    }
    return out;
  }

  /// Lanes that part here meet again within the function.
  [[nodiscard]] bool joined(NodeId node) const {
    return std::any_of(all().begin(), all().end(), [&](const Region& region) {
      return region.body.test(node) && region.leaving.empty();
    });
  }

  Regions regions_;
  const FlowGraph& graph_;
  const std::vector<NodeCalls>& calls_;
  const std::vector<NodeId>& waiting_;
  bool returns_;
  AllocationOptions options_;
  const Starvation* starvation_;
  std::vector<NodeSet> live_;
  std::vector<bool> pinned_;
  std::vector<std::uint32_t> barrier_;
  std::vector<std::uint32_t> spill_register_;
  std::uint32_t entries_ = 0;
  std::uint32_t dropped_ = 0;
};

}  // namespace

void FunctionUse::add(const FunctionUse& other) {
  overwrites.insert(other.overwrites.begin(), other.overwrites.end());
  entries = std::max(entries, other.entries);
  may_exit = may_exit || other.may_exit;
  returns_apart = returns_apart || other.returns_apart;
  waits = waits || other.waits;
  yields = yields || other.yields;
  spins.insert(other.spins.begin(), other.spins.end());
}

Allocation allocate(Regions regions, const std::vector<NodeCalls>& calls, const std::vector<NodeId>& waiting,
                    bool returns, const AllocationOptions& options, const Starvation* starvation) {
  return Allocator(std::move(regions), calls, waiting, returns, options, starvation).run();
}

}  // namespace heddle::compiler
