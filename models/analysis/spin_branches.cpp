#include "analysis/spin_branches.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/cfg.h"
#include "analysis/liveness.h"
#include "isa/lane_ops.h"

namespace heddle::analysis {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::RegId;
using isa::StateSpace;

bool is_shared_memory(const Instruction& instruction) {
  return instruction.space == StateSpace::kGlobal || instruction.space == StateSpace::kShared ||
         instruction.space == StateSpace::kGeneric;
}

bool is_copy(const Instruction& instruction) {
  static const auto copies = [] {
    std::vector<isa::LaneFn> fns;
    for (auto type = static_cast<unsigned>(isa::Type::kPred); type <= static_cast<unsigned>(isa::Type::kF64);
         ++type) {
      isa::LaneSpec move;
      move.type = static_cast<isa::Type>(type);
      if (const isa::LaneFn fn = isa::find_lane_fn(move); fn != nullptr) fns.push_back(fn);
    }
    return fns;
  }();
  return instruction.op == Opcode::kLane && instruction.source_count == 1 &&
         instruction.destination_count == 1 && !instruction.src[0].negated &&
         std::find(copies.begin(), copies.end(), instruction.lane_fn) != copies.end();
}

bool reads_memory(const Instruction& instruction) {
  return (instruction.op == Opcode::kLoad || instruction.op == Opcode::kAtomic) &&
         is_shared_memory(instruction);
}

/// Whether something changes when it is executed, or may.
bool changes(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::kCall:
    case Opcode::kIndirect:
    case Opcode::kReturn:
    case Opcode::kPrint:
    case Opcode::kHeapAllocate:
    case Opcode::kHeapFree:
    case Opcode::kAssertFail:
    case Opcode::kTrap:
    case Opcode::kStore:  // what it writes may be what it reads
    case Opcode::kSurfaceStore:
    case Opcode::kBarrier:  // where nobody is busy
      return true;
    case Opcode::kLoad:
      return instruction.space == StateSpace::kLocal;
    default:
      return false;
  }
}

/// Values as terms: two are equal if they were computed in the same way from equal ones.
using Term = std::uint32_t;

class Terms {
 public:
  struct Origin {
    bool memory = false;  ///< derives from a read of shared or global memory
    bool time = false;    ///< derives from a clock
  };
  /// An operation without operands. Its number of operands is always the same.
  Term make(std::uint64_t what, Origin origin) {
    const auto [known, is_new] = starts_.try_emplace(what, static_cast<Term>(origins_.size()));
    if (is_new) origins_.push_back(origin);
    return known->second;
  }
  Term make(std::uint64_t what) { return make(what, Origin()); }
  /// The same with one more operand; 0: that is not there.
  Term add(Term to, Term operand) {
    const auto [known, is_new] =
        pairs_.try_emplace(std::uint64_t{to} << 32 | operand, static_cast<Term>(origins_.size()));
    if (is_new)
      origins_.push_back(
          {origins_[to].memory || origins_[operand].memory, origins_[to].time || origins_[operand].time});
    return known->second;
  }
  [[nodiscard]] const Origin& origin(Term term) const { return origins_[term]; }

 private:
  std::unordered_map<std::uint64_t, Term> starts_, pairs_;
  std::vector<Origin> origins_{{}};  ///< term 0: nothing
};

/// Kinds of `what` that are no instruction's number.
enum class Leaf : std::uint64_t {
  kRegister = 1ull << 32,
  kRow = 2ull << 32,
  kTime = 3ull << 32,
  kChoice = 4ull << 32
};
std::uint64_t leaf(Leaf kind, std::uint64_t number) { return static_cast<std::uint64_t>(kind) + number; }

/// The registers in the course of rounds.
class Rounds {
 public:
  explicit Rounds(Terms& terms) : terms_(&terms) {}
  [[nodiscard]] Term reg(RegId number) const {
    const auto found = place_of(number);
    return found != registers_.end() && found->first == number ? found->second
                                                               : terms_->make(leaf(Leaf::kRegister, number));
  }
  /// False: on this way something changes, or may.
  [[nodiscard]] bool execute(const Instruction& instruction, std::uint32_t pc);
  [[nodiscard]] bool decides() const { return decides_; }

