// Writes the regions of a function into its code (hanoi §6, steps 6 and 9).
#pragma once

#include <vector>

#include "compiler/convergence/function_flow.h"
#include "compiler/kernel_editor.h"

namespace heddle::compiler {

struct EmissionOptions {
  bool yields = true;
  bool breaks = true;
};

/// `waiting_loops`: headers of loops in which lanes wait for others.
void emit_regions(const isa::Kernel& kernel, const FunctionFlow& flow, const Allocation& allocation,
                  const std::vector<NodeId>& waiting_loops, const EmissionOptions& options,
                  KernelEditor& editor);

}  // namespace heddle::compiler
