#include "compiler/new_instructions.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/convergence.h"

namespace heddle::compiler {

using isa::Instruction;
using isa::Opcode;

namespace {

isa::LaneSpec lane_spec(isa::LaneOp op, isa::Type type, isa::Compare compare) {
  isa::LaneSpec spec;
  spec.op = op;
  spec.type = type;
  spec.compare = compare;
  return spec;
}

/// An instruction holds the function only. These are what the compiler's passes insert.
std::string lane_name(isa::LaneFn function) {
  using isa::Compare;
  using isa::LaneOp;
  using isa::Type;
  struct Known {
    const char* name;
    LaneOp op;
    Type type;
    Compare compare;
  };
  static constexpr Known kKnown[] = {
      {"mov.b32", LaneOp::kMov, Type::kB32, Compare::kNe},
      {"add.u32", LaneOp::kAdd, Type::kU32, Compare::kNe},
      {"sub.u32", LaneOp::kSub, Type::kU32, Compare::kNe},
      {"selp.b32", LaneOp::kSelp, Type::kB32, Compare::kNe},
      {"setp.ne.u32", LaneOp::kSetp, Type::kU32, Compare::kNe},
      {"setp.le.u32", LaneOp::kSetp, Type::kU32, Compare::kLe},
  };
  for (const Known& known : kKnown)
    if (isa::find_lane_fn(lane_spec(known.op, known.type, known.compare)) == function) return known.name;
  return "(operation)";
}

}  // namespace

Instruction lane_instruction(isa::LaneOp op, isa::Type type, const isa::Operand& to,
                             std::initializer_list<isa::Operand> from, isa::Compare compare) {
  Instruction out;
  out.op = Opcode::kLane;
  out.lane_fn = isa::find_lane_fn(lane_spec(op, type, compare));
  out.dst[0] = to;
  std::copy(from.begin(), from.end(), out.src.begin());
  return out;
}

Instruction frame_access(Opcode op, const isa::Operand& row, const isa::Operand& frame,
                         std::uint64_t offset) {
  Instruction out;
  out.op = op;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.space = isa::StateSpace::kLocal;
  out.type = row.width == isa::RowWidth::k64 ? isa::Type::kB64 : isa::Type::kB32;
  out.memory.base = frame;
  out.memory.displacement = static_cast<std::int64_t>(offset);
  (op == Opcode::kLoad ? out.dst[0] : out.src[0]) = row;
  return out;
}

std::string inserted_text(const isa::Kernel& kernel, base::Pc pc) {
  const Instruction& instruction = kernel.code[pc.value()];
  if (instruction.op == Opcode::kConvergence) return isa::convergence_text(kernel, pc);
  std::string text;
  if (instruction.guard.present)
    text =
        fmt::format("@{}{} ", instruction.guard.negated ? "!" : "", isa::row_text(kernel, instruction.guard));
  const auto address = [&] {
    if (!instruction.memory.base.present) return fmt::format("[{}]", instruction.memory.displacement);
    return fmt::format("[{}+{}]", isa::row_text(kernel, instruction.memory.base),
                       instruction.memory.displacement);
  };
  switch (instruction.op) {
    case Opcode::kBranch:
      return text + fmt::format("BRA 0x{:03x}", kernel.code_address(instruction.target));
    case Opcode::kLoad:
      return text + fmt::format("ld.{}.{} {}, {}", isa::space_name(instruction.space),
                                isa::type_name(instruction.type), isa::row_text(kernel, instruction.dst[0]),
                                address());
    case Opcode::kStore:
      return text + fmt::format("st.{}.{} {}, {}", isa::space_name(instruction.space),
                                isa::type_name(instruction.type), address(),
                                isa::row_text(kernel, instruction.src[0]));
    case Opcode::kLane: {
      text += lane_name(instruction.lane_fn) + " " + isa::row_text(kernel, instruction.dst[0]);
      for (const isa::Operand& source : instruction.src)
        if (source.present) text += ", " + isa::row_text(kernel, source);
      return text;
    }
    default:
      return text + "(instruction)";
  }
}

}  // namespace heddle::compiler
