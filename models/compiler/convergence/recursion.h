// Regions in recursive functions ([Hanoi:P1], step 9, [Hanoi:S9]): inner calls use the same barrier registers, so a function
// keeps those of its own regions in its frame from its entry to its return ([Hanoi:N4]):
//
//     add  depth, depth, 1
//     setp armed, depth <= most               again behind each call into the recursion
//     @armed BMOV.32.CLEAR R, Bx              for each Bx
//     @armed st.local [frame + slot of Bx], R
//     ...                                     BSSY, BSYNC, BREAK: @armed
//     @armed ld.local R, [frame + slot of Bx]
//     @armed BMOV.32 Bx, R
//     sub  depth, depth, 1
//     ret
//
// Deeper than `most` no region is opened: REC has room for so many ([Hanoi:K6]). Lanes that part there meet again in the
// deepest call with regions.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "analysis/regions.h"
#include "compiler/convergence/function_flow.h"
#include "compiler/kernel_editor.h"

namespace heddle::compiler {

/// What the functions of one recursion share.
class RecursionGuard {
 public:
  /// Both outlive this. `kernel`: before the editor's changes.
  RecursionGuard(const isa::Kernel& kernel, KernelEditor& editor);

  /// Around a function that uses `barriers`: call it before the regions are emitted. `calls`: of the recursion.
  void enter(const analysis::CodeRange& range, const std::set<std::uint8_t>& barriers,
             const std::vector<std::uint32_t>& calls);
  /// ... and this one afterwards.
  void leave(const analysis::CodeRange& range, const std::set<std::uint8_t>& barriers);
  /// Calls with regions that may be nested.
  void set_most(std::uint32_t most) { editor_.set_constant(most_, most); }

  [[nodiscard]] const isa::Operand& armed() const { return armed_; }
  /// The instruction that sets the frame's address; kNoPc: the function has none that is known.
  [[nodiscard]] static base::Pc frame_set(const isa::Kernel& kernel, const analysis::CodeRange& range);

 private:
  [[nodiscard]] isa::Instruction compare() const;

  const isa::Kernel& kernel_;
  KernelEditor& editor_;
  isa::Operand depth_;
  isa::Operand armed_;
  isa::Operand kept_;  ///< value of a barrier register on its way
  isa::Operand most_;
  isa::Operand one_;
};

}  // namespace heddle::compiler
