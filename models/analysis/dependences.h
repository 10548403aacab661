// What an instruction's outcome depends on within its function: definitions that reach it, branches that
// decide whether it runs, and stores that a load of private memory may see.
//
// A guarded write does not kill earlier definitions. A call may write every register that other functions
// write.
#pragma once

#include <boost/dynamic_bitset.hpp>
#include <map>
#include <vector>

#include "analysis/cfg.h"
#include "analysis/dominators.h"
#include "analysis/retreating_edges.h"
#include "isa/kernel.h"

namespace heddle::analysis {

using InstructionSet = boost::dynamic_bitset<>;

/// Definitions of registers that reach a use.
class ReachingDefinitions {
 public:
  /// Both must outlive this.
  ReachingDefinitions(const isa::Kernel& kernel, const ControlFlowGraph& cfg);

  /// Instructions whose value of `reg` the instruction may read, ascending. `from_outside`: it may also read
  /// the value from before the function was entered.
  struct Found {
    std::vector<std::uint32_t> definitions;
    bool from_outside = false;
  };
  [[nodiscard]] Found of(std::uint32_t instruction, isa::RegId reg);

 private:
  /// Adds the last definitions of `reg` in [first, end); true: one of them kills all earlier ones.
  bool scan(std::uint32_t first, std::uint32_t end, isa::RegId reg, Found& found) const;
  [[nodiscard]] const Found& at_entry(BlockId block, isa::RegId reg);

  const isa::Kernel& kernel_;
  const ControlFlowGraph& cfg_;
  std::vector<std::uint32_t> owner_;                 ///< function of each instruction, as CodeRange::function
  std::vector<std::vector<std::uint32_t>> writers_;  ///< by register: instructions that write it, ascending
  std::vector<std::uint32_t> calls_;                 ///< ascending
  std::vector<std::uint32_t> entries_;               ///< entry points of functions, ascending
  std::vector<boost::dynamic_bitset<>> foreign_;     ///< by function: registers that other functions write
  std::map<std::pair<BlockId, isa::RegId>, Found> at_entry_;
};

/// Branches that decide whether a block runs: control dependence on the whole graph.
class ControlDependences {
 public:
  explicit ControlDependences(const ControlFlowGraph& cfg);
  /// Blocks whose last instruction decides it.
  [[nodiscard]] const std::vector<BlockId>& of(BlockId block) const { return deciding_[block]; }

 private:
  std::vector<std::vector<BlockId>> deciding_;
};

}  // namespace heddle::analysis
