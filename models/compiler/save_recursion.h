// Mutually recursive functions share their rows with their own inner calls. What such a function still needs
// after a call into its recursion is stored to the stack before the call and loaded after it: ordinary
// accesses of local memory, with their time and traffic.
#pragma once

#include "compiler/pipeline.h"

namespace heddle::compiler {

/// Performs what Kernel::recursion describes, then removes the description.
class SaveRecursion : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "save_recursion"; }
  void run(isa::Kernel& kernel) const override;
};

}  // namespace heddle::compiler
