// Kernels with convergence instructions (isa/convergence.h) on mechanisms that do not execute them.
#pragma once

#include <string>

#include "compiler/pipeline.h"

namespace heddle::compiler {

/// Refuses a kernel with convergence instructions: throws InputError at the first one.
class RefuseConvergence : public Pass {
 public:
  /// `mechanism`: the one that does not execute them; `remedy`: what to do.
  RefuseConvergence(std::string mechanism, std::string remedy)
      : mechanism_(std::move(mechanism)), remedy_(std::move(remedy)) {}
  [[nodiscard]] std::string_view name() const override { return "refuse_convergence"; }
  void run(isa::Kernel& kernel) const override;

 private:
  std::string mechanism_;
  std::string remedy_;
};

/// Puts instructions without effect in the place of convergence instructions, and bar.warp.sync in that of WARPSYNC:
/// threads compute the same, lanes meet where the mechanism lets them. Throws InputError at an instruction that
/// uses a barrier register's value for more than to write it back.
class IgnoreConvergence : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "ignore_convergence"; }
  void run(isa::Kernel& kernel) const override;
};

}  // namespace heddle::compiler
