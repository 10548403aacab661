// The line access stage of the load/store unit: serves an operation's line accesses, one a call, from L1, or sends them
// to L2, and takes what comes back. What L1 gives up for them goes first (displaced_lines.h).
//
//   load/store unit --access()--> L1 look-up, read / write / atomic to L2 --> memory port
//                   take_response() <-- fills, answers, acknowledgements of displaced lines
//
// A part of an operation that is served is told to the table of pending requests; a load's lanes get their bytes by the
// load data path. Times are core cycles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/stats.h"
#include "core/config.h"
#include "core/memory/access_statistics.h"
#include "core/memory/displaced_lines.h"
#include "core/memory/fence_messages.h"
#include "core/memory/l1_data_cache.h"
#include "core/memory/load_data_path.h"
#include "core/memory/lsu_stall.h"
#include "core/memory/memory_instruction.h"
#include "core/memory/pending_request_table.h"
#include "core/protocols/port_protocol.h"
#include "sim/memory_payload.h"

namespace heddle::core {

class LineAccessStage {
 public:
  /// All of them outlive the stage. `statistics`: nullptr, if accesses are not counted. The ports are the load/store unit's.
  LineAccessStage(const CoreConfig& config, base::CoreId core, sim::MemoryPool& pool,
                  PendingRequestTable& requests, const LoadDataPath& loads, AccessStatistics* statistics,
                  L1dPort& l1d, MemoryAccessPort& port);
  void declare(base::StatGroup& stats);

  /// A global load like this does not look into L1.
  [[nodiscard]] bool bypasses_l1(const isa::Instruction& instruction) const;
  /// Serves the access or sends it to L2; otherwise says what it waits for, to be asked again.
  LsuStall access(MemoryInstruction& op, const LineAccess& access, Cycle cycle);
  /// core.lsu.reduction_lane_cycles: how long an access of this operation that access() has just sent takes the unit if it is a
  /// reduction; 0: as other accesses.
  [[nodiscard]] Cycle reduction_cycles(const MemoryInstruction& op) const {
    const bool reduces = op.instruction->op == isa::Opcode::kAtomic && op.instruction->write_count == 0;
    return lane_cycles_ != 0 && reduces ? reduction_cycles_ : 0;
  }
  /// access() would find that this load waits for an MSHR, and will until something comes back from L2.
  [[nodiscard]] bool waits_for_mshr(const MemoryInstruction& op, const LineAccess& access) {
    return mshrs_full_ && looks_into_l1(op, access) && displaced_.sent() && messages_.sent() &&
           l1d_.ask(L1dRequest::Op::kNoPlace, access.line).result == L1dRequest::Result::kHit;
  }
  /// Something came back from L2. An acknowledged line that an operation displaced: what its owner waits for no longer.
  std::optional<DisplacedLines::Line> take_response(const PortResponse& response);

  /// A line that L1 gave up waits for room in the memory port; nothing else is sent before.
  [[nodiscard]] bool displaced_waits() const { return !displaced_.sent(); }
  void send_displaced();
  /// Those of a fence; taken() numbers each. To all L2 slices, each core begins with another one; or behind the atomics that are not
  /// answered as a whole, one for each line of them that has been sent.
  template <class Taken>
  void add_messages(const FenceConfig& fence, Taken&& taken) {
    if (fence.messages == FenceMessagesTo::kSlices) {
      for (std::uint32_t i = 0; i < fence.slices; ++i)
        messages_.add({.slice = (core_.value() + i) % fence.slices, .number = taken()});
      return;
    }
    std::vector<std::uint64_t>& lines = followed_;
    lines.clear();
    requests_.for_each_pending([&](const MemoryInstruction& op) {
      if (op.instruction->op != isa::Opcode::kAtomic) return;
      for (unsigned i = 0; i < op.next_access; ++i)
        if (std::find(lines.begin(), lines.end(), op.accesses[i].line) == lines.end())
          lines.push_back(op.accesses[i].line);
    });
    for (const std::uint64_t line : lines) messages_.add({.line = line, .number = taken()});
  }
  [[nodiscard]] bool message_waits() const { return !messages_.sent(); }
  void send_message(Cycle cycle);
  /// The write that an answered message counted as; of other responses none.
  std::optional<WriteMark> take_message(const PortResponse& response);
  /// The newest value of a byte of a line that L1 gave up and L2 has not acknowledged; false: there is none.
  [[nodiscard]] bool displaced_byte(std::uint64_t address, std::byte& to) const {
    return displaced_.byte_at(address, l1d_config_.line_bytes, to);
  }

