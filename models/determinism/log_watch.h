// What must hold of a core's logs whatever the timing (preconditions.h), looked at while they are written, read and given away.
// Does nothing unless the preconditions are watched.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/memory/memory_instruction.h"
#include "core/protocols/lsu_protocol.h"
#include "determinism/log_accesses.h"
#include "determinism/log_entry.h"
#include "determinism/log_search.h"
#include "determinism/preconditions.h"

namespace heddle::determinism {

class LogWatch {
 public:
  /// `preconditions`: of the GPU. `own`: the addresses that only this core reads and writes in the launch, its logs among them.
  LogWatch(Preconditions& preconditions, base::CoreId core, std::uint32_t wave_slots,
           const std::vector<core::AddressRange>& own)
      : preconditions_(preconditions), core_(core), own_(own), seals_(wave_slots) {}

  [[nodiscard]] bool on() const { return preconditions_.watched(); }
  void begin_launch(const core::LaunchContext* launch) { launch_ = launch; }
  /// An entry more in the wavefront's log.
  void appended(core::WarpId warp, const EntrySeal& seal) {
    if (on()) seals_[warp.value()].push_back(seal);
  }
  /// Its log is empty again.
  void cleared(std::uint32_t wave_slot) { seals_[wave_slot].clear(); }

  /// [GPUDet:D1]: of lanes that store to the same byte the highest has won. `data`: of the access's chunk.
  void check_winner(core::Pc pc, const core::MemoryInstruction& op, const core::LineAccess& access,
                    std::span<const unsigned char> data) const;
  /// The search that an access is of.
  struct Reader {
    core::Pc pc;              ///< the load's
    const LogSearch* search;  ///< before it takes the words
  };
  /// [GPUDet:D2]: logs give back what was appended before who asks; [GPUDet:D7]: appends go to logs. `reader`: null: it is of no
  /// search.
  void check_access(const LogAccess& access, std::span<const std::uint32_t> words,
                    const Reader* reader) const;
  /// [GPUDet:D5]: entries leave in log order. `given`: that have left before.
  void check_order(core::WarpId warp, std::uint32_t index, std::uint32_t given) const;
  /// [GPUDet:D7]: what the core issues past the log stores nothing to global memory.
  void check_passed(const core::LsuRequest& request) const;
  /// [GPUDet:D8]: L1 and, if a commit empties it (`constants`), the constant cache hold nothing from before the commit.
  void check_caches(core::LsuPort& lsu, bool constants) const;

 private:
  [[nodiscard]] std::string wavefront_name(core::WarpId warp) const;
  void check_words(const LogAccess& access, std::span<const std::uint32_t> words, std::uint32_t entries,
                   const Reader* reader) const;

  Preconditions& preconditions_;
  base::CoreId core_;
  const std::vector<core::AddressRange>& own_;
  const core::LaunchContext* launch_ = nullptr;
  std::vector<std::vector<EntrySeal>> seals_;  ///< of the entries, by wavefront
};

}  // namespace heddle::determinism
