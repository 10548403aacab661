// What a core knows of the commit of a warp's transactions ([KiloTM] §4.2.4, §4.2.5): outcomes that are still missing, by
// lane. Without timing and network.
#pragma once

#include <array>
#include <vector>

#include "tm/commit_messages.h"

namespace heddle::tm {

class WarpCommit {
 public:
  /// `touched`: by partition, lanes of which it got words. Every lane of the group has some. `writers`: lanes with a write
  /// log. `doomed`: lanes that must not commit whatever their outcome is. `by_warp`: outcomes are sent for all lanes at once.
  void begin(const CommitGroup& group, std::vector<LaneMask> touched, LaneMask writers, LaneMask doomed,
             bool by_warp) {
    group_ = group;
    touched_ = std::move(touched);
    writers_ = writers;
    doomed_ = doomed;
    by_warp_ = by_warp;
    failed_ = valid_ = decided_ = finished_ = LaneMask{};
    outcomes_.fill(0);
    dones_.fill(0);
    for (const LaneMask lanes : touched_)
      lanes.for_each([&](unsigned lane) {
        ++outcomes_[lane];
        ++dones_[lane];
      });
  }

  /// A local outcome: lanes whose final outcome is known now, to be told to all units that they have touched.
  [[nodiscard]] LaneMask outcome(LaneMask lanes, LaneMask pass) {
    failed_ |= LaneMask::difference(lanes, pass);
    LaneMask complete;
    lanes.for_each([&](unsigned lane) {
      if (--outcomes_[lane] == 0) complete |= LaneMask(1u << lane);
    });
    valid_ |= complete;
    if (by_warp_) complete = valid_ == group_.lanes ? group_.lanes : LaneMask{};
    decided_ |= complete;
    // Nobody waits for what has written nothing.
    finished_ |= LaneMask::difference(complete, writers_);
    return complete;
  }
  /// Lanes that have retired in a unit.
  void done(LaneMask lanes) {
    lanes.for_each([&](unsigned lane) {
      if (--dones_[lane] == 0) finished_ |= LaneMask(1u << lane);
    });
  }

  /// The final outcomes of lanes that are known.
  [[nodiscard]] LaneMask passed() const { return LaneMask::difference(decided_, failed_ | doomed_); }
  /// Lanes that were valid in all units.
  [[nodiscard]] LaneMask valid() const { return LaneMask::difference(decided_, failed_); }
  /// The lanes may go on, or try again.
  [[nodiscard]] bool resolved() const { return finished_ == group_.lanes; }
  [[nodiscard]] LaneMask finished() const { return finished_; }
  [[nodiscard]] const CommitGroup& group() const { return group_; }
  [[nodiscard]] LaneMask touched(std::size_t partition) const { return touched_[partition]; }
  [[nodiscard]] std::size_t partitions() const { return touched_.size(); }

 private:
  CommitGroup group_;
  std::vector<LaneMask> touched_;
  LaneMask writers_, doomed_, failed_, valid_, decided_, finished_;
  bool by_warp_ = false;
  std::array<std::uint16_t, base::kLanes> outcomes_{}, dones_{};  ///< missing
};

}  // namespace heddle::tm
