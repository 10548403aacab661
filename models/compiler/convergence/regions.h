// Regions of convergence: between which two places of a function the lanes of a warp that part are to meet
// ([Hanoi:P1], steps 1 to 5).
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "compiler/convergence/flow_graph.h"

namespace heddle::compiler {

/// A BSSY at the end of `from` names the lanes that meet at a BSYNC at the start of `to`.
struct Region {
  NodeId from = kNoNode;
  NodeId to = kNoNode;
  std::vector<NodeId> branches;  ///< that it is for, ascending
  bool early = false;            ///< for a join that is none's post-dominator
  bool waits = false;            ///< a loop is in it whose lanes wait for those that have left it

  NodeSet body;                                    ///< lanes here may still reach `to`; includes `from`
  std::vector<std::pair<NodeId, NodeId>> leaving;  ///< edges out of it that do not lead to `to`
};

/// Where a branch's lanes are to meet instead of its immediate post-dominator.
struct MeetingPlace {
  NodeId at = kNoNode;     ///< kNoNode: nowhere
  std::uint32_t loop = 0;  ///< not 0: it leaves this loop, which gets a region of its own
};

struct RegionOptions {
  bool early = true;        ///< regions for joins that are not post-dominators
  bool loop_exits = false;  ///< lanes that leave a loop by one of several ways meet behind that one first
  // What each condition is good for is shown by leaving it out; kernels fail then.
  bool arms_once = true;  ///< LC1: no lane executes BSSY while others of its last execution are in the region
  bool joins_once = true;    ///< LC2: no lane reaches BSYNC again without BSSY
  bool checks_early = true;  ///< the conditions of step 4
};

class Starvation;

/// Finds and keeps the regions of a function.
class Regions {
 public:
  /// The graph outlives this. `starvation`: lanes meet later where others would wait for what comes behind; nullptr: they
  /// do not. Of use in find() only.
  Regions(const FlowGraph& graph, const RegionOptions& options, const Starvation* starvation = nullptr);
  /// `elsewhere`: by branch. Regions for calls, after which lanes may be apart, are given as `calls`: nodes with the
  /// call, whose only successor is the place behind it.
  void find(const std::map<NodeId, MeetingPlace>& elsewhere, const std::vector<NodeId>& calls);

  [[nodiscard]] const std::vector<Region>& all() const { return regions_; }
  /// Step 5: a lane enters `outer` first. Not for regions that cross.
  [[nodiscard]] bool encloses(const Region& outer, const Region& inner) const;
  /// Without it, other regions may not be right any more; they are dropped as well.
  void drop(std::size_t region);

  /// Step 1: the immediate post-dominator, early ends left out. kNoNode: none.
  [[nodiscard]] NodeId post_dominator(NodeId node) const { return meets_[node]; }
  [[nodiscard]] const DominatorTree& dominators() const { return dominators_; }
  [[nodiscard]] const FlowGraph& graph() const { return graph_; }

 private:
  void find_post_dominators();
  void post_dominators_within(NodeSet& rest);
  [[nodiscard]] NodeId main_end(const NodeSet& rest) const;
  /// `calls`: those behind which lanes must not meet.
  void find_joins(const std::vector<NodeId>& calls);
  void add(NodeId from, NodeId to, const std::vector<NodeId>& branches, bool waits);
  [[nodiscard]] NodeId opening(NodeId to, const std::vector<NodeId>& branches) const;
  [[nodiscard]] bool too_early(NodeId from, NodeId to) const;
  void find_loop_exits();
  [[nodiscard]] NodeId exit_to_meet_at(NodeId header, NodeId latch, const NodeSet& loop) const;
  [[nodiscard]] bool is_work(NodeId exit, bool others_go_on) const;
  [[nodiscard]] std::uint32_t work_behind(NodeId node) const;
  [[nodiscard]] bool ends_a_loop_elsewhere(const Region& early) const;
  void find_early();
  [[nodiscard]] bool early_is_right(const Region& region) const;
  void remove_crossing();
  void check_early();
  [[nodiscard]] bool cross(const Region& a, const Region& b) const;
  [[nodiscard]] Region region(NodeId from, NodeId to, std::vector<NodeId> branches) const;

  const FlowGraph& graph_;
  RegionOptions options_;
  const Starvation* starvation_;
  DominatorTree dominators_;
  std::vector<NodeId> meets_;                 ///< by node
  std::vector<std::uint32_t> depth_;          ///< in the tree of post-dominators
  std::vector<NodeId> main_end_;              ///< root of that tree
  std::map<NodeId, MeetingPlace> elsewhere_;  ///< by branch
  std::vector<Region> regions_;
};

}  // namespace heddle::compiler
