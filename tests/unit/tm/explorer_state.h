// What the explorer of random transactions knows of warps, their lanes and what they have committed.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "tm/commit_unit_model.h"
#include "tm/last_written_times.h"
#include "tm/warp_commit.h"

namespace heddle::tm::testing {

struct ExplorerState {
  struct Lane {
    unsigned left = 0;
    std::vector<std::pair<bool, unsigned>> program;  ///< {write, word}
    std::size_t pc = 0;
    std::uint32_t sum = 0;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> reads, writes;
    std::map<std::uint64_t, std::uint32_t> own;
    bool again = false;
    FirstRead first_read;
    Cid last_cid = 0;  ///< of an attempt that went to the units
    Cid last_committed = 0;
  };
  /// A transaction that has only read, and committed in the core: behind `behind` in the strict form. Its thread's
  /// transactions before and after it have the ids `from` and `until`.
  struct Silent {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> reads;
    Cid behind = 0, from = 0, until = ~Cid{0};
    unsigned warp = 0, lane = 0;
    bool satisfied = false;
  };
  enum class Phase : std::uint8_t { kStart, kRuns, kCredits, kSends, kWaits };
  struct Warp {
    Phase phase = Phase::kStart;
    std::vector<Lane> lanes;
    LaneMask active;
    WarpCommit commit;
    std::deque<std::pair<unsigned, UnitMessage>> to_send;
  };
  struct Committed {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> reads, writes;
  };
  struct Credits {
    std::uint32_t used = 0;
    std::deque<std::pair<Cid, std::uint32_t>> out;
  };
};

}  // namespace heddle::tm::testing
