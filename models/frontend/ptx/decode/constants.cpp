#include "frontend/ptx/decode/constants.h"

#include <cstring>

#include "base/lane_mask.h"

namespace heddle::ptx {

isa::Operand ConstantPool::row(isa::RowWidth width, std::uint64_t bits) {
  constexpr std::size_t kAlign = 64;
  if (width == isa::RowWidth::kPredicate) bits = bits != 0 ? 0xffff'ffffu : 0;
  const auto [entry, fresh] = offsets_[static_cast<std::size_t>(width)].try_emplace(bits, bytes_.size());
  if (fresh) {
    const std::size_t element = width == isa::RowWidth::k64 ? 8 : 4;
    const std::size_t copies = width == isa::RowWidth::kPredicate ? 1 : base::kLanes;
    const std::size_t size = (element * copies + kAlign - 1) / kAlign * kAlign;
    const std::size_t start = bytes_.size();
    bytes_.resize(start + size);
    for (std::size_t i = 0; i < copies; ++i) std::memcpy(&bytes_[start + i * element], &bits, element);
  }
  isa::Operand operand;
  operand.offset = entry->second;
  operand.space = isa::RowSpace::kConstant;
  operand.width = width;
  operand.present = true;
  return operand;
}

}  // namespace heddle::ptx