  /// Loads from here on may not get what was read before `cycle`.
  void acquired(base::Cycle cycle) { acquired_at_ = cycle; }

 private:
  [[nodiscard]] bool looks_into_l1(const MemoryInstruction& op, const LineAccess& access) const {
    return (op.instruction->op == isa::Opcode::kLoad || op.instruction->op == isa::Opcode::kAsyncCopy) &&
           (op.is_private(access) ? l1d_config_.enabled : !op.bypass_l1);
  }
  /// A load that L2 serves: no later load of the core may find less there.
  LsuStall load_past_l1(MemoryInstruction& op, const LineAccess& access, Cycle cycle);
  /// An access that others must see in order passes L1, on its way to L2: the copy goes. False: wait for the port.
  bool pass_l1(L1dRequest::Op kind, const MemoryInstruction& op, const LineAccess& access, Cycle cycle);
  /// For the statistics: a load found its sectors, or that they are on their way, but for those that are fetched now.
  void note_found(const MemoryInstruction& op, const LineAccess& access, unsigned to_fetch = 0) {
    if (statistics_ != nullptr) [[unlikely]]
      statistics_->hit(op, access,
                       static_cast<sim::SectorMask>(load_path_.sectors_of(op, access) & ~to_fetch),
                       l1d_config_.sector_bytes != 0 ? l1d_config_.sector_bytes : l1d_config_.line_bytes);
  }
  LsuStall load(MemoryInstruction& op, const LineAccess& access, Cycle cycle);
  LsuStall store(MemoryInstruction& op, const LineAccess& access, Cycle cycle);
  LsuStall keep_store(MemoryInstruction& op, const LineAccess& access, Cycle cycle);
  LsuStall atomic(MemoryInstruction& op, const LineAccess& access, Cycle cycle);
  sim::MemoryTransaction& transaction(const MemoryInstruction& op, const LineAccess& access,
                                      sim::MemoryOp kind, std::uint32_t tag, Cycle cycle);
  void send(sim::MemoryTransaction& transaction) { port_.send(PortClient::kData, transaction); }
  /// Past L1.
  void send_read(const MemoryInstruction& op, const LineAccess& access, Cycle cycle);
  /// L1's sectors in those of the payload.
  [[nodiscard]] sim::SectorMask wanted_sectors(sim::SectorMask sectors) const;
  [[nodiscard]] bool port_room();
  /// A line that an access displaced from L1 goes to L2.
  void write_back_line(const DirtyLine& dirty, const MemoryInstruction& op, const LineAccess& access,
                       Cycle cycle);

  void take_fill(const PortResponse& response, std::uint32_t mshr);
  void take_answer(const PortResponse& response, MemoryInstruction& op, const LineAccess& access);
  /// Lanes of it that are on the same word.
  [[nodiscard]] static unsigned most_on_one_word(const sim::MemoryExtension& atomic);
  /// When the last old value of an atomic is back whose response comes in cycle `now`: those of lanes with one address follow each
  /// other.
  [[nodiscard]] Cycle returned(const sim::MemoryExtension& atomic, Cycle now);

  const L1dConfig l1d_config_;
  bool scoped_;                    ///< core.memory_model
  base::Cycle acquired_at_ = 0;    ///< the core's last acquire
  Cycle return_cycles_;            ///< core.lsu.atomic_return_cycles
  Cycle lane_cycles_;              ///< core.lsu.reduction_lane_cycles
  Cycle reduction_cycles_ = 0;     ///< of the last reduction
  std::uint32_t most_reductions_;  ///< core.lsu.reductions_in_flight
  std::uint32_t reductions_ = 0;   ///< messages that L2 has not acknowledged; only with a limit
  Cycle returns_until_ = 0;        ///< the port is taken by old values
  base::CoreId core_;
  sim::MemoryPool& pool_;
  PendingRequestTable& requests_;
  const LoadDataPath& load_path_;
  AccessStatistics* statistics_;
  L1dPort& l1d_;
  MemoryAccessPort& port_;
  DisplacedLines displaced_;
  FenceMessages messages_;
  std::vector<std::uint64_t> followed_;  ///< scratch of add_messages()
  bool mshrs_full_ = false;              ///< L1's, as far as known
  std::uint64_t loads_ = 0, stores_ = 0, atomics_ = 0;
};

}  // namespace heddle::core
