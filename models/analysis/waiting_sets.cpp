#include "analysis/waiting_sets.h"

#include <algorithm>

#include "analysis/counted_exits.h"

namespace heddle::analysis {
namespace {

/// Strongly connected parts of the graph within `blocks`, single blocks only if they go to themselves (Tarjan).
std::vector<BlockSet> cycles_within(const ControlFlowGraph& cfg, const BlockSet& blocks) {
  struct Step {
    BlockId block;
    std::size_t next = 0;
  };
  std::vector<std::uint32_t> number(cfg.block_count() + 1, 0);
  std::vector<std::uint32_t> lowest(cfg.block_count() + 1, 0);
  BlockSet open = no_blocks(cfg);
  std::vector<BlockId> stack;
  std::vector<Step> walk;
  std::vector<BlockSet> found;
  std::uint32_t count = 0;
  const auto enter = [&](BlockId block) {
    number[block] = lowest[block] = ++count;
    open.set(block);
    stack.push_back(block);
    walk.push_back({block});
  };
  const auto leave = [&](BlockId block) {
    if (lowest[block] != number[block]) return;
    BlockSet part = no_blocks(cfg);
    BlockId last = kNoBlock;
    do {
      last = stack.back();
      stack.pop_back();
      open.reset(last);
      part.set(last);
    } while (last != block);
    const auto& next = cfg.block(block).successors;
    if (part.count() > 1 || std::find(next.begin(), next.end(), block) != next.end()) found.push_back(part);
  };
  for (std::size_t b = blocks.find_first(); b != BlockSet::npos; b = blocks.find_next(b)) {
    if (b != cfg.exit() && number[b] == 0) enter(static_cast<BlockId>(b));
    while (!walk.empty()) {
      const BlockId block = walk.back().block;
      const auto& successors = cfg.block(block).successors;
      if (walk.back().next == successors.size()) {
        walk.pop_back();
        if (!walk.empty()) lowest[walk.back().block] = std::min(lowest[walk.back().block], lowest[block]);
        leave(block);
        continue;
      }
      const BlockId to = successors[walk.back().next++];
      if (to == cfg.exit() || !blocks.test(to)) continue;
      if (number[to] == 0)
        enter(to);
      else if (open.test(to))
        lowest[block] = std::min(lowest[block], number[to]);
    }
  }
  return found;
}

bool is_strong(const isa::Instruction& read) {
  return read.op != isa::Opcode::kLoad || read.cache_op == isa::CacheOp::kVolatile;
}

}  // namespace

WaitingSets::WaitingSets(CodeAnalysis& code, const DeadlockOptions& options, bool of_barriers) : code_(code) {
  const ControlFlowGraph& cfg = code.cfg();
  for (const CodeRange& range : code.ranges()) {
    BlockSet own = no_blocks(cfg);
    for (std::uint32_t i = range.first; i < range.end; ++i) own.set(cfg.block_of(i));
    explore(own, range.function);
  }
  for (WaitingSet& set : sets_) {
    find_reads(set, options.strong_reads_only);
    find_needs(set, options);
    set.all_needs = set.needs;
  }
  smaller_.resize(sets_.size());
  for (std::size_t i = 0; i < sets_.size(); ++i)
    for (std::size_t j = 0; j < sets_.size(); ++j)
      if (sets_[j].blocks.is_proper_subset_of(sets_[i].blocks)) smaller_[i].push_back(j);
  if (options.closure) close(of_barriers);
}

bool WaitingSets::any_waits() const {
  return std::any_of(sets_.begin(), sets_.end(), [](const WaitingSet& set) { return set.waits(); });
}

void WaitingSets::explore(const BlockSet& blocks, std::uint32_t function) {
  const ControlFlowGraph& cfg = code_.cfg();
  const PostDominators& post_dominators = code_.post_dominators();
  for (const BlockSet& part : cycles_within(cfg, blocks)) {
    if (std::any_of(sets_.begin(), sets_.end(), [&](const WaitingSet& set) { return set.blocks == part; }))
      continue;
    BlockSet endless = part;  // without what is left after a number of rounds
    for (std::size_t b = part.find_first(); b != BlockSet::npos; b = part.find_next(b)) {
      const auto& next = cfg.block(static_cast<BlockId>(b)).successors;
      if (std::any_of(next.begin(), next.end(), [&](BlockId to) { return !part.test(to); }) &&
          is_counted(code_.kernel(), cfg, part, static_cast<BlockId>(b)))
        endless.reset(b);
    }
    WaitingSet set;
    set.function = function;
    set.blocks = part;
    if (endless != part) {
      set.counted = true;
      sets_.push_back(std::move(set));
      explore(endless, function);
      continue;
    }
    std::vector<BlockSet> inner;  // where lanes that a branch parts go until they meet
    for (std::size_t b = part.find_first(); b != BlockSet::npos; b = part.find_next(b)) {
      const BasicBlock& block = cfg.block(static_cast<BlockId>(b));
      if (std::any_of(block.successors.begin(), block.successors.end(),
                      [&](BlockId to) { return !part.test(to); }))
        set.exits.push_back(block.end - 1);
      for (std::uint32_t i = block.first; i < block.end; ++i)
        set.has_barrier |= cfg.code()[i].op == isa::Opcode::kBarrier;
      if (block.successors.size() < 2) continue;
      const BlockId meeting = post_dominators.block_of(post_dominators.behind(block.end - 1));
      if (part.test(meeting)) inner.push_back(blocks_between(cfg, block.successors, meeting) & part);
    }
    sets_.push_back(std::move(set));
    for (const BlockSet& region : inner) explore(region, function);
  }
}

void WaitingSets::find_reads(WaitingSet& set, bool strong_only) {
  if (set.counted) return;
  const ControlFlowGraph& cfg = code_.cfg();
  const InstructionSet slice = code_.backward_slice(set.exits);
  for (const Access& access : code_.accesses().all())
    if (access.reads && slice.test(access.instruction) && Accesses::is_shared(access) &&
        set.blocks.test(cfg.block_of(access.instruction)) &&
        (!strong_only || is_strong(cfg.code()[access.instruction])))
      set.reads.push_back(access.instruction);
}

void WaitingSets::find_needs(WaitingSet& set, const DeadlockOptions& options) {
  if (set.reads.empty()) return;
  const CodeRange& range = code_.range_of(set.reads.front());
  for (const Access& access : code_.accesses().all()) {
    if (!access.writes || !Accesses::is_shared(access) || access.instruction < range.first ||
        access.instruction >= range.end)
      continue;
    if (!options.writes_within_loop && set.blocks.test(code_.cfg().block_of(access.instruction))) continue;
    if (std::any_of(set.reads.begin(), set.reads.end(), [&](std::uint32_t read) {
          return may_alias(*code_.accesses().at(read), access, options.alias);
        }))
      set.needs.push_back(access.instruction);
  }
}

void WaitingSets::close(bool of_barriers) {
  const ControlFlowGraph& cfg = code_.cfg();
  std::vector<BlockSet> behind;  // in it or behind it
  for (const WaitingSet& set : sets_)
    behind.push_back(
        set.waits()
            ? set.blocks | blocks_between(cfg, {static_cast<BlockId>(set.blocks.find_first())}, cfg.exit())
            : no_blocks(cfg));
  for (bool again = true; again;) {
    again = false;
    for (WaitingSet& set : sets_)
      for (std::size_t other = 0; other < sets_.size(); ++other) {
        if (&set == &sets_[other] || !set.waits() || !sets_[other].waits() ||
            (sets_[other].has_barrier && !of_barriers))
          continue;
        const bool depends =
            std::any_of(set.all_needs.begin(), set.all_needs.end(),
                        [&](std::uint32_t write) { return behind[other].test(cfg.block_of(write)); });
        if (!depends) continue;
        const std::size_t before = set.all_needs.size();
        std::vector<std::uint32_t> all;
        std::set_union(set.all_needs.begin(), set.all_needs.end(), sets_[other].all_needs.begin(),
                       sets_[other].all_needs.end(), std::back_inserter(all));
        set.all_needs = std::move(all);
        again |= set.all_needs.size() != before;
      }
  }
}

bool WaitingSets::stays(std::size_t set, const BlockSet& region) const {
  const BlockSet& blocks = sets_[set].blocks;
  if (blocks.is_subset_of(region)) return true;
  if (!blocks.intersects(region)) return false;
  const std::vector<BlockSet> cycles = cycles_within(code_.cfg(), blocks & region);
  return std::any_of(cycles.begin(), cycles.end(), [&](const BlockSet& cycle) {
    return std::none_of(smaller_[set].begin(), smaller_[set].end(),
                        [&](std::size_t inner) { return cycle.is_subset_of(sets_[inner].blocks); });
  });
}

}  // namespace heddle::analysis
