// Time of a table of the branch unit (ST, RT, FIFO), which its section's `timing: contract` turns on. The unit's sequencer
// (clocked_splits.h) then asks the tables one request at a time, and goes on with the answer: an event takes at least as many clocks as
// all its requests together, each of them what the table's cost(request) says, or what its RTL has taken. With `timing: ideal` the
// tables keep up with the unit's steps (split_work.h).
#pragma once

#include <string>

#include "base/error.h"
#include "base/perturbation.h"
#include "sim/clocked_twin.h"
#include "simt/split_work.h"

namespace heddle::simt {

class TableTime {
 public:
  static constexpr std::uint32_t kRequestsPerStall = 4;  ///< with stall_seed, on average

  /// `key`: the table's section of core.control_flow. `work`: of the unit's events, outlives the object; null: the unit is not clocked, and
  /// InputError if the table is.
  TableTime(const sim::ClockedTwinConfig& config, const std::string& key, const std::string& path,
            SplitWork* work)
      : work_(config.clocked() ? work : nullptr),
        stalls_(config.stall_seed, base::stream_of(path + "." + key)) {
    if (config.clocked() && work == nullptr)
      throw base::InputError("core.control_flow." + key + ".timing",
                             "a table is clocked by the branch unit, which is not",
                             "Set core.control_flow.split_unit.timing=contract too, or this to ideal.");
  }
  /// It has answered a request, in so many clocks.
  void asked(std::uint32_t clocks) {
    if (work_ != nullptr) [[unlikely]]
      charge(clocks);
  }

 private:
  [[gnu::noinline]] void charge(std::uint32_t clocks) {
    work_->asked(clocks + (stalls_.on() && stalls_.below(kRequestsPerStall) == 0 ? 1 : 0));
  }
  SplitWork* work_;  ///< null: its time is not charged
  base::Perturbation stalls_;
};

}  // namespace heddle::simt
