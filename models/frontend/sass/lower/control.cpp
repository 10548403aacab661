// Control flow: branches, calls through registers, convergence barriers, CTA barriers, sleep and traps.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/sass/form.h"
#include "frontend/sass/lower/lowering.h"
#include "frontend/sass/lower/words.h"
#include "isa/convergence.h"

namespace heddle::sass {
namespace {

using isa::ConvergenceOp;

void begin_control(isa::Opcode op, isa::Instruction& out) {
  out.op = op;
  out.unit = isa::Unit::kControl;
  out.latency_class = isa::LatencyClass::kControl;
  out.stops_fetch = true;
  out.transfer = isa::transfer_of(op);
}

/// Code address of a target.
std::uint64_t target_address(const Lowering& of, const Operand& target) {
  return target.kind == Operand::Kind::kAbsoluteTarget
             ? static_cast<std::uint64_t>(target.value)
             : of.next_address() + static_cast<std::uint64_t>(target.value);
}

isa::Pc pc_of(const Lowering& of, std::uint64_t address) {
  const std::uint64_t pc = address / kInstructionBytes;
  if (address % kInstructionBytes != 0 || pc >= of.end / kInstructionBytes)
    of.rows.refuse(fmt::format("its target {:#x} is no instruction of the kernel", address));
  return isa::Pc(static_cast<std::uint32_t>(pc));
}

/// The table of an indirect branch or call.
void set_table(Lowering& of, const std::vector<std::uint32_t>& addresses, isa::Instruction& out) {
  out.table_first = static_cast<std::uint32_t>(of.kernel.targets.size());
  out.table_count = static_cast<std::uint32_t>(addresses.size());
  for (const std::uint32_t address : addresses) of.kernel.targets.push_back(pc_of(of, address));
}

/// A code address in a pair of registers, plus what the instruction adds to it.
void set_register_target(Lowering& of, const Instruction& in, isa::Instruction& out) {
  const Operand& pair = *in.find(Role::kA);
  const bool uniform = pair.kind == Operand::Kind::kUniformRegister;
  out.target_is_address = true;
  out.target_is_pair = true;
  out.src[0] = uniform ? of.rows.uniform(pair.number) : of.rows.general(pair.number);
  out.src[1] = uniform ? of.rows.uniform_high(pair.number) : of.rows.general_high(pair.number);
  const Operand* const target = in.find(Role::kTarget);
  if (target != nullptr && target->kind == Operand::Kind::kTarget)
    out.immediate = target_address(of, *target);
}

/// Whether the address is where a function of the kernel begins.
bool is_function(const Lowering& of, std::uint64_t address) {
  return std::binary_search(of.functions.begin(), of.functions.end(), static_cast<std::uint32_t>(address));
}

void lower_own_address(Lowering& of, const Instruction& in, isa::Instruction& out) {
  const Operand* const behind = in.find(Role::kB);  // of sm_90
  const unsigned to = in.find(Role::kDst)->number;
  out.op = isa::Opcode::kLane;
  out.lane_fn = move_words;
  out.src[0] = of.rows.literal(static_cast<std::uint32_t>(
      behind == nullptr ? of.address() : of.next_address() + static_cast<std::uint64_t>(behind->value)));
  out.src[1] = of.rows.literal(0);
  out.dst[0] = of.rows.to_general(to);
  out.dst[1] = of.rows.to_general_high(to);
}

void lower_branch(Lowering& of, const Instruction& in, isa::Instruction& out) {
  begin_control(isa::Opcode::kBranch, out);
  out.target = pc_of(of, target_address(of, *in.find(Role::kTarget)));
  if (in.value(Modifier::kShape) != 0) {
    out.src[0] = of.rows.literal(0xffff'ffffu);
    out.togetherness = isa::Togetherness::kApart;
    out.uniform = true;
    return;
  }
  constexpr std::uint16_t kDiverged = 2, kConverged = 3;
  const std::uint16_t mode = in.value(Modifier::kMode);
  if (mode != kDiverged && mode != kConverged) return;
  const Operand* const mask = in.find(Role::kMask);  // of sm_90; of sm_75 all lanes
  out.src[0] = mask != nullptr ? of.rows.uniform(mask->number) : of.rows.literal(0xffff'ffffu);
  out.togetherness = mode == kDiverged ? isa::Togetherness::kApart : isa::Togetherness::kTogether;
}

void lower_indirect_branch(Lowering& of, const Instruction& in, isa::Instruction& out) {
  begin_control(isa::Opcode::kIndirect, out);
  set_register_target(of, in, out);
  for (const PlacedKernel::Part& part : of.placed.parts) {
    if (of.address() < part.first || of.address() >= part.end) continue;
    for (const CodeSection::IndirectBranch& each : of.module.cubin.code[part.section].indirect_branches) {
      if (each.offset != of.address() - part.first) continue;
      std::vector<std::uint32_t> targets;
      for (const std::uint32_t offset : each.targets)
        targets.push_back(static_cast<std::uint32_t>(part.first) + offset);
      set_table(of, targets, out);
    }
  }
}

void lower_call(Lowering& of, const Instruction& in, isa::Instruction& out) {
  if (in.find(Role::kA) != nullptr) {
    begin_control(isa::Opcode::kCall, out);
    set_register_target(of, in, out);
    set_table(of, of.functions, out);
    out.rpc = pc_of(of, of.next_address());
    return;
  }
  std::uint64_t address = target_address(of, *in.find(Role::kTarget));
  if (const auto driver = of.kernel.function_addresses.find(address);
      driver != of.kernel.function_addresses.end())
    address = driver->second.entry.value() * kInstructionBytes;
  // The return address is in registers, so a call of what is no function is a branch, and is used as one.
  begin_control(is_function(of, address) ? isa::Opcode::kCall : isa::Opcode::kBranch, out);
  out.target = pc_of(of, address);
  if (out.op == isa::Opcode::kCall) out.rpc = pc_of(of, of.next_address());
}

// ---- Convergence barriers

void take(const isa::Instruction& made, isa::Instruction& out) {
  const isa::SourceLoc where = out.where;
  out = made;
  out.where = where;
}

void lower_warpsync(Lowering& of, const Instruction& in, isa::Instruction& out) {
  const Operand* members = in.find(Role::kMask);
  if (members == nullptr) members = in.find(Role::kB);
  isa::Operand mask;
  if (members == nullptr) {
    mask = of.rows.literal(0xffff'ffffu);  // .ALL
  } else if (members->kind == Operand::Kind::kImmediate) {
    mask = of.rows.literal(static_cast<std::uint32_t>(members->value));
  } else if (members->kind == Operand::Kind::kConstant) {
    mask = of.rows.bank(members->bank, static_cast<std::uint32_t>(members->value));
  } else {
    mask = members->kind == Operand::Kind::kUniformRegister ? of.rows.uniform(members->number)
                                                            : of.rows.general(members->number);
  }
  enum : unsigned { kExclusive = 1 };
  const Operand* const behind = in.find(Role::kTarget);
  const auto kind = behind != nullptr                         ? isa::WarpSyncKind::kCollective
                    : in.value(Modifier::kMode) == kExclusive ? isa::WarpSyncKind::kExclusive
                                                              : isa::WarpSyncKind::kPlain;
  take(isa::warpsync(mask, kind), out);
  if (behind == nullptr) return;
  // .COLLECTIVE: each lane keeps where it goes on behind the ENDCOLLECTIVE.
  out.src[1] = of.rows.literal(static_cast<std::uint32_t>(target_address(of, *behind)));
  out.dst[0] = own_row(of.rows, OwnRow::kCollectiveReturn);
}

void lower_end_of_collective(Lowering& of, isa::Instruction& out) {
  begin_control(isa::Opcode::kIndirect, out);
  out.target_is_address = true;
  out.src[0] = own_row(of.rows, OwnRow::kCollectiveReturn);
  set_table(of, of.collective_targets, out);
}

void lower_barrier_move(Lowering& of, const Instruction& in, isa::Instruction& out) {
  const std::uint8_t barrier = in.find(Role::kBarrier)->number;
  if (in.op == Opcode::kBmovRead)
    return take(isa::read_barrier(of.rows.to_general(in.find(Role::kDst)->number), barrier,
                                  in.value(Modifier::kClear) != 0),
                out);
  take(isa::write_barrier(barrier, of.rows.general(in.find(Role::kB)->number)), out);
}

/// Half of the thread's return address and a register.
void lower_return_pc_move(Lowering& of, const Instruction& in, isa::Instruction& out) {
  const auto half = [&](Role role) {
    return own_row(of.rows, in.find(role)->number == 0 ? OwnRow::kReturnPcLow : OwnRow::kReturnPcHigh);
  };
  const bool reads = in.op == Opcode::kRpcmovRead;
  out.op = isa::Opcode::kLane;
  out.lane_fn = move_words;
  out.src[0] = reads ? half(Role::kB) : of.rows.general(in.find(Role::kB)->number);
  out.dst[0] = reads ? of.rows.to_general(in.find(Role::kDst)->number) : half(Role::kDst);
}

// ---- CTA barriers

void lower_cta_barrier(Lowering& of, const Instruction& in, isa::Instruction& out) {
  constexpr std::uint16_t kArrive = 1, kScan = 3;
  begin_control(isa::Opcode::kBarrier, out);
  const std::uint16_t mode = in.value(Modifier::kMode);
  if (mode == kScan) of.rows.refuse("BAR.SCAN is not supported");
  if (mode == kArrive) out.barrier_kind = isa::BarrierKind::kArrive;
  const Operand& id = *in.find(Role::kBarrier);
  const Operand* const count = in.find(Role::kCount);
  if (id.kind == Operand::Kind::kImmediate) {
    out.src[0] = of.rows.literal(static_cast<std::uint32_t>(id.value));
  } else {
    out.src[0] = of.rows.general(id.number);
    out.barrier_packed = count == nullptr;
  }
  if (count != nullptr && count->kind == Operand::Kind::kRegister)
    out.src[1] = of.rows.general(count->number);
  else if (count != nullptr && count->value != 0)
    out.src[1] = of.rows.literal(static_cast<std::uint32_t>(count->value));
  if (in.form->modifiers.front().id != Modifier::kOperation) return;  // no BAR.RED
  constexpr isa::BarrierReduction kReductions[] = {isa::BarrierReduction::kPopc, isa::BarrierReduction::kAnd,
                                                   isa::BarrierReduction::kOr};
  const Operand& input = *in.find(Role::kPs0);
  out.barrier_reduction = kReductions[in.value(Modifier::kOperation)];
  out.src[2] = of.rows.predicate(input.number, input.negate);
  out.dst[0] = own_row(of.rows, OwnRow::kBarrierResult);
}

void lower_barrier_result(Lowering& of, const Instruction& in, isa::Instruction& out) {
  out.op = isa::Opcode::kLane;
  out.lane_fn = move_and_test;
  out.src[0] = own_row(of.rows, OwnRow::kBarrierResult);
  out.dst[0] = of.rows.to_general(in.find(Role::kDst)->number);
  if (const Operand* const holds = in.find(Role::kPd0)) out.dst[1] = of.rows.to_predicate(holds->number);
}

void lower_sleep(Lowering& of, const Instruction& in, isa::Instruction& out) {
  // .SYNCS may end early, and the code behind it asks the mbarrier again: the time is a bound, mostly of milliseconds.
  if (in.value(Modifier::kOperation) != 0) {
    out.op = isa::Opcode::kNop;
    return;
  }
  begin_control(isa::Opcode::kSleep, out);
  const Operand& time = *in.find(Role::kB);
  if (time.kind == Operand::Kind::kImmediate)
    out.src[0] = of.rows.literal(static_cast<std::uint32_t>(time.value));
  else if (time.kind == Operand::Kind::kConstant)
    out.src[0] = of.rows.bank(time.bank, static_cast<std::uint32_t>(time.value));
  else
    out.src[0] = time.kind == Operand::Kind::kUniformRegister ? of.rows.uniform(time.number)
                                                              : of.rows.general(time.number);
}

}  // namespace

bool lower_control(Lowering& of, const Instruction& in, isa::Instruction& out) {
  switch (in.op) {
    case Opcode::kLepc:
      lower_own_address(of, in, out);
      return true;
    case Opcode::kBra:
      lower_branch(of, in, out);
      return true;
    case Opcode::kBrx:
    case Opcode::kBrxu:
      lower_indirect_branch(of, in, out);
      return true;
    case Opcode::kCall:
      lower_call(of, in, out);
      return true;
    case Opcode::kRet:
      begin_control(isa::Opcode::kReturn, out);
      set_register_target(of, in, out);
      return true;
    case Opcode::kExit:
    case Opcode::kKill:
      begin_control(isa::Opcode::kExit, out);
      return true;
    case Opcode::kBssy:
      take(isa::bssy(in.find(Role::kBarrier)->number, pc_of(of, target_address(of, *in.find(Role::kTarget)))),
           out);
      return true;
    case Opcode::kBsync:
      take(isa::bsync(in.find(Role::kBarrier)->number), out);
      return true;
    case Opcode::kBreak:
      take(isa::break_barrier(in.find(Role::kBarrier)->number), out);
      return true;
    case Opcode::kBmovRead:
    case Opcode::kBmovWrite:
      lower_barrier_move(of, in, out);
      return true;
    case Opcode::kRpcmovRead:
    case Opcode::kRpcmovWrite:
      lower_return_pc_move(of, in, out);
      return true;
    case Opcode::kWarpsync:
      lower_warpsync(of, in, out);
      return true;
    case Opcode::kEndcollective:
      lower_end_of_collective(of, out);
      return true;
    case Opcode::kYield:
      take(isa::yield(), out);
      return true;
    case Opcode::kNanosleep:
      lower_sleep(of, in, out);
      return true;
    case Opcode::kBar:
      lower_cta_barrier(of, in, out);
      return true;
    case Opcode::kB2r:
      lower_barrier_result(of, in, out);
      return true;
    case Opcode::kBpt:
      begin_control(isa::Opcode::kTrap, out);
      return true;
    case Opcode::kNop:
      out.op = isa::Opcode::kNop;
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::sass
