// Whether lanes that wait in a loop would keep those that they wait for from running: on Hanoi only the path on top runs, a
// YIELD gives turns to paths of the innermost open region only, and lanes at a BSYNC wait for all of theirs.
#pragma once

#include <optional>
#include <vector>

#include "compiler/convergence/function_flow.h"
#include "compiler/convergence/waiting_loops.h"

namespace heddle::compiler {

class Starvation {
 public:
  /// `loops`: of the whole kernel. `next_iteration`: lanes may wait for what others do in the next iteration of a loop around;
  /// false: regions may be in the way of that. All outlive this.
  Starvation(const isa::Kernel& kernel, const analysis::ControlFlowGraph& cfg, const FunctionFlow& flow,
             const std::vector<WaitingLoop>& loops, bool returns, bool next_iteration);

  /// While lanes of the region wait in a loop within it, others of it wait at its BSYNC, and what the former wait for comes
  /// behind that.
  [[nodiscard]] bool meets_too_early(const Region& region) const;
  /// A region that does not meet too early and because of which lanes wait for ever all the same, given the others. `live`: by
  /// region, where its lanes may be (allocation.cpp).
  [[nodiscard]] std::optional<std::size_t> starving(const std::vector<Region>& regions,
                                                    const std::vector<NodeSet>& live) const;
  /// Headers of the loops that need a YIELD: while some lanes are in it without meeting others of the warp, these may be on
  /// the way to what the loop waits for.
  [[nodiscard]] std::vector<NodeId> yielding(const std::vector<Region>& regions) const;
  /// Headers of all loops whose lanes may wait for others.
  [[nodiscard]] std::vector<NodeId> headers() const;
  /// Nodes in which lanes may wait and yield, in calls as well. The register of the region around must not be spilled.
  [[nodiscard]] std::vector<NodeId> waiting() const;

 private:
  /// Lanes may stay in `nodes` until others have executed something.
  struct Spin {
    NodeSet nodes;
    NodeId header = kNoNode;  ///< kNoNode: they stay in a call
    // Nodes with a releasing instruction, by whether it comes before the first barrier of the CTA in its node.
    NodeSet releases;
    NodeSet releases_behind;
  };
  /// What lanes reach, without and after having passed a barrier of the whole CTA. Others that pass it have passed it as well.
  struct Reach {
    NodeSet before;
    NodeSet after;
  };
  /// Where lanes of one path part, and from where each goes on.
  struct Parting {
    NodeId node = kNoNode;
    std::vector<std::pair<NodeId, NodeId>> sides;  ///< of any two lanes, both ways round
  };

  void find_spins(const std::vector<WaitingLoop>& loops);
  void find_partings();
  void note_releases(const analysis::InstructionSet& releases, Spin& spin) const;
  [[nodiscard]] bool is_stop(std::uint32_t pc) const;
  [[nodiscard]] Reach reach(const std::vector<NodeId>& from, const NodeSet& avoid) const;
  /// Of these nodes, those that lanes pass which go round in the loop by themselves; none: they meet others each time.
  [[nodiscard]] NodeSet cycle(const Spin& spin, NodeSet within) const;
  /// Lanes that are at `at` while others have come to `others` may wait for a release of these.
  [[nodiscard]] static bool waits_for(const Spin& spin, const Reach& at, const NodeSet& nodes,
                                      const Reach& others);
  /// BSYNCs at which all lanes meet that part at the node.
  [[nodiscard]] NodeSet meeting(NodeId node, const std::vector<Region>& regions) const;

  [[nodiscard]] bool left_by_some(const Region& region) const;
  [[nodiscard]] bool outsiders_starve(const Region& region, const NodeSet& live, const Reach& one,
                                      const Reach& other, const NodeSet& meet) const;

  const isa::Kernel& kernel_;
  const analysis::ControlFlowGraph& cfg_;
  const FunctionFlow& flow_;
  const FlowGraph& graph_;
  bool returns_;
  bool next_iteration_;
  NodeSet stops_;  ///< nodes that no lane passes before all threads of the CTA have come
  std::vector<Spin> spins_;
  std::vector<Parting> partings_;
};

}  // namespace heddle::compiler
