#include "isa/constant_pool.h"

#include "base/lane_mask.h"
#include "isa/launch_constants.h"

namespace heddle::isa {

Operand ConstantPool::append(RowWidth width, std::uint64_t bits) {
  const std::size_t element = width == RowWidth::k64 ? 8 : 4;
  const std::size_t size = element * (width == RowWidth::kPredicate ? 1 : base::kLanes);
  Operand operand;
  operand.offset = static_cast<std::uint32_t>(bytes_.size());
  operand.space = RowSpace::kConstant;
  operand.width = width;
  operand.present = true;
  bytes_.resize(bytes_.size() + (size + kRowAlignment - 1) / kRowAlignment * kRowAlignment);
  broadcast(bytes_.data() + operand.offset, width, bits);
  return operand;
}

Operand ConstantPool::row(RowWidth width, std::uint64_t bits) {
  if (width == RowWidth::kPredicate) bits = bits != 0 ? 0xffff'ffffu : 0;
  auto& known = rows_[static_cast<std::size_t>(width)];
  const auto found = known.find(bits);
  if (found != known.end()) return found->second;
  return known.emplace(bits, append(width, bits)).first->second;
}

Operand ConstantPool::code_pointer(base::Pc pc, bool behind_call) {
  const Operand operand = append(RowWidth::k32, pc.value());
  code_pointers_.push_back({operand.offset, operand.width, pc, behind_call, false});
  return operand;
}

}  // namespace heddle::isa
