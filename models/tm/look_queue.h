// When attempts or transactions of warps are looked at because they take long, if they are still the same ones then.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/ids.h"

namespace heddle::tm {

class LookQueue {
 public:
  /// Times ascend. `number`: of the warp's attempt or transaction.
  void add(base::Cycle due, base::WarpId id, std::uint64_t number) { looks_.push_back({due, id, number}); }
  /// The warp whose attempt or transaction is due, taken from the queue; none is. `same(warp, number)`: it is still under way;
  /// others are dropped.
  template <class Same>
  [[nodiscard]] std::optional<base::WarpId> take_due(base::Cycle now, Same&& same) {
    while (!looks_.empty()) {
      const Look look = looks_.front();
      const bool still = same(look.warp, look.number);
      if (still && look.due > now) break;
      looks_.pop_front();
      if (still) return look.warp;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool empty() const { return looks_.empty(); }
  /// kNever: there is none.
  [[nodiscard]] base::Cycle due() const { return looks_.empty() ? base::kNever : looks_.front().due; }

 private:
  struct Look {
    base::Cycle due = 0;
    base::WarpId warp{};
    std::uint64_t number = 0;
  };
  std::deque<Look> looks_;
};

}  // namespace heddle::tm
