// The formations of a core: which slices of which home warps issue together (simt/formation.h). Numbers below the
// number of warp slots are the static warps; the others are given to what a mechanism has put together, and live as
// long as a group or an instruction in a pipe refers to them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"
#include "core/warp_context.h"
#include "simt/formation.h"

namespace heddle::core {

class FormationTable {
 public:
  explicit FormationTable(std::uint32_t warps) : warps_(warps) {}

  [[nodiscard]] static FormationId of_warp(base::WarpId warp) { return FormationId{warp.value()}; }
  [[nodiscard]] bool is_static(FormationId id) const { return id.value() < warps_; }
  /// A formation of one or more slices, with one reference to it.
  [[nodiscard]] FormationId make(std::span<const simt::Slice> slices);
  void add_reference(FormationId id) {
    if (!is_static(id)) ++pool_[id.value() - warps_]->references;
  }
  void drop_reference(FormationId id) {
    if (!is_static(id)) drop(id);
  }

  /// Calls fn(home, lanes) for every slice that has some of `lanes`.
  template <class Fn>
  void for_each_slice(FormationId id, base::LaneMask lanes, Fn&& fn) const {
    if (is_static(id)) [[likely]] {
      fn(base::WarpId{id.value()}, lanes);
      return;
    }
    const Entry& entry = *pool_[id.value() - warps_];
    for (std::uint32_t i = 0; i < entry.count; ++i)
      if (const base::LaneMask here = entry.slices[i].lanes & lanes; here.any())
        fn(entry.slices[i].home, here);
  }
  /// One of its home warps, always the same.
  [[nodiscard]] base::WarpId first_home(FormationId id) const {
    return is_static(id) ? base::WarpId{id.value()} : pool_[id.value() - warps_]->slices.front().home;
  }
  /// Home warps of the lanes.
  [[nodiscard]] std::uint32_t homes(FormationId id, base::LaneMask lanes) const {
    std::uint32_t count = 0;
    for_each_slice(id, lanes, [&count](base::WarpId, base::LaneMask) { ++count; });
    return count;
  }
  /// The home of a lane that the formation has.
  [[nodiscard]] base::WarpId home(FormationId id, unsigned lane) const;
  /// Formations beyond the static ones, for tests: all references have been given back when it is 0.
  [[nodiscard]] std::size_t in_use() const { return pool_.size() - free_.size(); }

 private:
  struct Entry {
    std::array<simt::Slice, base::kLanes> slices;
    std::uint32_t count = 0;
    std::uint32_t references = 0;
  };
  void drop(FormationId id);

  std::uint32_t warps_;
  std::vector<std::unique_ptr<Entry>> pool_;  ///< slices are visited while others are made
  std::vector<std::uint32_t> free_;
};

}  // namespace heddle::core
