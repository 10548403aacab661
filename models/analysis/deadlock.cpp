#include "analysis/deadlock.h"

#include <algorithm>
#include <optional>

namespace heddle::analysis {
namespace {

using base::Pc;

class DeadlockFinder {
 public:
  DeadlockFinder(CodeAnalysis& code, const DeadlockOptions& options)
      : code_(code), cfg_(code.cfg()), post_dominators_(code.post_dominators()), options_(options) {}

  std::vector<LoopFinding> run() {
    for (const EdgeLoop& loop : code_.loops()) findings_.push_back(start(loop));
    for (LoopFinding& finding : findings_) find_reachable(finding);
    if (options_.parallel_writes) find_parallel();
    for (LoopFinding& finding : findings_) find_safe_point(finding);
    if (options_.resolve) resolve();
    return std::move(findings_);
  }

 private:
  [[nodiscard]] Pc meet(Pc a, Pc b) const {
    return options_.strictly_common ? post_dominators_.strictly_common(a, b) : post_dominators_.common(a, b);
  }

  LoopFinding start(const EdgeLoop& loop) {
    LoopFinding finding;
    finding.loop = loop;
    for (const BlockId exit : loop.exits) finding.exit_branches.push_back(cfg_.block(exit).end - 1);
    bool first = true;
    for (const std::uint32_t branch : finding.exit_branches) {
      const Pc behind = post_dominators_.behind(branch);
      finding.reconvergence = first ? behind : post_dominators_.common(finding.reconvergence, behind);
      first = false;
    }
    finding.safe = finding.reconvergence;
    const InstructionSet slice = code_.backward_slice(finding.exit_branches);
    for (const Access& access : code_.accesses().all()) {
      if (!slice.test(access.instruction) || !access.reads || !Accesses::is_shared(access)) continue;
      finding.depends_on_memory = true;
      if (loop.blocks.test(cfg_.block_of(access.instruction)) &&
          (!options_.strong_reads_only || is_strong(cfg_.code()[access.instruction])))
        finding.shared_reads.push_back(access.instruction);
    }
    return finding;
  }

  [[nodiscard]] static bool is_strong(const isa::Instruction& read) {
    return read.op != isa::Opcode::kLoad || read.cache_op == isa::CacheOp::kVolatile;
  }

  /// The first read of the loop that the access may change the result of.
  [[nodiscard]] std::optional<std::uint32_t> redefines(const LoopFinding& finding,
                                                       const Access& write) const {
    if (!write.writes || !Accesses::is_shared(write)) return std::nullopt;
    const bool within = finding.loop.blocks.test(cfg_.block_of(write.instruction));
    if (within && !options_.writes_within_loop) return std::nullopt;
    for (const std::uint32_t read : finding.shared_reads) {
      const Access& access = *code_.accesses().at(read);
      if (!may_alias(access, write, options_.alias)) continue;
      if (within && options_.ignore_dominating_stores && comes_first(finding, write.instruction, read))
        continue;
      return read;
    }
    return std::nullopt;
  }

  /// Every iteration of the loop executes the plain store before the read.
  [[nodiscard]] bool comes_first(const LoopFinding& finding, std::uint32_t store, std::uint32_t read) const {
    if (cfg_.code()[store].op != isa::Opcode::kStore || cfg_.code()[store].guard.present) return false;
    const BlockId block = cfg_.block_of(store);
    const BlockId at = cfg_.block_of(read);
    if (block == at) return store < read;
    return !blocks_between(cfg_, {finding.loop.header}, block).test(at);
  }

  void find_reachable(LoopFinding& finding) {
    if (finding.shared_reads.empty() || finding.reconvergence == base::kNoPc) return;
    const CodeRange& range = code_.range_of(cfg_.block(finding.loop.header).first);
    const BarrierFreePaths paths(cfg_, finding.reconvergence);
    for (const Access& access : code_.accesses().all()) {
      if (access.instruction < range.first || access.instruction >= range.end) continue;
      if (!access.writes || !paths.reaches(access.instruction)) continue;
      const auto read = redefines(finding, access);
      if (!read) continue;
      RedefiningWrite write{.write = access.instruction, .read = *read, .reachable = true};
      write.branches = paths.branches_on_the_way(access.instruction);
      write.path = paths.path_to(access.instruction);
      finding.writes.push_back(std::move(write));
    }
  }

  void find_parallel() {
    for (BlockId b = 0; b < cfg_.block_count(); ++b) {
      const auto& targets = cfg_.block(b).successors;
      if (targets.size() < 2) continue;
      const std::uint32_t branch = cfg_.block(b).end - 1;
      const BlockId join = post_dominators_.block_of(post_dominators_.behind(branch));
      std::vector<BlockSet> sides;
      sides.reserve(targets.size());
      for (const BlockId target : targets) sides.push_back(blocks_between(cfg_, {target}, join));
      for (LoopFinding& finding : findings_)
        if (!finding.shared_reads.empty()) find_parallel(finding, branch, sides);
    }
  }

  void find_parallel(LoopFinding& finding, std::uint32_t branch, const std::vector<BlockSet>& sides) {
    for (std::size_t holds = 0; holds < sides.size(); ++holds) {
      if (!finding.loop.blocks.is_subset_of(sides[holds])) continue;
      for (const Access& access : code_.accesses().all()) {
        const BlockId block = cfg_.block_of(access.instruction);
        bool other = false;
        for (std::size_t side = 0; side < sides.size(); ++side)
          other |= side != holds && sides[side].test(block);
        if (!other) continue;
        if (const auto read = redefines(finding, access)) add_parallel(finding, access, *read, branch);
      }
    }
  }

