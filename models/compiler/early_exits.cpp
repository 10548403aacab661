#include "compiler/early_exits.h"

#include <algorithm>

#include "analysis/finishing.h"
#include "analysis/uniformity.h"

namespace heddle::compiler {

void EarlyExits::run(isa::Kernel& kernel) const {
  const analysis::ControlFlowGraph cfg(kernel.code, kernel.targets);
  const analysis::FinishingCode code(kernel, cfg, barriers_);
  if (!code.anybody_waits()) return;
  const analysis::Uniformity uniformity(kernel, cfg, analysis::UniformWithin::kCta);
  for (analysis::BlockId b = 0; b < cfg.block_count(); ++b) {
    const std::uint32_t pc = cfg.block(b).end - 1;
    isa::Instruction& branch = kernel.code[pc];
    if (branch.op != isa::Opcode::kBranch && branch.op != isa::Opcode::kIndirect) continue;
    const auto& sides = cfg.block(b).successors;
    if (sides.size() < 2 || !code.waited_for(b) || uniformity.uniform(pc)) continue;
    const bool ends = branch.rpc == base::kNoPc ? kernel.function_at(base::Pc(pc)) == nullptr
                                                : code.finishes(cfg.block_of(branch.rpc.value()));
    if (!ends || std::none_of(sides.begin(), sides.end(), [&](auto to) { return code.waited_for(to); }))
      continue;
    const auto goes_on = [&](analysis::BlockId to) { return !code.finishes(to); };
    const auto only = std::find_if(sides.begin(), sides.end(), goes_on);
    const bool one_goes_on = std::count_if(sides.begin(), sides.end(), goes_on) == 1;
    if (!turns_ && one_goes_on) {
      branch.rpc = base::Pc(cfg.block(*only).first);
      continue;
    }
    const analysis::BlockId point = branch.rpc == base::kNoPc ? cfg.exit() : cfg.block_of(branch.rpc.value());
    const auto same = code.waits_between(sides.front(), point);
    const bool alike = same && std::all_of(sides.begin() + 1, sides.end(),
                                           [&](auto to) { return code.waits_between(to, point) == same; });
    if (!alike) branch.rpc = base::kNoPc;
  }
}

}  // namespace heddle::compiler
