// The commit ids that the threads of a core had last, and who hears of transactions that commit.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"
#include "tm/transaction_shared.h"

namespace heddle::tm {

class CommittedIds {
 public:
  CommittedIds(std::size_t warps, const TransactionShared& shared) : shared_(shared), last_(warps) {}

  /// Other threads are in the warp slot.
  void start(base::WarpId id) { last_[id.value()].fill(0); }
  void set(base::WarpId id, unsigned lane, Cid cid) { last_[id.value()][lane] = cid; }
  /// 0: it had none.
  [[nodiscard]] Cid last(base::WarpId id, unsigned lane) const { return last_[id.value()][lane]; }
  /// The youngest one of several lanes.
  [[nodiscard]] Cid last(base::WarpId id, base::LaneMask lanes) const {
    Cid youngest = 0;
    lanes.for_each([&](unsigned lane) { youngest = std::max(youngest, last(id, lane)); });
    return youngest;
  }
  /// A thread's transaction has committed. `silent`: as in CommitRecord.
  void tell(Cid cid, std::uint64_t grid_warp, unsigned lane, bool silent) {
    if (shared_.on_commit) shared_.on_commit({cid, grid_warp, lane, silent, ++records_});
  }

 private:
  const TransactionShared& shared_;
  std::vector<std::array<Cid, base::kLanes>> last_;  ///< by warp
  std::uint64_t records_ = 0;
};

}  // namespace heddle::tm
