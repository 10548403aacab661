#include <algorithm>

#include "frontend/sass/lower/lane_lowering.h"

namespace heddle::sass {

using Kind = Operand::Kind;

bool guard_is_source(const Instruction& in) {
  if (in.guard == kPt || in.guard_uniform) return false;
  return in.op == Opcode::kVoteu || in.op == Opcode::kRedux || in.op == Opcode::kElect ||
         in.op == Opcode::kR2ur || in.op == Opcode::kS2ur;
}

const Operand& LaneLowering::operand(Role role) const {
  const Operand* const found = in_.find(role);
  if (found == nullptr) refuse("an operand is missing");
  return *found;
}

bool LaneLowering::is_zero(Role role) const {
  const Operand& of = operand(role);
  if (of.negate || of.absolute) return false;
  return (of.kind == Kind::kRegister && of.number == kRz) ||
         (of.kind == Kind::kUniformRegister && of.number == kUrz);
}
bool LaneLowering::is_constant(Role role, bool holds) const {
  const Operand& of = operand(role);
  return of.number == kPt && of.negate != holds;
}
bool LaneLowering::writes_predicate(Role role) const {
  const Operand* const of = in_.find(role);
  return of != nullptr && of->number != kPt;
}

unsigned LaneLowering::source(const isa::Operand& row) {
  out_.src.at(sources_) = row;
  return sources_++;
}
bool LaneLowering::has_source_guard() const { return guard_is_source(in_); }
bool LaneLowering::guard() {
  if (!has_source_guard()) return false;
  source(rows_.predicate(in_.guard, in_.guard_negated));
  return true;
}
unsigned LaneLowering::literal(std::uint32_t value) { return source(rows_.literal(value)); }

namespace {

std::uint64_t modifier_bits(const Operand& of, unsigned number) {
  return (of.negate ? isa::negated_source(number) : 0) | (of.absolute ? isa::absolute_source(number) : 0);
}

}  // namespace

unsigned LaneLowering::word(Role role) {
  const Operand& of = operand(role);
  unsigned number = 0;
  switch (of.kind) {
    case Kind::kRegister:
      number = source(rows_.general(of.number));
      break;
    case Kind::kUniformRegister:
      number = source(rows_.uniform(of.number));
      break;
    case Kind::kImmediate:
      number = literal(static_cast<std::uint32_t>(of.value));
      break;
    case Kind::kConstant:
      if (of.uniform != kNoRegister) refuse("constants of a bank that a uniform register names");
      number = source(rows_.bank(of.bank, static_cast<std::uint32_t>(of.value)));
      break;
    default:
      refuse("an operand that is no number");
  }
  immediate(modifier_bits(of, number));
  return number;
}

unsigned LaneLowering::pair(isa::Operand low, isa::Operand high, const Operand& of) {
  const unsigned number = source(low);
  source(high);
  immediate(modifier_bits(of, number));
  return number;
}
unsigned LaneLowering::integer_pair(Role role) {
  const Operand& of = operand(role);
  if (of.kind != Kind::kImmediate) return double_pair(role);
  return pair(rows_.literal(static_cast<std::uint32_t>(of.value)),
              rows_.literal(static_cast<std::uint32_t>(of.value >> 32)), of);
}
unsigned LaneLowering::double_pair(Role role) {
  const Operand& of = operand(role);
  switch (of.kind) {
    case Kind::kRegister:
      return pair(rows_.general(of.number), rows_.general_high(of.number), of);
    case Kind::kUniformRegister:
      return pair(rows_.uniform(of.number), rows_.uniform_high(of.number), of);
    case Kind::kImmediate:
      return pair(rows_.literal(0), rows_.literal(static_cast<std::uint32_t>(of.value)), of);
    case Kind::kConstant: {
      if (of.uniform != kNoRegister) refuse("constants of a bank that a uniform register names");
      const auto offset = static_cast<std::uint32_t>(of.value);
      return pair(rows_.bank(of.bank, offset), rows_.bank(of.bank, offset + 4), of);
    }
    default:
      refuse("an operand that is no number");
  }
}

unsigned LaneLowering::predicate(Role role) {
  const Operand& of = operand(role);
  return source(of.kind == Kind::kUniformPredicate ? rows_.uniform_predicate(of.number, of.negate)
                                                   : rows_.predicate(of.number, of.negate));
}
unsigned LaneLowering::predicate(bool value) { return source(rows_.constant_predicate(value)); }

void LaneLowering::result(Role role) {
  const Operand& of = operand(role);
  out_.dst.at(results_++) =
      of.kind == Kind::kUniformRegister ? rows_.to_uniform(of.number) : rows_.to_general(of.number);
}
void LaneLowering::result_high(Role role) {
  const Operand& of = operand(role);
  out_.dst.at(results_++) =
      of.kind == Kind::kUniformRegister ? rows_.to_uniform_high(of.number) : rows_.to_general_high(of.number);
}
void LaneLowering::predicate_result(Role role) {
  const Operand* const of = find(role);
  out_.dst.at(results_++) = of == nullptr                         ? isa::Operand{}
                            : of->kind == Kind::kUniformPredicate ? rows_.to_uniform_predicate(of->number)
                                                                  : rows_.to_predicate(of->number);
}

void LaneLowering::finish(isa::LaneFn function, isa::LatencyClass latency) {
  const bool writes =
      std::any_of(out_.dst.begin(), out_.dst.end(), [](const isa::Operand& o) { return o.present; });
  if (!writes) {
    function = isa::find_machine_fn({.op = isa::MachineOp::kNothing});
    out_.src = {};
  }
  if (function == nullptr) refuse("modifiers that this operation does not have together");
  out_.op = isa::Opcode::kLane;
  out_.lane_fn = function;
  out_.latency_class = latency;
  out_.unit = latency == isa::LatencyClass::kSfu ? isa::Unit::kSfu : isa::Unit::kSp;
}
void LaneLowering::use(const isa::MachineSpec& spec, isa::LatencyClass latency) {
  finish(isa::find_machine_fn(spec), latency);
}
void LaneLowering::use_ptx(const isa::LaneSpec& spec, isa::LatencyClass latency) {
  finish(isa::find_lane_fn(spec), latency);
}

isa::Rounding rounding_of(const LaneLowering& of) {
  constexpr isa::Rounding kRoundings[] = {isa::Rounding::kRn, isa::Rounding::kRm, isa::Rounding::kRp,
                                          isa::Rounding::kRz};
  return kRoundings[of.value(Modifier::kRounding) & 3];
}

bool lower_lane(const Instruction& instruction, KernelRows& rows, isa::Instruction& out) {
  LaneLowering of(instruction, rows, out);
  return lower_integer(of) || lower_bits(of) || lower_float(of) || lower_half(of) || lower_conversion(of) ||
         lower_move(of) || lower_warp(of);
}

}  // namespace heddle::sass
