// The retire pointers of all commit units, and the oldest of them: everything older has retired everywhere (GRCID). Cores
// take their credits back by it ([KiloTM:E3]). How the pointers come to the cores the thesis does not say: here they see
// them in their next cycle, by wires of their own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tm/commit_id.h"

namespace heddle::tm {

class RetireBoard {
 public:
  explicit RetireBoard(std::uint32_t partitions) : pointers_(partitions, kFirstCid) {}

  void post(std::uint32_t partition, Cid pointer) {
    if (pointers_[partition] == pointer) return;
    const bool was_oldest = pointers_[partition] == oldest_;
    pointers_[partition] = pointer;
    if (!was_oldest) return;
    const Cid oldest = *std::ranges::min_element(pointers_);
    if (oldest == oldest_) return;
    oldest_ = oldest;
    for (const auto& wake : std::exchange(waiting_, {})) wake();
  }
  [[nodiscard]] Cid oldest() const { return oldest_; }
  /// Called once, when oldest() changes.
  void wait(std::function<void()> wake) { waiting_.push_back(std::move(wake)); }

 private:
  std::vector<Cid> pointers_;
  Cid oldest_ = kFirstCid;
  std::vector<std::function<void()>> waiting_;
};

}  // namespace heddle::tm
