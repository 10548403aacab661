// Live registers: whose value may still be read.
//
// A register is live before an instruction if some path from there reads it before writing it. A guarded
// write does not end a live range: lanes whose guard is false keep the old value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/cfg.h"
#include "isa/kernel.h"

namespace heddle::analysis {

/// Number of 32-bit machine registers that a kernel register takes: 64-bit ones 2, predicates 0 (they have a
/// separate file).
[[nodiscard]] std::uint32_t register_weight(const isa::RegisterLayout& layout, isa::RegId reg);

class Liveness {
 public:
  /// Total of live-in entries over all blocks above which the analysis gives up (real kernels have
  /// thousands).
  static constexpr std::size_t kMostEntries = std::size_t{1} << 24;

  /// `code` as in `cfg`; registers below layout.registers(). Throws std::length_error beyond kMostEntries.
  Liveness(const ControlFlowGraph& cfg, const isa::RegisterLayout& layout);

  /// Ascending.
  [[nodiscard]] const std::vector<isa::RegId>& live_in(BlockId block) const { return live_in_[block]; }
  /// Live before an instruction, ascending.
  [[nodiscard]] std::vector<isa::RegId> live_before(std::uint32_t instruction) const;
  /// Largest weight of registers that hold a value at the same time, in 32-bit registers.
  ///
  /// This estimates what a register allocator would need. PTX has virtual registers and no allocator is
  /// involved, so coalescing, rematerialisation, spilling and fixed overhead are not considered.
  [[nodiscard]] std::uint32_t peak_registers() const { return peak_registers(0, cfg_.block_count()); }
  /// The same within the blocks first ... end-1.
  [[nodiscard]] std::uint32_t peak_registers(BlockId first, BlockId end) const;

 private:
  void propagate();
  void measure();
  template <class Take>
  void for_each_live_out(BlockId block, Take take) const;

  const ControlFlowGraph& cfg_;
  isa::RegisterLayout layout_;
  std::vector<std::vector<isa::RegId>> live_in_;
  std::vector<std::uint32_t> peak_;  ///< by block
};

/// Registers that a thread of the kernel needs: the largest sum along a chain of calls. Each caller
/// contributes what is live across its call, the last function its peak. Calls within a recursion contribute
/// nothing, since they save what they need on the stack. `cfg`: of kernel.code, without calls followed.
[[nodiscard]] std::uint32_t registers_needed(const isa::Kernel& kernel, const ControlFlowGraph& cfg,
                                             const Liveness& liveness);

}  // namespace heddle::analysis
