#include "analysis/finishing.h"

#include <algorithm>

namespace heddle::analysis {
namespace {

using isa::Instruction;
using isa::Opcode;

/// A thread that executes it does not end by itself, or is looked at by others.
bool holds_at(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::kBarrier:
    case Opcode::kWarpSync:
    case Opcode::kConvergence:
    case Opcode::kTransaction:
    case Opcode::kReturn:  // what its caller does next is not known here
      return true;
    default:
      return instruction.cross_lane;
  }
}

bool reads_shared_data(const Instruction& instruction) {
  if (instruction.op == Opcode::kAtomic || instruction.op == Opcode::kTexture) return true;
  return instruction.op == Opcode::kLoad && instruction.space != isa::StateSpace::kParam &&
         instruction.space != isa::StateSpace::kConst && instruction.space != isa::StateSpace::kLocal;
}

}  // namespace

FinishingCode::FinishingCode(const isa::Kernel& kernel, const ControlFlowGraph& cfg, bool barriers)
    : kernel_(kernel),
      cfg_(cfg),
      barriers_(barriers),
      holds_(no_blocks(cfg)),
      waits_(no_blocks(cfg)),
      waiting_calls_(no_blocks(cfg)) {
  find_in_blocks();
  find_through_calls();
  if (waits_.none()) return;
  spread(waits_);
  spread(holds_);
  find_waiting_loops();
  spread(holds_);
}

bool FinishingCode::waits_at(const Instruction& instruction) const {
  return instruction.op == Opcode::kWarpSync || (barriers_ && instruction.op == Opcode::kBarrier);
}

void FinishingCode::find_in_blocks() {
  for (BlockId b = 0; b < cfg_.block_count(); ++b)
    for (std::uint32_t pc = cfg_.block(b).first; pc < cfg_.block(b).end; ++pc) {
      const Instruction& instruction = cfg_.code()[pc];
      if (waits_at(instruction)) waits_.set(b);
      if (holds_at(instruction)) holds_.set(b);
      if (reads_shared_data(instruction) && (reading_.empty() || reading_.back() != b)) reading_.push_back(b);
    }
}

/// A function holds if anything but its returns does; so do indirect calls and recursion.
void FinishingCode::find_through_calls() {
  struct Use {
    bool holds = false;
    bool waits = false;
  };
  std::vector<Use> uses(kernel_.functions.size());
  const auto callee = [&](const Instruction& call) -> std::size_t {
    const isa::FunctionCode* const to = kernel_.function_at(call.target);
    return to == nullptr ? uses.size() : static_cast<std::size_t>(to - kernel_.functions.data());
  };
  const auto use_of = [&](const Instruction& instruction) -> Use {
    if (instruction.op != Opcode::kCall)
      return {holds_at(instruction) && instruction.op != Opcode::kReturn, waits_at(instruction)};
    if (!instruction.src[0].present) {
      const std::size_t to = callee(instruction);
      return to == uses.size() ? Use{true, false} : uses[to];
    }
    const bool waits = std::any_of(uses.begin(), uses.end(), [](const Use& use) { return use.waits; });
    return {true, waits};
  };
  for (std::size_t f = 0; f < uses.size(); ++f) uses[f].holds = kernel_.functions[f].recursion != 0;
  for (const BlockId b : reading_) {
    const isa::FunctionCode* const in = kernel_.function_at(base::Pc(cfg_.block(b).first));
    if (in != nullptr && in_loop(b))
      uses[static_cast<std::size_t>(in - kernel_.functions.data())].holds = true;
  }
  for (bool again = true; again;) {
    again = false;
    for (std::size_t f = 0; f < uses.size(); ++f) {
      Use now = uses[f];
      for (std::uint32_t pc = kernel_.functions[f].first; pc < kernel_.functions[f].end; ++pc) {
        const Use use = use_of(kernel_.code[pc]);
        now.holds = now.holds || use.holds;
        now.waits = now.waits || use.waits;
      }
      again = again || now.holds != uses[f].holds || now.waits != uses[f].waits;
      uses[f] = now;
    }
  }
  for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
    if (kernel_.code[pc].op != Opcode::kCall) continue;
    const Use use = use_of(kernel_.code[pc]);
    if (use.holds) holds_.set(cfg_.block_of(pc));
    if (!use.waits) continue;
    waits_.set(cfg_.block_of(pc));
    waiting_calls_.set(cfg_.block_of(pc));
  }
}

void FinishingCode::find_waiting_loops() {
  for (const BlockId b : reading_)
    if (!holds_.test(b) && in_loop(b)) holds_.set(b);
}

bool FinishingCode::in_loop(BlockId block) const {
  BlockSet reached = no_blocks(cfg_);
  std::vector<BlockId> work = cfg_.block(block).successors;
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    if (reached.test(b)) continue;
    reached.set(b);
    work.insert(work.end(), cfg_.block(b).successors.begin(), cfg_.block(b).successors.end());
  }
  return reached.test(block);
}

std::optional<std::uint32_t> FinishingCode::waits_in(BlockId block) const {
  if (waiting_calls_.test(block)) return std::nullopt;
  std::uint32_t count = 0;
  for (std::uint32_t pc = cfg_.block(block).first; pc < cfg_.block(block).end; ++pc)
    if (waits_at(cfg_.code()[pc])) ++count;
  return count;
}

std::optional<std::uint32_t> FinishingCode::waits_between(BlockId from, BlockId to) const {
  // Depth first; a block is done when all that it leads to are.
  std::vector<std::optional<std::uint32_t>> number(cfg_.block_count() + 1);
  BlockSet entered = no_blocks(cfg_);
  BlockSet done = no_blocks(cfg_);
  entered.set(to);
  done.set(to);
  number[to] = 0;
  std::vector<BlockId> work{from};
  while (!work.empty()) {
    const BlockId b = work.back();
    if (done.test(b)) {
      work.pop_back();
      continue;
    }
    if (!entered.test(b)) {
      entered.set(b);
      for (const BlockId next : cfg_.block(b).successors) {
        if (!entered.test(next)) work.push_back(next);
      }
      continue;
    }
    work.pop_back();
    done.set(b);
    std::optional<std::uint32_t> behind;
    for (const BlockId next : cfg_.block(b).successors) {
      if (!done.test(next)) continue;  // a loop
      if (!number[next] || (behind && *behind != *number[next])) return std::nullopt;
      behind = number[next];
    }
    const auto own = waits_in(b);
    if (!own || (*own != 0 && in_loop(b))) return std::nullopt;
    number[b] = behind.value_or(0) + *own;
  }
  return number[from];
}

/// To all blocks that lead to one of them.
void FinishingCode::spread(BlockSet& blocks) const {
  std::vector<BlockId> work;
  for (std::size_t b = blocks.find_first(); b != BlockSet::npos; b = blocks.find_next(b))
    work.push_back(static_cast<BlockId>(b));
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    for (const BlockId from : cfg_.block(b).predecessors) {
      if (blocks.test(from)) continue;
      blocks.set(from);
      work.push_back(from);
    }
  }
}

}  // namespace heddle::analysis
