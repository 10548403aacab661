// Branches at which all lanes of a warp that execute them together, or all threads of a CTA, decide alike.
//
// A value is uniform unless it depends on thread or lane number, memory that can be written, clocks, other
// lanes, calls, or on branches that are not uniform themselves. Branches whose other side only exits decide
// nothing for the lanes that are left. Per register, not per definition, and blind in functions, where some
// lanes may be without the others: some uniform branches are missed.
#pragma once

#include <vector>

#include "analysis/cfg.h"
#include "analysis/dependences.h"
#include "isa/kernel.h"

namespace heddle::analysis {

/// Whose decisions are compared. `bra.uni` promises something about a warp only: within a CTA it counts for nothing.
enum class UniformWithin : std::uint8_t { kWarp, kCta };

class Uniformity {
 public:
  /// Both must outlive this.
  Uniformity(const isa::Kernel& kernel, const ControlFlowGraph& cfg,
             UniformWithin within = UniformWithin::kWarp);

  /// Of a branch, an indirect branch or an indirect call.
  [[nodiscard]] bool uniform(std::uint32_t pc) const;

 private:
  [[nodiscard]] bool varies(const isa::Operand& operand) const;
  [[nodiscard]] bool result_varies(std::uint32_t pc) const;
  bool spread(std::uint32_t pc);

  const isa::Kernel& kernel_;
  UniformWithin within_;
  const ControlFlowGraph& cfg_;
  ControlDependences control_;
  std::vector<bool> varies_;  ///< by register
};

}  // namespace heddle::analysis