 private:
  [[nodiscard]] Term value(const Operand& operand) const {
    if (!operand.present) return 0;
    if (operand.space == isa::RowSpace::kRegister) {
      const Term of = reg(operand.reg);
      return operand.negated ? terms_->add(terms_->make(leaf(Leaf::kChoice, 1)), of) : of;
    }
    return terms_->make(
        leaf(Leaf::kRow, (std::uint64_t{static_cast<unsigned>(operand.space)} << 34) | operand.offset));
  }
  Term result(const Instruction& instruction, std::uint32_t pc, unsigned destination);
  using Known = std::vector<std::pair<RegId, Term>>;
  [[nodiscard]] Known::const_iterator place_of(RegId number) const {
    return std::lower_bound(registers_.begin(), registers_.end(), number,
                            [](const auto& known, RegId sought) { return known.first < sought; });
  }
  void write(RegId number, Term term) {
    const auto place = registers_.begin() + (place_of(number) - registers_.cbegin());
    if (place != registers_.end() && place->first == number)
      place->second = term;
    else
      registers_.insert(place, {number, term});
  }

  Terms* terms_;
  Known registers_;  ///< those written so far, in order; copied in front of every branch of the search
  bool decides_ = false;
  std::uint32_t clocks_ = 0;
};

Term Rounds::result(const Instruction& instruction, std::uint32_t pc, unsigned destination) {
  if (is_copy(instruction)) return value(instruction.src[0]);
  Terms::Origin origin;
  origin.memory = reads_memory(instruction);
  origin.time = instruction.time_dependent;
  Term term = terms_->make(std::uint64_t{destination} << 24 | pc, origin);
  for (const Operand& row : instruction.memory.rows()) term = terms_->add(term, value(row));
  for (const Operand& source : instruction.src) term = terms_->add(term, value(source));
  // A clock never reads the same twice.
  if (instruction.time_dependent) term = terms_->add(term, terms_->make(leaf(Leaf::kTime, ++clocks_)));
  return term;
}

bool Rounds::execute(const Instruction& instruction, std::uint32_t pc) {
  Term guard = 0;
  if (instruction.guard.present)
    guard = terms_->add(terms_->add(terms_->make(leaf(Leaf::kChoice, 2)), value(instruction.guard)),
                        value(instruction.guard2));
  const bool waits = terms_->origin(guard).memory && !terms_->origin(guard).time;
  if (waits) decides_ = true;
  if (instruction.op == Opcode::kExit) return instruction.guard.present;
  if (changes(instruction)) return waits && instruction.op != Opcode::kLoad;
  if (waits) return true;  // what was read may keep it from happening in each round
  std::vector<std::pair<RegId, Term>> written;
  for (unsigned i = 0; i < instruction.dst.size(); ++i) {
    const Operand& to = instruction.dst[i];
    if (!to.present) continue;
    Term term = result(instruction, pc, i);
    if (guard != 0)
      term = terms_->add(terms_->add(terms_->add(terms_->make(leaf(Leaf::kChoice, 3)), guard), term),
                         reg(to.reg));
    written.emplace_back(to.reg, term);
  }
  for (const auto& [number, term] : written) write(number, term);
  return true;
}

/// Looks for a way of one round, block by block, while it executes it; a way that is complete is executed once more.
class Search {
 public:
  Search(const ControlFlowGraph& cfg, const std::vector<RegId>& live, std::uint32_t branch,
         std::optional<base::Pc> through)
      : cfg_(cfg),
        live_(live),
        branch_(branch),
        on_way_(cfg.block_count() + 1, false),
        in_loop_(cfg.block_count() + 1, false) {
    if (through) through_ = cfg.block_of(through->value());
  }

  [[nodiscard]] bool find(BlockId from) {
    find_loop(from);
    return in_loop_[from] && reads() && !grows(from) && walk(from, Rounds(terms_));
  }

