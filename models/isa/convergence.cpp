#include "isa/convergence.h"

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

Instruction warpsync(const Operand& members) {
  return with_source(convergence(ConvergenceOp::kWarpSync), members);
}

Instruction yield() {
  Instruction out = convergence(ConvergenceOp::kYield);
  list_registers(out);
  return out;
}

}  // namespace heddle::isa
