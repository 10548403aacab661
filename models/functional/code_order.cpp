#include "functional/code_order.h"

#include <numeric>

namespace heddle::functional {
namespace {

using base::Pc;
using isa::Instruction;
using isa::Opcode;

/// Ways on from an instruction, but into the functions it calls. What joins the others is the first, so that it becomes the last in the order.
std::uint32_t ways_of(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::kBranch:
      return 3;
    case Opcode::kIndirect:
      return 2 + instruction.table_count;
    case Opcode::kExit:
    case Opcode::kReturn:
      return instruction.guard.present ? 1 : 0;
    default:
      return 1;
  }
}

/// kNoPc: there is none.
Pc way_of(const isa::Kernel& kernel, Pc pc, std::uint32_t way) {
  const Instruction& instruction = kernel.code[pc.value()];
  const bool always = !instruction.guard.present && instruction.togetherness == isa::Togetherness::kAny;
  const bool branch = instruction.op == Opcode::kBranch;
  if (way + 1 == ways_of(instruction))
    return (branch || instruction.op == Opcode::kIndirect) && always ? base::kNoPc : Pc{pc.value() + 1};
  if (way == 0) return branch && always ? base::kNoPc : instruction.rpc;
  return branch ? instruction.target : kernel.targets[instruction.table_first + way - 1];
}

}  // namespace

std::vector<std::uint32_t> code_order(const isa::Kernel& kernel) {
  struct Step {
    Pc pc{};
    std::uint32_t way = 0;
  };
  const auto size = static_cast<std::uint32_t>(kernel.code.size());
  std::vector<std::uint32_t> order(size);
  std::vector<bool> seen(size);
  std::vector<Step> path;
  const auto enter = [&](Pc pc) {
    if (pc == base::kNoPc || pc.value() >= size || seen[pc.value()]) return;
    seen[pc.value()] = true;
    path.push_back({pc});
  };
  std::uint32_t place =
      size;  // the first instruction that a depth-first search leaves is the last in the order
  for (std::uint32_t entry = 0; entry < size; ++entry) {
    enter(Pc{entry});
    while (!path.empty()) {
      Step& last = path.back();
      if (last.way < ways_of(kernel.code[last.pc.value()])) {
        enter(way_of(kernel, last.pc, last.way++));
      } else {
        order[last.pc.value()] = --place;
        path.pop_back();
      }
    }
  }
  return order;
}

std::vector<std::uint32_t> order_of_addresses(const isa::Kernel& kernel) {
  std::vector<std::uint32_t> order(kernel.code.size());
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

}  // namespace heddle::functional
