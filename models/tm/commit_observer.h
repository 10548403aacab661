// Hears of what a commit unit does, in order; for checks.
#pragma once

#include <cstdint>

#include "tm/commit_id.h"

namespace heddle::tm {

class CommitObserver {
 public:
  virtual ~CommitObserver() = default;
  virtual void read_issued(Cid cid, std::uint64_t word, bool again) = 0;
  virtual void read_returned(Cid cid, std::uint64_t word) = 0;
  virtual void outcome_sent(Cid cid) = 0;
  virtual void final_received(Cid cid, bool pass) = 0;
  virtual void write_issued(Cid cid, std::uint64_t word) = 0;
  virtual void retired(Cid cid) = 0;
};

}  // namespace heddle::tm
