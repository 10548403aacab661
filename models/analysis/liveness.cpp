#include "analysis/liveness.h"

#include <algorithm>
#include <stdexcept>

namespace heddle::analysis {
namespace {

using base::Pc;
using isa::Instruction;
using isa::RegId;

std::span<const RegId> reads(const Instruction& i) { return {i.reads.data(), i.read_count}; }
std::span<const RegId> writes(const Instruction& i) { return {i.writes.data(), i.write_count}; }

/// A set of registers that is emptied in constant time.
class RegisterSet {
 public:
  explicit RegisterSet(std::size_t registers) : stamp_(registers, 0) {}
  void clear() { ++now_; }
  [[nodiscard]] bool contains(RegId reg) const { return stamp_[reg] == now_; }
  /// False if it was already a member.
  bool insert(RegId reg) {
    if (contains(reg)) return false;
    stamp_[reg] = now_;
    return true;
  }
  bool erase(RegId reg) {
    if (!contains(reg)) return false;
    stamp_[reg] = 0;
    return true;
  }

 private:
  std::vector<std::uint32_t> stamp_;
  std::uint32_t now_ = 1;
};

}  // namespace

std::uint32_t register_weight(const isa::RegisterLayout& layout, RegId reg) {
  if (reg < layout.rows32) return 1;
  return reg < layout.rows32 + layout.rows64 ? 2 : 0;
}

Liveness::Liveness(const ControlFlowGraph& cfg, const isa::RegisterLayout& layout)
    : cfg_(cfg), layout_(layout), live_in_(cfg.block_count() + 1), peak_(cfg.block_count(), 0) {
  propagate();
  measure();
}

// One register at a time, from its upward exposed uses backwards to its definitions: time and memory are
// proportional to the result, regardless of the number of registers and blocks.
void Liveness::propagate() {
  const std::size_t registers = layout_.registers();
  struct Sites {
    std::vector<BlockId> used;    // read before any unguarded write in the block
    std::vector<BlockId> killed;  // written without a guard
  };
  std::vector<Sites> sites(registers);
  RegisterSet used(registers);
  RegisterSet killed(registers);
  for (BlockId b = 0; b < cfg_.block_count(); ++b) {
    used.clear();
    killed.clear();
    for (std::uint32_t i = cfg_.block(b).first; i < cfg_.block(b).end; ++i) {
      const Instruction& instruction = cfg_.code()[i];
      for (const RegId r : reads(instruction))
        if (!killed.contains(r) && used.insert(r)) sites[r].used.push_back(b);
      if (instruction.guard.present) continue;
      for (const RegId r : writes(instruction))
        if (killed.insert(r)) sites[r].killed.push_back(b);
    }
  }

  std::size_t entries = 0;
  std::vector<RegId> live_mark(cfg_.block_count() + 1, isa::kNoReg);
  std::vector<RegId> kill_mark(cfg_.block_count() + 1, isa::kNoReg);
  std::vector<BlockId> work;
  for (std::size_t index = 0; index < registers; ++index) {
    const auto r = static_cast<RegId>(index);
    for (const BlockId b : sites[r].killed) kill_mark[b] = r;
    const auto enter = [&](BlockId b) {
      if (live_mark[b] == r) return;
      live_mark[b] = r;
      live_in_[b].push_back(r);  // registers are visited in ascending order, so every list is sorted
      work.push_back(b);
      if (++entries > kMostEntries) throw std::length_error("too many live registers");
    };
    for (const BlockId b : sites[r].used) enter(b);
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      for (const BlockId from : cfg_.block(b).predecessors)
        if (kill_mark[from] != r) enter(from);
    }
  }
}

// A register that several successors need is reported once for each. The callers use sets, and merging the
// lists of a block with many successors would cost more than everything else here.
template <class Take>
void Liveness::for_each_live_out(BlockId block, Take take) const {
  for (const BlockId to : cfg_.block(block).successors)
    for (const RegId r : live_in_[to]) take(r);
}

void Liveness::measure() {
  RegisterSet live(layout_.registers());
  for (BlockId b = 0; b < cfg_.block_count(); ++b) {
    live.clear();
    std::uint32_t weight = 0;
    const auto add = [&](RegId r) {
      if (live.insert(r)) weight += register_weight(layout_, r);
    };
    std::uint32_t& peak = peak_[b];
    for_each_live_out(b, add);
    peak = std::max(peak, weight);
    for (std::uint32_t i = cfg_.block(b).end; i-- > cfg_.block(b).first;) {
      const Instruction& instruction = cfg_.code()[i];
      // A result that is never read still needs a register when it is written.
      for (const RegId r : writes(instruction)) add(r);
      peak = std::max(peak, weight);
      if (!instruction.guard.present)
        for (const RegId r : writes(instruction))
          if (live.erase(r)) weight -= register_weight(layout_, r);
      for (const RegId r : reads(instruction)) add(r);
      peak = std::max(peak, weight);
    }
  }
}

