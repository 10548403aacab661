// Whose turn it is in a core's serial mode ([GPUDet] §4.5): one wavefront after the other, in an order that is fixed when the
// mode begins. Strictly: one that cannot go on yet is not passed over ([GPUDet:A20]). Knows no time.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace heddle::determinism {

class SerialTurns {
 public:
  void begin(std::vector<base::WarpId> order) {
    order_ = std::move(order);
    next_ = 0;
    open_ = waits_ = false;
  }
  /// The one behind the last, which has its turn from now on; none: all have had it.
  [[nodiscard]] std::optional<base::WarpId> next() {
    open_ = next_ != order_.size();
    return open_ ? std::optional(order_[next_++]) : std::nullopt;
  }
  /// Who has its turn has used it. `waits`: the next one gets its own when this one is done.
  void used(bool waits) {
    open_ = false;
    waits_ = waits;
  }
  /// Somebody has its turn and has not used it.
  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] bool is_of(base::WarpId warp) const { return open_ && order_[next_ - 1] == warp; }
  /// Who must be done before the next one gets its turn.
  [[nodiscard]] std::optional<base::WarpId> waits_for() const { return waits_ ? last() : std::nullopt; }
  /// Whose turn was last.
  [[nodiscard]] std::optional<base::WarpId> last() const {
    return next_ == 0 ? std::nullopt : std::optional(order_[next_ - 1]);
  }
  [[nodiscard]] std::span<const base::WarpId> order() const { return order_; }

 private:
  std::vector<base::WarpId> order_;
  std::size_t next_ = 0;
  bool open_ = false;
  bool waits_ = false;
};

}  // namespace heddle::determinism
