// What cores and commit units tell each other ([KiloTM] §4.2.4, §4.2.5), without the network.
#pragma once

#include <cstdint>
#include <vector>

#include "base/lane_mask.h"
#include "tm/commit_id.h"

namespace heddle::tm {

using base::LaneMask;

/// A word of a log.
struct LogWord {
  std::uint64_t address = 0;  ///< in bytes, a multiple of 4
  std::uint32_t value = 0;
  std::uint16_t row = 0;  ///< of the log
  std::uint8_t lane = 0;
  std::uint8_t bytes = 0xf;  ///< of the word, that are written: bit i is byte i. Of reads: all
};

/// Transactions of a warp that ask for their commit together. Their lanes have consecutive ids, in ascending order.
struct CommitGroup {
  Cid base = 0;
  LaneMask lanes;
  std::uint32_t core = 0;
  std::uint32_t warp = 0;   ///< slot
  std::uint8_t client = 0;  ///< of the core's memory port, that answers go to

  [[nodiscard]] std::uint32_t count() const { return lanes.count(); }
  [[nodiscard]] Cid end() const { return base + count(); }
  [[nodiscard]] Cid cid_of(unsigned lane) const {
    return base + (lanes & LaneMask::first_lanes(lane)).count();
  }
};

/// To a commit unit.
struct UnitMessage {
  enum class Kind : std::uint8_t {
    kCommitIds,  ///< to the vendor: `count` of them. Answered
    kReadLog,    ///< a row of the read log, as far as it concerns the partition
    kWriteLog,
    kDoneFill,  ///< that was all. `touched`: lanes of which there were words; none: SKIP
    kFinal,     ///< final outcome of `touched`: `pass` of them commit
    /// Words of sets that the unit had no room for. WarpTM: those of a row; `last`: that was all (a row without words ends it,
    /// too). Kilo TM: those of one lane, `touched`, and of one set, `writes`; `last`: that was all of the set.
    kResentRow,
  };
  Kind kind = Kind::kReadLog;
  bool last = false, writes = false;
  CommitGroup group;
  LaneMask touched, pass;
  std::uint32_t read_words = 0, write_words = 0;  ///< kDoneFill: how many there were, as a check
  std::vector<LogWord> words;
};

/// From a commit unit.
struct CoreMessage {
  enum class Kind : std::uint8_t {
    kLocalOutcome,  ///< of `lanes`; `pass` of them are valid here
    kDone,          ///< `lanes` have retired: what they wrote can be read
    kResendReads,   ///< WarpTM: send these sets of `lanes` again, row by row
    kResendWrites,
    kResendSets,  ///< Kilo TM: the read sets of `lanes` and the write sets of `pass`, lane after lane, its reads first
  };
  Kind kind = Kind::kLocalOutcome;
  CommitGroup group;
  LaneMask lanes, pass;
};

}  // namespace heddle::tm