std::uint32_t Liveness::peak_registers(BlockId first, BlockId end) const {
  return first >= end ? 0 : *std::max_element(peak_.begin() + first, peak_.begin() + end);
}

std::vector<RegId> Liveness::live_before(std::uint32_t instruction) const {
  const BlockId b = cfg_.block_of(instruction);
  std::vector<bool> live(layout_.registers(), false);
  for_each_live_out(b, [&](RegId r) { live[r] = true; });
  for (std::uint32_t i = cfg_.block(b).end; i-- > instruction;) {
    const Instruction& at = cfg_.code()[i];
    if (!at.guard.present)
      for (const RegId r : writes(at)) live[r] = false;
    for (const RegId r : reads(at)) live[r] = true;
  }
  std::vector<RegId> out;
  for (std::size_t r = 0; r < live.size(); ++r)
    if (live[r]) out.push_back(static_cast<RegId>(r));
  return out;
}

namespace {

/// Functions by index, followed by the kernel itself.
class CallChains {
 public:
  CallChains(const isa::Kernel& kernel, const ControlFlowGraph& cfg, const Liveness& liveness)
      : kernel_(kernel), liveness_(liveness), need_(kernel.functions.size() + 1) {
    const auto own = static_cast<std::uint32_t>(kernel.functions.empty() ? kernel.code.size()
                                                                         : kernel.functions.front().first);
    const auto peak = [&](std::uint32_t first, std::uint32_t end) {
      return liveness.peak_registers(cfg.block_of(first),
                                     end == kernel.code.size() ? cfg.block_count() : cfg.block_of(end));
    };
    for (std::size_t f = 0; f < kernel.functions.size(); ++f)
      need_[f] = peak(kernel.functions[f].first, kernel.functions[f].end);
    need_.back() = peak(0, own);
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc)
      if (kernel.code[pc].op == isa::Opcode::kCall) add_call(pc);
    // Without recursion a chain has at most one call per function. Calls within a recursion add nothing.
    for (std::size_t round = 0; round <= kernel.functions.size(); ++round) {
      bool changed = false;
      for (const Call& call : calls_) {
        const std::uint32_t need = call.held + need_[call.callee];
        if (need <= need_[call.caller]) continue;
        need_[call.caller] = need;
        changed = true;
      }
      if (!changed) break;
    }
  }
  [[nodiscard]] std::uint32_t kernel_need() const { return need_.back(); }

 private:
  struct Call {
    std::size_t caller = 0;
    std::size_t callee = 0;
    std::uint32_t held = 0;
  };

  [[nodiscard]] std::size_t index_at(Pc pc) const {
    const isa::FunctionCode* const function = kernel_.function_at(pc);
    return function == nullptr ? kernel_.functions.size()
                               : static_cast<std::size_t>(function - kernel_.functions.data());
  }

  void add_call(std::uint32_t pc) {
    const Instruction& call = kernel_.code[pc];
    const std::size_t caller = index_at(Pc(pc));
    std::uint32_t held = 0;
    for (const RegId r : liveness_.live_before(pc + 1)) {
      const auto written = writes(call);
      if (std::find(written.begin(), written.end(), r) == written.end())
        held += register_weight(kernel_.registers, r);
    }
    const auto add = [&](Pc target) {
      const std::size_t callee = index_at(target);
      // What a recursive caller needs after a call into its recursion has been saved.
      const bool saved = caller < kernel_.functions.size() && kernel_.functions[caller].recursion != 0 &&
                         kernel_.functions[caller].recursion == kernel_.functions[callee].recursion;
      calls_.push_back({caller, callee, saved ? 0 : held});
    };
    if (!call.src[0].present) add(call.target);
    for (std::uint32_t i = 0; i < call.table_count; ++i) add(kernel_.targets[call.table_first + i]);
  }

  const isa::Kernel& kernel_;
  const Liveness& liveness_;
  std::vector<std::uint32_t> need_;
  std::vector<Call> calls_;
};

}  // namespace

std::uint32_t registers_needed(const isa::Kernel& kernel, const ControlFlowGraph& cfg,
                               const Liveness& liveness) {
  return CallChains(kernel, cfg, liveness).kernel_need();
}

}  // namespace heddle::analysis
