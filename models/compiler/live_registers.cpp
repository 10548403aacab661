#include "compiler/live_registers.h"

#include <algorithm>

#include "analysis/cfg.h"
#include "analysis/liveness.h"
#include "analysis/regions.h"

namespace heddle::compiler {
namespace {

void find_live_at_loop_heads(isa::Kernel& kernel, const analysis::ControlFlowGraph& cfg,
                             const analysis::Liveness& liveness) {
  const auto add = [&](std::uint32_t from, base::Pc target) {
    if (target.value() > from) return;
    const std::uint32_t head = target.value();
    kernel.live_at_loop_heads.try_emplace(head, liveness.live_in(cfg.block_of(head)));
  };
  for (std::uint32_t i = 0; i < kernel.code.size(); ++i) {
    const isa::Instruction& branch = kernel.code[i];
    if (branch.op == isa::Opcode::kBranch) add(i, branch.target);
    if (branch.op == isa::Opcode::kIndirect)
      for (std::uint32_t t = 0; t < branch.table_count; ++t) add(i, kernel.targets[branch.table_first + t]);
  }
  for (const analysis::StraySync& stray : analysis::stray_syncs(kernel.code, kernel.targets))
    add(stray.sync, stray.resume);
}

}  // namespace

void LiveRegisters::run(isa::Kernel& kernel) const {
  kernel.live_at_loop_heads.clear();
  const analysis::ControlFlowGraph cfg(kernel.code, kernel.targets);
  const analysis::Liveness liveness(cfg, kernel.registers);
  kernel.registers_per_thread = kernel.allocated_registers != 0
                                    ? kernel.allocated_registers
                                    : std::max(1u, analysis::registers_needed(kernel, cfg, liveness));
  if (kernel.functions.empty()) return find_live_at_loop_heads(kernel, cfg, liveness);
  // What a loop in a function may still change includes what its callers read later.
  const auto whole =
      analysis::ControlFlowGraph::following_calls(kernel.code, kernel.targets, kernel.functions);
  find_live_at_loop_heads(kernel, whole, analysis::Liveness(whole, kernel.registers));
}

}  // namespace heddle::compiler
