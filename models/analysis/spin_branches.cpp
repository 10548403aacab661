#include "analysis/spin_branches.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

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

/// What a register holds at some point of a round.
struct Value {
  /// The register whose value it is, as it was when the round began; kNoReg: another value.
  RegId same_as = isa::kNoReg;
  bool memory = false;     ///< derives from a read of shared or global memory
  bool time = false;       ///< derives from a clock
  std::set<RegId> from{};  ///< registers, as they were when the round began, that it derives from

  static Value of_round(RegId reg) { return {reg, false, false, {reg}}; }
  void join(const Value& other) {
    memory = memory || other.memory;
    time = time || other.time;
    from.insert(other.from.begin(), other.from.end());
  }
};

bool is_shared_memory(const Instruction& instruction) {
  return instruction.space == StateSpace::kGlobal || instruction.space == StateSpace::kShared ||
         instruction.space == StateSpace::kGeneric;
}

bool is_copy(const Instruction& instruction) {
  static const auto copies = [] {
    std::vector<isa::LaneFn> fns;
    for (const isa::Type type : {isa::Type::kPred, isa::Type::kB16, isa::Type::kB32, isa::Type::kB64,
                                 isa::Type::kU16, isa::Type::kU32, isa::Type::kU64, isa::Type::kS16,
                                 isa::Type::kS32, isa::Type::kS64, isa::Type::kF32, isa::Type::kF64}) {
      isa::LaneSpec move;
      move.type = type;
      if (const isa::LaneFn fn = isa::find_lane_fn(move); fn != nullptr) fns.push_back(fn);
    }
    return fns;
  }();
  return instruction.op == Opcode::kLane && instruction.source_count == 1 &&
         instruction.destination_count == 1 && !instruction.src[0].negated &&
         std::find(copies.begin(), copies.end(), instruction.lane_fn) != copies.end();
}

/// A round up to some block.
struct Round {
  std::map<RegId, Value> values;  ///< of registers that were written
  std::set<RegId> addresses;  ///< registers, as they were when it began, that addresses of reads derive from
  bool reads = false;         ///< shared or global memory
  bool decides = false;       ///< something depended on what was read

  [[nodiscard]] Value value(const Operand& operand) const {
    if (!operand.present || operand.space != isa::RowSpace::kRegister) return {};
    const auto found = values.find(operand.reg);
    return found == values.end() ? Value::of_round(operand.reg) : found->second;
  }
  void decide(const Value& value) {
    if (value.memory && !value.time) decides = true;
  }
  /// False: no round on which nothing changes.
  [[nodiscard]] bool execute(const Instruction& instruction);
};

bool Round::execute(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::kCall:
    case Opcode::kIndirect:
    case Opcode::kReturn:
    case Opcode::kExit:
    case Opcode::kTrap:
    case Opcode::kAssertFail:
    case Opcode::kPrint:
      return instruction.guard.present && instruction.op != Opcode::kCall && instruction.op != Opcode::kPrint;
    default:
      break;
  }
  Value guard;
  if (instruction.guard.present) guard.join(value(instruction.guard));
  if (instruction.guard2.present) guard.join(value(instruction.guard2));
  decide(guard);
  if (instruction.op == Opcode::kStore && !is_shared_memory(instruction)) return guard.memory;

  Value result;
  for (const Operand& source : instruction.src) result.join(value(source));
  result.join(guard);
  if (instruction.time_dependent) result.time = true;
  const bool reads = instruction.op == Opcode::kLoad || instruction.op == Opcode::kAtomic;
  if (reads) {
    const Value address = value(instruction.memory.base);
    if (is_shared_memory(instruction)) {
      this->reads = true;
      addresses.insert(address.from.begin(), address.from.end());
      result.memory = true;
    } else if (instruction.space == StateSpace::kLocal) {
      return false;
    }
    result.join(address);
  }
  if (is_copy(instruction) && !instruction.guard.present) result = value(instruction.src[0]);
  for (const Operand& to : instruction.dst) {
    if (!to.present) continue;
    // What was read may keep a guarded write from happening in this round.
    if (guard.memory) continue;
    if (instruction.guard.present) result.join(value(Operand(to)));
    values[to.reg] = result;
  }
  return true;
}

class Search {
 public:
  Search(const ControlFlowGraph& cfg, const std::vector<RegId>& live, std::uint32_t branch)
      : cfg_(cfg), live_(live), branch_(branch), on_way_(cfg.block_count() + 1, false) {}

  [[nodiscard]] bool find(BlockId from) { return walk(from, {}); }

 private:
  /// Recursion is bounded: the ways' blocks are distinct, and their number limited.
  bool walk(BlockId block, Round round) {
    constexpr unsigned kLongestWay = 2000;
    if (block == cfg_.exit() || on_way_[block] || ++steps_ > kMostSpinSteps || depth_ == kLongestWay)
      return false;
    const BasicBlock& code = cfg_.block(block);
    for (std::uint32_t pc = code.first; pc < code.end; ++pc) {
      const Instruction& instruction = cfg_.code()[pc];
      if (!round.execute(instruction)) return false;
      if (pc == branch_) return repeats(round);
    }
    on_way_[block] = true;
    ++depth_;
    const bool found = std::any_of(code.successors.begin(), code.successors.end(),
                                   [&](BlockId next) { return walk(next, round); });
    --depth_;
    on_way_[block] = false;
    return found;
  }

  [[nodiscard]] bool repeats(const Round& round) const {
    if (!round.reads || !round.decides) return false;
    return std::all_of(live_.begin(), live_.end(), [&](RegId reg) {
      const auto written = round.values.find(reg);
      if (written == round.values.end() || written->second.same_as == reg) return true;
      return written->second.memory && !written->second.time && !round.addresses.contains(reg);
    });
  }

  const ControlFlowGraph& cfg_;
  const std::vector<RegId>& live_;
  std::uint32_t branch_;
  std::vector<bool> on_way_;
  std::size_t steps_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

std::vector<base::Pc> find_spin_branches(const isa::Kernel& kernel) {
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
    if (Search(*cfg, liveness->live_in(header), pc).find(header)) found.emplace_back(pc);
  }
  return found;
}

}  // namespace heddle::analysis
