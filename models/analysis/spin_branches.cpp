#include "analysis/spin_branches.h"

#include <algorithm>
#include <map>
#include <tuple>
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

/// Values as terms: two are equal if they were computed in the same way from equal ones.
using Term = std::uint32_t;

class Terms {
 public:
  struct Origin {
    bool memory = false;  ///< derives from a read of shared or global memory
    bool time = false;    ///< derives from a clock
  };
  /// `what`: the operation; operands that are not there are 0.
  Term make(std::uint64_t what, const std::vector<Term>& operands, Origin origin) {
    for (const Term operand : operands) {
      origin.memory = origin.memory || origins_[operand].memory;
      origin.time = origin.time || origins_[operand].time;
    }
    const auto [term, is_new] = known_.try_emplace({what, operands}, static_cast<Term>(origins_.size()));
    if (is_new) origins_.push_back(origin);
    return term->second;
  }
  [[nodiscard]] const Origin& origin(Term term) const { return origins_[term]; }

 private:
  std::map<std::pair<std::uint64_t, std::vector<Term>>, Term> known_;
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
    return found != registers_.end() && found->first == number
               ? found->second
               : terms_->make(leaf(Leaf::kRegister, number), {}, {});
  }
  /// False: on this way something changes, or may.
  [[nodiscard]] bool execute(const Instruction& instruction, std::uint32_t pc);
  [[nodiscard]] bool decides() const { return decides_; }

 private:
  [[nodiscard]] Term value(const Operand& operand) const {
    if (!operand.present) return 0;
    if (operand.space == isa::RowSpace::kRegister) {
      const Term of = reg(operand.reg);
      return operand.negated ? terms_->make(leaf(Leaf::kChoice, 1), {of}, {}) : of;
    }
    return terms_->make(
        leaf(Leaf::kRow, (std::uint64_t{static_cast<unsigned>(operand.space)} << 34) | operand.offset), {},
        {});
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
  std::vector<Term> operands{destination};
  for (const Operand& row : instruction.memory.rows()) operands.push_back(value(row));
  for (const Operand& source : instruction.src) operands.push_back(value(source));
  Terms::Origin origin;
  origin.memory =
      (instruction.op == Opcode::kLoad || instruction.op == Opcode::kAtomic) && is_shared_memory(instruction);
  // A clock never reads the same twice.
  if (instruction.time_dependent) {
    origin.time = true;
    operands.push_back(terms_->make(leaf(Leaf::kTime, ++clocks_), {}, {}));
  }
  return terms_->make(pc, operands, origin);
}

bool Rounds::execute(const Instruction& instruction, std::uint32_t pc) {
  Term guard = 0;
  if (instruction.guard.present)
    guard = terms_->make(leaf(Leaf::kChoice, 2), {value(instruction.guard), value(instruction.guard2)}, {});
  const bool waits = terms_->origin(guard).memory && !terms_->origin(guard).time;
  if (waits) decides_ = true;
  switch (instruction.op) {
    case Opcode::kCall:
    case Opcode::kIndirect:
    case Opcode::kReturn:
    case Opcode::kPrint:
    case Opcode::kHeapAllocate:
    case Opcode::kHeapFree:
    case Opcode::kAssertFail:
    case Opcode::kTrap:
      return waits;
    case Opcode::kExit:
      return instruction.guard.present;
    case Opcode::kStore:
    case Opcode::kSurfaceStore:
    case Opcode::kBarrier:
      return waits;  // what it writes may be what it reads; at a barrier nobody is busy
    case Opcode::kLoad:
      if (instruction.space == StateSpace::kLocal) return false;
      break;
    default:
      break;
  }
  if (waits) return true;  // what was read may keep it from happening in each round
  std::vector<std::pair<RegId, Term>> written;
  for (unsigned i = 0; i < instruction.dst.size(); ++i) {
    const Operand& to = instruction.dst[i];
    if (!to.present) continue;
    Term term = result(instruction, pc, i);
    if (guard != 0) term = terms_->make(leaf(Leaf::kChoice, 3), {guard, term, reg(to.reg)}, {});
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
      : cfg_(cfg), live_(live), branch_(branch), on_way_(cfg.block_count() + 1, false) {
    if (through) through_ = cfg.block_of(through->value());
  }

  [[nodiscard]] bool find(BlockId from) { return walk(from, Rounds(terms_)); }

 private:
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
