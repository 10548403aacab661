// Turns rows of a warp's logs into messages to the partitions that they concern.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/address_map.h"
#include "tm/commit_port.h"
#include "tm/log_walker.h"

namespace heddle::tm {

class LogSender {
 public:
  LogSender(const memory::AddressMap& map, const TransactionLog& log, CommitPort& port)
      : map_(map), log_(log), port_(port) {}

  /// Whose logs they are.
  struct Source {
    CommitGroup group;
    LaneMask faulted;  ///< nothing of them will be written
  };
  void begin();
  void send(const LogWalk& walk, const LogWalker::Row& row, const Source& source);
  /// The logs have left: DONE-FILL or SKIP to each partition. The lanes that each has got words of.
  [[nodiscard]] const std::vector<LaneMask>& done(const CommitGroup& group);
  /// What was to be sent again by rows has left.
  void done_again(const LogWalk& walk, const CommitGroup& group);

 private:
  [[nodiscard]] LogWord word_of_row(const LogWalker::Row& row, unsigned lane, WarpId id) const;
  void send_lane(const LogWalk& walk, const LogWalker::Row& row, const Source& source);

  const memory::AddressMap& map_;
  const TransactionLog& log_;
  CommitPort& port_;
  UnitMessage again_;  ///< words of a set that is sent again: not sent yet
  // By partition.
  std::vector<LaneMask> touched_;
  std::vector<std::uint32_t> reads_, writes_;  ///< words
};

}  // namespace heddle::tm
