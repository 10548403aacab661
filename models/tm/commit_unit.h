// The commit unit as a partition unit (memory/partition_unit.h): logs and outcomes arrive as messages, words are read and
// written in L2, and what cores have to know goes to them as notices. Everything else passes. The unit of partition 0 is the
// vendor of commit ids, too.
//
//   crossbar --> CommitUnit --> L2
//                  |-- ring_isock ---------> CommitRing
//                  |-- set_buffers_isock --> SetBuffers
//                  \-- hazard_isock -------> HazardBlock --history_isock--> LastWriterHistory
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/ring.h"
#include "memory/partition_unit.h"
#include "tm/commit_checker.h"
#include "tm/commit_unit_model.h"
#include "tm/last_written_times.h"
#include "tm/retire_board.h"
#include "tm/transaction_shared.h"

namespace heddle::tm {

/// The clock that the commit units of a GPU share.
using CommitClock = std::shared_ptr<sim::ClockDomain>;

class CommitUnit : private CommitClock, public memory::PartitionUnit {
 public:
  /// `times`: null: no temporal conflict detection.
  CommitUnit(const sc_core::sc_module_name& name, const CommitUnitConfig& config, std::uint32_t line_bytes,
             const memory::PartitionUnitSite& site, const CommitClock& clock, RetireBoard& board,
             CommitChecker* checker, std::unique_ptr<LastWrittenTimes> times);

  tlm::tlm_sync_enum memory_nb_transport_bw(unsigned port, Payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) override;

  /// Of ideal transactional memory whose writes take their way to L2: cores send them as ordinary writes, which get their
  /// data here.
  void complete_stores(TransactionShared& shared) { stores_ = &shared; }
  /// Of ideal transactional memory: in no time, wherever the word is at present.
  void write_at_once(std::uint64_t address, std::span<const std::uint8_t> bytes);

  [[nodiscard]] std::string describe() const override { return model_.describe(); }
  [[nodiscard]] const CommitUnitModel& model() const { return model_; }
  /// Everything that it has been sent has retired, and L2 has performed its writes.
  [[nodiscard]] bool drained() const { return old_writes_performed(); }
  /// Called at the end of a cycle in which it is drained; may be empty.
  std::function<void()> on_drained;
  /// Of the vendor: the next id.
  [[nodiscard]] Cid next_cid() const { return next_cid_; }

 protected:
  base::Cycle cycle(base::Cycle now) override;
  void accepted(const Payload& payload) override;
  [[nodiscard]] bool busy() const override { return !model_.idle(); }
  [[nodiscard]] bool takes_request(const Payload& payload) override { return is_ideal_store(payload); }

 private:
  [[nodiscard]] bool is_ideal_store(const Payload& payload) const;
  /// Whether there was one.
  bool complete_store();
  bool take_message(base::Cycle now);
  bool take_responses();
  bool send_to_l2();
  bool send_to_core(base::Cycle now);
  void declare(base::StatGroup& stats);

  CommitUnitConfig config_;
  std::uint32_t line_bytes_;
  EventBlock<RingEvent> ring_;
  EventBlock<SetBufferEvent> set_buffers_;
  std::unique_ptr<EventBlock<HistoryEvent>> history_;  ///< null: hazard detection needs none
  HazardBlock hazard_detection_;
  EventSocket<RingEvent> ring_port_{"ring_isock"};
  EventSocket<SetBufferEvent> set_buffers_port_{"set_buffers_isock"};
  EventSocket<HazardEvent> hazard_port_{"hazard_isock"};
  CommitUnitModel model_;
  std::unique_ptr<CommitObserver> observer_;
  RetireBoard& board_;
  std::unique_ptr<LastWrittenTimes> times_;
  TransactionShared* stores_ = nullptr;  ///< of ideal transactional memory; null: none come

  struct Asked {
    Payload* message = nullptr;
    base::Cycle due = 0;
  };
  base::GrowingRing<Asked> asked_;  ///< of the vendor
  Cid next_cid_ = kFirstCid;
  std::uint64_t granted_ = 0, notices_ = 0, validation_misses_ = 0;
  std::uint64_t time_reads_ = 0, time_writes_ = 0;
};

}  // namespace heddle::tm
