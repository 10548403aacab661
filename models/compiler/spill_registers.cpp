#include "compiler/spill_registers.h"

#include <algorithm>
#include <array>
#include <boost/dynamic_bitset.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analysis/cfg.h"
#include "analysis/liveness.h"
#include "compiler/kernel_editor.h"
#include "compiler/new_instructions.h"
#include "isa/each_operand.h"

namespace heddle::compiler {
namespace {

using base::Pc;
using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::RegId;
using isa::RowWidth;

constexpr std::string_view kTemporaryName = "%spilled";

std::span<const RegId> reads(const Instruction& i) { return {i.reads.data(), i.read_count}; }
std::span<const RegId> writes(const Instruction& i) { return {i.writes.data(), i.write_count}; }

bool contains(std::span<const RegId> list, RegId reg) {
  return std::find(list.begin(), list.end(), reg) != list.end();
}
bool touches(const Instruction& i, RegId reg) { return contains(reads(i), reg) || contains(writes(i), reg); }

/// Which registers are live at every instruction, and which of them to spill.
class Choice {
 public:
  Choice(const isa::Kernel& kernel, const analysis::ControlFlowGraph& cfg, const analysis::Liveness& liveness)
      : kernel_(kernel), live_(kernel.code.size()), weight_(kernel.code.size(), 0) {
    find_live(cfg, liveness);
    find_costs();
  }

  /// Registers whose spilling leaves at most `limit` at every instruction, as far as possible.
  [[nodiscard]] std::vector<RegId> below(std::uint32_t limit) {
    std::vector<RegId> chosen;
    while (const auto next = best(limit)) {
      chosen.push_back(*next);
      for (std::size_t i = 0; i < live_.size(); ++i) {
        if (touches(kernel_.code[i], *next) || std::erase(live_[i], *next) == 0) continue;
        weight_[i] -= weight_of(*next);
      }
      cost_[*next] = 0;
    }
    return chosen;
  }

 private:
  [[nodiscard]] std::uint32_t weight_of(RegId reg) const {
    return analysis::register_weight(kernel_.registers, reg);
  }

  void find_live(const analysis::ControlFlowGraph& cfg, const analysis::Liveness& liveness) {
    boost::dynamic_bitset<> live(kernel_.registers.registers());
    boost::dynamic_bitset<> before = live;
    for (analysis::BlockId b = 0; b < cfg.block_count(); ++b) {
      live.reset();
      for (const analysis::BlockId to : cfg.block(b).successors)
        for (const RegId reg : liveness.live_in(to)) live.set(reg);
      for (std::uint32_t i = cfg.block(b).end; i-- > cfg.block(b).first;) {
        const Instruction& at = kernel_.code[i];
        for (const RegId reg : writes(at)) live.set(reg);
        before = live;
        for (const RegId reg : reads(at)) before.set(reg);
        for (std::size_t reg = before.find_first(); reg != before.npos; reg = before.find_next(reg)) {
          const std::uint32_t weight = weight_of(static_cast<RegId>(reg));
          if (weight != 0) live_[i].push_back(static_cast<RegId>(reg));
          weight_[i] += weight;
        }
        if (!at.guard.present)
          for (const RegId reg : writes(at)) live.reset(reg);
        for (const RegId reg : reads(at)) live.set(reg);
      }
    }
  }

  /// An access counts ten times as much in every loop around it; 0: not to be spilled.
  void find_costs() {
    constexpr unsigned kDeepest = 4;
    std::vector<unsigned> starts(kernel_.code.size() + 1, 0);
    std::vector<unsigned> ends(kernel_.code.size() + 1, 0);
    // A loop reaches from its head to the last branch back to it.
    std::map<std::uint32_t, std::uint32_t> loops;
    for (std::uint32_t i = 0; i < kernel_.code.size(); ++i) {
      const Instruction& at = kernel_.code[i];
      if (at.op == Opcode::kBranch && at.target.value() <= i) loops[at.target.value()] = i;
    }
    for (const auto& [head, last] : loops) {
      ++starts[head];
      ++ends[last + 1];
    }
    cost_.assign(kernel_.registers.registers(), 0);
    unsigned depth = 0;
    for (std::uint32_t i = 0; i < kernel_.code.size(); ++i) {
      depth += starts[i];
      depth -= ends[i];
      const double each = std::pow(10.0, std::min(depth, kDeepest));
      for (const RegId reg : reads(kernel_.code[i])) cost_[reg] += each;
      for (const RegId reg : writes(kernel_.code[i])) cost_[reg] += each;
    }
    for (std::size_t reg = 0; reg < cost_.size(); ++reg)
      if (kernel_.register_names[reg].starts_with(kTemporaryName)) cost_[reg] = 0;
  }

  /// What relieves most of the instructions with too many registers for what it costs.
  [[nodiscard]] std::optional<RegId> best(std::uint32_t limit) const {
    std::vector<double> relief(cost_.size(), 0);
    for (std::size_t i = 0; i < live_.size(); ++i) {
      if (weight_[i] <= limit) continue;
      for (const RegId reg : live_[i])
        if (cost_[reg] != 0 && !touches(kernel_.code[i], reg)) relief[reg] += weight_of(reg);
    }
    std::optional<RegId> found;
    double most = 0;
    for (std::size_t reg = 0; reg < relief.size(); ++reg) {
      if (relief[reg] == 0 || relief[reg] / cost_[reg] <= most) continue;
      most = relief[reg] / cost_[reg];
      found = static_cast<RegId>(reg);
    }
    return found;
  }

