#include "compiler/reconvergence.h"

#include "analysis/cfg.h"
#include "analysis/dominators.h"

namespace heddle::compiler {

void ReconvergencePoints::run(isa::Kernel& kernel) const {
  const analysis::ControlFlowGraph cfg(kernel.code, kernel.targets);
  const analysis::ControlFlowGraph graph = cfg.without_early_exits();
  const auto post = analysis::DominatorTree::post_dominators(graph);
  for (std::uint32_t i = 0; i < kernel.code.size(); ++i)
    if (kernel.code[i].op == isa::Opcode::kBranch || kernel.code[i].op == isa::Opcode::kIndirect)
      kernel.code[i].rpc = analysis::reconvergence_pc(graph, post, i);
}

void DelayedReconvergence::run(isa::Kernel& kernel) const {
  if (excepted_(kernel.name, true)) return;
  analysis::CodeAnalysis code(kernel);
  std::vector<analysis::ReconvergencePoint> points =
      analysis::delayed_reconvergence(code, {}, {.paths = paths_, .barriers = true});
  for (const isa::FunctionCode& function : kernel.functions)
    if (excepted_(function.name, false))
      std::erase_if(points, [&](const analysis::ReconvergencePoint& point) {
        return function.first <= point.branch && point.branch < function.end;
      });
  analysis::apply_reconvergence(kernel, points);
}

}  // namespace heddle::compiler
