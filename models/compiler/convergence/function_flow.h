// The flow graph of a kernel's own code or of one of its functions, and which code each node is.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "analysis/cfg.h"
#include "analysis/retreating_edges.h"
#include "analysis/uniformity.h"
#include "compiler/convergence/allocation.h"
#include "compiler/convergence/flow_graph.h"

namespace heddle::compiler {

/// What a node stands for.
struct NodeCode {
  enum class Kind : std::uint8_t {
    kEntry,       ///< before everything else
    kCode,        ///< instructions [first, end)
    kBehindCall,  ///< where lanes come back from the call at `first`
    kBefore,      ///< on the way to the loop whose header is `header`: LoopNodes::before
    kLatch,       ///< on several back edges to `header`: LoopNodes::latches
  };
  Kind kind = Kind::kCode;
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  NodeId header = kNoNode;
};

struct FunctionFlow {
  FlowGraph graph{0};
  std::vector<NodeCode> code;                ///< by node
  std::vector<NodeCalls> calls;              ///< by node
  std::map<std::uint32_t, NodeId> starting;  ///< code nodes by their first instruction
  std::map<NodeId, LoopNodes> loops;         ///< by header
  std::vector<NodeId> call_regions;          ///< nodes with a call after which lanes may be apart
  std::uint32_t entry = 0;                   ///< first instruction
  std::uint32_t end = 0;

  /// The successor of `from` through which it reaches the code node `to`.
  [[nodiscard]] NodeId side(NodeId from, NodeId to) const;
  /// The node whose last instruction this is.
  [[nodiscard]] NodeId ending_at(std::uint32_t last) const;
};

struct FlowOptions {
  const std::set<std::uint32_t>& splits;  ///< instructions at which a node is to begin
  bool one_loop_a_header = false;         ///< of separate_loops()
};

/// `use_of`: what a call may do.
using UseOfCall = std::function<FunctionUse(std::uint32_t call)>;
[[nodiscard]] FunctionFlow function_flow(const isa::Kernel& kernel, const analysis::ControlFlowGraph& cfg,
                                         const analysis::Uniformity& uniformity,
                                         const analysis::CodeRange& range, const FlowOptions& options,
                                         const UseOfCall& use_of);

/// Lanes may wait at it until others of their warp or CTA have come: .sync instructions, CTA barriers.
[[nodiscard]] bool may_wait(const isa::Instruction& instruction);

/// All returns of a function but one become jumps to it, so that lanes that return early wait for the others there
/// ([Hanoi:S2]). The code does not move.
void merge_returns(isa::Kernel& kernel, const analysis::CodeRange& range);

/// "bra.uni"
[[nodiscard]] isa::Instruction jump(base::Pc target);

}  // namespace heddle::compiler
