#include "compiler/convergence/waiting_loops.h"

#include <algorithm>
#include <optional>

#include "analysis/uniformity.h"
#include "analysis/waiting_sets.h"

namespace heddle::compiler {
namespace {

using analysis::Access;
using analysis::Accesses;
using analysis::BlockId;
using analysis::BlockSet;
using analysis::EdgeLoop;
using analysis::InstructionSet;
using isa::Instruction;
using isa::Opcode;

class WaitingLoopFinder {
 public:
  WaitingLoopFinder(analysis::CodeAnalysis& code, const WaitingLoopOptions& options)
      : code_(code), cfg_(code.cfg()), kernel_(code.kernel()), options_(options), sets_(code, {}) {
    find_callees();
  }

  std::vector<WaitingLoop> run() {
    std::vector<WaitingLoop> loops;
    for (const EdgeLoop& loop : code_.loops()) {
      const std::uint32_t header = cfg_.block(loop.header).first;
      if (options_.excepted && options_.excepted(header)) continue;
      InstructionSet releases = writes_to(reads_of(loop));
      if (releases.none() && !(options_.with_calls && hides_its_exits(loop) && is_apart(loop))) continue;
      for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc)
        if (lets_go(kernel_.code[pc])) releases.set(pc);
      add_calls(releases);
      loops.push_back({loop.function, header, loop.blocks, std::move(releases)});
    }
    close(loops);
    return loops;
  }

 private:
  [[nodiscard]] std::size_t range_at(std::uint32_t pc) const {
    const auto& ranges = code_.ranges();
    return static_cast<std::size_t>(
        std::find_if(ranges.begin(), ranges.end(),
                     [&](const analysis::CodeRange& range) { return range.first <= pc && pc < range.end; }) -
        ranges.begin());
  }

  /// callees_: by range, whatever it may call, directly or not.
  void find_callees() {
    const std::size_t count = code_.ranges().size();
    callees_.assign(count, boost::dynamic_bitset<>(count));
    for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc)
      if (kernel_.code[pc].op == Opcode::kCall) callees_[range_at(pc)] |= called(pc);
    for (bool again = true; again;) {
      again = false;
      for (std::size_t r = 0; r < count; ++r) {
        boost::dynamic_bitset<> all = callees_[r];
        for (std::size_t c = all.find_first(); c != all.npos; c = all.find_next(c)) all |= callees_[c];
        again = again || all != callees_[r];
        callees_[r] = std::move(all);
      }
    }
  }

  /// Ranges that the call may go to.
  [[nodiscard]] boost::dynamic_bitset<> called(std::uint32_t call) const {
    const Instruction& instruction = kernel_.code[call];
    boost::dynamic_bitset<> ranges(code_.ranges().size());
    const auto add = [&](base::Pc target) {
      if (const std::size_t range = range_at(target.value()); range < ranges.size()) ranges.set(range);
    };
    if (!instruction.src[0].present) add(instruction.target);
    for (std::uint32_t i = 0; instruction.src[0].present && i < instruction.table_count; ++i)
      add(kernel_.targets[instruction.table_first + i]);
    return ranges;
  }

  [[nodiscard]] boost::dynamic_bitset<> executed_in(std::uint32_t call) const {
    boost::dynamic_bitset<> ranges = called(call);
    const boost::dynamic_bitset<> direct = ranges;
    for (std::size_t r = direct.find_first(); r != direct.npos; r = direct.find_next(r))
      ranges |= callees_[r];
    return ranges;
  }

  /// A compiler has to read again in each iteration.
  [[nodiscard]] bool is_read_again(const Access& read, bool fenced) const {
    const Instruction& instruction = kernel_.code[read.instruction];
    return options_.weak_loads || fenced || instruction.op != Opcode::kLoad ||
           instruction.cache_op == isa::CacheOp::kVolatile;
  }

  /// Reads of the loop, or of what it calls, on which its exits depend.
  [[nodiscard]] std::vector<const Access*> reads_of(const EdgeLoop& loop) {
    std::vector<std::uint32_t> exits;
    for (const BlockId exit : loop.exits) exits.push_back(cfg_.block(exit).end - 1);
    // The loop's exit may count rounds of lanes that do not wait: lanes that wait go round in a part of it.
    for (const analysis::WaitingSet& set : sets_.all())
      if (set.blocks.is_subset_of(loop.blocks) && set.blocks.test(loop.header))
        exits.insert(exits.end(), set.exits.begin(), set.exits.end());
    const InstructionSet slice = code_.backward_slice(exits);
    bool fenced = false;
    for (std::uint32_t pc = 0; pc < kernel_.code.size() && !fenced; ++pc)
      fenced = kernel_.code[pc].op == Opcode::kFence && loop.blocks.test(cfg_.block_of(pc));
    std::vector<const Access*> reads;
    const auto add = [&](const Access& access) {
      if (access.reads && Accesses::is_shared(access) &&
          kernel_.code[access.instruction].op != Opcode::kCall && is_read_again(access, fenced))
        reads.push_back(&access);
    };
    for (const Access& access : code_.accesses().all()) {
      if (!slice.test(access.instruction) || !loop.blocks.test(cfg_.block_of(access.instruction))) continue;
      add(access);
      if (kernel_.code[access.instruction].op != Opcode::kCall) continue;
      const boost::dynamic_bitset<> ranges = executed_in(access.instruction);
      for (const Access& within : code_.accesses().all())
        if (ranges.test(range_at(within.instruction))) add(within);
    }
    return reads;
  }

