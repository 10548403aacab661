// Basic blocks and control flow graph of a kernel's code.
//
// Blocks are numbered in code order; block 0 holds the entry. One more node, the exit, stands for the end of
// a thread. A guarded exit in mid-code ends its block with two edges: to the exit and to the next
// instruction. trap ends its block with an edge to the exit (and one to the next instruction if it is
// guarded). A BSYNC has edges to where BSSYs that do not name it say that their lanes go on.
//
// The return of a function counts as the end of a thread, and a call as an ordinary instruction: each
// function's code is a separate graph with its own post-dominators. With `follow_calls` the graph covers
// whole executions instead: edges lead from calls to the functions, and from their returns to the
// instructions after all calls of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/regions.h"
#include "isa/kernel.h"

namespace heddle::analysis {

using BlockId = std::uint32_t;
inline constexpr BlockId kNoBlock = 0xffff'ffffu;

struct BasicBlock {
  std::uint32_t first = 0;            ///< index of its first instruction
  std::uint32_t end = 0;              ///< index after its last instruction
  std::vector<BlockId> successors;    ///< distinct; a branch's fall-through before its target
  std::vector<BlockId> predecessors;  ///< distinct, ascending
};

class ControlFlowGraph {
 public:
  /// Branch targets must lie within the code; code that can fall off its end has an edge to the exit there.
  /// Empty code has no blocks.
  /// `targets`: the tables of indirect branches.
  explicit ControlFlowGraph(std::span<const isa::Instruction> code, std::span<const base::Pc> targets = {});
  /// With edges along calls; `functions` as in isa::Kernel.
  [[nodiscard]] static ControlFlowGraph following_calls(std::span<const isa::Instruction> code,
                                                        std::span<const base::Pc> targets,
                                                        std::span<const isa::FunctionCode> functions);

  [[nodiscard]] std::uint32_t block_count() const { return static_cast<std::uint32_t>(blocks_.size()) - 1; }
  /// The exit's number: block_count().
  [[nodiscard]] BlockId exit() const { return block_count(); }
  /// A block, or the exit (which holds no instructions).
  [[nodiscard]] const BasicBlock& block(BlockId id) const { return blocks_[id]; }
  [[nodiscard]] BlockId block_of(std::uint32_t instruction) const { return block_of_[instruction]; }
  [[nodiscard]] std::span<const isa::Instruction> code() const { return code_; }

  /// The graph that reconvergence points are computed on: this one without the edges on which threads only
  /// exit (a guarded exit; a conditional branch to a block that is just an exit). Every block that reached
  /// the exit still reaches it: a loop keeps the last such exit if it has no other.
  /// Exited threads leave the reconvergence tables, so no thread waits for them: after `if (i >= n) return;`
  /// the other threads of a warp reconverge at once, not at the kernel's end, and all of them reach a barrier
  /// there.
  [[nodiscard]] ControlFlowGraph without_early_exits() const;

 private:
  ControlFlowGraph(std::span<const isa::Instruction> code, std::span<const base::Pc> targets,
                   bool follow_calls);
  void find_blocks();
  void connect();
  void connect_calls(std::span<const isa::FunctionCode> functions);
  void connect(BlockId from, BlockId to);
  [[nodiscard]] bool ends_block(const isa::Instruction& instruction) const;
  /// Possible targets of an indirect branch or of any call.
  [[nodiscard]] std::span<const base::Pc> targets_of(const isa::Instruction& instruction) const;
  [[nodiscard]] bool only_exits(BlockId id) const;
  [[nodiscard]] std::vector<bool> reaching_exit() const;
  [[nodiscard]] std::vector<bool> reachable_from(BlockId from) const;

  std::span<const isa::Instruction> code_;
  std::span<const base::Pc> targets_;
  bool follow_calls_ = false;
  std::vector<StraySync> strays_;
  std::vector<BasicBlock> blocks_;  ///< the last one is the exit
  std::vector<BlockId> block_of_;
};

}  // namespace heddle::analysis
