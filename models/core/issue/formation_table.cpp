#include "core/issue/formation_table.h"

#include <algorithm>

namespace heddle::core {

FormationId FormationTable::make(std::span<const simt::Slice> slices) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(pool_.size()));
    pool_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Entry& entry = pool_[index];
  entry.count = static_cast<std::uint32_t>(std::min<std::size_t>(slices.size(), entry.slices.size()));
  std::copy_n(slices.begin(), entry.count, entry.slices.begin());
  entry.references = 1;
  return FormationId{warps_ + index};
}

void FormationTable::drop(FormationId id) {
  const std::uint32_t index = id.value() - warps_;
  if (--pool_[index].references == 0) free_.push_back(index);
}

base::WarpId FormationTable::home(FormationId id, unsigned lane) const {
  base::WarpId found{};
  for_each_slice(id, base::LaneMask(1u << lane), [&](base::WarpId warp, base::LaneMask) { found = warp; });
  return found;
}

}  // namespace heddle::core