 private:
  /// The blocks that ways from the target to the branch may have: both are reached from them, or lead to them, without a block in
  /// which something changes at any rate.
  void find_loop(BlockId target) {
    const BlockId end = cfg_.block_of(branch_);
    const std::vector<bool> behind = reached(
        target, end, [&](BlockId block) -> const auto& { return cfg_.block(block).successors; });
    const std::vector<bool> before = reached(
        end, target, [&](BlockId block) -> const auto& { return cfg_.block(block).predecessors; });
    for (BlockId block = 0; block < cfg_.block_count(); ++block)
      in_loop_[block] = behind[block] && before[block];
  }

  template <class Neighbours>
  [[nodiscard]] std::vector<bool> reached(BlockId from, BlockId until, Neighbours&& neighbours_of) const {
    std::vector<bool> marked(cfg_.block_count() + 1, false);
    std::vector<BlockId> left;
    const auto mark = [&](BlockId block) {
      if (block == cfg_.exit() || marked[block] || always_changes(block)) return;
      marked[block] = true;
      left.push_back(block);
    };
    mark(from);
    while (!left.empty()) {
      const BlockId block = left.back();
      left.pop_back();
      if (block == until) continue;
      for (const BlockId next : neighbours_of(block)) mark(next);
    }
    return marked;
  }

  /// Whether the block has an instruction that ends any way (Rounds::execute).
  [[nodiscard]] bool always_changes(BlockId block) const {
    const BasicBlock& code = cfg_.block(block);
    for (std::uint32_t pc = code.first; pc < code.end; ++pc) {
      const Instruction& instruction = cfg_.code()[pc];
      if (!instruction.guard.present && (changes(instruction) || instruction.op == Opcode::kExit))
        return true;
      if (pc == branch_) break;
    }
    return false;
  }

  /// Whether a way may read shared or global memory: without that nothing on it depends on memory.
  [[nodiscard]] bool reads() const {
    bool found = false;
    for_each_in_loop(
        [&](const Instruction& instruction, std::uint32_t) { found = found || reads_memory(instruction); });
    return found;
  }

  /// Whether no way can repeat itself: registers that each round computes anew from each other, by more than copies. Their terms
  /// are larger after each round, so one that is live at the target differs.
  [[nodiscard]] bool grows(BlockId target) const {
    struct Definition {
      std::uint32_t pc = 0;
      unsigned count = 0;
    };
    std::map<RegId, Definition> defined;
    for_each_in_loop([&](const Instruction& instruction, std::uint32_t pc) {
      for (const Operand& to : instruction.dst)
        if (to.present) defined[to.reg] = {pc, defined[to.reg].count + (instruction.guard.present ? 2 : 1)};
    });
    std::map<BlockId, bool> passed;  // by all ways
    std::erase_if(defined, [&](const auto& each) {
      if (each.second.count != 1) return true;
      const BlockId block = cfg_.block_of(each.second.pc);
      const auto [known, is_new] = passed.try_emplace(block, false);
      if (is_new) known->second = is_on_all_ways(target, block);
      return !known->second;
    });
    // A circle of definitions: those that need none of the others are taken away until nothing changes.
    std::map<RegId, std::vector<RegId>> needs;
    for (const auto& [reg, definition] : defined)
      for_each_source(cfg_.code()[definition.pc], [&, reg = reg](RegId source) {
        if (defined.contains(source)) needs[reg].push_back(source);
      });
    for (bool changed = true; changed;) {
      for (auto& [reg, sources] : needs)
        std::erase_if(sources, [&](RegId source) { return !needs.contains(source); });
      changed = std::erase_if(needs, [](const auto& each) { return each.second.empty(); }) != 0;
    }
    return std::any_of(needs.begin(), needs.end(), [&](const auto& each) {
      return !is_copy(cfg_.code()[defined[each.first].pc]) && is_in_circle(needs, each.first);
    });
  }

  static bool is_in_circle(const std::map<RegId, std::vector<RegId>>& needs, RegId reg) {
    std::vector<RegId> left = needs.at(reg);
    std::set<RegId> seen;
    while (!left.empty()) {
      const RegId next = left.back();
      left.pop_back();
      if (next == reg) return true;
      if (!seen.insert(next).second) continue;
      if (const auto found = needs.find(next); found != needs.end())
        left.insert(left.end(), found->second.begin(), found->second.end());
    }
    return false;
  }

