// The load data path: from a line that an access found to the register rows of its lanes.
//
// The bytes of a lane are taken when the access is served, out of L1, a fill, or an answer of L2 or the constant cache.
// The watchdog's log hears what came out of L1 (sim/memory_log.h).
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "core/config.h"
#include "core/memory/memory_instruction.h"
#include "sim/memory_log.h"
#include "sim/memory_payload.h"

namespace heddle::core {

class LoadDataPath {
 public:
  /// `log`: nullptr, if there is no watchdog.
  LoadDataPath(const L1dConfig& l1d, base::CoreId core, sim::MemoryLog* log)
      : core_(core),
        log_(log),
        sectored_(l1d.sector_bytes != 0),
        sector_bytes_(sectored_ ? l1d.sector_bytes : l1d.line_bytes) {}

  /// The sectors of L1 that the access wants.
  [[nodiscard]] sim::SectorMask sectors_of(const MemoryInstruction& op, const LineAccess& access) const;
  /// The access's lanes get what is theirs of `line`, the bytes from the access's block on.
  void deliver(MemoryInstruction& op, const LineAccess& access, const unsigned char* line) const;
  /// The same for lanes in these sectors only.
  void deliver(MemoryInstruction& op, const LineAccess& access, const unsigned char* line,
               sim::SectorMask sectors) const;

 private:
  [[gnu::noinline]] void log(const MemoryInstruction& op, const LineAccess& access,
                             const unsigned char* line) const;
  [[nodiscard]] bool logs(const MemoryInstruction& op, const LineAccess& access) const {
    // What passes L1 by found what memory had then, which the log knows from L2.
    return log_ != nullptr && log_->active() && (access.local || !op.bypass_l1);
  }

  base::CoreId core_;
  sim::MemoryLog* log_;
  bool sectored_;
  std::uint32_t sector_bytes_;
};

}  // namespace heddle::core
