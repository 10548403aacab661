#include "compiler/ignore_convergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "analysis/regions.h"
#include "base/error.h"
#include "isa/convergence.h"
#include "isa/lane_ops.h"

namespace heddle::compiler {
namespace {

using base::Pc;
using isa::ConvergenceOp;
using isa::Instruction;
using isa::Opcode;

[[noreturn]] void fail(const isa::Kernel& kernel, std::uint32_t pc, const std::string& message,
                       const std::string& remedy) {
  throw base::InputError(kernel.location(Pc(pc)),
                         fmt::format("{}\n  {}", message, kernel.source_line(Pc(pc))), remedy);
}

bool reads(const Instruction& instruction, isa::RegId reg) {
  const auto end = instruction.reads.begin() + instruction.read_count;
  return std::find(instruction.reads.begin(), end, reg) != end;
}

bool writes(const Instruction& instruction, isa::RegId reg) {
  const auto end = instruction.writes.begin() + instruction.write_count;
  return std::find(instruction.writes.begin(), end, reg) != end;
}

bool is(const Instruction& instruction, ConvergenceOp op) {
  return instruction.op == Opcode::kConvergence && instruction.convergence == op;
}

/// The value of a barrier register is the mechanism's own: a program may keep it and write it back.
void check_value(const isa::Kernel& kernel, std::uint32_t read) {
  const isa::RegId reg = kernel.code[read].dst[0].reg;
  analysis::walk(kernel.code, kernel.targets, read, [&](std::uint32_t pc) {
    const Instruction& instruction = kernel.code[pc];
    // What passes insert keeps the value in the frame, and so does machine code.
    const bool keeps = instruction.inserted ||
                       (instruction.op == Opcode::kStore && instruction.space == isa::StateSpace::kLocal);
    if (reads(instruction, reg) && !is(instruction, ConvergenceOp::kWrite) && !keeps)
      fail(
          kernel, pc,
          fmt::format(
              "uses the lanes of B{}, which {} in line {} has read: without barrier registers there are none",
              kernel.code[read].barrier, isa::convergence_name(kernel.code[read].convergence),
              kernel.code[read].where.line),
          "Run it with a mechanism that executes convergence instructions.");
    return writes(instruction, reg) && !instruction.guard.present ? analysis::Walk::kStop
                                                                  : analysis::Walk::kOn;
  });
}

bool names_all_lanes(const isa::Kernel& kernel, const isa::Operand& members) {
  if (members.space != isa::RowSpace::kConstant) return false;
  std::uint32_t value = 0;
  std::memcpy(&value, kernel.constants.data() + members.offset, sizeof value);
  return value == base::LaneMask::all().bits();
}

Instruction warp_barrier(const isa::Kernel& kernel, const Instruction& warpsync) {
  Instruction out;
  out.op = Opcode::kWarpSync;
  out.barrier = warpsync.barrier;  // its isa::WarpSyncKind
  if (warpsync.dst[0].present) {   // the operation is no other one's partner
    out.dst[0] = warpsync.dst[0];
    out.src[0] = warpsync.src[1];
    out.src[1] = warpsync.src[0];
    out.member_mask = 1;
    out.immediate = 1;
    out.lane_fn = isa::find_lane_fn({.op = isa::LaneOp::kMov, .type = isa::Type::kB32});
  } else {
    out.src[0] = warpsync.src[0];
    out.member_mask = 0;
  }
  out.names_all_lanes = names_all_lanes(kernel, warpsync.src[0]);
  out.guard = warpsync.guard;
  out.guard2 = warpsync.guard2;
  return out;
}

}  // namespace

void RefuseConvergence::run(isa::Kernel& kernel) const {
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc)
    if (kernel.code[pc].op == Opcode::kConvergence)
      fail(kernel, pc,
           fmt::format("{} has no barrier registers, which convergence instructions such as {} need",
                       mechanism_, isa::convergence_name(kernel.code[pc].convergence)),
           remedy_);
}

void IgnoreConvergence::run(isa::Kernel& kernel) const {
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc)
    if ((is(kernel.code[pc], ConvergenceOp::kRead) || is(kernel.code[pc], ConvergenceOp::kReadClear)) &&
        kernel.code[pc].dst[0].present)
      check_value(kernel, pc);
  for (Instruction& instruction : kernel.code) {
    if (instruction.op != Opcode::kConvergence) continue;
    Instruction instead =
        is(instruction, ConvergenceOp::kWarpSync) ? warp_barrier(kernel, instruction) : Instruction{};
    instead.where = instruction.where;
    instead.inserted = instruction.inserted;
    isa::list_registers(instead);
    instruction = instead;
  }
}

}  // namespace heddle::compiler