  const isa::Kernel& kernel_;
  std::vector<std::vector<RegId>> live_;  ///< by instruction: before it, and what it writes
  std::vector<std::uint32_t> weight_;     ///< by instruction
  std::vector<double> cost_;              ///< by register
};

/// Registers that hold a spilled value for one instruction. They take turns, so that instructions in a row need not wait.
class Temporaries {
 public:
  explicit Temporaries(KernelEditor& editor) : editor_(editor) {}

  [[nodiscard]] Operand next(RowWidth width) {
    Ring& ring = width == RowWidth::k64 ? wide_ : narrow_;
    const std::size_t at = ring.used++ % kRegisters;
    if (at == ring.registers.size())
      ring.registers.push_back(editor_.new_register(
          width, std::string(kTemporaryName) + (width == RowWidth::k64 ? "d" : "") + std::to_string(at)));
    return ring.registers[at];
  }

 private:
  static constexpr std::size_t kRegisters = isa::kMaxSources + isa::kMaxDestinations;
  struct Ring {
    std::vector<Operand> registers;
    std::size_t used = 0;
  };
  KernelEditor& editor_;
  Ring narrow_;
  Ring wide_;
};

void spill(isa::Kernel& kernel, const std::vector<RegId>& chosen) {
  std::map<RegId, std::uint32_t> slots;
  std::uint32_t end = (kernel.local_bytes_per_thread + 7u) & ~7u;
  for (const RowWidth width : {RowWidth::k64, RowWidth::k32})
    for (const RegId reg : chosen)
      if (kernel.registers.row(reg).width == width) {
        slots.emplace(reg, end);
        end += width == RowWidth::k64 ? 8 : 4;
      }
  kernel.local_bytes_per_thread = end;

  KernelEditor editor(kernel);
  Temporaries temporaries(editor);
  for (std::uint32_t i = 0; i < kernel.code.size(); ++i) {
    Instruction& at = editor.at(Pc(i));
    const Instruction before = at;
    const bool writes_guard = before.guard.present && contains(writes(before), before.guard.reg);
    std::map<RegId, Operand> held;
    isa::for_each_operand(at, [&](Operand& operand) {
      if (!operand.present || operand.space != isa::RowSpace::kRegister || !slots.contains(operand.reg))
        return;
      const RegId reg = operand.reg;
      const auto [holder, first] = held.try_emplace(reg);
      if (first) holder->second = temporaries.next(operand.width);
      operand = holder->second;
    });
    for (const auto& [reg, temporary] : held) {
      // What a guarded instruction leaves as it was is loaded as well, which ends the temporary's earlier life.
      if (contains(reads(before), reg) || before.guard.present)
        editor.insert_before(Pc(i), Entry::kJumpsToo,
                             frame_access(Opcode::kLoad, temporary, Operand{}, slots.at(reg)));
      if (!contains(writes(before), reg)) continue;
      Instruction store = frame_access(Opcode::kStore, temporary, Operand{}, slots.at(reg));
      if (!writes_guard) {
        store.guard = before.guard;
        store.guard2 = before.guard2;
      }
      editor.insert_after(Pc(i), store);
    }
  }
  editor.finish();
}

/// The most that one instruction reads or writes: spilling cannot go below. A guarded one may leave what it writes.
std::uint32_t floor_of(const isa::Kernel& kernel) {
  std::uint32_t most = 0;
  for (const Instruction& at : kernel.code) {
    std::uint32_t before = 0;
    std::uint32_t behind = 0;
    for (const RegId reg : reads(at)) before += analysis::register_weight(kernel.registers, reg);
    for (const RegId reg : writes(at)) {
      const std::uint32_t weight = analysis::register_weight(kernel.registers, reg);
      behind += weight;
      if (at.guard.present && !contains(reads(at), reg)) before += weight;
    }
    most = std::max({most, before, behind});
  }
  return most;
}

bool may_spill(const isa::Kernel& kernel) {
  return !kernel.is_machine_code() && kernel.functions.empty() && !kernel.uses_stack &&
         std::none_of(kernel.code.begin(), kernel.code.end(),
                      [](const Instruction& i) { return i.op == Opcode::kTransaction; });
}

}  // namespace

void SpillRegisters::run(isa::Kernel& kernel) const {
  if (!may_spill(kernel)) return;
  constexpr unsigned kRounds = 8;  // what is loaded for an instruction takes registers itself
  const std::uint32_t wanted = limit_(kernel);
  if (wanted == kNoLimit) return;
  const std::uint32_t limit = std::max(wanted, floor_of(kernel));
  std::uint32_t target = limit;
  for (unsigned round = 0; round < kRounds; ++round) {
    const analysis::ControlFlowGraph cfg(kernel.code, kernel.targets);
    const analysis::Liveness liveness(cfg, kernel.registers);
    const std::uint32_t needed = analysis::registers_needed(kernel, cfg, liveness);
    if (needed <= limit) return;
    if (round != 0) target -= std::min(target, needed - limit);
    const std::vector<RegId> chosen = Choice(kernel, cfg, liveness).below(target);
    if (chosen.empty()) return;
    spill(kernel, chosen);
  }
}

}  // namespace heddle::compiler