  [[nodiscard]] InstructionSet writes_to(const std::vector<const Access*>& reads) const {
    InstructionSet writes(kernel_.code.size());
    for (const Access& access : code_.accesses().all()) {
      if (!access.writes || !Accesses::is_shared(access) ||
          kernel_.code[access.instruction].op == Opcode::kCall)
        continue;
      if (std::any_of(reads.begin(), reads.end(),
                      [&](const Access* read) { return analysis::may_alias(*read, access, {}); }))
        writes.set(access.instruction);
    }
    return writes;
  }

  /// Others may wait for it before they write: a barrier of some threads, lanes that meet at different places.
  [[nodiscard]] static bool lets_go(const Instruction& instruction) {
    if (instruction.op == Opcode::kBarrier) return !analysis::is_full_barrier(instruction);
    return instruction.op == Opcode::kWarpSync && !instruction.names_all_lanes && !instruction.dst[0].present;
  }

  void add_calls(InstructionSet& releases) const {
    for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
      if (kernel_.code[pc].op != Opcode::kCall) continue;
      const boost::dynamic_bitset<> ranges = executed_in(pc);
      for (std::size_t r = ranges.find_first(); r != ranges.npos && !releases.test(pc);
           r = ranges.find_next(r))
        for (std::uint32_t in = code_.ranges()[r].first; in < code_.ranges()[r].end; ++in)
          if (releases.test(in)) releases.set(pc);
    }
  }

  // ---- Loops that ptxas takes for waiting

  [[nodiscard]] static bool is_a_call(const Instruction& instruction) {
    using isa::LatencyClass;
    const LatencyClass of = instruction.latency_class;
    return instruction.op == Opcode::kCall || of == LatencyClass::kFpDiv || of == LatencyClass::kDpDiv ||
           (of == LatencyClass::kIntDiv && instruction.dst[0].width == isa::RowWidth::k64);
  }

  [[nodiscard]] bool hides_its_exits(const EdgeLoop& loop) const {
    BlockSet own = loop.blocks;
    for (const EdgeLoop& inner : code_.loops())
      if (inner.header != loop.header && loop.blocks.test(inner.header)) own -= inner.blocks;
    bool calls = false;
    bool reads = false;
    for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
      const Instruction& instruction = kernel_.code[pc];
      if (!own.test(cfg_.block_of(pc))) continue;
      calls = calls || is_a_call(instruction);
      reads = reads || instruction.op == Opcode::kAtomic ||
              (instruction.op == Opcode::kLoad && instruction.cache_op == isa::CacheOp::kVolatile);
    }
    return calls && reads;
  }

  [[nodiscard]] bool parts(BlockId block) const {
    const std::uint32_t last = cfg_.block(block).end - 1;
    return cfg_.block(block).successors.size() > 1 && !uniformity_->uniform(last);
  }

  /// Its lanes part at an exit, or at a branch that some take to it while others do not.
  [[nodiscard]] bool is_apart(const EdgeLoop& loop) {
    if (!uniformity_) uniformity_.emplace(kernel_, cfg_);
    if (std::any_of(loop.exits.begin(), loop.exits.end(), [&](BlockId exit) { return parts(exit); }))
      return true;
    for (BlockId block = 0; block < cfg_.block_count(); ++block) {
      if (loop.blocks.test(block) || cfg_.block(block).first == cfg_.block(block).end || !parts(block))
        continue;
      const base::Pc meet = code_.post_dominators().behind(cfg_.block(block).end - 1);
      if (meet == base::kNoPc) continue;
      const BlockId stop = cfg_.block_of(meet.value());
      if (analysis::blocks_between(cfg_, cfg_.block(block).successors, stop).test(loop.header)) return true;
    }
    return false;
  }

  // ---- Who writes may have to wait first, for something else

  [[nodiscard]] bool leads_to(const WaitingLoop& loop, const InstructionSet& releases) const {
    const BlockSet reached = analysis::blocks_between(cfg_, {cfg_.block_of(loop.header)}, analysis::kNoBlock);
    for (std::size_t pc = releases.find_first(); pc != releases.npos; pc = releases.find_next(pc)) {
      const auto at = static_cast<std::uint32_t>(pc);
      if (reached.test(cfg_.block_of(at))) return true;
      // Behind the end of a function everything may come.
      const std::uint32_t function = code_.ranges()[range_at(at)].function;
      if (loop.function != 0 && function != loop.function) return true;
    }
    return false;
  }

  void close(std::vector<WaitingLoop>& loops) const {
    for (bool again = true; again;) {
      again = false;
      for (WaitingLoop& loop : loops)
        for (const WaitingLoop& other : loops) {
          if (other.releases.is_subset_of(loop.releases) || !leads_to(other, loop.releases)) continue;
          loop.releases |= other.releases;
          again = true;
        }
    }
  }

  analysis::CodeAnalysis& code_;
  const analysis::ControlFlowGraph& cfg_;
  const isa::Kernel& kernel_;
  const WaitingLoopOptions& options_;
  const analysis::WaitingSets sets_;
  std::optional<analysis::Uniformity> uniformity_;
  std::vector<boost::dynamic_bitset<>> callees_;
};

}  // namespace

std::vector<WaitingLoop> find_waiting_loops(analysis::CodeAnalysis& code, const WaitingLoopOptions& options) {
  return WaitingLoopFinder(code, options).run();
}

}  // namespace heddle::compiler
