#include "isa/convergence.h"

#include <fmt/format.h>

#include <cstring>

#include "isa/kernel.h"

namespace heddle::isa {
namespace {

Instruction convergence(ConvergenceOp op, std::uint8_t barrier = 0) {
  Instruction out;
  out.op = Opcode::kConvergence;
  out.unit = Unit::kControl;
  out.latency_class = LatencyClass::kControl;
  out.convergence = op;
  out.barrier = barrier;
  // After these the lanes usually go on elsewhere.
  out.stops_fetch = op == ConvergenceOp::kSync || op == ConvergenceOp::kWarpSync;
  return out;
}

Instruction with_source(Instruction out, const Operand& source) {
  out.src[0] = source;
  list_registers(out);
  return out;
}

}  // namespace

const char* convergence_name(ConvergenceOp op) {
  switch (op) {
    case ConvergenceOp::kSet:
      return "BSSY";
    case ConvergenceOp::kSync:
      return "BSYNC";
    case ConvergenceOp::kBreak:
      return "BREAK";
    case ConvergenceOp::kRead:
      return "BMOV.32";
    case ConvergenceOp::kReadClear:
      return "BMOV.32.CLEAR";
    case ConvergenceOp::kWrite:
      return "BMOV.32";
    case ConvergenceOp::kWarpSync:
      return "WARPSYNC";
    case ConvergenceOp::kYield:
      return "YIELD";
  }
  return "";
}

std::string row_text(const Kernel& kernel, const Operand& operand) {
  if (!operand.present) return "RZ";
  if (operand.space == RowSpace::kRegister && operand.reg < kernel.register_names.size())
    return kernel.register_names[operand.reg];
  if (operand.space == RowSpace::kSpecial) return "special register";
  std::uint32_t value = 0;  // all lanes have the same
  std::memcpy(&value, kernel.constants.data() + operand.offset, sizeof value);
  return fmt::format("0x{:08x}", value);
}

std::string convergence_text(const Kernel& kernel, Pc pc) {
  const Instruction& instruction = kernel.code[pc.value()];
  const auto predicate = [&](const Operand& guard) {
    return std::string(guard.negated ? "!" : "") + row_text(kernel, guard);
  };
  std::string text;
  if (instruction.guard.present) text += "@" + predicate(instruction.guard) + " ";
  text += convergence_name(instruction.convergence);
  const char* separator = " ";
  const auto operand = [&](const std::string& each) {
    text += separator + each;
    separator = ", ";
  };
  if (instruction.guard2.present) operand(predicate(instruction.guard2));
  const std::string barrier = fmt::format("B{}", instruction.barrier);
  switch (instruction.convergence) {
    case ConvergenceOp::kSet:
      operand(barrier);
      operand(fmt::format("0x{:03x}", kernel.code_address(instruction.target)));
      break;
    case ConvergenceOp::kSync:
    case ConvergenceOp::kBreak:
      operand(barrier);
      break;
    case ConvergenceOp::kRead:
    case ConvergenceOp::kReadClear:
      operand(row_text(kernel, instruction.dst[0]));
      operand(barrier);
      break;
    case ConvergenceOp::kWrite:
      operand(barrier);
      operand(row_text(kernel, instruction.src[0]));
      break;
    case ConvergenceOp::kWarpSync:
      operand(row_text(kernel, instruction.src[0]));
      break;
    case ConvergenceOp::kYield:
      break;
  }
  return text;
}

Instruction bssy(std::uint8_t barrier, Pc resume) {
  Instruction out = convergence(ConvergenceOp::kSet, barrier);
  out.target = resume;
  list_registers(out);
  return out;
}

Instruction bsync(std::uint8_t barrier) {
  Instruction out = convergence(ConvergenceOp::kSync, barrier);
  list_registers(out);
  return out;
}

Instruction break_barrier(std::uint8_t barrier) {
  Instruction out = convergence(ConvergenceOp::kBreak, barrier);
  list_registers(out);
  return out;
}

Instruction read_barrier(const Operand& to, std::uint8_t barrier, bool clear) {
  Instruction out = convergence(clear ? ConvergenceOp::kReadClear : ConvergenceOp::kRead, barrier);
  out.dst[0] = to;
  list_registers(out);
  return out;
}

Instruction write_barrier(std::uint8_t barrier, const Operand& from) {
  return with_source(convergence(ConvergenceOp::kWrite, barrier), from);
}

Instruction warpsync(const Operand& members, WarpSyncKind kind) {
  return with_source(convergence(ConvergenceOp::kWarpSync, static_cast<std::uint8_t>(kind)), members);
}

Instruction yield() {
  Instruction out = convergence(ConvergenceOp::kYield);
  list_registers(out);
  return out;
}

}  // namespace heddle::isa
