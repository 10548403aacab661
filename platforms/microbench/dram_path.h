// Latency of a DRAM channel for one read at a time, derived from the configuration alone: the timing rules of
// models/memory/dram_timing.h that matter when nothing else is in flight, and refresh.
#pragma once

#include <cstdint>
#include <map>

#include "memory/config.h"

namespace heddle::microbench {

enum class RowOutcome : std::uint8_t {
  kUnknown,   ///< the bank's state is unknown: it has not been read before, or only by others
  kHit,       ///< its row is open
  kClosed,    ///< no row is open: a refresh has closed it
  kConflict,  ///< another row is open
};

class DramPath {
 public:
  explicit DramPath(const memory::DramConfig& config) : config_(config) {}

  struct Read {
    RowOutcome outcome = RowOutcome::kUnknown;
    std::uint64_t answered = 0;  ///< DRAM cycle of the response
  };
  /// A read of `bytes` bytes in one row that arrives in DRAM cycle `arrived`, with nothing else queued. An
  /// unknown bank is assumed to be closed.
  Read read(std::uint64_t local, std::uint32_t bytes, std::uint64_t arrived);

 private:
  struct Bank {
    bool open = false;
    std::uint64_t row = 0;
    std::uint64_t precharge_ready = 0, activate_ready = 0, column_ready = 0;
  };
  void refreshes_before(std::uint64_t cycle);
  void refresh();

  memory::DramConfig config_;
  std::map<std::uint32_t, Bank> banks_;
  std::uint64_t refreshed_ = 0;      ///< refreshes that have been due and performed
  std::uint64_t command_ready_ = 0;  ///< one command per cycle, and none during a refresh
};

}  // namespace heddle::microbench
