// Tokens ([KiloTM] §4.2.6): so many warps of a core are in a transaction at a time, first come, first served.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"

namespace heddle::tm {

class Tokens {
 public:
  /// `limit`: warps with a token; 0: any number.
  Tokens(std::uint32_t limit, std::size_t warps) : limit_(limit), warps_(warps) {}

  /// `lanes` ask for their warp's token. `waiting`: all lanes of the warp that wait for one. `free`: the warp is in no
  /// transaction. False: none is left, and the warp keeps its place in the queue.
  [[nodiscard]] bool take(base::WarpId id, base::LaneMask lanes, base::LaneMask waiting, bool free,
                          base::Cycle now) {
    Warp& of = warps_[id.value()];
    if (!free || (limit_ != 0 && used_ >= limit_)) {
      if (!of.waits) {
        of.waits = true;
        of.since = now;
        queue_.push_back(id);
      }
      return false;
    }
    of.has = true;
    ++used_;
    if (of.waits) {
      wait_cycles_ += (now - of.since) * lanes.count();
      of.since = now;
      if (base::LaneMask::difference(waiting, lanes).any()) return true;  // others of the warp go on waiting
      of.waits = false;
      std::erase(queue_, id);
    }
    return true;
  }
  void give_back(base::WarpId id) {
    warps_[id.value()].has = false;
    --used_;
  }
  [[nodiscard]] bool has(base::WarpId id) const { return warps_[id.value()].has; }
  [[nodiscard]] bool any_taken() const { return used_ != 0; }
  /// Of the warps that wait for their first or another token, the first that `free` says is in no transaction.
  template <class Free>
  [[nodiscard]] std::optional<base::WarpId> next(Free&& free) const {
    const auto found =
        std::ranges::find_if(queue_, [&](base::WarpId id) { return !warps_[id.value()].has && free(id); });
    return found == queue_.end() ? std::nullopt : std::optional(*found);
  }
  /// Thread cycles in the queue.
  [[nodiscard]] const std::uint64_t& wait_cycles() const { return wait_cycles_; }

 private:
  struct Warp {
    bool has = false, waits = false;
    base::Cycle since = 0;
  };

  std::uint32_t limit_;
  std::uint32_t used_ = 0;
  std::vector<Warp> warps_;
  std::deque<base::WarpId> queue_;
  std::uint64_t wait_cycles_ = 0;
};

}  // namespace heddle::tm
