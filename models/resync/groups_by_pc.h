// Live threads grouped by PC, in ascending order of the PCs, with the rotating index that breaks ties ([Resync:S9]).
#pragma once

#include <array>

#include "resync/thread_views.h"

namespace heddle::resync {

struct PcGroups {
  struct Group {
    std::uint64_t pc = 0;
    ThreadMask mask = 0;
  };
  std::array<Group, kMaxThreads> group;
  unsigned count = 0;

  PcGroups(const ThreadViews& views, ThreadMask threads) {
    for (ThreadMask rest = threads; rest != 0;) {
      const std::uint64_t pc = views.pc[lowest(rest)];
      ThreadMask mask = 0;
      for_each_thread(rest, [&](unsigned t) { mask |= ThreadMask{views.pc[t] == pc} << t; });
      rest &= ~mask;
      unsigned at = count++;
      for (; at > 0 && group[at - 1].pc > pc; --at) group[at] = group[at - 1];
      group[at] = {pc, mask};
    }
  }
  /// The first group that `wanted(group)` holds for, from `start` on, cyclic; `count`: none.
  template <class Fn>
  [[nodiscard]] unsigned first_from(unsigned start, Fn&& wanted) const {
    for (unsigned i = 0; i < count; ++i) {
      const unsigned at = (start + i) % count;
      if (wanted(group[at])) return at;
    }
    return count;
  }
};

}  // namespace heddle::resync
