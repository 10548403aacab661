#include "unit/sass/lowered_instruction.h"

#include <cstring>
#include <stdexcept>

#include "frontend/sass/decode.h"
#include "frontend/sass/lower/rows.h"
#include "frontend/sass/print.h"

namespace heddle::sass {

LoweredInstruction::LoweredInstruction(Word word, Arch arch) {
  Decoded decoded = decode(word, arch);
  if (!decoded.instruction) throw std::runtime_error(decoded.problem);
  instruction_ = *decoded.instruction;
  isa::ConstantPool pool;
  KernelRows rows(pool, [&](unsigned bank, std::uint32_t offset) {
    return pool.row(isa::RowWidth::k32, constant(bank, offset));
  });
  rows.now_at([this] { return text(); });
  kernel_.code.resize(1);
  lowered_ = lower_lane(instruction_, rows, kernel_.code[0]);
  rows.finish(kernel_);
  constants_ = pool.take();
  registers_.resize(kernel_.registers.bytes());
  special_.resize(isa::kSpecialBlockBytes);
}

std::string LoweredInstruction::text() const {
  return text_of(instruction_, [](const Operand&) { return std::string("?"); });
}

std::optional<isa::Operand> LoweredInstruction::find(const std::string& name) const {
  for (std::size_t i = 0; i < kernel_.register_names.size(); ++i)
    if (kernel_.register_names[i] == name) return kernel_.registers.row(static_cast<isa::RegId>(i));
  return std::nullopt;
}

bool LoweredInstruction::set(const std::string& name, const Values& values) {
  const std::optional<isa::Operand> row = find(name);
  if (!row) return false;
  std::uint32_t lanes = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const auto value = static_cast<std::uint32_t>(values[lane % values.size()]);
    if (row->width != isa::RowWidth::kPredicate)
      std::memcpy(registers_.data() + row->offset + 4 * lane, &value, 4);
    else
      lanes |= (value & 1u) << lane;
  }
  if (row->width == isa::RowWidth::kPredicate) std::memcpy(registers_.data() + row->offset, &lanes, 4);
  return true;
}

std::uint32_t LoweredInstruction::get(const std::string& name, unsigned lane) const {
  const isa::Operand row = find(name).value();
  std::uint32_t value = 0;
  const bool predicate = row.width == isa::RowWidth::kPredicate;
  std::memcpy(&value, registers_.data() + row.offset + (predicate ? 0 : 4 * lane), 4);
  return predicate ? value >> lane & 1u : value;
}

void LoweredInstruction::set_special(isa::SpecialRow which, std::uint32_t value) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    std::memcpy(special_.data() + isa::special_offset(which) + 4 * lane, &value, 4);
}

void LoweredInstruction::run(std::uint32_t mask, std::uint64_t cycle) {
  const isa::Instruction& code = kernel_.code[0];
  isa::LaneArgs args;
  for (unsigned i = 0; i < isa::kMaxDestinations; ++i)
    if (code.dst[i].present) args.dst[i] = registers_.data() + code.dst[i].offset;
  for (unsigned i = 0; i < isa::kMaxSources; ++i) {
    const std::byte* const block = code.src[i].space == isa::RowSpace::kRegister   ? registers_.data()
                                   : code.src[i].space == isa::RowSpace::kConstant ? constants_.data()
                                                                                   : special_.data();
    args.src[i] = block + code.src[i].offset;
  }
  args.negated = code.negated_sources;
  args.mask = mask;
  args.cycle = cycle;
  args.immediate = code.immediate;
  code.lane_fn(args);
}

}  // namespace heddle::sass
