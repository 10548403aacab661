#include "frontend/ptx/decode/registers.h"

#include <utility>

namespace heddle::ptx {

using isa::RowWidth;

std::optional<isa::Operand> RegisterRows::allocate(RowWidth width, const std::string& name) {
  if (names_[0].size() + names_[1].size() + names_[2].size() + 1 >= isa::kNoReg) return std::nullopt;
  auto& names = names_[static_cast<std::size_t>(width)];
  isa::Operand operand;
  operand.reg = static_cast<isa::RegId>(names.size());
  operand.space = isa::RowSpace::kRegister;
  operand.width = width;
  operand.present = true;
  names.push_back(name);
  return operand;
}

std::optional<isa::Operand> RegisterRows::scratch(RowWidth width, unsigned index) {
  auto& rows = scratch_[static_cast<std::size_t>(width)];
  if (rows.size() <= index) rows.resize(index + 1);
  if (!rows[index]) rows[index] = allocate(width, "(scratch " + std::to_string(index) + ")");
  return rows[index];
}

std::optional<isa::Operand> RegisterRows::carry() {
  if (!carry_) carry_ = allocate(RowWidth::kPredicate, "(carry)");
  return carry_;
}

void RegisterRows::finish(isa::Kernel& kernel) {
  layout_.rows32 = static_cast<std::uint32_t>(names_[static_cast<std::size_t>(RowWidth::k32)].size());
  layout_.rows64 = static_cast<std::uint32_t>(names_[static_cast<std::size_t>(RowWidth::k64)].size());
  layout_.predicates =
      static_cast<std::uint32_t>(names_[static_cast<std::size_t>(RowWidth::kPredicate)].size());
  kernel.registers = layout_;
  for (const RowWidth width : {RowWidth::k32, RowWidth::k64, RowWidth::kPredicate})
    for (std::string& name : names_[static_cast<std::size_t>(width)])
      kernel.register_names.push_back(std::move(name));
}

void RegisterRows::place(isa::Operand& operand) const {
  if (!operand.present || operand.space != isa::RowSpace::kRegister) return;
  const std::uint32_t row = operand.reg;
  switch (operand.width) {
    case RowWidth::k32:
      operand.offset = layout_.offset32(row);
      break;
    case RowWidth::k64:
      operand.offset = layout_.offset64(row);
      operand.reg = static_cast<isa::RegId>(layout_.rows32 + row);
      break;
    case RowWidth::kPredicate:
      operand.offset = layout_.offset_predicate(row);
      operand.reg = static_cast<isa::RegId>(layout_.rows32 + layout_.rows64 + row);
      break;
  }
}

}  // namespace heddle::ptx
