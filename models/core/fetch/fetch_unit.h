// What serves FetchProtocol in a core: one of two blocks, by core.fetch.unit. Here is the one with a fetch unit for each sub-core;
// fetch.h has the other, whose one unit serves the whole core.
//
//   L1I -> arbiter -> L0 and stream buffer -> fetch and decode -> I-buffers
//                     (the latter of each sub-core)
//
// L1I answers one line a cycle, the sub-cores take turns. What misses there arrives with the refill.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "base/ring.h"
#include "base/stats.h"
#include "core/config.h"
#include "core/fetch/fetch.h"
#include "core/fetch/launch_lines.h"
#include "core/fetch/sub_core_fetch.h"
#include "core/protocols/fetch_protocol.h"
#include "core/protocols/launch_protocol.h"
#include "sim/block_socket.h"

namespace heddle::core {

class SubCoreFetch : public sc_core::sc_module {
 public:
  SubCoreFetch(const sc_core::sc_module_name& name, const CoreConfig& config, std::uint32_t groups,
               base::StatGroup& stats);

 private:
  void begin_launch(LaunchNotice& notice);
  void serve(FetchRequest& request);
  void tick(FetchRequest& request);
  void refill(L1iRefill& refill) { refilled_.push_back(refill.line); }

 public:
  sim::BlockTarget<FetchProtocol, SubCoreFetch, &SubCoreFetch::serve> fetch_tsock{"fetch_tsock", this};
  sim::BlockTarget<LaunchProtocol, SubCoreFetch, &SubCoreFetch::begin_launch> launch_tsock{"launch_tsock",
                                                                                           this};
  L1iPort l1i_isock{"l1i_isock"};
  sim::BlockTarget<L1iRefillProtocol, SubCoreFetch, &SubCoreFetch::refill> refill_tsock{"refill_tsock", this};

 private:
  /// A line on its way from L1I to a sub-core.
  struct Delivery {
    std::uint32_t unit = 0;
    std::uint64_t line = 0;
    Cycle at = 0;
  };
  void deliver(Cycle now);
  /// Asks L1I for a line of the first unit, in turn, that wants one.
  void ask(Cycle now);

  FetchBehindControl behind_control_;
  Cycle fill_latency_;
  LaunchLines launch_lines_;
  FetchedCode code_;
  LineSupplyCounters lines_;
  FetchCounters counters_;
  std::vector<SubCoreFetchModel> units_;  ///< by sub-core
  std::vector<std::uint8_t> unit_of_group_;
  std::vector<std::uint64_t> refilled_;  ///< in this cycle
  base::GrowingRing<Delivery> deliveries_;
  std::uint32_t first_ = 0;  ///< unit whose turn it is at L1I
};

class FetchBlock {
 public:
  /// Within the constructor of a module; the block is called "fetch" in either case, as is its group of `stats`.
  FetchBlock(const CoreConfig& config, std::uint32_t groups, base::StatGroup& stats);

  /// Calls fn(block).
  template <class Fn>
  void with(Fn&& fn) {
    if (of_core_)
      fn(*of_core_);
    else
      fn(*of_sub_cores_);
  }

 private:
  std::unique_ptr<Fetch> of_core_;
  std::unique_ptr<SubCoreFetch> of_sub_cores_;
};

}  // namespace heddle::core
