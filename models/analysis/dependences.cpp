#include "analysis/dependences.h"

#include <algorithm>
#include <iterator>

namespace heddle::analysis {
namespace {

void add_sorted(std::vector<std::uint32_t>& list, std::uint32_t value) {
  const auto at = std::lower_bound(list.begin(), list.end(), value);
  if (at == list.end() || *at != value) list.insert(at, value);
}

}  // namespace

ReachingDefinitions::ReachingDefinitions(const isa::Kernel& kernel, const ControlFlowGraph& cfg)
    : kernel_(kernel), cfg_(cfg), owner_(kernel.code.size(), 0), writers_(kernel.registers.registers()) {
  for (std::uint32_t i = 0; i < kernel.code.size(); ++i) {
    const isa::Instruction& instruction = kernel.code[i];
    for (unsigned w = 0; w < instruction.write_count; ++w) {
      std::vector<std::uint32_t>& list = writers_[instruction.writes[w]];
      if (list.empty() || list.back() != i) list.push_back(i);
    }
    if (instruction.op == isa::Opcode::kCall) calls_.push_back(i);
  }
  for (std::uint32_t f = 0; f < kernel.functions.size(); ++f)
    for (std::uint32_t i = kernel.functions[f].first; i < kernel.functions[f].end; ++i) owner_[i] = f + 1;
  for (const CodeRange& range : code_ranges(kernel))
    for (const std::uint32_t entry : range.entries) add_sorted(entries_, entry);
  const std::size_t functions = kernel.functions.size() + 1;
  foreign_.assign(functions, boost::dynamic_bitset<>(kernel.registers.registers()));
  if (functions == 1) return;
  for (std::uint32_t i = 0; i < kernel.code.size(); ++i)
    for (std::size_t f = 0; f < functions; ++f)
      if (owner_[i] != f)
        for (unsigned w = 0; w < kernel.code[i].write_count; ++w) foreign_[f].set(kernel.code[i].writes[w]);
}

bool ReachingDefinitions::scan(std::uint32_t first, std::uint32_t end, isa::RegId reg, Found& found) const {
  const auto last_before = [](const std::vector<std::uint32_t>& list, std::uint32_t bound) {
    return std::make_reverse_iterator(std::lower_bound(list.begin(), list.end(), bound));
  };
  const std::vector<std::uint32_t>& writers = writers_[reg];
  bool killed = false;
  for (auto i = last_before(writers, end); i != writers.rend() && *i >= first && !killed; ++i) {
    add_sorted(found.definitions, *i);
    killed = !kernel_.code[*i].guard.present;
    if (killed) first = *i;
  }
  for (auto i = last_before(calls_, end); i != calls_.rend() && *i >= first; ++i)
    if (foreign_[owner_[*i]].test(reg) && !(killed && *i == first)) add_sorted(found.definitions, *i);
  return killed;
}

const ReachingDefinitions::Found& ReachingDefinitions::at_entry(BlockId block, isa::RegId reg) {
  const auto [entry, is_new] = at_entry_.try_emplace({block, reg});
  Found& found = entry->second;
  if (!is_new) return found;
  std::vector<bool> visited(cfg_.block_count() + 1, false);
  std::vector<BlockId> work{block};
  visited[block] = true;
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    const auto& before = cfg_.block(b).predecessors;
    if (before.empty() || std::binary_search(entries_.begin(), entries_.end(), cfg_.block(b).first))
      found.from_outside = true;
    for (const BlockId p : before) {
      // The starting block may be scanned as well: from its end, around a loop.
      if (scan(cfg_.block(p).first, cfg_.block(p).end, reg, found) || visited[p]) continue;
      visited[p] = true;
      work.push_back(p);
    }
  }
  return found;
}

ReachingDefinitions::Found ReachingDefinitions::of(std::uint32_t instruction, isa::RegId reg) {
  const BlockId block = cfg_.block_of(instruction);
  Found found;
  if (scan(cfg_.block(block).first, instruction, reg, found)) return found;
  const Found& before = at_entry(block, reg);
  for (const std::uint32_t i : before.definitions) add_sorted(found.definitions, i);
  found.from_outside |= before.from_outside;
  return found;
}

ControlDependences::ControlDependences(const ControlFlowGraph& cfg) : deciding_(cfg.block_count() + 1) {
  const DominatorTree post = DominatorTree::post_dominators(cfg);
  for (BlockId b = 0; b < cfg.block_count(); ++b) {
    if (cfg.block(b).successors.size() < 2) continue;
    for (const BlockId side : cfg.block(b).successors)
      for (BlockId run = side; run != kNoBlock && run != post.parent(b); run = post.parent(run)) {
        auto& list = deciding_[run];
        if (list.empty() || list.back() != b) list.push_back(b);
      }
  }
}

}  // namespace heddle::analysis
