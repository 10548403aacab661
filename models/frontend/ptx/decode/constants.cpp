#include "frontend/ptx/decode/constants.h"

#include "base/lane_mask.h"
#include "isa/launch_constants.h"

namespace heddle::ptx {

isa::Operand ConstantPool::append(isa::RowWidth width, std::uint64_t bits) {
  const std::size_t element = width == isa::RowWidth::k64 ? 8 : 4;
  const std::size_t size = element * (width == isa::RowWidth::kPredicate ? 1 : base::kLanes);
  isa::Operand operand;
  operand.offset = static_cast<std::uint32_t>(bytes_.size());
  operand.space = isa::RowSpace::kConstant;
  operand.width = width;
  operand.present = true;
  bytes_.resize(bytes_.size() + (size + isa::kRowAlignment - 1) / isa::kRowAlignment * isa::kRowAlignment);
  isa::broadcast(bytes_.data() + operand.offset, width, bits);
  return operand;
}

isa::Operand ConstantPool::row(isa::RowWidth width, std::uint64_t bits) {
  if (width == isa::RowWidth::kPredicate) bits = bits != 0 ? 0xffff'ffffu : 0;
  auto& known = rows_[static_cast<std::size_t>(width)];
  const auto found = known.find(bits);
  if (found != known.end()) return found->second;
  return known.emplace(bits, append(width, bits)).first->second;
}

isa::Operand ConstantPool::code_pointer(base::Pc pc, bool behind_call) {
  const isa::Operand operand = append(isa::RowWidth::k32, pc.value());
  code_pointers_.push_back({operand.offset, operand.width, pc, behind_call, false});
  return operand;
}

}  // namespace heddle::ptx
