#include "core/state/formation_table.h"

#include <algorithm>

namespace heddle::core {

FormationId FormationTable::make(std::span<const simt::Slice> slices) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(pool_.size()));
    pool_.push_back(std::make_unique<Entry>());
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Entry& entry = *pool_[index];
  entry.count = static_cast<std::uint32_t>(std::min<std::size_t>(slices.size(), entry.slices.size()));
  std::copy_n(slices.begin(), entry.count, entry.slices.begin());
  entry.references = 1;
  return FormationId{warps_ + index};
}

void FormationTable::drop(FormationId id) {
  const std::uint32_t index = id.value() - warps_;
  if (--pool_[index]->references == 0) free_.push_back(index);
}

base::WarpId FormationTable::home(FormationId id, unsigned lane) const {
  if (is_static(id)) return base::WarpId{id.value()};
  const Entry& entry = *pool_[id.value() - warps_];
  return std::find_if(entry.slices.begin(), entry.slices.begin() + entry.count,
                      [lane](const simt::Slice& slice) { return slice.lanes.test(lane); })
      ->home;
}

}  // namespace heddle::core
