// Writes the regions of a function into its code ([Hanoi:P1], steps 6 and 9).
#pragma once

#include <vector>

#include "compiler/convergence/function_flow.h"
#include "compiler/kernel_editor.h"

namespace heddle::compiler {

struct EmissionOptions {
  bool breaks = true;
  /// Regions are in use where this predicate holds. Absent: everywhere.
  isa::Operand guard;
  /// Regions that open at the function's entry do so behind this instruction of its first block. kNoPc: before the entry.
  base::Pc opens_behind = base::kNoPc;
};

/// As KernelEditor::last_inserted() gave them.
struct EmittedRegion {
  base::Pc bssy = base::kNoPc;
  base::Pc bsync = base::kNoPc;
};

/// `yields`: headers of loops that begin with YIELD. Returns the regions in the allocation's order.
std::vector<EmittedRegion> emit_regions(const isa::Kernel& kernel, const FunctionFlow& flow,
                                        const Allocation& allocation, const std::vector<NodeId>& yields,
                                        const EmissionOptions& options, KernelEditor& editor);

}  // namespace heddle::compiler
