#include "analysis/code_analysis.h"

#include <algorithm>
#include <set>

namespace heddle::analysis {

CodeAnalysis::CodeAnalysis(const isa::Kernel& kernel)
    : kernel_(kernel),
      cfg_(kernel.code, kernel.targets),
      reconvergence_(cfg_.without_early_exits()),
      post_dominators_(cfg_, reconvergence_),
      definitions_(kernel, cfg_),
      control_(cfg_),
      accesses_(kernel, cfg_, definitions_),
      ranges_(code_ranges(kernel)),
      loops_(edge_loops(cfg_, post_dominators_, ranges_)) {}

const CodeRange& CodeAnalysis::range_of(std::uint32_t instruction) const {
  return *std::find_if(ranges_.begin(), ranges_.end(),
                       [&](const CodeRange& range) { return instruction < range.end; });
}

const std::vector<isa::RegId>& CodeAnalysis::passed_by(const CodeRange& own) {
  const auto [known, is_new] = passed_.try_emplace(own.first);
  if (!is_new) return known->second;
  std::set<isa::RegId> written;
  for (std::uint32_t i = own.first; i < own.end; ++i)
    written.insert(kernel_.code[i].writes.begin(),
                   kernel_.code[i].writes.begin() + kernel_.code[i].write_count);
  std::set<isa::RegId> passed;
  for (std::uint32_t i = 0; i < kernel_.code.size(); ++i) {
    if (i >= own.first && i < own.end) continue;
    for (unsigned r = 0; r < kernel_.code[i].read_count; ++r)
      if (written.contains(kernel_.code[i].reads[r])) passed.insert(kernel_.code[i].reads[r]);
  }
  known->second.assign(passed.begin(), passed.end());
  return known->second;
}

InstructionSet CodeAnalysis::backward_slice(const std::vector<std::uint32_t>& of) {
  InstructionSet slice(kernel_.code.size());
  std::vector<std::uint32_t> work = of;
  while (!work.empty()) {
    const std::uint32_t i = work.back();
    work.pop_back();
    if (slice.test(i)) continue;
    slice.set(i);
    const isa::Instruction& instruction = kernel_.code[i];
    for (unsigned r = 0; r < instruction.read_count; ++r) {
      const auto found = definitions_.of(i, instruction.reads[r]);
      work.insert(work.end(), found.definitions.begin(), found.definitions.end());
    }
    for (const BlockId block : control_.of(cfg_.block_of(i))) work.push_back(cfg_.block(block).end - 1);
    if (instruction.op == isa::Opcode::kCall)
      for (const isa::RegId reg : passed_by(range_of(i))) {
        const auto found = definitions_.of(i, reg);
        work.insert(work.end(), found.definitions.begin(), found.definitions.end());
      }
    const Access* const access = accesses_.at(i);
    if (access == nullptr || !access->reads || !Accesses::may_be_private(*access)) continue;
    const CodeRange& own = range_of(i);
    for (const Access& store : accesses_.all())
      if (store.writes && store.instruction >= own.first && store.instruction < own.end &&
          Accesses::may_be_private(store) && may_alias(store, *access, {}))
        work.push_back(store.instruction);
  }
  return slice;
}

}  // namespace heddle::analysis
