// Accesses to the logs of a core's wavefronts on their way: in the order in which they were queued, one in a cycle, through
// the core's load/store unit, or without a cost (determinism.log.cost=none).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>

#include "base/slot_pool.h"
#include "base/stats.h"
#include "core/memory/load_store_unit.h"
#include "determinism/determinism_config.h"
#include "determinism/log_shadow.h"
#include "sim/block_socket.h"
#include "warp_log/log_traffic.h"

namespace heddle::determinism {

/// A store of up to a line, if it is an append, or a load.
struct LogAccess {
  enum class Purpose : std::uint8_t { kAppend, kSearchMeta, kSearchData, kReplayMeta, kReplayData };
  Purpose purpose = Purpose::kAppend;
  base::WarpId warp{};
  std::uint32_t owner = 0;  ///< of appends and searches: the held operation (StoreBuffer)
  std::uint32_t entry = 0;  ///< of the log; of meta the first in the line
  std::uint64_t address = 0;
  unsigned words = 0;
  std::array<std::uint32_t, warp_log::kLineWords> data{};  ///< of appends
};

class LogAccesses {
 public:
  /// An access is done; `words`: what a load has brought, valid during the call. It may queue others.
  using Answered = std::function<void(const LogAccess& access, std::span<const std::uint32_t> words)>;

  /// Within the constructor of a module. `stats`: of the accesses. `displaced`: a line of a log that L1 had to give up is in
  /// L2 now.
  LogAccesses(LogCost cost, base::StatGroup& stats, Answered answered, std::function<void()> displaced);
  /// Within the constructor of a module: the load/store unit's client `name`.
  void bind_unit(core::LoadStoreUnit& unit, const std::string& name) { traffic_.bind_unit(unit, name); }

  void queue(const LogAccess& access) { waiting_.push_back(access); }
  /// A cycle. Whether something has happened: the one that waits longest is on its way, or, without a cost, all are done.
  bool offer(base::Cycle cycle);
  /// That wait for the load/store unit.
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  /// None waits or is on its way, lines that L1 had to give up included.
  [[nodiscard]] bool quiet() const { return waiting_.empty() && traffic_.quiet(); }

 private:
  void take(warp_log::LogAnswer& answer);
  bool answer_for_nothing();

  LogCost cost_;
  warp_log::LogTraffic traffic_;
  sim::BlockTarget<warp_log::LogAnswerProtocol, LogAccesses, &LogAccesses::take> answer_tsock_{
      "log_answer_tsock", this};
  Answered answered_;
  std::function<void()> displaced_;
  std::deque<LogAccess> waiting_;
  base::SlotPool<LogAccess> on_their_way_;  ///< by tag
  LogShadow shadow_;                        ///< instead of memory
};

}  // namespace heddle::determinism
