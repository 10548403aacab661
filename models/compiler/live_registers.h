// Results of liveness: how many registers a thread needs, and which registers describe the state of a loop.
#pragma once

#include "compiler/pipeline.h"

namespace heddle::compiler {

/// Kernel::registers_per_thread and Kernel::live_at_loop_heads.
class LiveRegisters : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "live_registers"; }
  void run(isa::Kernel& kernel) const override;
};

}  // namespace heddle::compiler
