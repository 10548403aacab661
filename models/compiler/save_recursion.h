// Functions that call each other in a cycle share their rows with their own later calls. What such a function still
// needs behind a call into its recursion goes to the stack in front of the call and comes back behind it: ordinary
// stores and loads of local memory, with their time and traffic.
#pragma once

#include "compiler/pipeline.h"

namespace heddle::compiler {

/// Does what Kernel::recursion describes, and takes the description away.
class SaveRecursion : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "save_recursion"; }
  void run(isa::Kernel& kernel) const override;
};

}  // namespace heddle::compiler
