// Temporal conflict detection in a core ([WarpTM] §6.4): lanes that have only read, and nothing of it changed since their
// first load was sent, need no commit unit.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"
#include "tm/config.h"
#include "tm/last_written_times.h"

namespace heddle::tm {

class SilentCommits {
 public:
  SilentCommits(Temporal mode, std::size_t warps) : mode_(mode), first_(warps) {}

  struct Counters {
    std::uint64_t silent = 0, conflicts = 0;
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

  /// Another attempt.
  void begin(base::WarpId id) {
    for (FirstRead& first : first_[id.value()]) first.begin();
  }
  /// FirstRead::sent().
  void sent(base::WarpId id, unsigned lane, std::uint64_t time, Cid retired_everywhere, Cid own_last) {
    first_[id.value()][lane].sent(time, retired_everywhere, own_last);
  }
  void returned(base::WarpId id, base::LaneMask lanes, const std::array<LastWritten, base::kLanes>& written) {
    if (mode_ == Temporal::kOff) return;
    lanes.for_each([&](unsigned lane) { first_[id.value()][lane].returned(written[lane]); });
  }
  /// Of lanes that have only read: those that may commit.
  [[nodiscard]] base::LaneMask commit(base::WarpId id, base::LaneMask readers) {
    base::LaneMask silent;
    if (mode_ == Temporal::kOff) return silent;
    readers.for_each([&](unsigned lane) {
      if (!first_[id.value()][lane].conflict(mode_ == Temporal::kStrict))
        silent |= base::LaneMask(1u << lane);
    });
    counters_.silent += silent.count();
    counters_.conflicts += base::LaneMask::difference(readers, silent).count();
    return silent;
  }
  /// FirstRead::behind().
  [[nodiscard]] Cid behind(base::WarpId id, unsigned lane) const { return first_[id.value()][lane].behind(); }

 private:
  Temporal mode_;
  std::vector<std::array<FirstRead, base::kLanes>> first_;  ///< by warp
  Counters counters_;
};

}  // namespace heddle::tm
