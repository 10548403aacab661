#include "frontend/sass/lower/sequence.h"

#include <algorithm>

#include "frontend/sass/lower/words.h"

namespace heddle::sass {
namespace {

constexpr std::uint32_t kAllCounters = (1u << isa::ControlCodes::kCounters) - 1;
constexpr std::uint32_t kCounterStall = 2;  // until a counter shows that it is up
constexpr std::uint8_t kResults = 0, kSources = 1;

void begin_branch(isa::Instruction& out) {
  out.op = isa::Opcode::kBranch;
  out.unit = isa::Unit::kControl;
  out.latency_class = isa::LatencyClass::kControl;
  out.stops_fetch = true;
  out.transfer = isa::transfer_of(isa::Opcode::kBranch);
}

/// What waits for its operands and for everything else, and is waited for.
void wait_for_all(isa::Instruction& out) {
  out.codes.stall = kCounterStall;
  out.codes.wait_mask = kAllCounters;
  if (out.op == isa::Opcode::kBranch || out.op == isa::Opcode::kFence) return;
  const bool answers = std::ranges::any_of(out.dst, [](const isa::Operand& dst) { return dst.present; });
  if (answers) out.codes.write_barrier = kResults;
  if (out.unit == isa::Unit::kMemory) out.codes.read_barrier = kSources;
}

}  // namespace

Sequence::Sequence(Lowering& of, const Instruction& in, isa::Instruction& out)
    : of_(of), guard_(guard_of(of.rows, in)), number_(of.sequences.size()) {
  of.sequences.push_back({static_cast<std::uint32_t>(of.kernel.code.size()), {}});
  const isa::SourceLoc where = out.where;
  out = {};
  out.where = where;
  begin_branch(out);
}

isa::Instruction& Sequence::add(isa::Instruction instruction) {
  instruction.inserted = true;
  return of_.sequences[number_].code.emplace_back(std::move(instruction));
}

isa::Instruction& Sequence::lane(const isa::LaneSpec& what, isa::Operand to, isa::Operand a, isa::Operand b) {
  return own(isa::find_lane_fn(what), {to}, {a, b});
}

isa::Instruction& Sequence::own(isa::LaneFn function, std::initializer_list<isa::Operand> to,
                                std::initializer_list<isa::Operand> from) {
  isa::Instruction out;
  out.op = isa::Opcode::kLane;
  out.lane_fn = function;
  std::ranges::copy(to, out.dst.begin());
  std::ranges::copy(from, out.src.begin());
  return add(out);
}

isa::Instruction& Sequence::memory(isa::Opcode op, isa::Type type, isa::StateSpace space,
                                   isa::MemoryOperand at) {
  isa::Instruction out;
  out.op = op;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.type = type;
  out.space = space;
  out.memory = at;
  return add(out);
}

isa::Instruction& Sequence::set(isa::Operand predicate, bool value) {
  return own(move_and_test, {isa::Operand{}, predicate}, {literal(value ? 1 : 0)});
}

void Sequence::set_to_guard(isa::Operand predicate) {
  if (guard_.present) set(predicate, false);
  set(predicate, true).guard = guard_;
}

void Sequence::fence(isa::FenceOrder order) {
  isa::Instruction out;
  out.op = isa::Opcode::kFence;
  out.unit = isa::Unit::kControl;
  out.latency_class = isa::LatencyClass::kControl;
  out.scope = isa::MemoryScope::kGpu;
  out.fence_order = order;
  add(out);
}

std::uint32_t Sequence::here() const {
  return static_cast<std::uint32_t>(of_.sequences[number_].code.size());
}

isa::Instruction& Sequence::jump(std::uint32_t target) {
  isa::Instruction out;
  begin_branch(out);
  out.target = isa::Pc(target);
  return add(out);
}

void Sequence::jump_if_any(isa::Operand predicate, std::uint32_t target) {
  isa::Instruction& out = jump(target);
  out.guard = predicate;
  out.src[0] = literal(~0u);
  out.togetherness = isa::Togetherness::kApart;
  out.uniform = true;
}

isa::Operand Sequence::row(unsigned n) {
  return of_.rows.own(static_cast<unsigned>(OwnRow::kOfSequences) + n);
}

void append_sequences(Lowering& of) {
  for (const Lowering::WordSequence& each : of.sequences) {
    const auto first = static_cast<std::uint32_t>(of.kernel.code.size());
    const isa::SourceLoc where = of.kernel.code[each.word].where;
    of.kernel.code[each.word].target = isa::Pc(first);
    for (isa::Instruction instruction : each.code) {
      if (instruction.op == isa::Opcode::kBranch)
        instruction.target = isa::Pc(first + instruction.target.value());
      instruction.where = where;
      wait_for_all(instruction);
      of.kernel.code.push_back(instruction);
    }
    isa::Instruction back;
    begin_branch(back);
    back.target = isa::Pc(each.word + 1);
    back.where = where;
    back.inserted = true;
    wait_for_all(back);
    of.kernel.code.push_back(back);
  }
}

}  // namespace heddle::sass
