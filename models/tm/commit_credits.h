// Entries of the commit units that a core may have ([KiloTM:E3]): a commit takes them before it asks for its ids, and they
// come back when it has retired everywhere.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "tm/commit_id.h"

namespace heddle::tm {

class CommitCredits {
 public:
  /// 0: any number.
  explicit CommitCredits(std::uint32_t limit) : limit_(limit) {}

  /// All of them, or none.
  [[nodiscard]] bool take(std::uint32_t count) {
    if (limit_ != 0 && used_ + count > limit_) return false;
    used_ += count;
    return true;
  }
  /// `count` that were taken belong to ids up to `end`.
  void assign(Cid end, std::uint32_t count) { out_.emplace_back(end, count); }
  /// Everything before `oldest` has retired everywhere.
  void collect(Cid oldest) {
    while (!out_.empty() && out_.front().first <= oldest) {
      used_ -= out_.front().second;
      out_.pop_front();
    }
  }

 private:
  std::uint32_t limit_;
  std::uint32_t used_ = 0;
  std::deque<std::pair<Cid, std::uint32_t>> out_;  ///< {end of the ids, how many}
};

}  // namespace heddle::tm