  template <class Use>
  void for_each_in_loop(Use&& use) const {
    for (BlockId block = 0; block < cfg_.block_count(); ++block) {
      if (!in_loop_[block]) continue;
      const BasicBlock& code = cfg_.block(block);
      for (std::uint32_t pc = code.first; pc < code.end; ++pc) {
        use(cfg_.code()[pc], pc);
        if (pc == branch_) break;
      }
    }
  }

  template <class Use>
  static void for_each_source(const Instruction& instruction, Use&& use) {
    const auto row = [&](const Operand& operand) {
      if (operand.present && operand.space == isa::RowSpace::kRegister) use(operand.reg);
    };
    for (const Operand& operand : instruction.memory.rows()) row(operand);
    for (const Operand& operand : instruction.src) row(operand);
  }

  /// Whether no way is left without the block.
  [[nodiscard]] bool is_on_all_ways(BlockId target, BlockId without) const {
    const BlockId end = cfg_.block_of(branch_);
    if (without == target || without == end) return true;
    std::vector<bool> marked(in_loop_.size(), false);
    std::vector<BlockId> left{target};
    marked[target] = marked[without] = true;
    while (!left.empty()) {
      const BlockId block = left.back();
      left.pop_back();
      if (block == end) return false;
      for (const BlockId next : cfg_.block(block).successors)
        if (next != cfg_.exit() && in_loop_[next] && !marked[next]) {
          marked[next] = true;
          left.push_back(next);
        }
    }
    return true;
  }

  /// The instructions of a block up to the branch; false: something changes.
  [[nodiscard]] bool pass(BlockId block, Rounds& rounds) const {
    const BasicBlock& code = cfg_.block(block);
    for (std::uint32_t pc = code.first; pc < code.end; ++pc) {
      if (!rounds.execute(cfg_.code()[pc], pc)) return false;
      if (pc == branch_) break;
    }
    return true;
  }

  /// Recursion is bounded: the way's blocks are distinct, and their number limited.
  bool walk(BlockId block, Rounds rounds) {
    constexpr std::size_t kLongestWay = 2000;
    if (block == cfg_.exit() || on_way_[block] || ++steps_ > kMostSpinSteps || way_.size() == kLongestWay)
      return false;
    if (!pass(block, rounds)) return false;
    on_way_[block] = true;
    way_.push_back(block);
    const auto& successors = cfg_.block(block).successors;
    const bool found = block == cfg_.block_of(branch_)
                           ? repeats(std::move(rounds))
                           : std::any_of(successors.begin(), successors.end(),
                                         [&](BlockId next) { return walk(next, rounds); });
    way_.pop_back();
    on_way_[block] = false;
    return found;
  }

  [[nodiscard]] bool repeats(Rounds rounds) const {
    if (!rounds.decides() || (through_ && !on_way_[*through_])) return false;
    std::vector<Term> after_first;
    for (const RegId reg : live_) after_first.push_back(rounds.reg(reg));
    for (const BlockId block : way_)
      if (!pass(block, rounds)) return false;
    for (std::size_t i = 0; i < live_.size(); ++i)
      if (rounds.reg(live_[i]) != after_first[i]) return false;
    return true;
  }

  const ControlFlowGraph& cfg_;
  const std::vector<RegId>& live_;
  std::uint32_t branch_;
  std::optional<BlockId> through_;
  Terms terms_;
  std::vector<bool> on_way_;
  std::vector<bool> in_loop_;
  std::vector<BlockId> way_;
  std::size_t steps_ = 0;
};

}  // namespace

std::vector<base::Pc> find_spin_branches(const isa::Kernel& kernel, std::optional<base::Pc> through) {
  std::vector<base::Pc> found;
  std::optional<ControlFlowGraph> cfg;
  std::optional<Liveness> liveness;
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
    const Instruction& branch = kernel.code[pc];
    if (branch.op != Opcode::kBranch || branch.target.value() > pc) continue;
    if (!cfg) {
      cfg.emplace(kernel.code, kernel.targets);
      liveness.emplace(*cfg, kernel.registers);
    }
    const BlockId header = cfg->block_of(branch.target.value());
    if (Search(*cfg, liveness->live_in(header), pc, through).find(header)) found.emplace_back(pc);
  }
  return found;
}

}  // namespace heddle::analysis
