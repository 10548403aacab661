#include "isa/instruction.h"

#include <algorithm>

namespace heddle::isa {
namespace {

template <std::size_t size>
void note(const Operand& operand, std::array<RegId, size>& list, std::uint8_t& count) {
  if (!operand.present || operand.space != RowSpace::kRegister) return;
  const auto end = list.begin() + count;
  if (std::find(list.begin(), end, operand.reg) == end) list.at(count++) = operand.reg;
}

template <std::size_t size>
std::uint8_t last_present(const std::array<Operand, size>& operands) {
  std::size_t count = size;
  while (count != 0 && !operands[count - 1].present) --count;
  return static_cast<std::uint8_t>(count);
}

}  // namespace

void list_registers(Instruction& instruction) {
  instruction.read_count = 0;
  instruction.write_count = 0;
  const auto reads = [&](const Operand& operand) {
    note(operand, instruction.reads, instruction.read_count);
  };
  reads(instruction.guard);
  reads(instruction.guard2);
  for (const Operand& row : instruction.memory.rows()) reads(row);
  for (const Operand& operand : instruction.src) reads(operand);
  for (const Operand& operand : instruction.dst) note(operand, instruction.writes, instruction.write_count);
  instruction.source_count = last_present(instruction.src);
  instruction.destination_count = last_present(instruction.dst);
  instruction.negated_sources = 0;
  for (unsigned i = 0; i < kMaxSources; ++i)
    if (instruction.src[i].present && instruction.src[i].negated)
      instruction.negated_sources = static_cast<std::uint8_t>(instruction.negated_sources | 1u << i);
  instruction.register_signature = 0;
  for (unsigned i = 0; i < instruction.read_count; ++i)
    instruction.register_signature |= std::uint64_t{1} << (instruction.reads[i] % 64);
  for (unsigned i = 0; i < instruction.write_count; ++i)
    instruction.register_signature |= std::uint64_t{1} << (instruction.writes[i] % 64);
}

Transfer transfer_of(Opcode op) {
  switch (op) {
    case Opcode::kBranch:
    case Opcode::kIndirect:
      return Transfer::kJump;
    case Opcode::kCall:
      return Transfer::kCall;
    case Opcode::kReturn:
      return Transfer::kReturn;
    default:
      return Transfer::kNone;
  }
}

}  // namespace heddle::isa