  static void add_parallel(LoopFinding& finding, const Access& access, std::uint32_t read,
                           std::uint32_t branch) {
    auto known = std::find_if(finding.writes.begin(), finding.writes.end(),
                              [&](const RedefiningWrite& w) { return w.write == access.instruction; });
    if (known == finding.writes.end()) {
      finding.writes.push_back({.write = access.instruction, .read = read});
      known = finding.writes.end() - 1;
    }
    known->parallel = true;
    if (std::find(known->branches.begin(), known->branches.end(), branch) == known->branches.end())
      known->branches.push_back(branch);
  }

  /// Alg 2.
  void find_safe_point(LoopFinding& finding) {
    std::sort(finding.writes.begin(), finding.writes.end(),
              [](const RedefiningWrite& a, const RedefiningWrite& b) { return a.write < b.write; });
    for (const RedefiningWrite& write : finding.writes) {
      finding.safe = meet(finding.safe, post_dominators_.behind(write.write));
      for (const std::uint32_t branch : write.branches)
        finding.safe = meet(finding.safe, post_dominators_.behind(branch));
    }
  }

  /// Blocks between a loop's exits and its safe post-dominator.
  [[nodiscard]] BlockSet behind_exits(const LoopFinding& finding) const {
    std::vector<BlockId> from;
    for (const BlockId exit : finding.loop.exits)
      for (const BlockId to : cfg_.block(exit).successors)
        if (!finding.loop.blocks.test(to)) from.push_back(to);
    return blocks_between(cfg_, from, post_dominators_.block_of(finding.safe));
  }

  [[nodiscard]] bool body_may_redefine(const LoopFinding& finding) const {
    for (const Access& access : code_.accesses().all()) {
      if (!access.writes || !finding.loop.blocks.test(cfg_.block_of(access.instruction))) continue;
      for (const std::uint32_t read : finding.shared_reads)
        if (read != access.instruction && may_alias(*code_.accesses().at(read), access, options_.alias))
          return true;
    }
    return false;
  }

  /// Every path from the entry of the loop's function to `below` passes `above`.
  [[nodiscard]] bool dominates(Pc above, Pc below, const EdgeLoop& loop) const {
    if (above == below) return true;
    if (above == base::kNoPc) return false;
    const BlockId block = post_dominators_.block_of(above);
    if (block == post_dominators_.block_of(below)) return above < below;
    std::vector<BlockId> entries;
    for (const std::uint32_t entry : code_.range_of(cfg_.block(loop.header).first).entries)
      entries.push_back(cfg_.block_of(entry));
    const BlockSet around = blocks_between(cfg_, entries, block);
    if (below != base::kNoPc) return !around.test(post_dominators_.block_of(below));
    for (std::size_t b = around.find_first(); b != BlockSet::npos; b = around.find_next(b)) {
      const auto& next = cfg_.block(static_cast<BlockId>(b)).successors;
      if (std::find(next.begin(), next.end(), cfg_.exit()) != next.end()) return false;
    }
    return true;
  }

  [[nodiscard]] bool takes_along(const LoopFinding& outer, const LoopFinding& inner) const {
    if (!inner.flagged() || outer.shared_reads.empty()) return false;
    if (options_.outer_loops == OuterLoopRule::kListing) return dominates(inner.safe, outer.safe, outer.loop);
    return post_dominators_.post_dominates(inner.safe, outer.safe) ||
           (outer.safe != outer.reconvergence && body_may_redefine(outer));
  }

  /// Alg 3: iterate to a fixed point. Safe post-dominators only move towards the end of the threads.
  void resolve() {
    for (bool again = true; again;) {
      again = false;
      for (LoopFinding& finding : findings_)
        again |= finding.flagged() ? extend(finding) : look_within(finding);
    }
  }

  bool move(LoopFinding& finding, Pc to) const {
    const Pc before = finding.safe;
    finding.safe = post_dominators_.common(finding.safe, to);
    return finding.safe != before;
  }

  bool extend(LoopFinding& finding) {
    const BlockSet behind = behind_exits(finding);
    bool moved = false;
    for (const LoopFinding& other : findings_)
      if (other.loop.blocks.is_subset_of(behind)) moved |= move(finding, other.safe);
    return moved;
  }

  bool look_within(LoopFinding& outer) {
    bool changed = false;
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      const LoopFinding& inner = findings_[i];
      if (&inner == &outer || !inner.loop.blocks.is_proper_subset_of(outer.loop.blocks)) continue;
      if (!outer.flagged() && takes_along(outer, inner)) {
        outer.because_of = static_cast<std::uint32_t>(i);
        changed = true;
      }
      changed |= move(outer, inner.safe);
    }
    return changed;
  }

  CodeAnalysis& code_;
  const ControlFlowGraph& cfg_;
  const PostDominators& post_dominators_;
  DeadlockOptions options_;
  std::vector<LoopFinding> findings_;
};

}  // namespace

std::vector<LoopFinding> find_simt_deadlocks(CodeAnalysis& code, const DeadlockOptions& options) {
  return DeadlockFinder(code, options).run();
}

}  // namespace heddle::analysis
