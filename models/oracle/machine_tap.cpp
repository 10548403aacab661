// What a tap hears of an instruction.
#include "oracle/instruction_tap.h"
#include "oracle/machine.h"

namespace heddle::oracle {

void Machine::tell(const Cta& cta, const Thread& thread, const Step& step) const {
  using Flow = ExecutedInstruction::Flow;
  ExecutedInstruction what;
  what.cta = operands_.linear_id(cta);
  what.thread = thread.index;
  what.pc = thread.pc;
  what.level = static_cast<std::uint32_t>(thread.frames.size());
  what.stack_bytes = thread.top;
  const auto read = [&](std::uint64_t value) {
    if (what.register_count < what.registers.size()) what.registers[what.register_count++] = value;
  };
  const auto read_element = [&](std::int64_t element) {
    for (const Element::Term& term : program_.elements[static_cast<std::size_t>(element)].terms)
      read(thread.regs[term.slot]);
  };
  const bool guarded = step.guard >= 0;
  if (guarded) read(thread.regs[step.guard]);
  for (unsigned i = 0; i < step.sources; ++i) {
    const Source& source = step.source[i];
    if (source.from == Source::From::kSlot) read(thread.regs[source.slot]);
    if (source.from == Source::From::kSpecial) read(operands_.special(cta, thread, source.special));
    if (source.from == Source::From::kElement) read_element(source.slot);
  }
  if (step.base >= 0) read(thread.regs[step.base]);
  if (step.element >= 0) read_element(step.element);
  const bool runs = !guarded || (thread.regs[step.guard] != 0) != step.guard_negated;
  what.may_fall_through = guarded;
  switch (step.kind) {
    case Kind::kBranch:
    case Kind::kIndexedBranch:
      what.flow = Flow::kJump;
      what.direct = step.kind == Kind::kBranch;
      break;
    case Kind::kCall:
      what.flow = runs ? Flow::kCall : Flow::kJump;
      what.direct = program_.calls[step.extra].function != CallSite::kIndirect;
      what.may_fall_through = !runs;
      break;
    case Kind::kReturn:
      what.flow = !runs ? Flow::kJump : thread.frames.empty() ? Flow::kExit : Flow::kReturn;
      break;
    case Kind::kExit:
      what.flow = runs ? Flow::kExit : Flow::kJump;
      break;
    case Kind::kBarrier:
      what.flow = runs && step.barrier != BarrierOp::kArrive ? Flow::kBarrier : Flow::kNext;
      break;
    default:
      break;
  }
  if (runs && (step.kind == Kind::kLoad || step.kind == Kind::kStore || step.kind == Kind::kAtomic)) {
    const mimd::Accesses::Location at = accesses_.location(thread, step);
    what.has_address = true;
    what.space = at.space;
    what.address = at.offset;
  }
  options_.tap->executed(what);
}

}  // namespace heddle::oracle
