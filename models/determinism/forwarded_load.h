// A load of global memory that looks for its bytes in its wavefront's log first ([GPUDet] §4.3): a search for each chunk that
// the log may hold, one after the other, and what of its lanes the log has. Knows no time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/memory/memory_instruction.h"
#include "determinism/log_search.h"
#include "isa/instruction.h"

namespace heddle::determinism {

class ForwardedLoad {
 public:
  struct Counters {
    std::uint64_t searches = 0;
    std::uint64_t compared = 0;  ///< log entries looked at
    // Searches by their end: all bytes, some, or none were in the log.
    std::uint64_t forwards = 0, partial_forwards = 0, false_positives = 0;
  };
  /// A chunk of it may be in the log: `entries` that it may see, `step` of which are looked at in an access. Later stores are
  /// younger ([GPUDet:S5]).
  void search_for(const core::MemoryInstruction& op, const core::LineAccess& access, std::uint32_t entries,
                  std::uint32_t step);
  [[nodiscard]] bool empty() const { return searches_.empty(); }
  /// Of all chunks, whether they may be in the log or not.
  void take_addresses(const core::MemoryInstruction& op);

  /// The search in progress; null: all have ended, and are counted.
  [[nodiscard]] LogSearch* search(Counters& counters);

  /// Lanes whose bytes may be in the log; behind satisfy() those of them that need bytes of memory, too.
  [[nodiscard]] core::LaneMask searched() const { return searched_; }
  /// The searches have ended: the lanes of which all bytes are there, which are searched() no longer.
  [[nodiscard]] core::LaneMask satisfy(const isa::Instruction& instruction);
  /// The log's bytes into the registers of these lanes. `partly`: the other bytes are there.
  void merge(const isa::Instruction& instruction, std::byte* registers, core::LaneMask lanes,
             bool partly) const;

 private:
  std::vector<LogSearch> searches_;  ///< by chunk
  std::size_t current_ = 0;
  core::LaneMask searched_;
  std::array<std::uint64_t, core::kLanes> address_{};
};

}  // namespace heddle::determinism
